"""A view into a search: the nodes of its tree, its learned replies, and playouts move by move.

A playout calls the compiled loop once for each move. After `choose` the list holds the candidates of the last
heuristic, and the counts by heuristic name it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, WHITE, color_name as name_of, opponent, vertex
from kikashi.board.scoring import playout_score
from kikashi.engine.player import Player
from kikashi.engine.preset import Preset
from kikashi.engine.tree_reuse import root_of
from kikashi.game import Game
from kikashi.jit import announced
from kikashi.playout.loop import begin, choose, make_move, propose
from kikashi.playout.policy import UNIFORM
from kikashi.playout.simulation import Root
from kikashi.playout.worker import Memories, Worker
from kikashi.search.analysis import from_side
from kikashi.search.tree import BANNED, SCALE, SLOTS_COLUMN, Tree
from kikashi.search.tree_search import TreeSearch
from kikashi.web.analyses import color_name
from kikashi.web.game_tree import rows_of
from kikashi.web.messages import TREE_ROWS, Playout, Replies, Reply, SearchNode, SearchTree, Step
from kikashi.web.presets import describe_heuristics
from kikashi.web.tasks import ServerState

SHOWN_CHILDREN = 6
"""Children of an open node, the most visited."""
PLAYOUT_MOVES = 1_200
CANDIDATES = 80
"""Points of a heuristic's list that are shown."""
ALIKE, BY_WEIGHT, FIRST, ANY = "drawn from points that are all alike", "drawn by weight", "the first that can be", "any"


class SearchViewer:
    """A player whose search can be inspected while no simulation runs."""

    def __init__(self, state: ServerState) -> None:
        self._state = state
        self._player: Player | None = None
        self._key: tuple[str, tuple[str, ...]] = ("", ())
        self.paths: list[list[int]] = []
        """The open nodes, each by the moves to it."""

    @property
    def player(self) -> Player:
        assert self._player is not None
        return self._player

    def set_preset(self, preset: Preset, without: Sequence[str]) -> None:
        """Set the preset; an unchanged one keeps its player and tree."""
        key = (preset.name, tuple(without))
        if self._player is None or key != self._key:
            self._player = self._state.new_player(preset)
            self._key = key

    @property
    def _search(self) -> TreeSearch | None:
        return None if self._player is None else self._player.last_search

    def tree(self) -> SearchTree | None:
        """Return the open nodes of the search tree and their children; None without a search or open nodes."""
        search = self._search
        if search is None or not self.paths:
            return None
        nodes: dict[tuple[int, ...], SearchNode] = {}
        for path in self.paths:
            for moves, index in _open(search.tree, path):
                if len(nodes) < TREE_ROWS:
                    nodes.setdefault(moves, _search_node(search, moves, index))
        return SearchTree(self.player.preset.name, list(nodes.values()))

    def playout(self, preset: Preset, game: Game, number: int, seed: int) -> Playout:
        """Return one playout of a preset from the position of a game, at the node of this number.

        A search by the same preset lends its memories: the playout is one that it might run now.
        """
        search = self._search
        if search is not None and (self.player.preset.table != preset.table or search.size != game.size):
            search = None
        return run_playout(preset.at(game.size), game, number, seed, search)

    def searched_preset(self, game: Game) -> Preset:
        """Return the preset of the search. Raises ValueError if there is none."""
        if self._search is None or self._search.size != game.size:
            raise ValueError("start a search first: its memories learn while it runs")
        return self.player.preset

    def replies(self, game: Game, move: int) -> Replies:
        """Return the learned replies to a move. Raises ValueError if there is no search."""
        preset = self.searched_preset(game).at(game.size)
        assert self._search is not None
        return find_replies(preset, game, move, self._search)


def _search_node(search: TreeSearch, moves: tuple[int, ...], index: int) -> SearchNode:
    tree, node = search.tree, search.tree.nodes[index]
    to_play = int(search.root["board"]["to_play"])
    color = opponent(to_play) if len(moves) % 2 == 0 else to_play
    visits, weight = int(node["visits"]), float(tree.record["win_weight"])
    prior_games = float(node["prior_visits"])
    rave, rave_visits = _rave(tree, index)
    return SearchNode(
        path=[vertex(move) for move in moves],
        move=vertex(moves[-1]) if moves else "",
        color=color_name(color),
        visits=visits,
        mean=from_side(color, float(node["mean"]), weight) if visits else None,
        score=from_side(color, float(node["score"]) / visits - float(search.root["komi"])) if visits else None,
        rave=None if rave is None else from_side(color, rave, weight),
        rave_visits=rave_visits,
        prior=from_side(color, float(node["prior_value"]), weight) if prior_games else None,
        prior_games=prior_games,
        variance=_variance(tree, index),
        children=int(node["count"]),
    )


def _open(tree: Tree, path: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield a node and its most visited children, each with the moves to it; nothing if the tree lacks it."""
    at = 0
    for move in path:
        child = tree.child(move, at)
        if child is None:
            return
        at = child
    yield tuple(path), at
    children = tree.children(at)
    usable = np.flatnonzero((children["flags"] & BANNED == 0) & (children["visits"] > 0))
    order = usable[np.argsort(-children["visits"][usable].astype(np.int64), kind="stable")][:SHOWN_CHILDREN]
    first = int(tree.nodes[at]["first"])
    for i in order.tolist():
        yield (*path, int(children[i]["move"])), first + i


def _rave(tree: Tree, index: int) -> tuple[float | None, int]:
    """Return Black's RAVE value of a node, and the simulations behind it."""
    if "rave" not in tree.columns:
        return None, 0
    row: Any = tree.columns["rave"][index]
    visits = int(row["visits"])
    return (float(row["value"]) / (SCALE * visits) if visits else None), visits


def _variance(tree: Tree, index: int) -> float | None:
    """Return the variance of the values of a node's simulations: measured if the search does, else that of wins."""
    node = tree.nodes[index]
    visits = int(node["visits"])
    if not visits:
        return None
    mean = float(node["value"]) / (SCALE * visits)
    if "squares" in tree.columns:
        return max(0.0, float(tree.columns["squares"][index]["square"]) / (SCALE * visits) - mean * mean)
    return max(0.0, mean * (1.0 - mean)) if tree.record["win_weight"] else None


# --- playouts ---------------------------------------------------------------------------------------------------------


def run_playout(preset: Preset, game: Game, number: int, seed: int, search: TreeSearch | None) -> Playout:
    """Run one playout from the position of a game, at the node of this number, with the memories of a search.

    Raises PartError if a part fails.
    """
    worker = _worker(preset, game, seed, search)
    sim, rows = worker.sim, rows_of(game.size)
    before = sim["board"]["color"].copy()
    stones = "".join(".XO"[before[p]] for p in rows)
    steps: list[Step] = []
    limit = min(int(worker.record["move_limit"]), PLAYOUT_MOVES)
    try:
        while sim["passes"] < 2 and len(steps) < limit:
            color = int(sim["board"]["to_play"])
            counted = worker.record["moves_by"].copy()
            move = int(choose(sim, worker.moves, worker.record))
            made_by = (worker.record["moves_by"] - counted).argmax() if worker.policy.heuristics else -1
            chosen = _chosen(worker, int(made_by), move)
            make_move(sim, worker.record, move)
            after = sim["board"]["color"]
            captured = [vertex(p) for p in rows if before[p] not in (EMPTY, after[p])]
            before = after.copy()
            steps.append(Step(color_name(color), vertex(move), *chosen, captured))
    except Exception as error:
        raise worker.explain(error) from error
    score = float(playout_score(sim["board"])) - game.compensation
    return Playout(
        node=number,
        preset=preset.name,
        seed=seed,
        size=game.size,
        stones=stones,
        steps=steps,
        shares=dict(Counter(step.by for step in steps).most_common()),
        score=score,
        winner=name_of(BLACK) if score > 0 else name_of(WHITE) if score < 0 else "",
        learned=0 if search is None else search.done,
        abouts=describe_heuristics(preset)
        | {UNIFORM: "Any feasible point, all alike: no heuristic had a move.", "pass": "No move."},
    )


def find_replies(preset: Preset, game: Game, move: int, search: TreeSearch) -> Replies:
    """Return the replies of all heuristics that learn to a move, and the first reply to each legal move."""
    worker = _worker(preset, game, 1, search)
    root = root_of(game, judging=True)
    learning = [
        (row, str(used))
        for row, used in enumerate(worker.policy.heuristics)
        if any(True for _ in used.bound_memories())
    ]
    mover = opponent(game.turn) if move != PASS and not game.is_legal(move) else game.turn
    every: dict[str, str] = {}
    for p in rows_of(game.size):
        if game.color_at(p) == EMPTY and game.is_legal(p):
            found = (_replies(worker, root, p, row) for row, _ in learning)
            if (first := next((points for points, _ in found if points), None)) is not None:
                every[vertex(p)] = vertex(first[0])
    replies = []
    if move != PASS and game.is_legal(move):
        for row, name in learning:
            points, weights = _replies(worker, root, move, row)
            replies.append(Reply(name, vertex(move), [vertex(p) for p in points], weights))
    return Replies(preset.name, color_name(mover), vertex(move), replies, every, search.done)


def _replies(worker: Worker, root: Root, move: int, row: int) -> tuple[list[int], list[float]]:
    """Return the points that a heuristic lists after a move, and their weights if they differ."""
    try:
        begin(worker.sim, worker.record, root)
        make_move(worker.sim, worker.record, move)
        propose(worker.sim, worker.moves, worker.record["heuristic"][row])
    except Exception as error:
        raise worker.explain(error) from error
    worker.moves["bars"][:] = 0
    worker.moves["barred_count"] = 0
    points, weights = _listed(worker)
    empty = worker.sim["board"]["color"]
    kept = [(p, w) for p, w in zip(points, weights or [1.0] * len(points), strict=True) if empty[p] == EMPTY]
    return [p for p, _ in kept], [w for _, w in kept] if weights else []


def _worker(preset: Preset, game: Game, seed: int, search: TreeSearch | None) -> Worker:
    """Return the records of one thread at the position of a game."""
    policy = preset.config.policy
    memories = Memories() if search is None else search.memories
    with announced([choose, *policy.functions], f"for {preset.name}"):
        worker = Worker(policy, memories, size=game.size, seed=seed)
        begin(worker.sim, worker.record, root_of(game, judging=True))
    if search is not None and SLOTS_COLUMN in search.tree.columns:
        worker.sim["path"][0] = search.tree.columns[SLOTS_COLUMN][0]["slot"]
    return worker


def _chosen(worker: Worker, made_by: int, move: int) -> tuple[str, str, list[str], list[float]]:
    """Return the heuristic of a move, its kind of draw, its candidates, and their weights if they differ."""
    if move == PASS:
        return "pass", "", [], []
    if not 0 <= made_by < len(worker.policy.heuristics):
        return UNIFORM, ANY, [], []
    points, weights = _listed(worker)
    way = FIRST if worker.moves["ordered"] else BY_WEIGHT if weights or worker.moves["base"] else ALIKE
    pairs = list(zip(points, weights or [1.0] * len(points), strict=True))
    if weights:
        pairs.sort(key=lambda pair: -pair[1])
    shown = pairs[:CANDIDATES]
    return (
        str(worker.policy.heuristics[made_by]),
        way,
        [vertex(p) for p, _ in shown],
        [w for _, w in shown] if weights else [],
    )


def _listed(worker: Worker) -> tuple[list[int], list[float]]:
    """Return the list of the last heuristic, and its weights if they differ."""
    count = int(worker.moves["count"])
    points, weights = worker.moves["points"][:count].tolist(), worker.moves["weights"][:count].tolist()
    return points, weights if worker.moves["weighted"] else []
