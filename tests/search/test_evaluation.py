"""Evaluations of leaves: those of the package, that of `examples/`, and those of plugins with files of their own."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.searching import check_consistent, children_of, config, node_facts, run_traced, search_of, visited
from helpers.toy_weights import toy_weights, written
from kikashi import Game, Limit, Player
from kikashi.board import BLACK, EMPTY, POINTS, STRIDE, WHITE, find_influence, points_of
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import root_of
from kikashi.learn.dataset import FeatureExtractor
from kikashi.parts.binding import bind
from kikashi.playout import Arrays, PartError, cells, load_plugin, memory, records
from kikashi.playout.weights import VALUES, FeatureModel, Weights
from kikashi.search import evaluation
from kikashi.search.config import SearchConfig
from kikashi.search.tree import SCALE
from kikashi.search.tree_search import TreeSearch

NOT_A_NUMBER = -9.0
EXAMPLE = Path(__file__).parents[2] / "examples" / "static_evaluation.py"


@evaluation(models={"table": Arrays(values="f8", size="i8")})
def toy_table(sim, moves, policy, my):
    """A value by the number of stones, from a file; the score is its place in the table."""
    stones = sim.board.size**2 - sim.board.empty_count
    sim.score = stones % records(my.table.size, 0)[0]
    return records(my.table.values, 0.0)[np.uintp(sim.score)]


@evaluation(value=0.5)
def toy_constant(sim, moves, policy, my):
    return my.value if my.value != NOT_A_NUMBER else np.nan


@evaluation()
def toy_raising(sim, moves, policy, my):
    raise ValueError("no idea")


@memory(cells=2)
def toy_playout_lengths(sim, my):
    """The moves of the last simulation, and its winner."""
    cells(my.cells)[0] = sim.length - sim.tree_length
    cells(my.cells)[1] = sim.winner


def evaluating(name: str, values: dict[str, Any] | None = None, base: SearchConfig | None = None) -> SearchConfig:
    base = base or config()
    return replace(base, rules={**base.rules, "evaluation": bind(evaluation, name, values)})


def tree_of(search: TreeSearch, simulations: int = 300) -> list[Any]:
    assert search.run(simulations) == simulations
    return list(visited(search.tree))


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "table.npz"
    np.savez(path, values=np.linspace(0.1, 0.9, 6).reshape(2, 3), size=[6])
    return str(path)


# --- what an evaluation returns ---------------------------------------------------------------------------------------


def test_the_playout_is_the_default_evaluation() -> None:
    assert str(config().all_rules["evaluation"]) == "playout"
    assert tree_of(search_of(evaluating("playout"))) == tree_of(search_of(config()))


@pytest.mark.parametrize("threads", [1, 4])
def test_sums_are_integers_and_no_visit_is_lost(table: str, threads: int) -> None:
    search = search_of(evaluating("toy_table", {"table": table}), threads=threads)
    search.run(2_000)
    check_consistent(search.tree)
    root = node_facts(search.tree)
    assert root.visits == 2_000 == sum(child.visits for child in children_of(search.tree))
    assert root.value == sum(child.value for child in children_of(search.tree))


def test_a_simulation_has_the_value_and_the_score_of_its_evaluation(table: str) -> None:
    search = search_of(evaluating("toy_table", {"table": table}))
    values = np.linspace(0.1, 0.9, 6)
    before = node_facts(search.tree)
    for _ in range(50):
        trace = run_traced(search)
        after = node_facts(search.tree)
        assert after.value - before.value == round(SCALE * values[trace.score])
        assert after.score - before.score == trace.score
        assert trace.winner == (BLACK if trace.score > 2 else WHITE)
        assert len(trace.moves) == len(trace.path) - 1  # no playout
        before = after


def test_a_game_that_is_over_in_the_tree_is_counted() -> None:
    game = Game.from_diagram(".X.X. XXXXX XXXXX X.O.X X...X".replace(" ", "\n"))
    search = search_of(evaluating("toy_constant", {"value": 0.0}), game)
    search.run(2_000)
    assert node_facts(search.tree).value > 0


def test_an_evaluation_without_a_score_leaves_the_game_even() -> None:
    search = search_of(evaluating("toy_constant"), Game(5, komi=6.5))
    search.run(20)
    assert search.analysis().score == pytest.approx(0.0, abs=0.5)


def test_memories_see_the_moves_and_the_likelier_winner() -> None:
    base = config(playout="uniform")
    base = replace(base, policy=replace(base.policy, memories=(bind(memory, "toy_playout_lengths"),)))
    for name, values, length, winner in (
        ("toy_constant", {"value": 0.7}, 0, BLACK),
        ("toy_constant", {"value": 0.2}, 0, WHITE),
        ("toy_constant", {"value": 0.5}, 0, EMPTY),
        ("truncated", {"moves": 3}, 3, None),
    ):
        search = search_of(evaluating(name, values, base))
        search.run(1)
        (block,) = search.memories.named("toy_playout_lengths")
        assert block[0] == length
        assert winner is None or block[1] == winner


# --- evaluations of the package ---------------------------------------------------------------------------------------


def test_a_truncated_playout_of_many_moves_is_a_playout() -> None:
    assert tree_of(search_of(evaluating("truncated", {"moves": 2048}))) == tree_of(search_of(config()))


def naive_influence(game: Game) -> dict[int, int]:
    """By point: its influence (Zobrist 1969)."""
    points = points_of(game.size)
    found = {p: {BLACK: 50, WHITE: -50, EMPTY: 0}[game.color_at(p)] for p in points}
    for _ in range(4):
        signs = {p: (found[p] > 0) - (found[p] < 0) for p in points}
        found = {p: found[p] + sum(signs.get(p + step, 0) for step in (1, -1, STRIDE, -STRIDE)) for p in points}
    return found


@pytest.mark.parametrize("size", [2, 5, 9, 19])
def test_influence_is_that_of_zobrist(size: int) -> None:
    random = np.random.default_rng(size)
    for _ in range(10):
        game = Game(size)
        for p in random.permutation(points_of(size))[: random.integers(size * size)].tolist():
            if game.is_legal(p):
                game.push(p)
        owner = np.zeros(POINTS, np.uint8)
        score = find_influence(game.board, owner)
        naive = naive_influence(game)
        expected = {p: BLACK if v > 0 else WHITE if v < 0 else EMPTY for p, v in naive.items()}
        assert {p: owner[p] for p in naive} == expected
        assert score == sum((v > 0) - (v < 0) for v in naive.values())


def test_a_truncated_playout_of_no_moves_is_the_influence_at_the_leaf() -> None:
    search = search_of(evaluating("truncated", {"moves": 0}), Game(5, komi=0.5))
    for _ in range(30):
        trace = run_traced(search)
        game = Game(5)
        for move in trace.moves:
            game.push(move)
        assert trace.score == sum((v > 0) - (v < 0) for v in naive_influence(game).values())
    assert np.abs(search.ownership()).sum() > 0


def values_file(folder: Path) -> str:
    weights = toy_weights("line", "distance")
    return written(folder, Weights(weights.features, {**weights.header, "target": VALUES}))


def test_a_mixture_without_the_learned_value_is_a_playout(tmp_path: Path) -> None:
    mixed = evaluating("mixed", {"weights": values_file(tmp_path), "learned": 0.0})
    assert tree_of(search_of(mixed)) == tree_of(search_of(config()))


def test_the_learned_value_is_a_logistic_regression_over_the_features_of_all_moves(tmp_path: Path) -> None:
    path = values_file(tmp_path)
    for moves in ("", "C3 B2 D2", "C3 B2"):
        game = Game(5)
        for move in moves.split():
            game.push(move)
        search = search_of(evaluating("mixed", {"weights": path, "learned": 1.0}, config(expand="never")), game)
        trace = run_traced(search)
        game.push(trace.moves[0])
        weights = FeatureModel("", VALUES).weights_for(path, 5)
        _, levels = FeatureExtractor(weights.bound_features(), 5).extract(root_of(game))
        total = sum(one.values[levels[:, row]].sum() for row, one in enumerate(weights.features))
        mover = 1 / (1 + math.exp(-total))
        black = mover if game.turn == BLACK else 1 - mover
        assert node_facts(search.tree).value == pytest.approx(SCALE * black, abs=2)


def test_evaluations_play_whole_games(tmp_path: Path) -> None:
    for rule in ("truncated(moves=5)", f"mixed(weights='{values_file(tmp_path)}')"):
        player = Player("mogo-2006", limit=Limit(simulations=50), overrides=[f"evaluation={rule}"])
        game = Game(5)
        while not game.is_over() and game.move_count < 80:
            game.push(player.choose(game).name)
        assert game.move_count > 4


# --- plugins and files ------------------------------------------------------------------------------------------------


def test_the_example_is_a_player_without_playouts() -> None:
    load_plugin(EXAMPLE)
    search = search_of(load_preset("mogo-2006", ["evaluation=influence"]).config)
    for _ in range(20):
        trace = run_traced(search)
        assert len(trace.moves) == len(trace.path) - 1
    assert 0 < search.analysis().winrate < 1


@pytest.mark.parametrize("value", [-0.1, 1.5, math.inf, NOT_A_NUMBER])
def test_a_value_beyond_0_and_1_names_the_evaluation(value: float) -> None:
    search = search_of(evaluating("toy_constant", {"value": value}))
    with pytest.raises(
        PartError, match=r"evaluation 'toy_constant' in .*: it returned a value that is not from 0 to 1"
    ):
        search.run(1)


def test_an_error_names_the_evaluation() -> None:
    with pytest.raises(PartError, match=r"evaluation 'toy_raising' in .*: ValueError: no idea"):
        search_of(evaluating("toy_raising")).run(1)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("nobody", "no evaluation is called 'nobody'"),
        ("mixed", "evaluation 'mixed' needs weights, the path of a file that kikashi learn has written"),
        ("toy_table(table=3)", "table must be the path of a file of arrays, not 3: its name ends in .npz"),
        ("toy_table(table='nothing.npz')", "arrays .*nothing.npz: No such file or directory"),
        ("toy_table(table='other.npz')", "arrays .*other.npz: this is not a file with values, size"),
        ("mixed(weights='moves.npz')", "weights .*moves.npz: they are for moves, not for values"),
    ],
)
def test_bad_files_are_refused_when_the_preset_is_loaded(
    rule: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("other.npz", values=np.zeros(3))
    Path("moves.npz").write_bytes(toy_weights("line").as_bytes())
    with pytest.raises(ValueError, match=message):
        load_preset("mogo-2006", [f"evaluation={rule}"])


def test_a_preset_names_the_files_of_all_its_parts(table: str) -> None:
    assert load_preset("mogo-2006", [f"evaluation=toy_table(table='{table}')"]).weights == [table]
