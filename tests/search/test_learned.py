"""Learned weights in playouts and in the tree: shares, virtual games by them, and a bias that fades."""

import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.heuristic_cases import propose, worker_for
from helpers.searching import children_of, search_of
from helpers.toy_weights import toy_weights, written
from kikashi import Game
from kikashi.board.points import BLACK, PASS, WHITE, vertex
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import root_of
from kikashi.learn.dataset import FeatureExtractor
from kikashi.playout import PartError, feature, weights as weights_module
from kikashi.playout.loop import begin
from kikashi.playout.weights import FeatureWeights, Weights, read_weights
from kikashi.search.tree import SHARES
from kikashi.search.tree_search import TreeSearch

SIZE = 5
DIAGRAM = """
    . . O . .
    . X X O .
    . O X O .
    . X O . .
    . . . . .
"""
SPECS = ("line", "distance", "atari", "shape")


def position(turn: int = BLACK) -> Game:
    return Game.from_diagram(DIAGRAM, turn=turn, komi=0.5)


@pytest.fixture(scope="module")
def eye() -> FeatureExtractor:
    return FeatureExtractor(
        toy_weights(*SPECS[:3]).bound_features() + toy_weights("shape", keys={"shape": [0]}).bound_features(), SIZE
    )


@pytest.fixture
def weights(tmp_path: Path, eye: FeatureExtractor) -> str:
    """A file in which half of the shapes of the position have a weight."""
    keys = eye.extract(root_of(position()))[1][:, 3].tolist()
    return written(tmp_path, toy_weights(*SPECS, keys={"shape": keys[::2]}))


def slow_shares(eye: FeatureExtractor, file: str, game: Game) -> dict[str, float]:
    """By move: its share, from the levels and the definition of the model."""
    known = read_weights(file, Path(file).read_bytes()).features
    points, levels = eye.extract(root_of(game))
    strengths = []
    for row in levels:
        total = 0.0
        for one, level in zip(known, row, strict=True):
            if one.keys is None:
                total += one.values[level]
            else:
                used = one.bind()
                name = used.part.options["levels"].images(np.array([level]), used.values).min()
                total += float(one.values[one.keys == name].sum())
        strengths.append(np.exp(total))
    return {vertex(p): value / sum(strengths) for p, value in zip(points.tolist(), strengths, strict=True)}


def grown(file: str, turn: int, *settings: str, games: float = 60, power: float = 1.0) -> TreeSearch:
    prior = f"prior=[{{ part = 'learned', weights = '{file}', games = {games}, power = {power} }}]"
    rules = load_preset("kikashi", [prior, "even_games=0", *settings]).config
    return search_of(rules, position(turn))


@pytest.mark.parametrize("turn", [BLACK, WHITE], ids=["black", "white"])
def test_the_heuristic_lists_all_moves_by_their_shares(turn: int, eye: FeatureExtractor, weights: str) -> None:
    worker = worker_for(f"learned(weights='{weights}')")
    begin(worker.sim, worker.record, root_of(position(turn)))
    found = {vertex(p): share for p, share in propose(worker).weights.items()}
    expected = slow_shares(eye, weights, position(turn))
    assert found == {move: pytest.approx(share) for move, share in expected.items()}
    assert sum(found.values()) == pytest.approx(1)
    assert worker.moves["shares"]


@pytest.mark.parametrize("power", [1.0, 0.5])
@pytest.mark.parametrize("turn", [BLACK, WHITE], ids=["black", "white"])
def test_virtual_games_go_by_a_power_of_the_share(turn: int, power: float, eye: FeatureExtractor, weights: str) -> None:
    """And children stand in the order of their shares, a pass at the end."""
    search = grown(weights, turn, power=power)
    expected = slow_shares(eye, weights, position(turn))
    children = [child for child in children_of(search.tree) if child.move != PASS]
    assert {vertex(child.move): child.prior_visits for child in children} == {
        move: pytest.approx(60 * share**power, rel=1e-5) for move, share in expected.items()
    }
    assert {child.prior_value for child in children} == {1.0 if turn == BLACK else 0.0}
    nodes = search.tree.children()
    assert nodes["share"].tolist() == sorted(nodes["share"].tolist(), reverse=True)
    assert {vertex(int(n["move"])): n["share"] / SHARES for n in nodes if n["move"] != PASS} == {
        move: pytest.approx(share, abs=1e-5) for move, share in expected.items()
    }
    assert nodes["move"][-1] == PASS


@pytest.mark.parametrize("turn", [BLACK, WHITE], ids=["black", "white"])
def test_a_relative_prior_gives_all_games_to_the_best_share(turn: int, eye: FeatureExtractor, weights: str) -> None:
    search = grown(weights, turn, "prior.0.relative=true", power=0.5)
    expected = slow_shares(eye, weights, position(turn))
    best = max(expected.values())
    children = [child for child in children_of(search.tree) if child.move != PASS]
    assert {vertex(child.move): child.prior_visits for child in children} == {
        move: pytest.approx(60 * (share / best) ** 0.5, rel=1e-5) for move, share in expected.items()
    }
    shares = {vertex(int(n["move"])): n["share"] / SHARES for n in search.tree.children() if n["move"] != PASS}
    assert shares == {move: pytest.approx(share, abs=1e-5) for move, share in expected.items()}, "what bias goes by"


def test_other_priors_and_even_games_stay_with_their_moves(eye: FeatureExtractor, weights: str) -> None:
    """Children are put into another order after all priors have had their say."""
    more = "prior+={ part = 'capture', games = 7 }"
    plain, both = (
        {vertex(c.move): c.prior_visits for c in children_of(grown(weights, BLACK, *changes).tree)}
        for changes in ([], [more, "even_games=3"])
    )
    extra = {move: both[move] - plain[move] for move in plain}
    assert {move: round(games, 3) for move, games in extra.items() if round(games, 3) != 3} == {"A3": 10}


def test_a_bias_makes_the_best_move_by_share_the_first(weights: str) -> None:
    """Without virtual games nothing but the bias tells moves apart at first; it fades."""
    search = grown(weights, BLACK, "selection.bias=50", "selection.first_play_urgency=0", games=0)
    best = int(search.tree.children()["share"].argmax())
    search.run(1)
    assert search.tree.children()["visits"].tolist()[best] == 1
    search.run(400)
    assert (search.tree.children()["visits"] > 0).sum() > 10


# --- files that are not right -----------------------------------------------------------------------------------------


def use_file(path: Path) -> None:
    load_preset("kikashi", [f"prior=[{{ part = 'learned', weights = '{path}' }}]"])


BROKEN = {
    "not an archive": (b"weights", r"this is not a file of weights"),
    "nothing": (b"", r"this is not a file of weights"),
    "another feature": (
        Weights((FeatureWeights("lines", np.zeros(6)),), {"size": 9}).as_bytes(),
        r"no feature is called 'lines'; did you mean line\?",
    ),
    "other levels": (
        Weights((FeatureWeights("line", np.zeros(4)),), {"size": 9}).as_bytes(),
        r"feature 'line' has 6 levels and the weights 4: train them anew with kikashi learn",
    ),
    "keys in place of levels": (
        Weights((FeatureWeights("line", np.zeros(4), np.arange(4)),), {"size": 9}).as_bytes(),
        r"feature 'line' has other levels than these weights",
    ),
    "no numbers": (
        Weights((FeatureWeights("line", np.full(6, np.nan)),), {"size": 9}).as_bytes(),
        r"this is not a file of weights",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_file_that_does_not_fit_is_one_line(case: str, tmp_path: Path) -> None:
    data, line = BROKEN[case]
    path = tmp_path / "mine.npz"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=rf"^preset kikashi: weights \S+mine\.npz: {line}[^\n]*$"):
        use_file(path)


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^preset kikashi: weights \S+: No such file or directory$"):
        use_file(tmp_path / "none.npz")
    with pytest.raises(ValueError, match="weights must be the path of a file that kikashi learn has written, not 5"):
        load_preset("kikashi", ["prior=[{ part = 'learned', weights = 5 }]"])


def test_a_level_that_is_none_names_the_feature(tmp_path: Path) -> None:
    file = written(tmp_path, toy_weights("toy_wrong_level"))
    with pytest.raises(PartError, match=r"feature 'toy_wrong_level' in .*: it gave a level that it does not have"):
        grown(file, BLACK)


@feature(levels=("no", "yes"))
def toy_wrong_level(sim, point, my):
    """A level that is not there."""
    return 2


def test_two_parts_with_the_same_weights_keep_both_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part's record has only the addresses of its tables."""
    tables = []
    give = weights_module.give_weights

    def noted(*arguments: Any) -> list[np.ndarray]:
        arrays = give(*arguments)
        tables.append([weakref.ref(array) for array in arrays])
        return arrays

    monkeypatch.setattr(weights_module, "give_weights", noted)
    path = written(tmp_path, toy_weights("line", "atari"))
    priors = ", ".join(f"{{ part = 'learned', weights = '{path}', games = {games} }}" for games in (100, 20))
    search = search_of(load_preset("mogo-2006", [f"prior=[{priors}]"]).config)
    search.run(20)
    assert len(tables) == 2
    assert all(reference() is not None for each in tables for reference in each)
