"""Types of the records of playouts, for editors and type checkers.

Fields that are properties here are read-only to parts. In compiled functions fields are attributes, ``sim.length``; in
Python they are items, ``sim["length"]``. A protocol of its own declares the fields of a part's record ``my``:

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
        """HISTORY moves before the root, then all since; read them with `last_move` and `mover`."""

    @property
    def by(self) -> Numbers:
        """By move of a playout, if a memory picks heuristics: the number of the heuristic that made it, or UNIFORM."""

    @property
    def length(self) -> int:
        """Number of entries of `moves`."""

    @property
    def tree_length(self) -> int:
        """Number of entries of `moves` made before the playout: in the tree, or before the root."""

    @property
    def passes(self) -> int:
        """Number of passes in a row at the end of `moves`."""

    @property
    def root_color(self) -> int:
        """Player to move at the root."""

    @property
    def number(self) -> int:
        """Number of simulations before this one: in the thread, or by the plan of a staged search."""

    @property
    def komi(self) -> float:
        """Komi of the simulation; with a zone, less the score outside it."""

    score: int
    """Final area score, Black minus White, without komi; with a zone, that of the zone alone. Evaluations set it."""

    @property
    def value(self) -> float:
        """Black's chance to win of the finished simulation: 1, 0, or a half for a draw, if it was played out."""

    @property
    def winner(self) -> int:
        """Winner of the finished simulation: BLACK, WHITE, or EMPTY for a draw."""

    @property
    def zoned(self) -> bool:
        """Whether moves outside the zone are barred."""

    @property
    def zone(self) -> Numbers:
        """By point: not 0 inside the zone."""

    @property
    def depth(self) -> int:
        """Number of nodes on the path below the root."""

    @property
    def nodes(self) -> Numbers:
        """The nodes of the path, the root first."""

    @property
    def hashes(self) -> Numbers:
        """The hashes of the positions of the path."""

    @property
    def path(self) -> Numbers:
        """By depth and slot: the values that memories keep for the nodes of the path."""

    region: NDArray[np.uint8]
    """By point: not 0 if a region rule marks it."""
    found: NDArray[np.uint16]
    """Scratch space for `find_liberties` and similar queries."""
    tally: NDArray[np.float64]
    """Scratch space by point, for weights of points that may be listed twice."""
    place: NDArray[np.uint16]
    """Scratch space by point, for places among the children of a node."""
    first_by: NDArray[np.uint8]
    """By point: the first player there, set by `note_first_players`."""
    owner: NDArray[np.uint8]
    """By point: its owner at the end, set by `find_owners`."""

    def __getitem__(self, field: str, /) -> Any: ...


class Candidates(Protocol):
    """The candidate list that a heuristic fills: ``moves``. `mark`, `add` and `bar` write it, besides these fields."""

    ordered: bool
    """Whether the first feasible point is played."""
    shares: bool
    """Whether the weights are probabilities, which add up to 1 over all moves."""
    base: float
    """The weight of every feasible point that is not listed."""
    points: NDArray[np.int32]
    """The listed points: the first `count` entries. Their order may be changed."""
    weights: NDArray[np.float64]
    """Weights by index in `points`."""

    @property
    def count(self) -> int:
        """Number of listed points."""

    @property
    def bars(self) -> Numbers:
        """By point: 0 free, 1 barred to heuristics, 2 barred to the uniform choice too."""

    def __getitem__(self, field: str, /) -> Any: ...


class Root(Protocol):
    """The starting point of simulations: a position with its last moves and komi. `new_root` makes one."""

    @property
    def board(self) -> Board:
        """The position."""

    @property
    def history(self) -> Numbers:
        """The moves before the root, the latest last; PASS where there was none."""

    @property
    def passes(self) -> int:
        """Number of passes in a row at the end of `history`."""

    @property
    def komi(self) -> float:
        """Komi of the simulations."""

    def __getitem__(self, field: str, /) -> Any: ...
    def __setitem__(self, field: str, value: Any, /) -> None: ...
    def copy(self) -> Root:
        """Return a copy. Only in Python."""

    def tobytes(self) -> bytes:
        """Return the record as bytes. Only in Python."""
