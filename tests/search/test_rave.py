"""The sums of RAVE, compared with a slow count over the moves of every simulation."""

from collections import Counter

import pytest

from helpers.searching import UNITS, Trace, children_of, has_grown, node_facts, run_traced, search_of, visited
from kikashi import Game
from kikashi.board.points import BLACK, PASS, WHITE, opponent, vertex
from kikashi.engine.preset import load_preset
from kikashi.search.tree_search import TreeSearch

OPEN = """
    . . . . .
    . . . . .
    . . . . .
    . . . . .
    . . . . .
"""
FIGHT = """
    . X O . .
    X . X O .
    . X O . .
    O O . X .
    . . X . .
"""
"""Full of captures and a ko: points are played again and again, by both sides."""

TURNS = pytest.mark.parametrize("turn", [BLACK, WHITE], ids=["black", "white"])


def searched(diagram: str, turn: int, *settings: str) -> TreeSearch:
    """A search by RAVE that grows fast, ready to run."""
    plain = ("selection.plain_every=0", "selection.plain_after=0")
    settings = ("expansion.visits=1", "prior=[]", "even_games=1", *plain, *settings)
    rules = load_preset("kikashi", settings).config
    return search_of(rules, Game.from_diagram(diagram, turn=turn, komi=0.5))


class SlowRave:
    """Visits and sums of values by node, from the definition (Gelly and Silver 2007; Baier 2010, §3.3.2): a node's move
    is credited with a simulation that passed the node if the side to play there was the first of the two to play at
    that point from there on."""

    def __init__(self, search: TreeSearch) -> None:
        self.search = search
        self.visits: Counter[int] = Counter()
        self.value: Counter[int] = Counter()

    def add(self, trace: Trace, amount: int) -> Counter[str]:
        """Credit a simulation worth `amount`; returns how often each colour was credited, and denied a point that it
        played, since the other had been there before."""
        counts: Counter[str] = Counter()
        for depth, node in enumerate(trace.path):
            if not has_grown(self.search.tree, node):
                continue
            mover = self._mover(trace, depth)
            for child in children_of(self.search.tree, node):
                players = [
                    self._mover(trace, i) for i in range(depth, len(trace.moves)) if trace.moves[i] == child.move
                ]
                if child.move == PASS or not players:
                    continue
                if players[0] == mover:
                    self.visits[child.number] += 1
                    self.value[child.number] += amount
                    counts["credited"] += 1
                elif mover in players:
                    counts["denied"] += 1
        return counts

    def _mover(self, trace: Trace, i: int) -> int:
        return trace.to_play if i % 2 == 0 else opponent(trace.to_play)

    def check(self) -> None:
        """Compare every node of the tree."""
        waiting = [0]
        while waiting:
            for child in children_of(self.search.tree, waiting.pop()):
                expected = (self.visits[child.number], self.value[child.number])
                assert (child.rave_visits, child.rave_value) == expected, vertex(child.move)
                waiting.append(child.number)


def worth(trace: Trace, win_weight: float, score_weight: float) -> int:
    """A simulation's value for Black, in units."""
    won = {BLACK: 1.0, WHITE: 0.0}.get(trace.winner, 0.5)
    return round((win_weight * won + score_weight * (trace.score - trace.komi)) * UNITS)


@TURNS
@pytest.mark.parametrize("diagram", [OPEN, FIGHT], ids=["open", "fight"])
@pytest.mark.parametrize(
    ("setting", "weights"),
    [
        ("backup.score_weight=0", (1.0, 0.0)),
        ("backup.score_weight=0.01", (1.0, 0.01)),
        ("backup.value=score", (0.0, 1.0)),
    ],
    ids=["win", "win and score", "score"],
)
def test_moves_are_credited_as_the_definition_says(
    diagram: str, turn: int, setting: str, weights: tuple[float, float]
) -> None:
    """After every one of 60 simulations, every node of the tree."""
    search = searched(diagram, turn, setting)
    slow = SlowRave(search)
    counts: Counter[str] = Counter()
    for _ in range(60):
        trace = run_traced(search)
        counts += slow.add(trace, worth(trace, *weights))
        slow.check()
    assert counts["credited"] > 500
    assert counts["denied"] > 100, "points that a player came to second"


def visits_by_path(search: TreeSearch) -> dict[tuple[str, ...], int]:
    search.run(150)
    return {tuple(path): node.visits for path, node in visited(search.tree)}


def test_rave_is_left_out_of_some_selections() -> None:
    """Of all of them: then it does not matter how long it is trusted. Of some of them: it does."""
    every, other = (
        [visits_by_path(searched(FIGHT, BLACK, f"selection.plain_every={of}", f"selection.x={x}")) for x in (0.001, 9)]
        for of in (1, 2)
    )
    assert every[0] == every[1]
    assert other[0] != other[1]


def test_only_nodes_with_many_visits_do_without_rave() -> None:
    never, late, soon = (
        visits_by_path(searched(FIGHT, BLACK, f"selection.plain_every={every}", f"selection.plain_after={after}"))
        for every, after in ((0, 0), (2, 1000), (2, 1))
    )
    assert late == never
    assert soon != never


@TURNS
def test_the_value_of_a_node_is_that_of_its_simulations(turn: int) -> None:
    """The same count for the sums of visits, values and scores."""
    search = searched(FIGHT, turn, "backup.score_weight=0.01")
    visits: Counter[int] = Counter()
    value: Counter[int] = Counter()
    score: Counter[int] = Counter()
    for _ in range(60):
        trace = run_traced(search)
        for node in trace.path:
            visits[node] += 1
            value[node] += worth(trace, 1.0, 0.01)
            score[node] += trace.score
    found = [node_facts(search.tree, number) for number in range(search.tree.used)]
    assert len(visits) > 20
    for node in found:
        assert (node.visits, node.value, node.score) == (visits[node.number], value[node.number], score[node.number])


def test_a_pass_is_never_credited() -> None:
    search = searched(FIGHT, BLACK)
    search.run(500)
    passes = [child for child in children_of(search.tree) if child.move == PASS]
    assert [child.rave_visits for child in passes] == [0]


def test_rules_that_do_not_read_them_have_no_sums() -> None:
    search = search_of(load_preset("mogo-2006").config)
    search.run(200)
    assert all(node_facts(search.tree, number).rave_visits == 0 for number in range(search.tree.used))
