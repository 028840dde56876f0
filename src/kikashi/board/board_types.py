"""Types of boards for editors and type checkers. At run time a board is a NumPy record.

Compiled functions read fields as attributes, ``board.color``; Python reads them as items, ``board["color"]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, SupportsIndex, overload


class Numbers(Protocol):
    """A read-only array of integers."""

    @overload
    def __getitem__(self, at: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, at: Any, /) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[int]: ...


class MutableNumbers(Numbers, Protocol):
    """A writable array of integers."""

    def __setitem__(self, at: Any, value: Any, /) -> None: ...


class Board(Protocol):
    """A read-only position, as heuristics, rules and features get it. `new_board` and `copy` make writable ones."""

    @property
    def color(self) -> Numbers:
        """By point: EMPTY, BLACK, WHITE or WALL."""

    @property
    def size(self) -> int:
        """Number of lines."""

    @property
    def to_play(self) -> int:
        """BLACK or WHITE."""

    @property
    def ko(self) -> int:
        """Point that simple ko forbids to the side to play, or PASS."""

    @property
    def captured(self) -> int:
        """Number of stones taken by the last move."""

    @property
    def balance(self) -> int:
        """Black stones minus white stones."""

    @property
    def hash(self) -> int:
        """Zobrist hash of the stones; the side to play is not part of it."""

    @property
    def empty(self) -> Numbers:
        """The empty points: the first `empty_count` entries, unordered but for the last captured ones at the end."""

    @property
    def empty_count(self) -> int:
        """Number of empty points."""

    @property
    def empty_at(self) -> Numbers:
        """By empty point: its index in `empty`."""

    @property
    def chain(self) -> Numbers:
        """By stone: the name of its chain, one of the chain's points; an empty point names itself."""

    @property
    def next(self) -> Numbers:
        """By stone: the next stone of its chain, in a circle."""

    @property
    def stones(self) -> Numbers:
        """By name of a chain: its number of stones."""

    @property
    def liberties(self) -> Numbers:
        """Packed liberties by name of a chain; read them with `in_atari`, `find_liberties` and similar queries."""

    def __getitem__(self, field: str, /) -> Any: ...
    def copy(self) -> MutableBoard:
        """Return a writable copy. Only in Python."""


class MutableBoard(Board, Protocol):
    """A writable position, which `play` changes."""

    color: MutableNumbers
    size: int
    to_play: int
    ko: int
    captured: int
    balance: int
    hash: int
    empty: MutableNumbers
    empty_count: int
    empty_at: MutableNumbers
    chain: MutableNumbers
    next: MutableNumbers
    stones: MutableNumbers
    liberties: MutableNumbers

    def __setitem__(self, field: str, value: Any, /) -> None: ...


class HasRandomNumbers(Protocol):
    """A record that holds the state of a random generator, such as a simulation."""

    rng: int
