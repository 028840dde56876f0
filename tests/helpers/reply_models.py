"""The equations of Baier's chapter 6 over dictionaries: slow models of memories and heuristics.

A model learns from the record of a simulation and proposes replies. Its keys are tuples of a colour and points.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar, Protocol

import numpy as np

from helpers.simulations import Random32, Record
from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, STRIDE, opponent
from kikashi.playout.hash_store import EVICTED, HEAD, KEY_CELLS, WAYS
from kikashi.playout.worker import Worker

Key = tuple[int, ...]


@dataclass
class Now:
    """The state of a simulation: all moves so far, with those before the root, the player to move, and all colours."""

    moves: list[int]
    color: int
    colors: np.ndarray


def is_local(p: int, q: int) -> bool:
    """Return whether points are in each other's knight's neighbourhood: 5x5 without its corners."""
    y, x = abs(p // STRIDE - q // STRIDE), abs(p % STRIDE - q % STRIDE)
    return max(x, y) <= 2 and x + y <= 3


def replies(record: Record, context: int, back: int = 1) -> Iterator[tuple[int, int, Key, int]]:
    """Yield number, colour, context and move of every reply of a simulation with a context within it; no passes."""
    for t, reply in enumerate(record.moves):
        color = record.color(t)
        start, end = t - back + 1 - context, t - back + 1
        before = tuple(record.moves[max(0, start) : end])
        if start >= 0 and reply != PASS and PASS not in before:
            yield t, color, before, reply


def context_now(now: Now, context: int, back: int = 1) -> Key:
    """Return the colour and the last moves as a key; one with a pass finds nothing."""
    return now.color, *now.moves[len(now.moves) - back + 1 - context : len(now.moves) - back + 1]


class Model(Protocol):
    """A model learns and proposes; if it is `ordered`, the first feasible point of its proposal is taken."""

    ordered: ClassVar[bool] = False

    def learn(self, record: Record) -> None:
        """Learn from a simulation; a draw teaches nothing."""
        if record.winner != EMPTY:
            self.learn_result(record)

    def learn_result(self, record: Record) -> None: ...
    def proposal(self, now: Now) -> list[int]: ...
    def content(self, worker: Worker) -> tuple[Any, Any]:
        """Return the content of the model, and that of the worker's memory."""


def block(worker: Worker, name: str) -> np.ndarray:
    """Return the cells of a worker's memory."""
    (found,) = [cells for (kept, _), cells in worker.memory_blocks.items() if kept == name]
    return found


def unpacked(at: int, context: int) -> Key:
    """Return the key of a row in a table."""
    points = []
    for _ in range(context):
        at, p = divmod(at, POINTS)
        points.append(p)
    return at + BLACK, *reversed(points)


def table_of(cells: np.ndarray, context: int) -> dict[Key, int]:
    return {unpacked(int(at), context): int(cells[at]) for at in np.flatnonzero(cells)}


def entries_of(cells: np.ndarray, width: int) -> Counter[tuple[int, ...]]:
    """Return the payloads of a hashed store that are not all 0; its keys are hashes."""
    size = 1 + WAYS * (KEY_CELLS + width)
    assert cells[EVICTED] == 0, "the test needs a larger store"
    buckets = cells[HEAD:][: (cells.size - HEAD) // size * size].reshape(-1, size)
    payloads = buckets[:, 1:].reshape(-1, 2 + width)[:, 2:]
    return Counter(map(tuple, payloads[payloads.any(axis=1)].tolist()))


# --- one reply --------------------------------------------------------------------------------------------------------


@dataclass
class LastReplies(Model):
    """Eq. 6.1, 6.3, 6.8 (back = 2), 6.14 (of lost playouts), §6.3.9, §6.3.10, §6.3.12."""

    context: int = 1
    back: int = 1
    forgetting: bool = True
    of: str = "won"
    first: int = 0
    surviving: bool = False
    local: bool = False
    size: int = 0
    kept: dict[Key, int] = field(default_factory=dict)

    def learn_result(self, record: Record) -> None:
        learner = record.winner if self.of == "won" else opponent(record.winner)
        for t, color, before, reply in replies(record, self.context, self.back):
            if self.first and t + 1 > self.first * self.size**2 // 361:
                break
            if color == learner:
                chain = record.moves[t - self.context : t + 1]
                near = all(is_local(p, q) for p, q in pairwise(chain))
                if (record.final[reply] == color or not self.surviving) and (near or not self.local):
                    self.kept[color, *before] = reply
            elif self.forgetting and self.kept.get((color, *before)) == reply:
                del self.kept[color, *before]

    def proposal(self, now: Now) -> list[int]:
        reply = self.kept.get(context_now(now, self.context, self.back))
        return [] if reply is None else [reply]

    def content(self, worker: Worker) -> tuple[Any, Any]:
        cells = block(worker, "last_replies")
        if self.context > 2:
            return Counter((reply,) for reply in self.kept.values()), entries_of(cells, 1)
        return self.kept, table_of(cells, self.context)


@dataclass
class PatternReplies(Model):
    """Eq. 6.6–6.7; §8.2.2 proposes other shapes."""

    shape: str = "eight"
    kept: dict[Key, int] = field(default_factory=dict)

    def _key(self, color: int, last: int, colors: np.ndarray) -> Key:
        near = [(y, x) for y in range(-2, 3) for x in range(-2, 3) if (y, x) != (0, 0)]
        shapes = {
            "eight": [(y, x) for y, x in near if max(abs(y), abs(x)) == 1],
            "four": [(y, x) for y, x in near if abs(y) + abs(x) == 1],
            "knight": [(y, x) for y, x in near if abs(y) + abs(x) <= 3],
        }
        walls = np.pad(colors, 2 * STRIDE, constant_values=3)
        around = (int(walls[2 * STRIDE + last + y * STRIDE + x]) for y, x in shapes[self.shape])
        return color, last, *around

    def learn_result(self, record: Record) -> None:
        for t, color, (last,), reply in replies(record, 1):
            key = self._key(color, last, record.colors[t])
            if color == record.winner:
                self.kept[key] = reply
            elif self.kept.get(key) == reply:
                del self.kept[key]

    def proposal(self, now: Now) -> list[int]:
        last = now.moves[-1]
        reply = None if last == PASS else self.kept.get(self._key(now.color, last, now.colors))
        return [] if reply is None else [reply]

    def content(self, worker: Worker) -> tuple[Any, Any]:
        return Counter((reply,) for reply in self.kept.values()), entries_of(block(worker, "pattern_replies"), 1)


@dataclass
class DatedReplies(Model):
    """§6.3.6."""

    context: int = 1
    since: str = "last_win"
    age: int = 2
    count: int = 0
    won: dict[int, int] = field(default_factory=dict)
    kept: dict[Key, tuple[int, int]] = field(default_factory=dict)

    def learn(self, record: Record) -> None:
        self.count += 1
        super().learn(record)

    def learn_result(self, record: Record) -> None:
        self.won[record.winner] = self.count
        for _, color, before, reply in replies(record, self.context):
            key = (color, *before)
            if color == record.winner:
                self.kept[key] = reply, self.count
            elif key in self.kept and self.kept[key][0] == reply:
                del self.kept[key]

    def proposal(self, now: Now) -> list[int]:
        reply, date = self.kept.get(context_now(now, self.context), (PASS, 0))
        last_won = self.won.get(now.color, 0)
        recent = date == last_won if self.since == "last_win" else self.count - date < self.age
        return [reply] if reply != PASS and recent else []

    def content(self, worker: Worker) -> tuple[Any, Any]:
        cells = block(worker, "dated_replies")
        rows = cells[3:].reshape(-1, 2)
        found = {unpacked(int(at), self.context): tuple(rows[at].tolist()) for at in np.flatnonzero(rows[:, 0])}
        model = self.count, self.won.get(BLACK, 0), self.won.get(opponent(BLACK), 0), self.kept
        return model, (*cells[:3].tolist(), found)


# --- several replies --------------------------------------------------------------------------------------------------


@dataclass
class SeveralReplies(Model):
    """§6.3.5 and §6.3.13: lists of replies, each with its score."""

    context: int = 1
    slots: int = 3
    full: str = "oldest"
    loss: str = "forget"
    cap: int = 1
    pick: str = "in_order"
    rank: int = 0
    ranks: int = 1
    needed: int = 1
    kept: dict[Key, list[list[int]]] = field(default_factory=dict)

    def learn_result(self, record: Record) -> None:
        for _, color, before, reply in replies(record, self.context):
            listed = self.kept.setdefault((color, *before), [])
            known = next((entry for entry in listed if entry[0] == reply), None)
            if color == record.winner:
                self.win(listed, known, reply, record.random)
            elif known is not None:
                known[1] -= 1
                if self.loss == "forget" or known[1] == 0:
                    listed.remove(known)

    def win(self, listed: list[list[int]], known: list[int] | None, reply: int, random: Random32) -> None:
        """Add a reply that won; `known` is its entry in the list, if it has one."""
        new = [reply, 1 if known is None else min(self.cap, known[1] + 1)]
        if self.full == "oldest":
            if known is not None:
                listed.remove(known)
            listed.insert(0, new)
            del listed[self.slots :]
        elif known is not None:
            known[1] = new[1]
        elif len(listed) < self.slots:
            listed.append(new)
        elif self.full == "random":
            listed[random.below(self.slots)] = new
        elif self.full == "lowest":
            listed[listed.index(min(listed, key=lambda entry: entry[1]))] = new

    def __post_init__(self) -> None:
        self.ordered = self.pick == "in_order"

    def proposal(self, now: Now) -> list[int]:
        listed = self.kept.get(context_now(now, self.context), [])
        if self.pick == "in_order":
            listed = listed[self.rank : self.rank + self.ranks]
        best = max((score for _, score in listed), default=0)
        least = max(self.needed, best if self.pick == "best" else 0)
        return [reply for reply, score in listed if score >= least]

    def content(self, worker: Worker) -> tuple[Any, Any]:
        rows = block(worker, "several_replies").reshape(-1, self.slots, 2)
        found = {}
        for at in np.flatnonzero(rows[:, 0, 0]):
            filled = int((rows[at, :, 0] != PASS).sum())
            assert (rows[at, :filled, 0] != PASS).all(), "no gaps"
            found[unpacked(int(at), self.context)] = rows[at, :filled].tolist()
        return {key: listed for key, listed in self.kept.items() if listed}, found


@dataclass
class IndirectReplies(Model):
    """Eq. 6.10–6.13, with the index of the text: a_t is the i-th reply to a_(t-(2i-1))."""

    forget: str = "direct"
    replies: int = 3
    kept: dict[Key, int] = field(default_factory=dict)
    ordered = True

    def learn_result(self, record: Record) -> None:
        for t, reply in enumerate(record.moves):
            color = record.color(t)
            numbers = range(1, self.replies + 1)
            earlier = {i: record.moves[t - (2 * i - 1)] for i in numbers if t - (2 * i - 1) >= 0}
            earlier = {i: move for i, move in earlier.items() if move != PASS and reply != PASS}
            if color == record.winner:
                for i, move in earlier.items():
                    self.kept[color, i, move] = reply
                continue
            for j, move in earlier.items():
                for i in numbers:
                    if (j == 1 or self.forget == "all") and self.kept.get((color, i, move)) == reply:
                        del self.kept[color, i, move]

    def proposal(self, now: Now) -> list[int]:
        keys = [(now.color, i, now.moves[-1]) for i in range(1, self.replies + 1)]
        return [self.kept[key] for key in keys if key in self.kept]

    def content(self, worker: Worker) -> tuple[Any, Any]:
        table = block(worker, "indirect_replies").reshape(self.replies, 2, POINTS)
        found = {(int(c) + BLACK, int(i) + 1, int(p)): int(table[i, c, p]) for i, c, p in np.argwhere(table)}
        return self.kept, found


@dataclass
class GoodMoves(Model):
    """Eq. 6.16, §6.3.12."""

    local: bool = False
    kept: dict[Key, bool] = field(default_factory=dict)

    def learn_result(self, record: Record) -> None:
        for t, move in enumerate(record.moves):
            if move != PASS:
                self.kept[record.color(t), move] = record.color(t) == record.winner

    def proposal(self, now: Now) -> list[int]:
        last = now.moves[-1]
        good = [p for (color, p), won in self.kept.items() if won and color == now.color and now.colors[p] == EMPTY]
        return [p for p in good if last != PASS and is_local(p, last)] if self.local else good

    def content(self, worker: Worker) -> tuple[Any, Any]:
        found = table_of(block(worker, "good_moves"), 1)
        return {key: 1 for key, won in self.kept.items() if won}, found


@dataclass
class ReplyTree(Model):
    """§6.3.14: nodes by colour and context, the latest move first."""

    depth: int = 5
    appearances: int = 2
    growth: str = "past"
    seen: Counter[Key] = field(default_factory=Counter)
    kept: dict[Key, int] = field(default_factory=dict)
    ordered = True

    def learn_result(self, record: Record) -> None:
        for t, reply in enumerate(record.moves):
            if reply == PASS:
                continue
            color = record.color(t)
            for depth in range(1, min(self.depth, t) + 1):
                before = tuple(reversed(record.moves[t - depth : t]))
                if PASS in before:
                    break
                parent = (color, *before[:-1]) if self.growth == "past" else (opponent(color), *before[1:])
                if depth > 1 and (self.seen[parent] < self.appearances or self._is_new(parent, t)):
                    break
                self._appear((color, *before), reply, color == record.winner, t)

    def _is_new(self, parent: Key, t: int) -> bool:
        """Return whether the parent became a node by the very same reply."""
        return self.growth == "past" and self.born.get(parent) == t

    born: dict[Key, int] = field(default_factory=dict)

    def _appear(self, key: Key, reply: int, won: bool, t: int) -> None:
        self.seen[key] += 1
        self.born[key] = t if self.seen[key] == self.appearances else -1
        if self.seen[key] < self.appearances:
            return
        if won:
            self.kept[key] = reply
        elif self.kept.get(key) == reply:
            del self.kept[key]

    def proposal(self, now: Now) -> list[int]:
        found: list[int] = []
        for depth in range(1, self.depth + 1):
            before = tuple(reversed(now.moves[len(now.moves) - depth :]))
            if PASS in before or self.seen[now.color, *before] < self.appearances:
                break
            if (now.color, *before) in self.kept:
                found.insert(0, self.kept[now.color, *before])
        return found

    def content(self, worker: Worker) -> tuple[Any, Any]:
        model = Counter((self.kept.get(key, PASS), count) for key, count in self.seen.items() if count)
        return model, entries_of(block(worker, "reply_tree"), 2)


MODELS: Mapping[str, type[Model]] = {
    "last_good_reply": LastReplies,
    "last_bad_reply": LastReplies,
    "pattern_reply": PatternReplies,
    "recent_good_reply": DatedReplies,
    "one_of_good_replies": SeveralReplies,
    "indirect_good_reply": IndirectReplies,
    "last_good_move": GoodMoves,
    "reply_of_tree": ReplyTree,
}
"""By heuristic: its model, made with the parameters of the heuristic."""
