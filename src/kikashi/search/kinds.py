"""Kinds of parts of a search, besides those of playouts.

Parts of a kind with an entry of `MOMENTS` are called there; a kind that says `required` has its own place in
`kikashi.search.loop`. A preset names a part under its kind: ``selection = { rule = "ucb1", p = 1.2 }``.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, TypeAlias

from kikashi.parts.registry import KINDS, Entry, Kind, My, add_package
from kikashi.playout.kinds import Bool, Moves, Sim, feasibility
from kikashi.playout.loop import POLICY, PolicyRecord
from kikashi.search.terms import TERMS, Terms
from kikashi.search.tree import TREE, TreeRecord

BY_PLAYOUT = -1
"""Result of a selection rule that leaves the move to the playout policy."""
PLAYOUT = "playout"
"""The evaluation of a preset that names none."""

add_package("kikashi.search.rules")

Tree: TypeAlias = Annotated[TreeRecord, "tree", TREE]
Node: TypeAlias = Annotated[int, "node"]

Select: TypeAlias = Callable[[Sim, Tree, Node, My], Annotated[int, "child, or BY_PLAYOUT"]]
Explain: TypeAlias = Callable[[Sim, Tree, Node, Annotated[Terms, "terms", TERMS], My], None]
Mark: TypeAlias = Callable[[Sim, My], None]
Expands: TypeAlias = Callable[[Sim, Tree, Node, My], Bool]
Evaluate: TypeAlias = Callable[[Sim, Moves, Annotated[PolicyRecord, "policy", POLICY], My], Annotated[float, "value"]]
AtNode: TypeAlias = Callable[[Sim, Tree, Node, My], None]
AtEnd: TypeAlias = Callable[[Sim, Tree, My], None]
Prune: TypeAlias = Callable[[Sim, Tree, My], Bool]

MOMENTS = {
    "grown": Entry(
        "grown", AtNode, "when a node has got its children, before any other thread sees them", moment="grown"
    ),
    "over": Entry(
        "over",
        AtEnd,
        "when the result of a simulation is known, before it is added to the nodes of its path",
        moment="over",
    ),
    "passed": Entry(
        "passed",
        AtNode,
        "for each node of the path, the deepest first, when the simulation has been added",
        moment="passed",
    ),
}
"""Entries that the loop calls at some moment for all parts of a search that have them. A kind lists those it wants."""

selection: Kind[Select] = Kind(
    "selection",
    "Selection rules",
    [
        Entry("select", Select, "at every node of a descent that has children"),
        Entry(
            "explain",
            Explain,
            "before `select` while a simulation is traced, with the same random numbers",
        ),
    ],
    required=True,
    options={"terms": ()},
    contract="it must skip children that have the flag BANNED; BY_PLAYOUT leaves the move to the playout policy; "
    "`terms` are the names of the terms of its selection value, which `explain` fills in for a trace with `set_term` "
    "and `set_total`: the largest total is selected, or with `terms.drawn = 1` a child with a probability in "
    "proportion to its total; `explain` changes nothing else",
)
"""Decorator of a rule that selects a child: ``@selection()`` before ``def NAME(sim, tree, node, my)``."""

region: Kind[Mark] = Kind(
    "region",
    "Regions of the tree",
    [Entry("mark", Mark, "when a node gets its children")],
    required=False,
    contract="it writes into `sim.region`, which is 0 everywhere, what is not 0 at the points that the node's moves "
    "are kept to; where nothing feasible is marked, the whole board is looked at",
)
"""Decorator of a rule that restricts the moves of a node: ``@region()`` before ``def NAME(sim, my)``."""

expansion: Kind[Expands] = Kind(
    "expansion",
    "Expansion rules",
    [Entry("expands", Expands, "at a node without children that a descent has come to")],
    required=True,
)
"""Decorator of a rule that expands leaves: ``@expansion()`` before ``def NAME(sim, tree, node, my)``."""

evaluation: Kind[Evaluate] = Kind(
    "evaluation",
    "Evaluations",
    [Entry("evaluate", Evaluate, "at the end of a descent, unless two passes ended the game")],
    required=False,
    options={"owners": False},
    contract="it returns Black's chance to win, from 0 to 1; it may make moves with `play_moves` or `play_to_end`, "
    "which statistics and memories see, with the likelier winner; it may set `sim.score`, Black's area less White's, "
    "which is an even game otherwise; with `owners` it writes the owner of each point into `sim.owner`, else the "
    "stones that it leaves on the board own theirs",
)
"""Decorator of a rule that values a leaf: ``@evaluation()`` before ``def NAME(sim, moves, policy, my)``."""

backup: Kind[AtNode] = Kind(
    "backup",
    "Backup rules",
    [Entry("back_up", AtNode, "for each node of the path, when a simulation has been added to it")],
    required=True,
    contract="it sets the node's `mean`, from Black's side",
)
"""Decorator of a rule that values a node: ``@backup()`` before ``def NAME(sim, tree, node, my)``."""

pruning: Kind[Prune] = Kind(
    "pruning",
    "Pruning rules",
    [Entry("prune", Prune, "when a stage of the search is over, which must have `stages`")],
    required=False,
    contract="it gives the flags PRUNED and BANNED to moves of the root that are not to be looked at again; True says "
    "that enough is known; `sim` is one that has been run, with the player as `sim.root_color`",
)
"""Decorator of a rule that prunes moves of the root: ``@pruning()`` before ``def NAME(sim, tree, my)``."""

statistic: Kind[AtEnd] = Kind(
    "statistic",
    "Statistics of nodes",
    [replace(MOMENTS["over"], name="credit"), replace(MOMENTS["grown"], name="grow")],
    options={"row": ..., "words": None},
    contract="`row` is the NumPy type of what is kept for each node, beside the tree and all zeros at first; a rule "
    "that names it in `statistics=[…]` reads ``records(my.NAME, EXAMPLE)[node]``, and so does the statistic itself; "
    "`words` is a function of a row before and after, in plain Python, which says in a trace what changed",
)
"""Decorator of a statistic of every node: ``@statistic(row=…)`` before ``def NAME(sim, tree, my)``."""

TREE_RULES = {name: kind for name, kind in KINDS.items() if kind.required is not None}
TREE_RULES["tree_feasibility"] = feasibility
"""Rules with their own place in the loop, by key in a preset and field of its record."""

REQUIRED = [name for name, kind in TREE_RULES.items() if kind.required]


def preset_keys() -> dict[str, Kind]:
    """Return the keys of a preset that name a part, with their kinds."""
    at_moments = {name: kind for name, kind in KINDS.items() if kind.entries[0].moment and kind is not statistic}
    return TREE_RULES | at_moments
