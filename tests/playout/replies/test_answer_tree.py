"""The move answer tree beside one of dictionaries, by the thesis's outline: the same nodes, counts and proposals."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

from helpers.heuristic_cases import empty_points, propose
from helpers.simulations import Simulations
from kikashi.board.points import BLACK, PASS, POINTS, WHITE, opponent, parse_vertex, points_of
from kikashi.board.position import new_board
from kikashi.board.rng import random_below
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import search_request
from kikashi.game import Game
from kikashi.playout import HISTORY, make_policy, new_root
from kikashi.playout.loop import begin, make_move, playout
from kikashi.playout.replies.answer_tree import FEW, HAND, LOOKS, MADE, MOVES, ROOTS, UNIT, WIDTH
from kikashi.playout.simulation import SIMULATION
from kikashi.playout.worker import Memories, Worker
from kikashi.search.tree_search import TreeSearch

Key = tuple[int, ...]
"""Who is to move at the root, then the moves of the path."""
F = np.float32


class Settings(NamedTuple):
    threshold: int = 1
    depth: int = 5
    nodes: int = 200
    exploration: float = 0.05
    x: float = 0.02

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self._asdict().items())


@dataclass
class Node:
    runs: Counter[int] = field(default_factory=Counter)
    wins: Counter[int] = field(default_factory=Counter)
    used: int = 0
    passed: int = 0
    born: tuple[int, int] = (0, 0)
    """The simulation, and which of its moves."""

    def value(self, p: int) -> int:
        """The share of runs that were won, in parts of UNIT."""
        return self.wins[p] * UNIT // self.runs[p] if self.runs[p] else 0

    def tried(self, p: int) -> int:
        return int(UNIT * (1 - 1 / math.sqrt(self.runs[p] + 1)))


class AnswerTree:
    """The two trees of §5.2.1, each node found by its path, and the hand that reuses them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.nodes: dict[Key, Node] = {(BLACK,): Node(), (WHITE,): Node()}
        self.places: list[Key] = []
        """The keys of the nodes that are not roots, in the order of the store."""
        self.below: Counter[Key] = Counter()
        """How many nodes a node has below it."""
        self.hand = self.simulations = self.reused = 0

    def learn(self, moves: list[int], first: int, winner: int) -> None:
        """Count every move at the nodes of all its contexts that lie within the simulation."""
        self.simulations += 1
        for t, p in enumerate(moves):
            color = first if t % 2 == 0 else opponent(first)
            if p == PASS:
                continue
            for key in reversed(self.contexts(moves[:t], color)):
                node = self.nodes[key]
                if node.born == (self.simulations, t - 1):
                    continue  # it was made by the move before this one, for the next time
                node.runs[p] += 1
                node.wins[p] += color == winner
                below = self.nodes.get((*key, p))
                if below is not None:
                    below.used = self.simulations
                elif len(key) <= self.settings.depth and node.runs[p] % (self.settings.threshold + 1) == 0:
                    self.make((*key, p), t)

    def contexts(self, moves: list[int], color: int) -> list[Key]:
        """The keys of the nodes for the last moves, the root's first; `color` is to move."""
        found: list[Key] = [(color,)]
        for depth in range(1, min(self.settings.depth, len(moves)) + 1):
            last = moves[len(moves) - depth :]
            key = (color if depth % 2 == 0 else opponent(color), *last)
            if PASS in last:
                break
            if key in self.nodes:
                found.append(key)
        return found

    def make(self, key: Key, t: int) -> None:
        """A new node, in the next place, or in that of the first leaf not used since the hand last passed it."""
        places, now = self.settings.nodes - ROOTS, self.simulations
        if len(self.places) < places:
            self.places.append(key)
        else:
            for _ in range(min(LOOKS, places)):
                at = self.hand % places
                self.hand = at + 1
                old = self.nodes[self.places[at]]
                if not self.below[self.places[at]] and old.used != now and old.used <= old.passed:
                    del self.nodes[self.places[at]]
                    self.below[self.places[at][:-1]] -= 1
                    self.places[at] = key
                    self.reused += 1
                    break
                old.passed = now
            else:
                return
        self.below[key[:-1]] += 1
        self.nodes[key] = Node(used=now, passed=now, born=(now, t))

    def values(self, keys: list[Key], vacant: list[int]) -> dict[int, np.float32]:
        """The blended estimates of points that are above 0, with the confidence bound; in parts of UNIT."""
        known = [self.nodes[key] for key in keys if self.nodes[key].runs]
        bound = F(UNIT * self.settings.exploration * math.sqrt(math.log(known[-1].runs.total()))) if known else F(0)
        found = {}
        for p in vacant:
            value = F(0)
            for shallow, deep in zip([Node(), *known], known, strict=False):
                n, m = F(shallow.runs[p]), F(deep.runs[p])
                if m > 0:  # 1 - c of eq. 3.2, the shallower estimate being RAVE's
                    weight = m + F(self.settings.x) * n * m
                    value = value + (F(deep.value(p)) - value) * (weight / (n + weight))
            if value > 0:
                found[p] = value + bound - bound / F(UNIT) * F(known[-1].tried(p))
        return found

    def answer(self, keys: list[Key], vacant: list[int], rng: Any) -> int | None:
        values = self.values(keys, vacant)
        best = [p for p in values if values[p] == max(values.values())]
        if not best:
            return None
        return best[random_below(rng, len(best)) if len(best) > 1 else 0]


def content(worker: Worker) -> dict[Key, dict[int, tuple[int, int]]]:
    """The nodes that can be reached from the roots: runs and wins by move."""
    moves = rows(worker)[:, MOVES:].reshape(-1, POINTS, 3)
    found, waiting = {}, [((BLACK,), 1), ((WHITE,), 2)]
    for key, number in waiting:
        came = np.flatnonzero(moves[number, :, 0])
        found[key] = {int(p): (int(moves[number, p, 0]), int(moves[number, p, 1])) for p in came}
        waiting += [((*key, int(p)), int(moves[number, p, 2])) for p in came if moves[number, p, 2]]
    return found


def rows(worker: Worker) -> np.ndarray:
    block = next(block for (name, _), block in worker.memory_blocks.items() if name == "move_answers")
    return block.reshape(-1, WIDTH)


VARIANTS = {
    "as it comes, but growing at once": Settings(),
    "deep": Settings(threshold=0, depth=8, nodes=400, exploration=0.2),
    "few nodes": Settings(threshold=1, depth=4, nodes=12),
    "three places": Settings(threshold=0, depth=5, nodes=5, x=1.0),
    "without exploration": Settings(threshold=3, depth=3, exploration=0.0, x=0.5),
    "one move": Settings(threshold=2, depth=1, x=0.0),
}
SIMULATIONS = {2: 120, 3: 100, 5: 15, 9: 5}
"""By size of the board; as many for each variant."""


def compared(simulations: Simulations, model: AnswerTree) -> Iterator[tuple[list[Key], bool]]:
    """A simulation from which the model learns too. Before every move the proposal is compared with the model's;
    yields the nodes that had a say, and whether there was an answer."""
    worker, steps = simulations.worker, simulations.run_by_moves()
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            model.learn(*stop.value)
            return
        sim, rng = worker.sim, np.zeros(1, SIMULATION)[0]
        before = rng["rng"] = sim["rng"]
        keys = model.contexts(sim["moves"][: sim["length"]].tolist(), int(sim["board"]["to_play"]))
        answer = model.answer(keys, empty_points(worker), rng)
        assert propose(worker) == ({} if answer is None else {answer: 1.0}, 0.0, {})
        assert sim["rng"] == rng["rng"], "it drew more often, or less"
        sim["rng"] = before
        yield keys, answer is not None


def expected_content(model: AnswerTree) -> dict[Key, dict[int, tuple[int, int]]]:
    return {key: {p: (runs, node.wins[p]) for p, runs in node.runs.items()} for key, node in model.nodes.items()}


@pytest.mark.parametrize("size", SIMULATIONS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_proposal_and_the_tree_are_those_of_the_outline(variant: str, size: int) -> None:
    settings = VARIANTS[variant]
    simulations, model = Simulations(f"tree_answer({settings})", size, seed=size), AnswerTree(settings)
    worker, seen, depths = simulations.worker, Counter(), Counter()
    for _ in range(SIMULATIONS[size]):
        for keys, answered in compared(simulations, model):
            seen[answered, int(worker.sim["length"]) == HISTORY] += 1
            depths[max(len(key) - 1 for key in keys if key == keys[0] or model.nodes[key].runs)] += answered
        assert content(worker) == expected_content(model)
    assert rows(worker)[0, [MADE, HAND]].tolist() == [len(model.places), model.hand]
    assert not rows(worker)[0, MOVES:].any(), "node 0 is none"
    assert min(seen.values()) > 0
    assert len(seen) == 4
    assert max(len(key) - 1 for key in model.nodes) <= settings.depth
    if variant == "deep" and size < 5:
        assert sum(depths[depth] for depth in range(3, 9)) > 10, "nodes of more than two moves are asked"
    if settings.nodes < 20:
        assert model.reused > 10


# --- by hand ----------------------------------------------------------------------------------------------------------


def play_out(worker: Worker, moves: str, winner: int) -> None:
    """A simulation on 9x9 with these moves and two passes, which the komi gives to `winner`."""
    begin(worker.sim, worker.record, new_root(new_board(9), komi=-99.5 if winner == BLACK else 99.5))
    for name in [*moves.split(), "pass", "pass"]:
        make_move(worker.sim, worker.record, parse_vertex(name, 9))
    playout(worker.sim, worker.moves, worker.record)
    assert worker.sim["winner"] == winner


def named(color: int, path: str) -> Key:
    return color, *(parse_vertex(name, 9) for name in path.split())


def test_the_tree_of_the_figures_is_updated_and_extended() -> None:
    """Baier 2010, figures 5.1 to 5.3, with Black's moves d4 and c4 known before and the threshold one."""
    worker = Worker(make_policy("tree_answer(threshold=1)"), Memories(), size=9, seed=1)
    c3, c4 = parse_vertex("C3", 9), parse_vertex("C4", 9)
    for moves in ("D4", "D4", "C4", "C4", "D4 C4", "D4 C4", "C4 C3"):
        play_out(worker, moves, BLACK)
    tree = content(worker)
    assert tree.keys() == {named(BLACK, path) for path in ("", "D4", "C4", "D4 C4")} | {(WHITE,), named(WHITE, "C4")}
    assert tree[named(BLACK, "C4")] == {c3: (1, 0)}
    assert tree[named(BLACK, "D4 C4")] == tree[named(WHITE, "C4")] == {}

    play_out(worker, "D4 C4 C3", BLACK)
    tree = content(worker)
    assert tree[named(BLACK, "")][c3] == (1, 1), "Black's c3 whatever came before"
    assert tree[named(BLACK, "D4 C4")] == {c3: (1, 1)}, "after black d4 and white c4"
    assert tree[named(WHITE, "C4")] == {c3: (1, 1)}, "after white c4, in the other tree"
    assert tree[named(BLACK, "D4")][c4] == (3, 0), "and White's c4 after black d4 was lost once more"

    assert named(BLACK, "C4 C3") not in tree
    play_out(worker, "C4 C3 D4", WHITE)
    tree = content(worker)
    assert tree[named(BLACK, "C4")] == {c3: (2, 1)}
    assert tree[named(BLACK, "C4 C3")] == {}, "it is there for what comes"
    play_out(worker, "C4 C3 D4", WHITE)
    assert content(worker)[named(BLACK, "C4 C3")] == {parse_vertex("D4", 9): (1, 0)}


def test_deeper_nodes_decide_once_they_have_runs() -> None:
    """Black's E5 wins more often than C3, but never after four moves that come often: there C3 does."""
    worker = Worker(make_policy("tree_answer(threshold=1,exploration=0,x=10)"), Memories(), size=9, seed=1)
    often = "A1 B1 A2 B2"
    for _ in range(40):
        play_out(worker, f"{often} E5", WHITE)
        play_out(worker, f"{often} C3", BLACK)
        for _ in range(3):
            play_out(worker, "E5", BLACK)
            play_out(worker, "C3", WHITE)
    assert named(BLACK, often) in content(worker)
    for moves, answer in ((often, "C3"), ("G7 G8 G9 H9", "E5")):
        begin(worker.sim, worker.record, new_root(new_board(9)))
        for name in moves.split():
            make_move(worker.sim, worker.record, parse_vertex(name, 9))
        assert propose(worker).weights == {parse_vertex(answer, 9): 1.0}


@pytest.mark.parametrize("exploration", [0.05, 0.0])
def test_nodes_with_many_moves_are_blended_all_the_same(exploration: float) -> None:
    """More than FEW moves of a node are blended by rows, up to as many one by one."""
    settings = Settings(threshold=3, depth=3, nodes=1500, exploration=exploration)
    simulations, model = Simulations(f"tree_answer({settings})", size=9), AnswerTree(settings)
    for _ in range(200):
        model.learn(*simulations.run())
    assert content(simulations.worker) == expected_content(model)
    seen: Counter[tuple[bool, ...]] = Counter()
    for _ in range(2):
        for keys, answered in compared(simulations, model):
            assert answered
            seen[tuple(len(model.nodes[key].runs) > FEW for key in keys if model.nodes[key].runs)] += 1
    assert seen[True, True] > 10
    assert seen[True, True, False] > 10


def test_threads_that_share_few_nodes_stay_within_the_cells() -> None:
    nodes = 20
    preset = load_preset("mat", [f"playout=tree_answer(threshold=0,nodes={nodes}),mogo"])
    search, game = TreeSearch(preset.config, size=7, threads=3), Game(7)
    search.start(search_request(game))
    search.run(3000)
    table = search.memories.named("move_answers")[0].reshape(-1, WIDTH)
    moves = table[:, MOVES:].reshape(-1, POINTS, 3)
    assert search.tree.nodes["visits"][0] == 3000
    assert len(table) == 1 + nodes
    assert not moves[0].any()
    assert (moves[:, :, 1] >= 0).all()
    assert (moves[:, :, 2] >= 0).all()
    assert (moves[:, :, 2] <= nodes).all()
    assert not moves[:, [p for p in range(POINTS) if p not in points_of(7)]].any(), "walls and passes are no moves"


@pytest.mark.parametrize(("wrong", "said"), [("depth=9", "1 to 8"), ("nodes=2", "3 to 100"), ("x=-1", "0")])
def test_settings_have_limits(wrong: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Worker(make_policy(f"tree_answer({wrong})"), Memories(), size=9, seed=1)
