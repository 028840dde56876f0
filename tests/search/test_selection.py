"""Selection rules against slow transcriptions of the papers' formulas, on nodes with random statistics."""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.stats import chisquare

from helpers.naive import Position
from helpers.searching import own_record
from kikashi.board.points import BLACK, PASS, WHITE, points_of
from kikashi.board.position import new_board, play
from kikashi.board.rng import stream
from kikashi.jit import kernel
from kikashi.parts.registry import find
from kikashi.playout.simulation import new_simulation
from kikashi.search.kinds import BY_PLAYOUT, selection
from kikashi.search.rules.coulom import chen_shares, gives_atari
from kikashi.search.rules.statistics import RAVE, SQUARES
from kikashi.search.tree import BANNED, GROWN, SCALE, SHARES, Tree

SIZE = 5
POINTS = SIZE * SIZE
MOVES = [*points_of(SIZE)[:11], PASS]
ELDER, NODE = 0, 1 + len(MOVES)
"""The grandfather at the root, and the node whose children are chosen from."""
COLORS = pytest.mark.parametrize("color", [BLACK, WHITE], ids=["black", "white"])


@dataclass
class Case:
    """A node of a tree with its simulation, and its children as dictionaries."""

    tree: Tree
    sim: np.void
    color: int
    win: float
    chances: np.random.Generator
    children: list[dict[str, float]] = field(default_factory=list)

    def choose(self, rule: str, **parameters: float | str) -> int:
        """Which of the children the compiled rule takes."""
        my = own_record(selection, rule, self.tree, **parameters)
        chosen = int(_COMPILED[rule](self.sim, self.tree.record, NODE, my))
        return chosen if chosen == BY_PLAYOUT else chosen - int(self.tree.nodes[NODE]["first"])


_COMPILED = {name: kernel(find(selection, name).function) for name in ("ucb1", "ucb1_tuned", "rave", "crazystone")}
_crazystone = _COMPILED["crazystone"]


@kernel
def draw_many(sim, tree, node, my, first, draws, counts):
    """Count how often Crazy Stone's rule draws each child."""
    for _ in range(draws):
        counts[_crazystone(sim, tree, node, my) - first] += 1


def random_case(seed: int, color: int, *, win: float = 1.0, unvisited: float = 0.2, priors: bool = True) -> Case:
    """A grandfather, and a node two moves below with the same moves; a few of them banned, some never tried."""
    chances = np.random.default_rng([seed, color])
    tree = Tree(64, win_weight=win, score_weight=0.0 if win else 1.0, columns={"rave": RAVE, "squares": SQUARES})
    sim = new_simulation(stream(seed))
    sim["board"] = new_board(SIZE)
    sim["board"]["to_play"] = color
    sim["root_color"] = color
    sim["depth"] = 2
    sim["nodes"][:3] = [ELDER, 1, NODE]
    case = Case(tree, sim, color, win, chances)
    _fill_block(case, ELDER, 1, unvisited, priors)
    case.children = _fill_block(case, NODE, NODE + 1, unvisited, priors)
    return case


def _fill_block(case: Case, parent: int, first: int, unvisited: float, priors: bool) -> list[dict[str, float]]:
    chances, nodes = case.chances, case.tree.nodes
    order = chances.permutation(len(MOVES))
    for i, which in enumerate(order):
        child = nodes[first + i]
        child["move"] = MOVES[which]
        _fill(case, first + i, 0 if chances.random() < unvisited else int(chances.integers(1, 60)), priors)
        child["flags"] = BANNED if chances.random() < 0.15 and MOVES[which] != PASS else 0
    nodes[parent]["first"], nodes[parent]["count"], nodes[parent]["state"] = first, len(MOVES), GROWN
    block = nodes[first : first + len(MOVES)]
    block["count"][chances.random(len(MOVES)) < 0.5] = 1  # these have children themselves
    nodes[parent]["visits"] = block["visits"].sum() + 1
    nodes[parent]["losses"] = block["losses"].sum()
    nodes[parent]["mean"] = 0.5 * case.win
    names = block.dtype.names or ()
    rave, squares = (case.tree.columns[name][first : first + len(MOVES)] for name in ("rave", "squares"))
    return [
        {name: child[name].item() for name in names}
        | {"rave_visits": int(row["visits"]), "rave_value": int(row["value"]), "square": int(square["square"])}
        for child, row, square in zip(block, rave, squares, strict=True)
    ]


def _fill(case: Case, number: int, visits: int, priors: bool) -> None:
    """The results of some games: 0 or 1, or scores where those count; and what else a rule may read."""
    chances, child = case.chances, case.tree.nodes[number]
    results = chances.integers(0, 2, visits) if case.win else chances.integers(-POINTS, POINTS + 1, visits)
    child["visits"] = visits
    child["value"] = int(results.sum()) * SCALE
    case.tree.columns["squares"][number]["square"] = int((results.astype(np.int64) ** 2).sum()) * SCALE
    child["mean"] = results.mean() if visits else 0.0
    child["losses"] = chances.integers(0, 3) if chances.random() < 0.3 else 0
    if priors and chances.random() < 0.5:
        child["prior_visits"], child["prior_value"] = chances.uniform(0.5, 300.0), chances.random()
    if chances.random() < 0.8:
        rave = int(chances.integers(1, 500))
        row = case.tree.columns["rave"][number]
        row["visits"], row["value"] = rave, int(chances.integers(0, rave + 1)) * SCALE


# --- the formulas, slowly ---------------------------------------------------------------------------------------------


def games(node: dict[str, float]) -> float:
    return node["visits"] + node["losses"] + node["prior_visits"]


def as_seen(case: Case, black: float) -> float:
    return black if case.color == BLACK else case.win - black


def value(case: Case, child: dict[str, float]) -> float:
    """The mover's mean over real and virtual games; simulations on their way are lost for the mover."""
    won = as_seen(case, child["mean"]) * child["visits"] + as_seen(case, child["prior_value"]) * child["prior_visits"]
    return won / games(child)


def parent_games(case: Case) -> float:
    return games({name: case.tree.nodes[NODE][name].item() for name in ("visits", "losses", "prior_visits")})


def first_play(case: Case, child: dict[str, float], urgency: float, grandfather: bool) -> tuple[float, float]:
    """First-play urgency, and what orders the moves that have it: their value two moves ago, 0 if there is none."""
    elder = case.tree.nodes[case.tree.child(int(child["move"]), ELDER) or 0]
    known = grandfather and elder["visits"] > 0
    return urgency, as_seen(case, float(elder["mean"])) if known else 0.0


def ucb1(case: Case, child: dict[str, float], p: float, fpu: float, grandfather: bool) -> tuple[float, float]:
    """Algorithm 1, with p."""
    if games(child) == 0:
        return first_play(case, child, fpu, grandfather)
    return value(case, child) + p * math.sqrt(2 * math.log(parent_games(case)) / games(child)), 0.0


def ucb1_tuned(case: Case, child: dict[str, float], p: float, fpu: float, grandfather: bool) -> tuple[float, float]:
    """Formula (1) with p: the variance of the rewards seen, which is the same from both sides."""
    if games(child) == 0:
        return first_play(case, child, fpu, grandfather)
    ratio = math.log(parent_games(case)) / games(child)
    variance = 0.0
    if child["visits"]:
        variance = child["square"] / SCALE / child["visits"] - (child["value"] / SCALE / child["visits"]) ** 2
    bound = min(0.25, variance + math.sqrt(2 * ratio))
    return value(case, child) + p * math.sqrt(ratio * bound), 0.0


def rave(case: Case, child: dict[str, float], x: float, exploration: float, fpu: float) -> tuple[float, float]:
    """Baier 2010, eq. 3.1 and 3.2, with an exploration term."""
    n, r = games(child), child["rave_visits"]
    more = exploration * math.sqrt(math.log(parent_games(case)) / (n + 1))
    if n == r == 0:
        return fpu + more, 0.0
    c = r / (r + n + r * n * x)
    q = value(case, child) if n else 0.0
    q_rave = as_seen(case, child["rave_value"] / SCALE / r) if r else 0.0
    return q * (1 - c) + q_rave * c + more, 0.0


def by_share(case: Case, child: dict[str, float], bias: float, puct: float) -> float:
    """A bias that fades with visits, and PUCT: c p sqrt(N) / (n + 1), virtual games being none of a move's n."""
    pull = bias + puct * math.sqrt(parent_games(case))
    return pull * child["share"] / SHARES / (child["visits"] + child["losses"] + 1)


def assert_best(case: Case, chosen: int, urgencies: list[tuple[float, float]]) -> None:
    """The chosen child is allowed and no other has a higher urgency, or the same and a better order."""
    allowed = [i for i, child in enumerate(case.children) if not int(child["flags"]) & BANNED]
    assert chosen in allowed
    best = max(urgencies[i] for i in allowed)
    assert urgencies[chosen][0] == pytest.approx(best[0], abs=1e-9)
    if urgencies[chosen][0] == best[0]:
        assert urgencies[chosen][1] == pytest.approx(best[1], abs=1e-9)


# --- bandits ----------------------------------------------------------------------------------------------------------

CASES = 60


@pytest.mark.thorough
@COLORS
@pytest.mark.parametrize("grandfather", [False, True])
@pytest.mark.parametrize(("p", "fpu"), [(1.0, 1.1), (0.3, 0.6), (2.0, 1e4)])
@pytest.mark.parametrize(("rule", "formula"), [("ucb1", ucb1), ("ucb1_tuned", ucb1_tuned)])
def test_bandits_choose_the_highest_bound(rule, formula, p, fpu, grandfather, color) -> None:
    for seed in range(CASES):
        case = random_case(seed, color)
        chosen = case.choose(rule, p=p, first_play_urgency=fpu, grandfather=grandfather)
        assert_best(case, chosen, [formula(case, child, p, fpu, grandfather) for child in case.children])


@COLORS
@pytest.mark.parametrize("rule", ["ucb1", "ucb1_tuned"])
def test_first_play_urgency_decides_between_new_and_known_moves(rule: str, color: int) -> None:
    for seed in range(20):
        case = random_case(seed, color, unvisited=0.5, priors=False)
        case.tree.nodes["losses"] = 0
        fresh = {i for i, child in enumerate(case.children) if not child["visits"] and not int(child["flags"])}
        if fresh and len(fresh) < len(MOVES):
            assert case.choose(rule, first_play_urgency=100.0) in fresh
            assert case.choose(rule, first_play_urgency=-100.0) not in fresh


@COLORS
@pytest.mark.parametrize("rule", ["ucb1", "ucb1_tuned"])
def test_new_moves_come_in_the_order_of_the_grandfather(rule: str, color: int) -> None:
    case = random_case(1, color, unvisited=0.0, priors=False)
    here = case.tree.children(NODE)
    for name in ("visits", "losses", "flags"):
        here[name] = 0
    elders = {int(child["move"]): as_seen(case, float(child["mean"])) for child in case.tree.children(ELDER)}
    order = []
    for _ in MOVES:
        chosen = case.choose(rule, grandfather=True)
        order.append(elders[int(here[chosen]["move"])])
        here[chosen]["flags"] = BANNED
    assert order == sorted(elders.values(), reverse=True)


@pytest.mark.parametrize("depth", [0, 1])
def test_near_the_root_there_is_no_grandfather(depth: int) -> None:
    case = random_case(1, BLACK, unvisited=1.0, priors=False)
    case.tree.nodes["losses"] = 0
    case.sim["depth"] = depth
    case.sim["nodes"][depth] = NODE
    allowed = [i for i, child in enumerate(case.children) if not int(child["flags"])]
    assert case.choose("ucb1", grandfather=True) == allowed[0]


# --- RAVE -------------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@COLORS
@pytest.mark.parametrize("x", [1 / 3500, 0.05])
@pytest.mark.parametrize("exploration", [0.0, 0.7])
@pytest.mark.parametrize("fpu", [1.0, 0.4])
def test_rave_chooses_the_best_blend(x: float, exploration: float, fpu: float, color: int) -> None:
    for seed in range(CASES):
        case = random_case(seed, color, unvisited=0.4)
        chosen = case.choose("rave", x=x, exploration=exploration, first_play_urgency=fpu)
        assert_best(case, chosen, [rave(case, child, x, exploration, fpu) for child in case.children])


@COLORS
@pytest.mark.parametrize(("bias", "puct"), [(3.0, 0.0), (0.0, 0.6), (0.5, 0.2)])
def test_rave_is_drawn_to_moves_by_their_shares(bias: float, puct: float, color: int) -> None:
    drawn = 0
    for seed in range(CASES):
        case = random_case(seed, color)
        shares = np.round(case.chances.dirichlet(np.full(len(MOVES), 0.5)) * SHARES)
        case.tree.children(NODE)["share"] = shares
        urgencies = []
        for child, share in zip(case.children, shares, strict=True):
            child["share"] = share
            urgencies.append((rave(case, child, 0.003, 0.0, 1.0)[0] + by_share(case, child, bias, puct), 0.0))
        chosen = case.choose("rave", x=0.003, bias=bias, puct=puct)
        assert_best(case, chosen, urgencies)
        drawn += chosen != case.choose("rave", x=0.003)
    assert drawn > CASES / 10


# --- Crazy Stone ------------------------------------------------------------------------------------------------------


def with_stones(case: Case) -> Position:
    """Put a few stones on the points that are no moves of the case; returns the same as a naive position."""
    board = new_board(SIZE)
    naive = Position(SIZE)
    chances = case.chances
    for p in chances.permutation(points_of(SIZE)[11:])[:13]:
        color = int(chances.choice([BLACK, WHITE]))
        after = naive.after(int(p), color)
        if len(after.stones) == len(naive.stones) + 1:
            naive = after
            board["to_play"] = color
            play(board, int(p))
    board["to_play"] = case.color
    case.sim["board"] = board
    return naive


def variance(child: dict[str, float], reading: str, cap: float = 500) -> float:
    """Coulom 2006, §3.2: as if one more game of variance 4 P² had been played, and σ²/N for the mean of N games (§3.1),
    where N is at most 500 (§4.2). The other reading of §3.2: external nodes have the variance of one game."""
    visits = child["visits"]
    if not visits:
        return 4 * POINTS**2
    mean = child["value"] / SCALE / visits
    of_games = (child["square"] / SCALE - visits * mean**2 + 4 * POINTS**2) / (visits + 1)
    is_internal = visits >= POINTS and child["count"]
    return of_games / min(cap, visits) if reading == "estimate" or is_internal else of_games


def probabilities(
    case: Case, naive: Position, sharpness: float, *, reading: str = "estimate", untried: str = "mean"
) -> list[float]:
    """Coulom 2006, §3.2: of the moves that may be played, sorted by value. A move that was never tried is worth the
    mean of the node's simulations, which is not what a backup operator made of the node; or as much as the best."""
    parent = case.tree.nodes[NODE]
    allowed = {i: child for i, child in enumerate(case.children) if not int(child["flags"]) & BANNED}
    unknown = {
        "mean": as_seen(case, int(parent["value"]) / SCALE / int(parent["visits"])),
        "best": max(as_seen(case, child["mean"]) for child in allowed.values() if child["visits"]),
    }
    moves = []
    for i, child in allowed.items():
        mean = as_seen(case, child["mean"]) if child["visits"] else unknown.get(untried)
        if mean is not None:
            moves.append((mean, variance(child, reading), i))
    moves.sort(key=lambda move: -move[0])
    urgency = [0.0] * len(case.children)
    for rank, (mean, uncertainty, i) in enumerate(moves):
        move = int(case.children[i]["move"])
        atari = 1 if move != PASS and naive.atari_after(move, case.color) else 0
        gap = (moves[0][0] - mean) / math.sqrt(2 * (moves[0][1] + uncertainty))
        urgency[i] = math.exp(-sharpness * gap) + (0.1 + 2.0**-rank + atari) / len(moves)
    return [u / sum(urgency) for u in urgency]


READINGS = [{}, {"variance": "game"}, {"untried": "best"}, {"untried": "left_out"}]
"""Of Crazy Stone's rule: that of the preset, and others that the text may have."""


@COLORS
@pytest.mark.parametrize("reading", READINGS, ids=["as it is", *(f"{next(iter(r.values()))}" for r in READINGS[1:])])
@pytest.mark.parametrize("win", [0.0, 1.0], ids=["score", "win"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_crazystone_draws_by_the_probabilities(seed: int, win: float, reading: dict[str, str], color: int) -> None:
    case = random_case(seed, color, win=win, unvisited=0.08)
    case.tree.nodes[NODE]["mean"] = 0.3141
    case.tree.nodes[NODE]["value"] = int(0.62 * SCALE) * int(case.tree.nodes[NODE]["visits"])
    best = max(case.children, key=lambda child: as_seen(case, child["mean"]))  # a banned move is no move at all
    best["flags"] = case.tree.nodes[case.tree.child(int(best["move"]), NODE)]["flags"] = BANNED
    readings = {"reading": reading.get("variance", "estimate"), "untried": reading.get("untried", "mean")}
    expected = np.array(probabilities(case, with_stones(case), 2.4, **readings))
    draws = 100_000
    counts = np.zeros(len(MOVES), np.int64)
    my = own_record(selection, "crazystone", case.tree, **reading)
    draw_many(case.sim, case.tree.record, NODE, my, NODE + 1, draws, counts)
    assert not counts[expected == 0].any()
    assert chisquare(counts[expected > 0], draws * expected[expected > 0]).pvalue > 1e-4


def test_crazystone_cases_have_atari_moves() -> None:
    """The test above would not notice a missing bonus otherwise."""
    cases = [random_case(seed, color, win=0.0) for seed in (1, 2, 3) for color in (BLACK, WHITE)]
    boards = [(with_stones(case), case.color) for case in cases]
    assert sum(bool(naive.atari_after(move, color)) for naive, color in boards for move in MOVES[:-1]) >= 3


def test_a_node_of_a_few_games_is_less_certain_than_one_of_many() -> None:
    """Coulom 2006, §3.1: the mean of N games has the variance σ²/N. So of two moves alike but for their games, both
    external and both ten points behind, the one with fifteen times the games is drawn far less often."""
    case = random_case(1, BLACK, win=0.0, unvisited=0.0, priors=False)
    nodes, squares = case.tree.nodes, case.tree.columns["squares"]
    best, few, many = (NODE + 1 + i for i in range(3))
    nodes[NODE]["count"], nodes[NODE]["visits"] = 3, POINTS
    for number, visits, mean in ((best, 24, 10), (few, 1, 0), (many, 15, 0)):
        nodes[number]["visits"], nodes[number]["value"], nodes[number]["mean"] = visits, visits * mean * SCALE, mean
        nodes[number]["flags"] = 0
        squares[number]["square"] = visits * mean**2 * SCALE
    counts = np.zeros(3, np.int64)
    my = own_record(selection, "crazystone", case.tree)
    draw_many(case.sim, case.tree.record, NODE, my, NODE + 1, 10_000, counts)
    assert counts[few - best] > 1.2 * counts[many - best]


def test_crazystone_leaves_external_nodes_to_the_playout() -> None:
    case = random_case(1, BLACK, win=0.0)
    for internal, threshold in ((0, POINTS), (7, 7)):
        case.tree.nodes[NODE]["visits"] = threshold - 1
        assert case.choose("crazystone", internal=internal) == BY_PLAYOUT
        case.tree.nodes[NODE]["visits"] = threshold
        assert case.choose("crazystone", internal=internal) != BY_PLAYOUT


@COLORS
def test_atari_moves_are_those_of_the_naive_board(color: int) -> None:
    for seed in range(60):
        case = random_case(seed, color)
        naive = with_stones(case)
        for p in set(points_of(SIZE)) - naive.stones.keys():
            if not naive.liberties_after(p, color):  # suicide
                continue
            assert gives_atari(case.sim["board"], p) == bool(naive.atari_after(p, color)), str(naive)
        assert not gives_atari(case.sim["board"], PASS)


# --- Chen's allocation at the root ------------------------------------------------------------------------------------


def test_two_moves_of_one_variance_are_explored_equally() -> None:
    """Coulom 2006, §3.1: "in case the choice is between two moves, and simulations of these two moves have the same
    variance, then the optimal allocation consists in exploring both moves equally, regardless of their estimated
    values"."""
    for gap in (0.5, 3.0, 40.0):
        assert chen_shares(np.array([10.0, 10.0 - gap]), np.array([900.0, 900.0])) == pytest.approx([0.5, 0.5])


def test_shares_are_those_of_the_formula() -> None:
    """Chen et al. 2000: N_i / N_j = ((s_i / d_i) / (s_j / d_j))², N_b = s_b sqrt(sum (N_i / s_i)²)."""
    values, deviations = np.array([1.0, 7.0, 4.0, -np.inf, 5.0]), np.array([10.0, 20.0, 30.0, 5.0, 40.0])
    shares = chen_shares(values, deviations**2)
    assert shares.sum() == pytest.approx(1.0)
    assert shares[3] == 0.0
    others = [0, 2, 4]
    ratios = [(deviations[i] / (7.0 - values[i])) ** 2 for i in others]
    assert shares[others] / shares[0] == pytest.approx(np.array(ratios) / ratios[0])
    assert shares[1] == pytest.approx(20.0 * math.sqrt(sum((shares[i] / deviations[i]) ** 2 for i in others)))


def test_the_root_goes_to_the_move_that_lacks_most() -> None:
    case = random_case(4, BLACK, win=0.0, unvisited=0.0)
    case.sim["depth"] = 0
    allowed = [i for i, child in enumerate(case.children) if not int(child["flags"]) & BANNED]
    values = np.array([child["mean"] if i in allowed else -np.inf for i, child in enumerate(case.children)])
    variances = np.array([variance(child, "estimate", cap=1) for child in case.children])
    visits = np.array([child["visits"] for child in case.children])
    lack = chen_shares(values, variances) * (visits.sum() + 1) - visits
    assert case.choose("crazystone", root="chen") == max(allowed, key=lambda i: lack[i])
    case.sim["depth"] = 2
    assert len({case.choose("crazystone", root="chen") for _ in range(50)}) > 1  # below the root it draws
