"""A view into a search: the nodes of its tree, its learned replies, and playouts move by move.

A playout calls the compiled loop once for each move. After `choose` the list holds the candidates of the last
heuristic, and the counts by heuristic name it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, WALL, WHITE, color_name as name_of, opponent, vertex
from kikashi.board.scoring import playout_score
from kikashi.engine.player import Player
from kikashi.engine.preset import Preset
from kikashi.engine.tree_reuse import root_of
from kikashi.game import Game
from kikashi.jit import announced
from kikashi.playout.loop import begin, choose, make_move, propose
from kikashi.playout.policy import UNIFORM
from kikashi.playout.sampling import run_ownership
from kikashi.playout.simulation import Root
from kikashi.playout.worker import Memories, Worker
from kikashi.search.analysis import Komis, from_side, score_deviation, winrate_of
from kikashi.search.tree import BANNED, SCALE, SLOTS_COLUMN, Tree
from kikashi.search.tree_search import TreeSearch
from kikashi.web.analyses import color_name
from kikashi.web.game_tree import rows_of
from kikashi.web.messages import (
    TREE_ROWS,
    Owners,
    Playout,
    Replies,
    Reply,
    SearchNode,
    SearchTree,
    Step,
    Timeline,
    TreeStep,
)
from kikashi.web.presets import describe_heuristics
from kikashi.web.tasks import Post, ServerState

SHOWN_CHILDREN = 6
"""Children of an open node, the most visited."""
MARKS = tuple(digit * 10**power for power in range(10) for digit in (1, 2, 3, 5, 7))
"""Numbers of simulations after which a search adds a step to its timeline."""
STEP_NODES = 120
"""Nodes of a step, the most visited."""
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
        self._paths: list[list[int]] = []
        self._folded: set[tuple[int, ...]] = set()
        self._most = 0
        self._node, self._sent = -1, 0
        self._steps: list[TreeStep] = []

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

    def look_at(self, paths: list[list[int]], folded: list[list[int]], most: int) -> None:
        """Open nodes, each by the moves to it, and the `most` visited ones, but nothing below the folded ones."""
        is_new = not self.is_watched
        self._paths, self._folded, self._most = paths, {tuple(path) for path in folded}, most
        if is_new:
            self._sent = 0

    @property
    def is_watched(self) -> bool:
        """Whether a page looks at the tree."""
        return bool(self._paths or self._most)

    def show(self, post: Post) -> None:
        """Send the tree, and the steps of its timeline that are new, to a page that looks at them."""
        search = self._search
        if search is None or not self.is_watched:
            return
        if self._sent < len(self._steps):
            post(Timeline(self._node, self.player.preset.name, self._sent, self._steps[self._sent :]))
            self._sent = len(self._steps)
        rows = shown_nodes(search, self._most, self._folded, [*self._paths, []])
        post(SearchTree(self.player.preset.name, rows), only_newest="search tree")

    def begin_timeline(self, node: int) -> None:
        """Begin the timeline of a search at a node of the study, or go on with that of the node."""
        if node != self._node:
            self._node, self._steps, self._sent = node, [], 0

    def note(self) -> None:
        """Add a step to the timeline where the tree has reached the next of MARKS."""
        if (search := self._search) is None:
            return
        visits = int(search.tree.nodes[0]["visits"])
        if self._steps and visits < self._steps[-1].simulations:  # it is a new tree
            self._steps, self._sent = [], 0
        if not self._steps or visits >= MARKS[bisect_right(MARKS, self._steps[-1].simulations)]:
            self._steps.append(TreeStep(visits, shown_nodes(search, STEP_NODES, (), [[]])))

    def lent(self, preset: Preset, game: Game) -> TreeSearch | None:
        """Return the search whose memories a playout of this preset has if it is run now; None if it is of another."""
        search = self._search
        if search is None or self.player.preset.table != preset.table or search.size != game.size:
            return None
        return search

    def searched_preset(self, game: Game) -> Preset:
        """Return the preset of the search. Raises ValueError if there is none."""
        if self._search is None or self._search.size != game.size:
            raise ValueError("start a search first: its memories learn while it runs")
        return self.player.preset


def shown_nodes(
    search: TreeSearch,
    most: int,
    folded: Collection[tuple[int, ...]],
    opened: Sequence[Sequence[int]],
    line: Sequence[int] = (),
) -> list[SearchNode]:
    """Return the most visited nodes, those on a line, and the opened ones with their most visited children."""
    nodes = dict(_most_visited(search.tree, most, folded))
    at = 0
    for number, move in enumerate(line, 1):
        if (child := search.tree.child(move, at)) is None:
            break
        at = child
        nodes.setdefault(tuple(line[:number]), at)
    for path in opened:
        for moves, index in _open(search.tree, path):
            if len(nodes) < TREE_ROWS:
                nodes.setdefault(moves, index)
    deviation = 0.0 if search.tree.record["win_weight"] else score_deviation(search.scores())
    return [_search_node(search, moves, index, deviation) for moves, index in nodes.items()]


def _search_node(search: TreeSearch, moves: tuple[int, ...], index: int, deviation: float) -> SearchNode:
    tree, node = search.tree, search.tree.nodes[index]
    to_play = int(search.root["board"]["to_play"])
    color = opponent(to_play) if len(moves) % 2 == 0 else to_play
    visits, weight, komi = int(node["visits"]), float(tree.record["win_weight"]), float(search.root["komi"])
    prior_games = float(node["prior_visits"])
    rave, rave_visits = _rave(tree, index)
    return SearchNode(
        path=[vertex(move) for move in moves],
        move=vertex(moves[-1]) if moves else "",
        color=color_name(color),
        visits=visits,
        mean=winrate_of(tree, node, color, Komis(komi, komi), deviation) if visits else None,
        score=from_side(color, float(node["score"]) / visits - komi) if visits else None,
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


def _most_visited(tree: Tree, most: int, folded: Collection[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the root and the most visited nodes, parents before children, each with the moves to it."""
    waiting: list[tuple[int, int, tuple[int, ...], int]] = [(0, 0, (), 0)] if most else []
    number = 0
    while waiting and number < most:
        _, _, moves, at = heappop(waiting)
        yield moves, at
        number += 1
        if moves in folded:
            continue
        children, first = tree.children(at), int(tree.nodes[at]["first"])
        usable = np.flatnonzero((children["flags"] & BANNED == 0) & (children["visits"] > 0))
        for i in usable.tolist():
            child = children[i]
            heappush(waiting, (-int(child["visits"]), first + i, (*moves, int(child["move"])), first + i))


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


def follow(game: Game, path: Sequence[int]) -> Game:
    """Return a game after the moves of a path. Raises ValueError for an illegal move."""
    game = game.copy()
    for move in path:
        game.push(vertex(move))
    return game


def run_playout(
    preset: Preset,
    game: Game,
    number: int,
    seed: int,
    search: TreeSearch | None,
    path: Sequence[int] = (),
    *,
    place: str = "",
) -> Playout:
    """Run one playout from the end of a path below the node of this number, with the memories of a search.

    Raises PartError if a part fails, ValueError for an illegal path.
    """
    game = follow(game, path)
    worker = _worker(preset, game, seed, search, path)
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
        place=place,
        node=number,
        preset=preset.name,
        path=[vertex(move) for move in path],
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


def find_owners(
    preset: Preset,
    game: Game,
    seed: int,
    search: TreeSearch | None,
    path: Sequence[int],
    playouts: int,
    *,
    place: str = "",
) -> Owners:
    """Run playouts from the end of a path, with the memories of a search; find owners and criticality of points.

    Criticality is the covariance of owning a point and winning (Coulom 2009). Draws do not count for it. Raises
    PartError if a part fails, ValueError for an illegal path.
    """
    game = follow(game, path)
    worker = _worker(preset, game, seed, search, path)
    sim, root = worker.sim, root_of(game, judging=True)
    counted = np.zeros((WALL, POINTS), np.int64)
    owners, winners = np.zeros((playouts, POINTS), np.int64), np.zeros(playouts, np.int64)
    scores: Counter[int] = Counter()
    try:
        for number in range(playouts):
            run_ownership(root, sim, worker.moves, worker.record, counted, 1)
            owners[number], winners[number] = sim["owner"], sim["winner"]
            scores[int(sim["score"])] += 1
    except Exception as error:
        raise worker.explain(error) from error
    decided = winners != EMPTY
    games = max(1, int(decided.sum()))
    wins = (winners == BLACK).sum() / games
    black = ((owners == BLACK) & decided[:, None]).sum(axis=0) / games
    white = ((owners == WHITE) & decided[:, None]).sum(axis=0) / games
    by_winner = ((owners == winners[:, None]) & decided[:, None]).sum(axis=0) / games
    covariance = by_winner - black * wins - white * (1.0 - wins)
    rows = rows_of(game.size)
    return Owners(
        place=place,
        preset=preset.name,
        path=[vertex(move) for move in path],
        playouts=playouts,
        ownership=[round(100 * (counted[BLACK, p] - counted[WHITE, p]) / playouts) for p in rows],
        criticality=[round(100 * covariance[p]) for p in rows],
        winrate=float((winners == BLACK).sum() + (winners == EMPTY).sum() / 2) / playouts,
        scores=sorted(scores.items()),
        komi=game.compensation,
    )


def find_replies(preset: Preset, game: Game, move: int, search: TreeSearch | None) -> Replies:
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
    return Replies(preset.name, color_name(mover), vertex(move), replies, every, 0 if search is None else search.done)


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


def _worker(preset: Preset, game: Game, seed: int, search: TreeSearch | None, path: Sequence[int] = ()) -> Worker:
    """Return the records of one thread at the position of a game, which a path in the tree of a search leads to."""
    policy = preset.config.policy
    memories = Memories() if search is None else search.memories
    with announced([choose, run_ownership, *policy.functions], f"for {preset.name}"):
        worker = Worker(policy, memories, size=game.size, seed=seed)
        begin(worker.sim, worker.record, root_of(game, judging=True))
    if search is not None and SLOTS_COLUMN in search.tree.columns:
        tree, node = search.tree, 0
        for move in path:  # an inner node has slots of its own
            if (child := tree.child(move, node)) is None or not tree.nodes[child]["count"]:
                break
            node = child
        worker.sim["path"][0] = tree.columns[SLOTS_COLUMN][node]["slot"]
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
