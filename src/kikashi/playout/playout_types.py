"""What parts of playouts get, for editors and type checkers: which fields they may read, and which they may change.

Fields that are properties here are read only. In compiled functions fields are attributes, ``sim.length``; in Python
they are items, ``sim["length"]``. A part says what it reads of its own record with a protocol of its own:

    class Contact(Protocol):
        weight: float

    @heuristic(weight=1.0)
    def contact(sim: Simulation, moves: Candidates, my: Contact) -> None: ...
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kikashi.board.board_types import Board, HasRandomNumbers, Numbers


class Simulation(HasRandomNumbers, Protocol):
    """One simulation, from the root of the search to the end of its playout: ``sim``."""

    @property
    def board(self) -> Board:
        """The position."""

    @property
    def moves(self) -> Numbers:
        """HISTORY moves before the root, then all since: `last_move` and `mover` read them."""

    @property
    def by(self) -> Numbers:
        """For a move of a playout, where a memory picks: the number of the heuristic that made it, or UNIFORM."""

    @property
    def length(self) -> int:
        """Entries of `moves`."""

    @property
    def tree_length(self) -> int:
        """How many of these were made before the playout: by the tree, or before the root."""

    @property
    def passes(self) -> int:
        """How many of the latest moves were passes in a row."""

    @property
    def root_color(self) -> int:
        """Who is to play at the root."""

    @property
    def number(self) -> int:
        """How many simulations came before this one: in the thread, or by the plan of a staged search."""

    @property
    def komi(self) -> float:
        """That of the simulation; with a zone, less the score outside it."""

    score: int
    """When it is over: area, Black minus White, without komi; of the zone alone if there is one. Evaluations set it."""

    @property
    def value(self) -> float:
        """When it is over: Black's chance to win; 1, 0, or a half for a draw if it was played out."""

    @property
    def winner(self) -> int:
        """When it is over: BLACK, WHITE, or EMPTY for a draw."""

    @property
    def zoned(self) -> bool:
        """Whether moves outside the zone are barred."""

    @property
    def zone(self) -> Numbers:
        """By point: not 0 inside the zone."""

    @property
    def depth(self) -> int:
        """Nodes passed below the root."""

    @property
    def nodes(self) -> Numbers:
        """The nodes passed, the root first."""

    @property
    def hashes(self) -> Numbers:
        """The positions at them."""

    @property
    def path(self) -> Numbers:
        """By depth and slot: what memories keep for the nodes passed."""

    region: NDArray[np.uint8]
    """By point: what a region rule marks is not 0."""
    found: NDArray[np.uint16]
    """Scratch space for `find_liberties` and its like."""
    tally: NDArray[np.float64]
    """Scratch space, by point."""
    place: NDArray[np.uint16]
    """Scratch space, by point."""
    first_by: NDArray[np.uint8]
    """By point: the first player there, after `note_first_players`."""
    owner: NDArray[np.uint8]
    """By point: its owner at the end, after `find_owners`."""

    def __getitem__(self, field: str, /) -> Any: ...


class Candidates(Protocol):
    """The list that a heuristic fills: ``moves``. `mark`, `add` and `bar` write it; it may also set these fields."""

    ordered: bool
    """Whether the first feasible point is taken."""
    shares: bool
    """Whether the weights are shares, which add up to 1 over all moves."""
    base: float
    """The weight of every feasible point that is not listed."""
    points: NDArray[np.int32]
    """The first `count` are listed. Their order may be changed."""
    weights: NDArray[np.float64]
    """By place in `points`."""

    @property
    def count(self) -> int:
        """How many points are listed."""

    @property
    def bars(self) -> Numbers:
        """By point: 0 free, 1 barred to heuristics, 2 barred to the uniform choice too."""

    def __getitem__(self, field: str, /) -> Any: ...


class Root(Protocol):
    """Where simulations start: a position with its last moves and komi. `new_root` makes one."""

    @property
    def board(self) -> Board:
        """The position."""

    @property
    def history(self) -> Numbers:
        """The moves before the root, the latest last; PASS where there was none."""

    @property
    def passes(self) -> int:
        """How many of the latest were passes in a row."""

    @property
    def komi(self) -> float:
        """That of the simulations."""

    def __getitem__(self, field: str, /) -> Any: ...
    def __setitem__(self, field: str, value: Any, /) -> None: ...
    def copy(self) -> Root:
        """Another one like it, in Python."""

    def tobytes(self) -> bytes:
        """All of it, in Python."""
