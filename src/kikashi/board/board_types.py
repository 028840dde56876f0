"""Boards for editors and type checkers: what they have, and what may be changed. The boards are records of NumPy.

In compiled functions the fields are attributes, ``board.color``; in Python they are items, ``board["color"]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, SupportsIndex, overload


class Numbers(Protocol):
    """An array of integers that is only read."""

    @overload
    def __getitem__(self, at: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, at: Any, /) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[int]: ...


class MutableNumbers(Numbers, Protocol):
    """One that may be changed."""

    def __setitem__(self, at: Any, value: Any, /) -> None: ...


class Board(Protocol):
    """A position that is only read, as heuristics, rules and features have it. `new_board` and `copy` give others."""

    @property
    def color(self) -> Numbers:
        """By point: EMPTY, BLACK, WHITE or WALL."""

    @property
    def size(self) -> int:
        """Lines of the board."""

    @property
    def to_play(self) -> int:
        """BLACK or WHITE."""

    @property
    def ko(self) -> int:
        """The point that simple ko forbids to the side to play, or PASS."""

    @property
    def captured(self) -> int:
        """Stones taken by the last move."""

    @property
    def balance(self) -> int:
        """Black stones minus white stones."""

    @property
    def hash(self) -> int:
        """Zobrist hash of the stones, whoever is to play."""

    @property
    def empty(self) -> Numbers:
        """The first `empty_count` are the empty points, in no order; the last captured ones at the end."""

    @property
    def empty_count(self) -> int:
        """How many points are empty."""

    @property
    def empty_at(self) -> Numbers:
        """By empty point: where in `empty` it is."""

    @property
    def chain(self) -> Numbers:
        """By stone: the name of its chain, which is one of its points; an empty point names itself."""

    @property
    def next(self) -> Numbers:
        """By stone: the next one of its chain, round and round."""

    @property
    def stones(self) -> Numbers:
        """By name of a chain: how many stones it has."""

    @property
    def liberties(self) -> Numbers:
        """Packed; `in_atari`, `find_liberties` and their like read them."""

    def __getitem__(self, field: str, /) -> Any: ...
    def copy(self) -> MutableBoard:
        """Another board with the same position, in Python."""


class MutableBoard(Board, Protocol):
    """A position of one's own: `play` changes it."""

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
    """A record with the state of a generator: a simulation, for one."""

    rng: int
