"""Kinds of parts of a search, besides those of playouts.

Parts of a kind with a `moment` are called there (`MOMENTS`); other kinds have their own place in
`kikashi.search.loop`. A preset names a part under its kind: ``selection = { rule = "ucb1", p = 1.2 }``.
"""

from __future__ import annotations

import numba

from kikashi.parts.registry import KINDS, TYPES, Entry, Kind, add_package
from kikashi.playout.kinds import feasibility
from kikashi.playout.loop import POLICY
from kikashi.search.search_types import BackUp, Credit, Evaluate, Expands, Mark, Prune, Select
from kikashi.search.tree import TREE

BY_PLAYOUT = -1
"""Result of a selection rule that leaves the move to the playout policy."""
PLAYOUT = "playout"
"""The evaluation of a preset that names none."""

TYPES["tree"], TYPES["policy"], TYPES["value"] = numba.from_dtype(TREE), numba.from_dtype(POLICY), numba.float64
add_package("kikashi.search.rules")

MOMENTS = {
    "grown": "when a node has got its children, before any other thread sees them: (sim, tree, node, my)",
    "over": "when the result of a simulation is known, before it is added to the nodes of its path: (sim, tree, my)",
    "passed": "for each node of the path, the deepest first, when the simulation has been added: (sim, tree, node, my)",
}
"""Moments at which the loop calls parts of other kinds, with their arguments."""

selection: Kind[Select] = Kind(
    "selection",
    "Selection rules",
    [Entry("select(sim, tree, node, my) -> child, or BY_PLAYOUT", "at every node of a descent that has children")],
    contract="it must skip children that have the flag BANNED; BY_PLAYOUT leaves the move to the playout policy",
)
"""Decorator of a rule that selects a child: ``@selection()`` before ``def NAME(sim, tree, node, my)``."""

region: Kind[Mark] = Kind(
    "region",
    "Regions of the tree",
    [Entry("mark(sim, my)", "when a node gets its children")],
    contract="it writes into `sim.region`, which is 0 everywhere, what is not 0 at the points that the node's moves "
    "are kept to; where nothing feasible is marked, the whole board is looked at",
)
"""Decorator of a rule that restricts the moves of a node: ``@region()`` before ``def NAME(sim, my)``."""

expansion: Kind[Expands] = Kind(
    "expansion",
    "Expansion rules",
    [Entry("expands(sim, tree, node, my) -> bool", "at a node without children that a descent has come to")],
)
"""Decorator of a rule that expands leaves: ``@expansion()`` before ``def NAME(sim, tree, node, my)``."""

evaluation: Kind[Evaluate] = Kind(
    "evaluation",
    "Evaluations",
    [Entry("evaluate(sim, moves, policy, my) -> value", "at the end of a descent, unless two passes ended the game")],
    options={"owners": False},
    contract="it returns Black's chance to win, from 0 to 1; it may make moves with `play_moves` or `play_to_end`, "
    "which statistics and memories see, with the likelier winner; it may set `sim.score`, Black's area less White's, "
    "which is an even game otherwise; with `owners` it writes the owner of each point into `sim.owner`, else the "
    "stones that it leaves on the board own theirs",
)
"""Decorator of a rule that values a leaf: ``@evaluation()`` before ``def NAME(sim, moves, policy, my)``."""

backup: Kind[BackUp] = Kind(
    "backup",
    "Backup rules",
    [Entry("back_up(sim, tree, node, my)", "for each node of the path, when a simulation has been added to it")],
    contract="it sets the node's `mean`, from Black's side",
)
"""Decorator of a rule that values a node: ``@backup()`` before ``def NAME(sim, tree, node, my)``."""

pruning: Kind[Prune] = Kind(
    "pruning",
    "Pruning rules",
    [Entry("prune(sim, tree, my) -> bool", "when a stage of the search is over, which must have `stages`")],
    contract="it gives the flags PRUNED and BANNED to moves of the root that are not to be looked at again; True says "
    "that enough is known; `sim` is one that has been run, with the player as `sim.root_color`",
)
"""Decorator of a rule that prunes moves of the root: ``@pruning()`` before ``def NAME(sim, tree, my)``."""

statistic: Kind[Credit] = Kind(
    "statistic",
    "Statistics of nodes",
    [
        Entry("credit(sim, tree, my)", MOMENTS["over"].partition(":")[0]),
        Entry("grow(sim, tree, node, my)", MOMENTS["grown"].partition(":")[0]),
    ],
    options={"row": ...},
    contract="`row` is the NumPy type of what is kept for each node, beside the tree and all zeros at first; a rule "
    "that names it in `statistics=[…]` reads ``records(my.NAME, EXAMPLE)[node]``, and so does the statistic itself",
)
"""Decorator of a statistic of every node: ``@statistic(row=…)`` before ``def NAME(sim, tree, my)``."""

TREE_RULES: dict[str, Kind] = {
    "selection": selection,
    "region": region,
    "expansion": expansion,
    "evaluation": evaluation,
    "backup": backup,
    "pruning": pruning,
    "tree_feasibility": feasibility,
}
"""Rules with their own place in the loop, by key in a preset and field of its record."""

REQUIRED = ("selection", "expansion", "backup")


def preset_keys() -> dict[str, Kind]:
    """Return the keys of a preset that name a part, with their kinds."""
    return TREE_RULES | {name: kind for name, kind in KINDS.items() if kind.moment is not None}
