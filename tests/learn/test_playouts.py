"""Learned playouts: weights that make playouts win as often as positions deserve, and the command that learns them."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner

from helpers.toy_weights import toy_weights, written
from kikashi import Game, sgf
from kikashi.board.points import point
from kikashi.board.position import new_board, play
from kikashi.cli import main
from kikashi.engine.tree_reuse import root_of
from kikashi.game import Move
from kikashi.learn.balancing import BalanceSettings, balance, flatten, list_with_weights, unflatten
from kikashi.learn.dataset import NO_LEVEL, FeatureExtractor, features_named
from kikashi.learn.labels import Label, LabelSettings, LabelTask, choose_positions, game_after, label_position
from kikashi.learn.playout_learning import UrgentExtractor
from kikashi.learn.training_games import TrainingGame
from kikashi.playout import PartError, make_policy, sample
from kikashi.playout.weights import Weights, read_weights

SIZE, KOMI = 5, 0.5
SPECS = ("capture", "escape", "distance")


def random_moves(seed: int) -> tuple[tuple[int, str], ...]:
    """The beginning of a random game."""
    random, game = Random(seed), Game(SIZE, KOMI)
    for _ in range(random.randint(4, 14)):
        game.push(random.choice(sorted(p for p in game.legal_moves if p)))
    return tuple((move.color, move.name) for move in game.moves)


def labelled_by(weights: Weights, folder: Path, count: int) -> list[Label]:
    """Positions with the values that playouts by some weights give them."""
    policy = make_policy(list_with_weights("roulette", Path(written(folder, weights))))
    labels = []
    for number in range(count):
        moves = random_moves(number)
        value = sample(policy, root_of(game_after(moves, SIZE, KOMI)), playouts=2_000, seed=7).black_wins(KOMI)
        labels.append(Label(number=number, game=number, moves=moves, value=value))
    return labels


@pytest.fixture(scope="module")
def start() -> Weights:
    known = toy_weights(*SPECS)
    return unflatten(known, np.zeros(flatten(known).size))


@pytest.fixture(scope="module")
def labels(start: Weights, tmp_path_factory: pytest.TempPathFactory) -> list[Label]:
    """By playouts that capture whenever they can."""
    levels = start.features[0].values.size - 1
    truth = unflatten(start, np.where(np.arange(flatten(start).size) < levels, 5.0, 0.0))
    return labelled_by(truth, tmp_path_factory.mktemp("truth"), 60)


def test_playouts_come_to_agree_with_labels(start: Weights, labels: list[Label]) -> None:
    """The truth is in reach: the labels are values of such playouts with other weights."""
    found = balance(start, labels, BalanceSettings(playouts=60, passes=6, batch=8, rate=1.0), komi=KOMI)
    assert found.before.positions == 12
    assert found.after.error < 0.7 * found.before.error
    assert found.weights.features[0].values[1] > 1, "to take a stone"
    assert found.by_pass[-1] == found.after.error
    assert len(found.by_pass) == 6


def test_threads_change_nothing(start: Weights, labels: list[Label]) -> None:
    few = labels[:12]
    one, two = (balance(start, few, BalanceSettings(10, 2, 4, threads=threads), komi=KOMI) for threads in (1, 2))
    assert (flatten(one.weights) == flatten(two.weights)).all()
    assert one.after == two.after
    other = balance(start, few, BalanceSettings(10, 2, 4, seed=2), komi=KOMI)
    assert (flatten(one.weights) != flatten(other.weights)).any()


def test_ctrl_c_leaves_what_the_last_whole_pass_found(start: Weights, labels: list[Label]) -> None:
    few = labels[:12]

    def interrupt(done: int, of: int) -> None:
        if done > of // 2:
            raise KeyboardInterrupt

    ended = balance(start, few, BalanceSettings(10, 2, 4), komi=KOMI, step=interrupt)
    whole = balance(start, few, BalanceSettings(10, 1, 4), komi=KOMI)
    assert (ended.is_interrupted, whole.is_interrupted) == (True, False)
    assert (ended.by_pass, ended.after) == (whole.by_pass, whole.after)
    assert ended.weights.as_bytes() == whole.weights.as_bytes()


def test_no_pass_changes_nothing(start: Weights, labels: list[Label]) -> None:
    found = balance(start, labels[:12], BalanceSettings(10, passes=0), komi=KOMI)
    assert (flatten(found.weights) == flatten(start)).all()
    assert found.before == found.after


def test_other_heuristics_may_stand_before_the_roulette(start: Weights, labels: list[Label]) -> None:
    """Then fewer moves are the roulette's, and balancing goes other ways."""
    alone, together = (
        balance(start, labels[:12], BalanceSettings(10, 1, 4, policy=listed), komi=KOMI)
        for listed in ("roulette", "last_good_reply,roulette(last=1)")
    )
    assert (flatten(alone.weights) != flatten(together.weights)).any()
    with pytest.raises(PartError, match="playouts that are learned have one roulette, unlike capture"):
        balance(start, labels[:12], BalanceSettings(policy="capture"), komi=KOMI)


def test_weights_go_into_one_array_and_back() -> None:
    known = toy_weights(*SPECS, "shape", keys={"shape": [0, 1, 2, 5]})
    values = flatten(known)
    assert values.size == sum(one.values.size for one in known.features) - len(SPECS)
    again = unflatten(known, values)
    for one, other in zip(known.features, again.features, strict=True):
        assert one.values.tolist() == other.values.tolist()


def test_where_nothing_is_urgent_features_say_nothing() -> None:
    game = game_after([(1, "A1"), (2, "B1")], SIZE, KOMI)
    features = features_named("line,shape")
    points, levels = UrgentExtractor(features, SIZE).extract(root_of(game))
    same, all_levels = FeatureExtractor(features, SIZE).extract(root_of(game))
    urgent = {game._point(name) for name in ("A2", "B2", "C1", "C2")}
    assert points.tolist() == same.tolist()
    for p, row, whole in zip(points.tolist(), levels.tolist(), all_levels.tolist(), strict=True):
        assert row == (whole if p in urgent else [NO_LEVEL, NO_LEVEL])


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def games(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    folder.mkdir()
    for seed in range(12):
        (folder / f"{seed}.sgf").write_text(sgf.write_game(game_after(random_moves(seed), SIZE, KOMI)))
    return folder


def test_the_command_learns_and_goes_on_where_it_was_ended(games: Path) -> None:
    """In a folder below that of the games, which is read again."""
    folder = games / "found"
    words = ["balance", str(games), "--output", str(folder), "--preset", "mogo-2006", "--simulations", "20"]
    words += ["--features", ",".join(SPECS), "--passes", "1", "--concurrency", "1", "--json"]
    first = CliRunner().invoke(main, [*words, "--positions", "6"])
    assert first.exit_code == 0, first.output
    labels = (folder / "labels" / "journal.jsonl").read_bytes()
    second = CliRunner().invoke(main, [*words, "--positions", "9"])
    assert second.exit_code == 0, second.output
    assert (folder / "labels" / "journal.jsonl").read_bytes().startswith(labels)
    assert len((folder / "labels" / "journal.jsonl").read_bytes().splitlines()) == 1 + 9
    output = json.loads(second.stdout)
    weights = read_weights("w", (folder / "weights.npz").read_bytes())
    assert output["balanced"] == weights.header["balanced"]
    assert weights.size == SIZE
    fitted = read_weights("w", (folder / "fitted.npz").read_bytes())
    assert (flatten(fitted) != flatten(weights)).any()
    again = CliRunner().invoke(main, [*words, "--positions", "6", "--simulations", "30"])
    assert again.exit_code == 1
    assert len(again.stderr.splitlines()) == 1


def test_a_value_is_from_the_side_of_black() -> None:
    """Whoever is to play: here Black has won."""
    settings = LabelSettings(player="mogo-2006", positions=1, size=SIZE, simulations=100, komi=-30.5)
    for moves in ((), ((1, "C3"),)):
        assert label_position(LabelTask(0, 0, moves, settings, settings.match_player())).value > 0.7


def test_games_that_cannot_be_searched_are_left_out() -> None:
    """What begins with stones on the board, and suicide."""
    settings = LabelSettings(player="mogo-2006", positions=2, size=SIZE, simulations=10, komi=KOMI)
    plain = TrainingGame("plain", SIZE, new_board(SIZE), [Move(1, point(3, 3)), Move(2, point(2, 2))])
    surrounded = [(1, 2, 1), (2, 5, 5), (1, 1, 2), (2, 1, 1)]
    suicide = TrainingGame("suicide", SIZE, new_board(SIZE), [Move(color, point(x, y)) for color, x, y in surrounded])
    begun = new_board(SIZE)
    play(begun, point(3, 3))
    handicap = TrainingGame("handicap", SIZE, begun, [Move(2, point(2, 2))])
    tasks = choose_positions([suicide, plain, handicap, plain], settings)
    assert {task.game for task in tasks} == {1, 3}


def test_labels_of_other_positions_are_refused(games: Path, tmp_path: Path) -> None:
    words = ["balance", "--output", str(tmp_path / "found"), "--preset", "mogo-2006", "--simulations", "10"]
    words += ["--features", "line", "--passes", "0", "--positions", "4", "--concurrency", "1"]
    assert CliRunner().invoke(main, [*words, str(games)]).exit_code == 0
    (games / "0.sgf").unlink()
    result = CliRunner().invoke(main, [*words, str(games)])
    assert result.exit_code == 1
    assert "has labels of positions of other games: begin in another folder" in result.stderr


MISTAKES = {
    "too many positions": (["--positions", "1000"], "to give, not 1000"),
    "one game": (["--positions", "1"], "positions of two games at least are needed"),
    "a rate without end": (["--rate", "inf"], "the rate must be above 0 and finite, not inf"),
    "a preset that there is not": (["--preset", "nonsense"], "'nonsense' is neither a preset nor a program"),
    "an option of learn": (["--only-test", "x"], "No such option"),
    "a rate of nothing": (["--rate", "0"], "the rate must be above 0 and finite, not 0"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line(case: str, games: Path, tmp_path: Path) -> None:
    words, line = MISTAKES[case]
    folder = str(tmp_path / "found")
    result = CliRunner().invoke(main, ["balance", str(games), "--output", folder, "--features", "line", *words])
    assert result.exit_code in (1, 2)
    assert line in result.stderr.splitlines()[-1]
