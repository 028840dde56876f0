"""A slow Go board written from the rules of Go: the oracle that the compiled board is compared with, move by move.

`Position` is stones on a grid and everything that can be asked of them; `NaiveBoard` adds whose turn it is, the ko and
the history. Nothing is remembered of stones between questions: chains, liberties and regions are found anew by flood
fill, and what a move would do is found by making it on a copy. Only the grid itself, which never changes, is kept. From
the package come only the names of points and colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from kikashi.board.points import BLACK, EMPTY, PASS, WALL, WHITE, column_of, opponent, point, points_of, row_of, vertex

SYMBOLS = {".": EMPTY, "X": BLACK, "O": WHITE}

Offsets = tuple[tuple[int, int], ...]
"""Columns and rows from a point."""
ADJACENT: Offsets = ((0, 1), (1, 0), (0, -1), (-1, 0))
DIAGONAL: Offsets = ((1, 1), (1, -1), (-1, -1), (-1, 1))


class Rules(NamedTuple):
    """Which repetition is forbidden ("simple", "positional" or "situational"), and whether suicide is allowed."""

    ko: str = "positional"
    suicide: bool = False


SIMPLE_KO = Rules("simple")
TROMP_TAYLOR = Rules("positional", suicide=True)


@cache
def points_on(size: int) -> frozenset[int]:
    """All points of a board."""
    return frozenset(points_of(size))


@cache
def points_around(size: int, p: int, offsets: Offsets) -> frozenset[int]:
    """The points of a board at these offsets from `p`."""
    cells = [(column_of(p) + columns, row_of(p) + rows) for columns, rows in offsets]
    inside = range(1, size + 1)
    return frozenset(point(column, row) for column, row in cells if column in inside and row in inside)


class Position:
    """Stones on a board of `size`: `stones` maps a point to BLACK or WHITE. It has no turn, no ko and no history."""

    def __init__(self, size: int, stones: dict[int, int] | None = None) -> None:
        self.size = size
        self.stones = dict(stones or {})

    # -- the grid ------------------------------------------------------------------------------------------------------

    def points(self) -> list[int]:
        """All points of the board, A1 first, row by row."""
        return points_of(self.size)

    def line(self, p: int) -> int:
        """How far `p` is from the nearest edge: 1 on the edge itself."""
        return min(column_of(p), row_of(p), self.size + 1 - column_of(p), self.size + 1 - row_of(p))

    def is_on_board(self, p: int) -> bool:
        return p in points_on(self.size)

    def color_at(self, p: int) -> int:
        """BLACK, WHITE or EMPTY; WALL off the board, PASS included."""
        return self.stones.get(p, EMPTY) if p in points_on(self.size) else WALL

    def around(self, p: int, offsets: Offsets) -> frozenset[int]:
        """The points of the board at these offsets from `p`."""
        return points_around(self.size, p, offsets)

    def neighbours(self, p: int) -> frozenset[int]:
        """The two to four points of the board beside `p`; walls are not among them."""
        return points_around(self.size, p, ADJACENT)

    def diagonals(self, p: int) -> frozenset[int]:
        """The one to four points of the board diagonal to `p`; walls are not among them."""
        return self.around(p, DIAGONAL)

    # -- chains and liberties ------------------------------------------------------------------------------------------

    def region(self, p: int) -> frozenset[int]:
        """All points connected to `p` through points of its own colour, EMPTY being a colour here."""
        color, found, frontier = self.color_at(p), {p}, [p]
        while frontier:
            new = [n for n in self.neighbours(frontier.pop()) - found if self.stones.get(n, EMPTY) == color]
            found.update(new)
            frontier += new
        return frozenset(found)

    def border(self, region: frozenset[int]) -> frozenset[int]:
        """The points of the board beside `region` that are not in it."""
        return frozenset().union(*(self.neighbours(p) for p in region)) - region

    def chain(self, p: int) -> frozenset[int]:
        """The connected stones of one colour around the stone at `p`. Raises ValueError if there is no stone."""
        if p not in self.stones:
            raise ValueError(f"no stone at {vertex(p)}")
        return self.region(p)

    def regions(self) -> set[frozenset[int]]:
        """The board cut into its connected parts of one colour: every chain and every empty region."""
        found, left = set(), set(self.points())
        while left:
            region = self.region(left.pop())
            found.add(region)
            left -= region
        return found

    def chains(self) -> set[frozenset[int]]:
        """Every chain of the board."""
        return {region for region in self.regions() if region <= self.stones.keys()}

    def liberties(self, p: int) -> frozenset[int]:
        """The empty points beside the chain of the stone at `p`."""
        return self.border(self.chain(p)) - self.stones.keys()

    def in_atari(self, p: int) -> bool:
        """Whether the chain of the stone at `p` has exactly one liberty."""
        return len(self.liberties(p)) == 1

    def atari_liberty(self, p: int) -> int:
        """The last liberty of the chain of the stone at `p`; PASS if it has more than one."""
        return next(iter(self.liberties(p))) if self.in_atari(p) else PASS

    def enemy_chains(self, p: int) -> set[frozenset[int]]:
        """The chains of the other colour that touch the chain of the stone at `p`."""
        enemy = opponent(self.color_at(p))
        return {self.chain(n) for n in self.border(self.chain(p)) if self.color_at(n) == enemy}

    # -- what a move does ----------------------------------------------------------------------------------------------

    def after(self, p: int, color: int) -> Position:
        """The position once `color` has put a stone on the empty point `p`.

        Enemy chains beside it left without a liberty come off first; if its own chain then has none, that comes off
        (suicide). Ko and history are not looked at. Raises ValueError if `p` is not an empty point of the board.
        """
        if self.color_at(p) != EMPTY:
            raise ValueError(f"{vertex(p)} is not an empty point")
        result = Position(self.size, self.stones | {p: color})
        for n in result.neighbours(p):
            if result.color_at(n) == opponent(color):
                result._remove_if_dead(n)
        result._remove_if_dead(p)
        return result

    def _remove_if_dead(self, p: int) -> None:
        """Take the chain of the stone at `p` off the board if it has no liberty, in place."""
        if not self.liberties(p):
            for stone in self.chain(p):
                del self.stones[stone]

    def captures(self, p: int, color: int) -> frozenset[int]:
        """The enemy stones that come off when `color` plays at the empty point `p`."""
        return frozenset(s for s in self.stones.keys() - self.after(p, color).stones.keys() if self.stones[s] != color)

    def chain_after(self, p: int, color: int) -> frozenset[int]:
        """The chain of the new stone once `color` has played at the empty point `p`; nothing if that is suicide."""
        result = self.after(p, color)
        return result.chain(p) if p in result.stones else frozenset()

    def liberties_after(self, p: int, color: int) -> frozenset[int]:
        """The liberties of that chain, captured points included; nothing if the move is suicide."""
        result = self.after(p, color)
        return result.liberties(p) if p in result.stones else frozenset()

    def is_self_atari(self, p: int, color: int) -> bool:
        """Whether the chain that `color` makes by playing at the empty point `p` has one liberty, or none (suicide)."""
        return len(self.liberties_after(p, color)) <= 1

    def atari_after(self, p: int, color: int) -> frozenset[int]:
        """The enemy stones that `color` puts in atari from the empty point `p`.

        They are the stones of the enemy chains beside `p` that are still there afterwards with exactly one liberty.
        After a suicide there are none: such a chain had another liberty, and gets `p` back.
        """
        result = self.after(p, color)
        beside = [n for n in result.neighbours(p) if result.color_at(n) == opponent(color)]
        return frozenset().union(*(result.chain(n) for n in beside if result.in_atari(n)))

    # -- eyes ----------------------------------------------------------------------------------------------------------

    def surrounded_by(self, p: int, color: int) -> bool:
        """Whether every neighbour of `p` is a stone of `color` or a wall, whatever is on `p`."""
        return all(self.color_at(n) == color for n in self.neighbours(p))

    def is_eyelike(self, p: int, color: int) -> bool:
        """Whether the empty point `p` is surrounded by `color`, with at most one enemy stone diagonal to it.

        On the edge, corners included, not even one. Empty diagonal points do no harm. False if `p` is not empty.
        """
        enemies = sum(self.color_at(d) == opponent(color) for d in self.diagonals(p))
        allowed = 0 if self.line(p) == 1 else 1
        return self.color_at(p) == EMPTY and self.surrounded_by(p, color) and enemies <= allowed

    # -- the whole board -----------------------------------------------------------------------------------------------

    def area_score(self) -> int:
        """Black's area minus White's: stones, and empty regions that one colour alone touches. Nothing is dead."""
        area = {BLACK: 0, WHITE: 0}
        for region in self.regions():
            color = self.color_at(min(region))
            owners = {color} if color != EMPTY else {self.color_at(n) for n in self.border(region)}
            if len(owners) == 1:
                area[owners.pop()] += len(region)
        return area[BLACK] - area[WHITE]

    def hash(self, zobrist: Sequence[Sequence[int]]) -> int:
        """The XOR of `zobrist[color][point]` over the stones; 0 for the empty board. Turn and ko are not in it."""
        result = 0
        for p, color in self.stones.items():
            result ^= int(zobrist[color][p])
        return result

    def diagram(self) -> str:
        """One line per row, the top row first: `.` empty, `X` black, `O` white."""
        symbols = {color: symbol for symbol, color in SYMBOLS.items()}
        columns, rows = range(1, self.size + 1), range(self.size, 0, -1)
        return "\n".join("".join(symbols[self.color_at(point(column, row))] for column in columns) for row in rows)

    __str__ = diagram


def stones_of(diagram: str) -> tuple[int, dict[int, int]]:
    """The size and the stones of a square diagram, its top row first; blanks and blank lines do not matter."""
    rows = [line.replace(" ", "") for line in diagram.split("\n") if line.strip()]
    size = len(rows)
    if any(len(row) != size or set(row) - set(SYMBOLS) for row in rows):
        raise ValueError(f"not a square diagram of {' '.join(SYMBOLS)}:\n{diagram}")
    cells = {point(x + 1, size - y): SYMBOLS[symbol] for y, row in enumerate(rows) for x, symbol in enumerate(row)}
    return size, {p: color for p, color in cells.items() if color != EMPTY}


class NaiveBoard(Position):
    """A position with `to_play`, `ko` (the point that may not be retaken at once, or PASS) and `history`.

    The history lists every situation so far, that is stones and who plays next, from the setup to the present one.
    """

    def __init__(self, size: int, stones: dict[int, int] | None = None, to_play: int = BLACK) -> None:
        super().__init__(size, stones)
        self.to_play = to_play
        self.ko = PASS
        self.history = [(frozenset(self.stones.items()), to_play)]

    @classmethod
    def from_diagram(cls, diagram: str, to_play: int = BLACK) -> NaiveBoard:
        """A board set up from a diagram such as `diagram()` gives; its history starts here."""
        return cls(*stones_of(diagram), to_play)

    def copy(self) -> NaiveBoard:
        """A board of its own with the same turn, ko and history."""
        twin = NaiveBoard(self.size, self.stones, self.to_play)
        twin.ko, twin.history = self.ko, list(self.history)
        return twin

    def play(self, p: int) -> frozenset[int]:
        """Play at the empty point `p`, or PASS, for the side to play, in place; returns the points of removed stones.

        They are the enemy's, or after a suicide its own with `p` among them. Ko, superko and suicide are not refused
        here: ask first. Raises ValueError if `p` is not an empty point of the board.
        """
        removed: frozenset[int] = frozenset()
        if p != PASS:
            result = self.after(p, self.to_play)
            removed = frozenset([*self.stones, p]) - result.stones.keys()
            self.stones = result.stones
        self.ko = self._ko_left_by(p, removed)
        self.to_play = opponent(self.to_play)
        self.history.append((frozenset(self.stones.items()), self.to_play))
        return removed

    def _ko_left_by(self, p: int, removed: frozenset[int]) -> int:
        """The captured point if a lone stone, played at `p`, took exactly one and now has one liberty; else PASS."""
        lone = p in self.stones and self.chain(p) == {p}
        return next(iter(removed)) if lone and len(removed) == 1 and self.in_atari(p) else PASS

    def is_suicide(self, p: int) -> bool:
        """Whether the side to play would take its own stones off by playing at the empty point `p`."""
        return p not in self.after(p, self.to_play).stones

    def repeats(self, p: int, ko: str) -> bool:
        """Whether playing at the empty point `p` is a repetition that this ko rule forbids.

        "simple": it retakes the ko. "positional": it brings back the stones of any earlier position. "situational": it
        brings back earlier stones with the same player to play next. Positions that arose by a pass count like others.
        """
        if ko == "simple":
            return p == self.ko
        stones = frozenset(self.after(p, self.to_play).stones.items())
        if ko == "positional":
            return any(stones == earlier for earlier, _ in self.history)
        if ko == "situational":
            return (stones, opponent(self.to_play)) in self.history
        raise ValueError(f"no ko rule {ko!r}: simple, positional or situational")

    def is_legal(self, p: int, rules: Rules = SIMPLE_KO) -> bool:
        """Whether the side to play may play `p`, by default under simple ko without suicide. A pass is always legal."""
        if p == PASS:
            return True
        if self.color_at(p) != EMPTY:
            return False
        return (rules.suicide or not self.is_suicide(p)) and not self.repeats(p, rules.ko)

    def legal_under(self, rules: Rules) -> set[int]:
        """All legal moves of the side to play, PASS among them."""
        return {p for p in [PASS, *self.points()] if self.is_legal(p, rules)}
