"""Types of the records that rules of the tree get, for editors and type checkers.

As in `kikashi.playout.playout_types`, properties are read only. Values are from Black's side everywhere.
"""

from typing import Protocol

from kikashi.parts.blocks import Block


class Node(Protocol):
    """A node of the tree, in compiled functions: ``nodes_of(tree)[node]``."""

    @property
    def move(self) -> int:
        """Move that led here."""

    @property
    def visits(self) -> int:
        """Simulations that passed."""

    @property
    def losses(self) -> int:
        """Simulations in progress below, counted as lost by the player who moved here."""

    @property
    def prior_visits(self) -> float:
        """Virtual games, from priors."""

    @property
    def prior_value(self) -> float:
        """Mean value of the virtual games."""

    @property
    def share(self) -> int:
        """Share of the move by a prior with shares, in units of 1/SHARES."""

    @property
    def first(self) -> int:
        """Index of the first child; the last is `first + count - 1`."""

    @property
    def count(self) -> int:
        """Number of children."""

    @property
    def state(self) -> int:
        """GROWN if it has children."""

    @property
    def value(self) -> int:
        """Sum of the values of its simulations, in units of 1/SCALE."""

    @property
    def score(self) -> int:
        """Sum of the area scores of its simulations."""

    mean: float
    """Value by the backup rule, which sets it."""
    flags: int
    """BANNED and PRUNED, which a pruning rule sets."""


class TreeRecord(Protocol):
    """The tree, in compiled functions: ``tree``. In Python it is a `Tree`."""

    @property
    def nodes(self) -> Block:
        """All nodes; see `nodes_of`."""

    @property
    def used(self) -> int:
        """Number of nodes."""

    @property
    def capacity(self) -> int:
        """Largest number of nodes."""

    @property
    def positions(self) -> Block:
        """Table of positions; of length 0 without transpositions."""

    @property
    def win_weight(self) -> float:
        """Value of Black's win."""

    @property
    def score_weight(self) -> float:
        """Value of each point."""
