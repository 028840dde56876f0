"""The terms of a selection value, which a selection rule fills in for the trace of a simulation."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import BLOCK, Block, records

TERMS = np.dtype([("table", BLOCK), ("first", "i8"), ("count", "i8"), ("width", "i8"), ("drawn", "i8")], align=True)
"""A row of numbers for each child of a node, the total last; all are NaN at first."""
_NUMBER = np.zeros(1, np.dtype([("term_value", "f8")]))[0]


class Terms(Protocol):
    """The terms of the children of one node, in compiled functions."""

    @property
    def table(self) -> Block:
        """The numbers of all children."""

    @property
    def first(self) -> int:
        """Index of the first child."""

    @property
    def count(self) -> int:
        """Number of children."""

    @property
    def width(self) -> int:
        """Numbers of a child."""

    drawn: int
    """Not 0 if a child is drawn with a probability in proportion to its total."""


@kernel
def set_term(terms: Terms, child: int, number: int, value: float) -> None:
    """Set a term of a child by its number, from 0, in the order of the rule's `terms`. Raises IndexError."""
    if not (0 <= number < terms.width - 1):
        raise IndexError("a term that the rule does not name")
    _row(terms, child)[np.uintp((child - terms.first) * terms.width + number)].term_value = value


@kernel
def set_total(terms: Terms, child: int, value: float) -> None:
    """Set the selection value of a child. Raises IndexError."""
    _row(terms, child)[np.uintp((child - terms.first + 1) * terms.width - 1)].term_value = value


@inlined
def _row(terms: Terms, child: int) -> Any:
    """Return the numbers of all children. Raises IndexError if the node has no such child."""
    if not (0 <= child - terms.first < terms.count):
        raise IndexError("a child that the node does not have")
    return records(terms.table, _NUMBER)
