"""What rules of the tree get, for editors and type checkers: which fields they may read, and which they may change.

As in `kikashi.playout.playout_types`, what is a property here is read only. Values are from Black's side everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from kikashi.parts.blocks import Block
from kikashi.playout.playout_types import Simulation


class Node(Protocol):
    """A node of the tree, in compiled functions: ``nodes_of(tree)[node]``."""

    @property
    def move(self) -> int:
        """The move that led here."""

    @property
    def visits(self) -> int:
        """Simulations that passed."""

    @property
    def losses(self) -> int:
        """Simulations on their way below this node, counted as lost by who moved here."""

    @property
    def prior_visits(self) -> float:
        """Virtual games, from priors."""

    @property
    def prior_value(self) -> float:
        """The mean value of these."""

    @property
    def share(self) -> int:
        """Its share of all moves, by a prior that knows shares: in units of 1/SHARES."""

    @property
    def first(self) -> int:
        """Its children are the nodes `first` … `first + count - 1`."""

    @property
    def count(self) -> int:
        """How many children it has."""

    @property
    def state(self) -> int:
        """GROWN if it has its children."""

    @property
    def value(self) -> int:
        """The sum of the values of its simulations, in units of 1/SCALE."""

    @property
    def score(self) -> int:
        """The sum of their area scores."""

    mean: float
    """What the backup rule makes of it: such a rule sets it."""
    flags: int
    """BANNED, PRUNED: a pruning rule sets them."""


class TreeRecord(Protocol):
    """The tree, in compiled functions: ``tree``. In Python it is a `Tree`."""

    @property
    def nodes(self) -> Block:
        """The array of all nodes; `nodes_of` sees it as one."""

    @property
    def used(self) -> int:
        """How many nodes there are."""

    @property
    def capacity(self) -> int:
        """How many there may be."""

    @property
    def positions(self) -> Block:
        """The table of positions; its length is 0 unless transpositions share statistics."""

    @property
    def win_weight(self) -> float:
        """What Black's win is worth."""

    @property
    def score_weight(self) -> float:
        """What each point is worth."""


Select: TypeAlias = Callable[[Simulation, TreeRecord, int, Any], int]
Mark: TypeAlias = Callable[[Simulation, Any], None]
Expands: TypeAlias = Callable[[Simulation, TreeRecord, int, Any], bool]
BackUp: TypeAlias = Callable[[Simulation, TreeRecord, int, Any], None]
Prune: TypeAlias = Callable[[Simulation, TreeRecord, Any], bool]
Credit: TypeAlias = Callable[[Simulation, TreeRecord, Any], None]
