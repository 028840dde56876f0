"""Kinds of parts that a search is made of, beside those of playouts: selection, region, expansion, backup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numba
from numba import types

from kikashi.playout.parts import NO_LIMITS, Limits, Part, Value, register
from kikashi.playout.simulation import SIMULATION
from kikashi.search.tree import TREE

BY_PLAYOUT = -1
"""What a selection rule returns to let the playout policy choose the move."""

_SIMULATION = numba.from_dtype(SIMULATION)
_TREE = numba.from_dtype(TREE)


@dataclass(kw_only=True, eq=False)
class Selection(Part):
    """Chooses a child: ``rule(sim, tree, node, my) -> child``, or BY_PLAYOUT."""

    kind: ClassVar[str] = "selection"
    rave: bool = False
    """Whether it reads the statistics of moves played at any time."""

    @property
    def rule_address(self) -> int:
        return self.address(self.function, types.int64, _SIMULATION, _TREE, types.int64)


@dataclass(kw_only=True, eq=False)
class Region(Part):
    """Marks the points that a node's moves are kept to: ``rule(sim, my)`` writes into ``sim.region``, which is 0
    everywhere. Where nothing feasible is marked, the whole board is looked at."""

    kind: ClassVar[str] = "region"

    @property
    def rule_address(self) -> int:
        return self.address(self.function, types.none, _SIMULATION)


@dataclass(kw_only=True, eq=False)
class Expansion(Part):
    """Says whether a leaf gets children now: ``rule(sim, tree, node, my) -> bool``."""

    kind: ClassVar[str] = "expansion"

    @property
    def rule_address(self) -> int:
        return self.address(self.function, types.boolean, _SIMULATION, _TREE, types.int64)


@dataclass(kw_only=True, eq=False)
class Backup(Part):
    """Sets a node's `mean` and `variance` when a simulation has been added to it: ``rule(sim, tree, node, my)``."""

    kind: ClassVar[str] = "backup"

    @property
    def rule_address(self) -> int:
        return self.address(self.function, types.none, _SIMULATION, _TREE, types.int64)


def selection(*, rave: bool = False, source: str = "", limits: Limits = NO_LIMITS, **parameters: Value) -> Any:
    """Decorates a selection rule."""
    return lambda f: register(Selection(function=f, rave=rave, source=source, limits=limits, parameters=parameters))


def region(*, source: str = "", limits: Limits = NO_LIMITS, **parameters: Value) -> Any:
    """Decorates a region rule."""
    return lambda f: register(Region(function=f, source=source, limits=limits, parameters=parameters))


def expansion(*, source: str = "", limits: Limits = NO_LIMITS, **parameters: Value) -> Any:
    """Decorates an expansion rule."""
    return lambda f: register(Expansion(function=f, source=source, limits=limits, parameters=parameters))


def backup(*, source: str = "", limits: Limits = NO_LIMITS, **parameters: Value) -> Any:
    """Decorates a backup rule."""
    return lambda f: register(Backup(function=f, source=source, limits=limits, parameters=parameters))
