"""Tracing simulations: running them one at a time by the search itself, and making records of what they did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isnan

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, STRIDE, WHITE, opponent, vertex
from kikashi.board.position import play
from kikashi.engine.trace import (
    Color,
    NodeNumbers,
    Trace,
    TracedChange,
    TracedChild,
    TracedExpansion,
    TracedMemory,
    TracedMove,
    TracedNode,
    TracedPrior,
    TracedResult,
    TracedSelection,
    Traces,
)
from kikashi.parts.binding import BoundPart
from kikashi.playout.kinds import memory
from kikashi.playout.policy import UNIFORM
from kikashi.playout.simulation import HISTORY
from kikashi.search.analysis import from_side
from kikashi.search.interface import Search
from kikashi.search.kinds import BY_PLAYOUT
from kikashi.search.loop import grow_root
from kikashi.search.recorder import Recorder
from kikashi.search.tree import BANNED, SCALE, SHARES, SLOTS_COLUMN
from kikashi.search.tree_search import TreeSearch

TWO_PASSES = "two passes"
"""The evaluation of a simulation whose game ended in the tree."""
COLORS: dict[int, Color] = {BLACK: "black", WHITE: "white"}


def trace_search(search: Search, simulations: int) -> Traces:
    """Run simulations of a started search, one at a time, and return a record of each.

    Where several searches take turns, the one with the fewest simulations is next. There are fewer records if a pruning
    rule decides the search. Raises PartError if a part fails.
    """
    tracers = [_Tracer(number, tree) for number, tree in enumerate(search.trees)]
    found: list[Trace] = []
    while len(found) < simulations:
        left = [tracer for tracer in tracers if not tracer.search.is_decided]
        trace = min(left, key=lambda tracer: tracer.search.done).next() if left else None
        if trace is None:
            break
        found.append(trace)
    return Traces(found)


class _Tracer:
    """A search with one tree whose simulations are traced."""

    def __init__(self, number: int, search: TreeSearch) -> None:
        self.number, self.search = number, search
        self.recorder = Recorder(search)
        self.names = search.workers[0].policy.names
        """Sources of playout moves, by row."""
        bound = [used for used in search.config.bound_parts if used.part.kind is memory]
        self.memories = {str(used): used for used in bound if used.part.options["scope"] == "search"}

    def next(self) -> Trace | None:
        """Run one simulation; None if nothing runs any more."""
        search = self.search
        while search.zone is not None and not search.zone.is_tuned:
            search.run(search.zone.tuning.simulations - search.done)
        if search.tree.is_full:
            search.tree.prune()
        before = _Snapshot(search, self.memories, self._priors_of_root())
        with _one_thread(search), self.recorder.recording():
            if not search.run(1):
                return None
        return _Reader(self, before).trace()

    def _priors_of_root(self) -> list[TracedPrior]:
        """Return what each prior gave the children that the root got before the first simulation.

        The loop makes them once more, behind the nodes of the tree, and they are removed again. That cannot be done
        where new nodes leave traces elsewhere: with transpositions, or memories of nodes.
        """
        search, tree, worker = self.search, self.search.tree, self.search.workers[0]
        if tree.nodes[0]["visits"] or not search.config.priors or search.config.keeps_slots or tree.positions.size:
            return []
        used, root, rng = int(tree.record["used"]), tree.nodes[0].copy(), worker.sim["rng"]
        tree.nodes[0]["state"] = tree.nodes[0]["count"] = 0
        try:
            with self.recorder.recording():
                grow_root(search.root, worker.sim, worker.moves, worker.record, worker.search, tree.record)
            return _priors(self.recorder, search, tree.children(), 0, int(search.root["board"]["to_play"]))
        except Exception as error:
            raise worker.explain(error) from error
        finally:
            tree.record["used"], tree.nodes[0], worker.sim["rng"] = used, root, rng


@contextmanager
def _one_thread(search: TreeSearch) -> Iterator[None]:
    """Let only the first thread of a search run, without virtual losses."""
    workers, loss = search.workers, int(search.workers[0].search["virtual_loss"])
    search.workers = workers[:1]
    search.workers[0].search["virtual_loss"] = 0
    try:
        yield
    finally:
        search.workers = workers
        search.workers[0].search["virtual_loss"] = loss


class _Snapshot:
    """State of a search before a simulation."""

    def __init__(self, search: TreeSearch, memories: Mapping[str, BoundPart], root_priors: list[TracedPrior]) -> None:
        """`root_priors` are those of the root's children, before the first simulation."""
        tree, used = search.tree, search.tree.used
        self.used, self.root_priors = used, root_priors
        self.nodes = tree.nodes[:used].copy()
        self.columns = {name: column[:used].copy() for name, column in tree.columns.items() if name != SLOTS_COLUMN}
        self.memories = {name: search.memories.in_use(bound).copy() for name, bound in memories.items()}


class _Reader:
    """Makes the record of the simulation that a search has just run."""

    def __init__(self, tracer: _Tracer, before: _Snapshot) -> None:
        self.tracer, self.search, self.before, self.notes = tracer, tracer.search, before, tracer.recorder
        self.tree, self.sim = tracer.search.tree, tracer.search.workers[0].sim
        self.weight = float(self.tree.record["win_weight"])
        self.length, self.tree_length = int(self.sim["length"]), int(self.sim["tree_length"])
        self.moves: list[int] = self.sim["moves"][HISTORY : self.length].tolist()
        self.nodes: list[int] = self.sim["nodes"][: int(self.sim["depth"]) + 1].tolist()
        self.root_color = int(self.sim["root_color"])
        self.given = 0
        """Notes about priors that were read."""

    def trace(self) -> Trace:
        boards, captured = self._replay()
        tree_moves = self.tree_length - HISTORY
        return Trace(
            number=self.search.done,
            tree=self.tracer.number,
            size=self.search.size,
            selection=str(self.notes.rule),
            stones=boards[0],
            path=[self._node(depth, index) for depth, index in enumerate(self.nodes)],
            leaf=boards[1],
            playout=[
                TracedMove(COLORS[self._color(i)], vertex(self.moves[i]), self._made_by(i), captured[i])
                for i in range(tree_moves, len(self.moves))
            ],
            result=self._result(),
            learned=[*self._statistics(), *self._memories()],
        )

    def _color(self, depth: int) -> int:
        """Return the player to move after some moves."""
        return self.root_color if depth % 2 == 0 else opponent(self.root_color)

    # --- moves --------------------------------------------------------------------------------------------------------

    def _replay(self) -> tuple[tuple[str, str], list[list[str]]]:
        """Return the boards at the root and at the leaf, and the stones that each move captured."""
        board = self.search.root["board"].copy()
        boards, captured = [self._text(board["color"])] * 2, []
        after = board["color"]
        for i, move in enumerate(self.moves):
            before = after.copy()
            play(board, move)
            captured.append([vertex(p) for p in np.flatnonzero((before != EMPTY) & (after == EMPTY)).tolist()])
            if HISTORY + i + 1 == self.tree_length:
                boards[1] = self._text(after)
        return (boards[0], boards[1]), captured

    def _text(self, colors: np.ndarray) -> str:
        """Return colours of points as a text, from the upper left."""
        size = self.search.size
        return "".join(
            ".XO"[colors[row * STRIDE + column]] for row in range(size, 0, -1) for column in range(1, size + 1)
        )

    def _made_by(self, i: int) -> str:
        row, names = int(self.notes.by[HISTORY + i]["heuristic_row"]), self.tracer.names
        if self.moves[i] == PASS:
            return "pass"
        return names[row] if 0 <= row < len(names) - 2 else UNIFORM

    def _result(self) -> TracedResult:
        sim = self.sim
        ended = self.length == self.tree_length and int(sim["passes"]) >= 2
        before, after = self._numbers_before(0), _numbers(self.tree.nodes[0])
        return TracedResult(
            evaluation=TWO_PASSES if ended else str(self.search.config.all_rules["evaluation"]),
            value=float(sim["value"]),
            score=float(sim["score"]),
            komi=float(sim["komi"]),
            winner=COLORS.get(int(sim["winner"]), ""),
            backed_up=after.value - before.value,
            stones=self._text(sim["board"]["color"]),
            owners=self._text(sim["owner"]),
        )

    # --- nodes --------------------------------------------------------------------------------------------------------

    def _numbers_before(self, index: int) -> NodeNumbers:
        return _numbers(self.before.nodes[index]) if index < self.before.used else NodeNumbers(0, 0.0, 0, 0.0)

    def _node(self, depth: int, index: int) -> TracedNode:
        before = self._numbers_before(index)
        has_selection = depth < int(self.notes.record["depths"])
        return TracedNode(
            move=vertex(self.moves[depth - 1]) if depth else "",
            to_play=COLORS[self._color(depth)],
            index=index,
            is_new=before.visits == 0,
            before=before,
            after=_numbers(self.tree.nodes[index]),
            expansion=self._expansion(depth, index),
            selection=self._selection(depth) if has_selection else None,
        )

    def _expansion(self, depth: int, index: int) -> TracedExpansion | None:
        """Return the children that a node of the path got in this simulation; None if it had some, or has none.

        The root got its children before the first simulation: they count as made in it.
        """
        had = index < self.before.used and self.before.nodes[index]["count"] > 0
        is_first = not depth and not self.before.nodes[0]["visits"]
        children = self.tree.children(index)
        if (had and not is_first) or not len(children):
            return None
        is_shared = not had and int(self.tree.nodes[index]["first"]) < self.before.used
        priors = self.before.root_priors if had else []
        if not had and not is_shared:
            priors = _priors(self.notes, self.search, children, self.given, self._color(depth))
            self.given += len(priors) * len(children)
        return TracedExpansion(
            moves=[vertex(int(move)) for move in children["move"]],
            even_games=float(self.notes.worker.search["even_games"]),
            priors=priors,
            is_shared=is_shared,
        )

    def _selection(self, depth: int) -> TracedSelection:
        notes, here = self.notes, self.notes.selected[depth]
        start, count = int(here["start"]), int(here["count"])
        children, table = notes.children[start : start + count], notes.numbers[start : start + count]
        is_drawn, sum_of_totals = bool(here["drawn"]), float(np.nansum(table[:, -1]))
        rows = [
            self._child(self._color(depth), child, numbers, sum_of_totals if is_drawn else 0.0)
            for child, numbers in zip(children, table.tolist(), strict=True)
        ]
        by_playout = int(here["chosen"]) == BY_PLAYOUT
        explained = not np.isnan(table[:, -1]).all()
        refused = [each for each in notes.refused[: int(notes.record["refusals"])] if each["parent"] == here["parent"]]
        chosen = vertex(self.moves[depth]) if depth + 1 < len(self.nodes) else ""
        return TracedSelection(
            way="playout" if by_playout else "chosen" if not explained else "drawn" if is_drawn else "largest",
            terms=list(notes.terms),
            children=rows,
            chosen=chosen,
            by=self._made_by(depth) if by_playout and chosen else str(notes.rule),
            refused=[
                vertex(int(self.tree.nodes[int(each["chosen"])]["move"])) for each in refused if each["chosen"] >= 0
            ],
        )

    def _child(self, color: int, child: np.void, numbers: list[float], sum_of_totals: float) -> TracedChild:
        visits, games, is_banned = int(child["visits"]), float(child["prior_visits"]), bool(child["flags"] & BANNED)
        *terms, total = (None if isnan(number) else number for number in numbers)
        return TracedChild(
            move=vertex(int(child["move"])),
            visits=visits,
            mean=from_side(color, float(child["mean"]), self.weight) if visits else None,
            prior_games=games,
            prior_value=from_side(color, float(child["prior_value"]), self.weight) if games else None,
            share=int(child["share"]) / SHARES,
            banned=is_banned,
            terms=terms,
            total=total,
            probability=total / sum_of_totals if total is not None and sum_of_totals > 0.0 else None,
        )

    # --- what was learned ---------------------------------------------------------------------------------------------

    def _statistics(self) -> Iterator[TracedMemory]:
        names = self._names()
        for name, before in self.before.columns.items():
            after = self.tree.columns[name][: self.tree.used]
            known = np.zeros(after.size, after.dtype)
            known[: before.size] = before
            fields = [field for field in after.dtype.names or () if field != "move"]
            differ = [(known[field] != after[field]).reshape(after.size, -1).any(1) for field in fields]
            changed = np.flatnonzero(np.any(differ, axis=0))
            rows, last = known[changed], after[changed]
            used = self.search.config.statistics.get(name)
            words = None if used is None else used.part.options["words"]
            yield TracedMemory(
                name,
                "statistic",
                fields,
                [
                    TracedChange(names.get(row, f"node {row}"), old, new, words(rows[i], last[i]) if words else "")
                    for i, (row, old, new) in enumerate(
                        zip(changed.tolist(), _flat(rows, fields), _flat(last, fields), strict=True)
                    )
                ],
            )

    def _names(self) -> dict[int, str]:
        """Return the moves to nodes of the path and to their children."""
        names: dict[int, str] = {}
        for depth, index in enumerate(self.nodes):
            path = [vertex(move) for move in self.moves[:depth]]
            first = int(self.tree.nodes[index]["first"])
            for i, child in enumerate(self.tree.children(index)):
                names[first + i] = " ".join([*path, vertex(int(child["move"]))])
            if self.tree.positions.size and first:
                names[first - 1] = " ".join(path) or "root"
            names[index] = " ".join(path) or "root"
        return names

    def _memories(self) -> Iterator[TracedMemory]:
        for name, used in self.tracer.memories.items():
            before, after = self.before.memories[name], self.search.memories.in_use(used)
            words = used.part.options["words"]
            yield TracedMemory(
                name,
                "memory",
                [],
                [
                    TracedChange(
                        f"cell {cell}",
                        [float(before[cell])],
                        [float(after[cell])],
                        words(used.values, int(cell), int(before[cell]), int(after[cell])) if words else "",
                    )
                    for cell in np.flatnonzero(before != after)
                ],
            )


def _priors(notes: Recorder, search: TreeSearch, children: np.ndarray, start: int, color: int) -> list[TracedPrior]:
    """Return what each prior gave new children, from the notes made before each, those from `start` on."""
    priors, count, weight = search.config.priors, len(children), float(search.tree.record["win_weight"])
    steps = notes.given[start : start + len(priors) * count].reshape(len(priors), count)
    last = {int(child["move"]): (float(child["prior_visits"]), float(child["prior_value"])) for child in children}
    numbers = [[(float(row["games"]), float(row["value"])) for row in step] for step in steps]
    found = []
    for k, prior in enumerate(priors):
        moves = [int(row["child_move"]) for row in steps[k]]
        after = numbers[k + 1] if k + 1 < len(priors) else [last[move] for move in moves]
        more: dict[str, float] = {}
        values = []
        for move, (known, old), (games, value) in zip(moves, numbers[k], after, strict=True):
            if games > known:
                more[vertex(move)] = round(games - known, 4)
                values.append((games * value - known * old) / (games - known))
        mean = from_side(color, round(float(np.mean(values)), 3), weight) if values else 0.0
        found.append(TracedPrior(str(prior.used), mean, more))
    return found


def _numbers(node: np.void) -> NodeNumbers:
    visits = int(node["visits"])
    return NodeNumbers(visits, int(node["value"]) / SCALE, int(node["score"]), float(node["mean"]) if visits else 0.0)


def _flat(rows: np.ndarray, fields: Sequence[str]) -> list[list[float]]:
    if not rows.size:
        return []
    columns = [rows[field].reshape(len(rows), -1).astype(np.float64) for field in fields]
    found: list[list[float]] = np.concatenate(columns, axis=1).tolist()
    return found
