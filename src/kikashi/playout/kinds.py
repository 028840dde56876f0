"""The kinds of parts that playouts are made of. `kikashi.search.kinds` has those of a search."""

from collections.abc import Callable
from typing import Annotated, TypeAlias

from kikashi.parts.blocks import BLOCK
from kikashi.parts.registry import Entry, Kind, My, add_package
from kikashi.playout.candidates import CANDIDATES, Candidates
from kikashi.playout.simulation import SIMULATION, Simulation

add_package("kikashi.playout")

Sim: TypeAlias = Annotated[Simulation, "sim", SIMULATION]
Moves: TypeAlias = Annotated[Candidates, "moves", CANDIDATES]
Point: TypeAlias = Annotated[int, "point"]
Bool: TypeAlias = Annotated[bool, "bool"]

Propose: TypeAlias = Callable[[Sim, Moves, My], None]
Review: TypeAlias = Callable[[Sim, Moves, Point, My], Annotated[int, "point, or REDRAW"]]
Learn: TypeAlias = Callable[[Sim, My], None]
Inherit: TypeAlias = Callable[[Sim, Annotated[int, "parent"], My], Annotated[int, "slot, or -1 to share the parent's"]]
Pick: TypeAlias = Callable[[Sim, Annotated[int, "count"], My], Annotated[int, "number of a heuristic"]]
IsFeasible: TypeAlias = Callable[[Sim, Point, My], Bool]
Level: TypeAlias = Callable[[Sim, Point, My], Annotated[int, "level"]]

heuristic: Kind[Propose] = Kind(
    "heuristic",
    "Heuristics",
    [
        Entry(
            "propose",
            Propose,
            "for every move of a playout, until one has a move; for priors, at every new node",
        ),
        Entry("review", Review, "for every drawn move, of any heuristic"),
    ],
    parameters={"skip": 0.0},
    limits={"skip": (0, 1)},
    contract="it lists points with `add` or `mark`, in order with `moves.ordered = True`; it may set `moves.base` and "
    "`bar` points; it never changes the board; every one has the parameter `skip`, the probability that a playout "
    "passes it over",
)
"""Registers a heuristic, which proposes moves: ``@heuristic(weight=1.0)`` before ``def NAME(sim, moves, my)``."""

memory: Kind[Learn] = Kind(
    "memory",
    "Memories",
    [
        Entry("learn", Learn, "when a simulation is over"),
        Entry("observe", Learn, "after every move, tree moves included"),
        Entry(
            "inherit",
            Inherit,
            "once when a node of the tree gets its children, the root included, whose parent is -1",
        ),
        Entry(
            "pick",
            Pick,
            "before every move of a playout, whose list has `count` heuristics: only the picked one is called",
        ),
    ],
    options={"cells": ..., "scope": "search", "learns": True, "words": None},
    own_fields=[("cells", BLOCK), ("slot", "i8")],
    contract="`cells` is its number of integers, a number or a function of its parameters, or of these and the search "
    'that it must have room for; with scope "search" all threads share them and each search starts with zeros, with '
    '"playout" they are a thread\'s own and cleared before each simulation, with "thread" a thread\'s own and never '
    "cleared: scratch space; with `learns=False` the decorated function is only a docstring; `words` is a function of "
    "its parameters, a cell, and its number before and after, in plain Python, which says in a trace what changed; "
    "`sim.path[depth, my.slot]` is its slot for the node at that depth of the path",
)
"""Registers a memory, which learns from simulations: ``@memory(cells=POINTS)`` before ``def NAME(sim, my)``."""

feasibility: Kind[IsFeasible] = Kind(
    "feasibility",
    "Feasibility rules",
    [
        Entry("is_feasible", IsFeasible, "for points that might be played, for the side to play"),
        Entry("draw", IsFeasible, "in its place for uniform draws, if a point has at most one empty neighbour"),
    ],
    options={"surrounded_only": False, "crowded_only": False},
    contract="with `surrounded_only` it promises to refuse only points that own stones and walls surround, and is "
    "called for no others; with `crowded_only` only points that have at most one empty neighbour; `draw` "
    "may refuse more, but not fewer, and is not called for points that only enemies and walls surround",
)
"""Registers a rule of which points may be played: ``@feasibility()`` before ``def NAME(sim, point, my)``."""

feature: Kind[Level] = Kind(
    "feature",
    "Features of moves",
    [
        Entry("level", Level, "for every legal move of a position that fills no own eye"),
        Entry("prepare", Learn, "once for a position, before the levels of its moves"),
    ],
    options={"levels": ...},
    contract="`levels` are the names of its levels, of which 0 weighs nothing; or `Keys`, and it returns a key "
    "of 0 or more, of which those have a weight that occurred often enough; it never changes the board",
)
"""Registers a feature: ``@feature(levels=("no", "yes"))`` before ``def NAME(sim, point, my)``, which returns one."""
