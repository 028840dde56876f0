"""Backup operators against slow transcriptions of Coulom 2006, on random statistics; figure 1 in all its branches."""

import numpy as np
import pytest

from helpers.searching import own_record
from kikashi.board.points import BLACK, PASS, WHITE, opponent, points_of
from kikashi.board.position import new_board
from kikashi.jit import kernel
from kikashi.parts.registry import find
from kikashi.playout.simulation import new_simulation
from kikashi.search.kinds import backup
from kikashi.search.rules.coulom import mixed_value, variance_of
from kikashi.search.rules.statistics import SQUARES
from kikashi.search.tree import GROWN, SCALE, Tree

SIZE = 5
POINTS = SIZE * SIZE
NODE, FIRST = 1, 2
OPERATORS = ("mean", "max_value", "robust_max", "mix")
_COMPILED = {name: kernel(find(backup, name).function) for name in OPERATORS}
COLORS = pytest.mark.parametrize("color", [BLACK, WHITE], ids=["black", "white"])
WEIGHTS = pytest.mark.parametrize("win", [0.0, 1.0], ids=["score", "win"])


def back_up(name: str, tree: Tree, color: int, **parameters: int | str) -> float:
    """The value that the compiled rule gives to a node where `color` is to play, one move below the root."""
    sim = new_simulation(np.uint64(1))
    sim["board"] = new_board(SIZE)
    sim["root_color"], sim["depth"] = opponent(color), 1
    _COMPILED[name](sim, tree.record, NODE, own_record(backup, name, **parameters))
    return float(tree.nodes[NODE]["mean"])


def random_node(seed: int, win: float, visits: int, untried: float = 0.3) -> Tree:
    """A node whose own results and whose children's are random; some children were never tried."""
    chances = np.random.default_rng([seed, visits])
    tree = Tree(32, win_weight=win, score_weight=0.0 if win else 1.0)
    results = chances.integers(0, 2, visits) if win else chances.integers(-POINTS, POINTS + 1, visits)
    node = tree.nodes[NODE]
    node["visits"], node["state"] = visits, GROWN
    node["value"] = int(results.sum()) * SCALE
    moves = [*points_of(SIZE)[: chances.integers(0, 9)], PASS]
    node["first"], node["count"] = FIRST, len(moves)
    for child, move in zip(tree.children(NODE), moves, strict=True):
        child["move"] = move
        child["mean"] = chances.random() if win else chances.uniform(-POINTS, POINTS)
        child["visits"] = 0 if chances.random() < untried else chances.integers(1, 400)
    return tree


# --- the paper, slowly ------------------------------------------------------------------------------------------------


def own_mean(tree: Tree) -> float:
    node = tree.nodes[NODE]
    return int(node["value"]) / SCALE / int(node["visits"])


def seen_by(tree: Tree, color: int, black: float) -> float:
    return black if color == BLACK else float(tree.record["win_weight"]) - black


def tried(tree: Tree, color: int) -> list[tuple[float, int]]:
    """Value for the player to move and games of each move with games, the best first."""
    moves = [(seen_by(tree, color, float(c["mean"])), int(c["visits"])) for c in tree.children(NODE) if c["visits"]]
    return sorted(moves, reverse=True)


def figure_1(
    simulations: float, mean: float, t_value: list[float], t_games: list[float], points: int = POINTS
) -> float:
    mean_weight = 2.0 * points
    if simulations > 16 * points:
        mean_weight *= simulations / (16 * points)
    value = mean
    if t_games[1] and t_games[0]:
        averaged = [(t_games[i] * t_value[i] + mean_weight * value) / (t_games[i] + mean_weight) for i in (0, 1)]
        if t_games[0] < t_games[1]:
            if t_value[1] > value:
                value = averaged[1]
            elif t_value[0] < value:
                value = averaged[0]
        else:
            value = averaged[0]
    else:
        value = t_value[0]
    return value


def expected(name: str, tree: Tree, color: int) -> float:
    """What an internal node is worth to Black."""
    moves = tried(tree, color)
    if name == "mean" or not moves:
        return own_mean(tree)
    most = max(moves, key=lambda move: move[1])
    if name == "max_value":
        return seen_by(tree, color, moves[0][0])
    if name == "robust_max":
        return seen_by(tree, color, most[0])
    other = most if most not in moves[:2] else moves[1] if len(moves) > 1 else (0.0, 0)
    mean = seen_by(tree, color, own_mean(tree))
    mixed = figure_1(int(tree.nodes[NODE]["visits"]), mean, [moves[0][0], other[0]], [moves[0][1], other[1]])
    return seen_by(tree, color, mixed)


# --- operators --------------------------------------------------------------------------------------------------------


@COLORS
@WEIGHTS
def test_robust_max_of_the_two_best(win: float, color: int) -> None:
    """Figure 1 knows two moves: of these the one with more games, the better one if they have as many."""
    for seed in range(30):
        tree = random_node(seed, win, 100)
        moves = tried(tree, color)[:2]
        if moves:
            value = max(moves, key=lambda move: move[1])[0]
            assert back_up("robust_max", tree, color, of="two_best") == pytest.approx(seen_by(tree, color, value))


@COLORS
@WEIGHTS
@pytest.mark.parametrize("name", OPERATORS)
def test_internal_nodes_are_backed_up_by_the_operator(name: str, win: float, color: int) -> None:
    for seed in range(150):
        visits = [POINTS, 60, 399, 401, 5000][seed % 5]
        tree = random_node(seed, win, visits)
        assert back_up(name, tree, color) == pytest.approx(expected(name, tree, color), abs=1e-9)


@COLORS
@WEIGHTS
@pytest.mark.parametrize("name", OPERATORS)
def test_external_nodes_are_backed_up_by_the_mean(name: str, win: float, color: int) -> None:
    for seed, visits in enumerate([1, 2, 10, POINTS - 1]):
        tree = random_node(seed, win, visits)
        assert back_up(name, tree, color) == pytest.approx(own_mean(tree), abs=1e-9)


@pytest.mark.parametrize("name", OPERATORS[1:])
def test_a_node_without_tried_moves_keeps_its_mean(name: str) -> None:
    for tree in (random_node(1, 1.0, 100, untried=1.0), random_node(1, 1.0, 100)):
        if tree.children(NODE)["visits"].any():
            tree.nodes[NODE]["count"] = 0
        assert back_up(name, tree, BLACK) == pytest.approx(own_mean(tree), abs=1e-9)


@pytest.mark.parametrize("name", OPERATORS[1:])
def test_the_threshold_is_a_parameter(name: str) -> None:
    tree = random_node(3, 0.0, 60, untried=0.0)
    assert back_up(name, tree, BLACK, internal=61) == pytest.approx(own_mean(tree))
    mean = back_up(name, tree, BLACK, internal=60)
    assert mean == pytest.approx(expected(name, tree, BLACK))
    assert mean != pytest.approx(own_mean(tree))


@pytest.mark.parametrize(
    ("scores", "size", "variance"), [([5], 5, 1250.0), ([3, -3], 5, 2518 / 3), ([4] * 9, 9, 2624.4)]
)
def test_variance_by_hand(scores: list[int], size: int, variance: float) -> None:
    """One virtual game adds 4 P² to the sum of squared deviations; the mean of S games has a variance S times smaller,
    500 times at most (Coulom 2006, §3.2, §4.2)."""
    tree = Tree(2, columns={"squares": SQUARES})
    node, row = tree.nodes[0], tree.columns["squares"][0]
    node["visits"], node["value"] = len(scores), sum(scores) * SCALE
    row["square"] = sum(score * score for score in scores) * SCALE
    for cap in (1, 2, 500):
        assert variance_of(node, row, size, cap) == pytest.approx(variance / min(cap, len(scores)))


# --- figure 1 ---------------------------------------------------------------------------------------------------------

P = 81
"""A 9x9 board: the mean weighs 162, and more from 1,296 simulations on."""

FIGURE_1 = {
    "the best has most games: averaged": (10.0, 1000, (30.0, 338), (20.0, 100), (30 * 338 + 10 * 162) / 500),
    "the same number of games: the best": (10.0, 1000, (30.0, 338), (20.0, 338), (30 * 338 + 10 * 162) / 500),
    "the best, though below the mean": (10.0, 1000, (5.0, 338), (2.0, 100), (5 * 338 + 10 * 162) / 500),
    "the other has more games and beats the mean": (10.0, 1000, (30.0, 100), (20.0, 338), (20 * 338 + 10 * 162) / 500),
    "more games but no better than the mean: the mean": (10.0, 1000, (30.0, 100), (9.0, 338), 10.0),
    "more games and just the mean: the mean": (10.0, 1000, (30.0, 100), (10.0, 338), 10.0),
    "both below the mean: the best averaged": (10.0, 1000, (8.0, 38), (5.0, 338), (8 * 38 + 10 * 162) / 200),
    "the best just the mean, the other below: the mean": (10.0, 1000, (10.0, 38), (5.0, 338), 10.0),
    "one move only: its value": (10.0, 1000, (30.0, 338), (0.0, 0), 30.0),
    "one move only, below the mean: its value": (10.0, 1000, (-30.0, 338), (0.0, 0), -30.0),
    "the best without games: its value": (10.0, 1000, (30.0, 0), (20.0, 100), 30.0),
    "at 16 P simulations the weight is 2 P": (10.0, 1296, (30.0, 338), (20.0, 100), (30 * 338 + 10 * 162) / 500),
    "at 32 P simulations it is 4 P": (10.0, 2592, (30.0, 676), (20.0, 100), (30 * 676 + 10 * 324) / 1000),
    "at 40 P simulations it is 5 P": (10.0, 3240, (30.0, 95), (20.0, 405), 15.0),
}


@pytest.mark.parametrize("case", FIGURE_1)
def test_figure_1(case: str) -> None:
    mean, simulations, (value_0, games_0), (value_1, games_1), answer = FIGURE_1[case]
    mixed = mixed_value(mean, float(simulations), float(P), float(games_0), value_0, float(games_1), value_1)
    assert mixed == pytest.approx(answer, abs=1e-12)
    assert figure_1(simulations, mean, [value_0, value_1], [games_0, games_1], P) == pytest.approx(answer, abs=1e-12)


def test_figure_1_on_random_numbers() -> None:
    chances = np.random.default_rng(1)
    for _ in range(2000):
        mean, best, other = (float(v) for v in chances.uniform(-P, P, 3))
        best, other = max(best, other), min(best, other)
        games_0, games_1 = (float(n) for n in chances.integers(0, 2000, 2) * chances.integers(0, 2, 2))
        simulations = float(chances.integers(1, 50 * P))
        mixed = mixed_value(mean, simulations, float(P), games_0, best, games_1, other)
        assert mixed == pytest.approx(figure_1(simulations, mean, [best, other], [games_0, games_1], P), abs=1e-9)
