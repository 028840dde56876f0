"""Tree search: the tree, its rules and the loop, for those who write rules or read trees.

`kikashi.Player` searches the positions of a game:

>>> from kikashi import Limit, Game, Player
>>> player = Player("mogo-2006", limit=Limit(simulations=100), seed=1)
>>> analysis = player.analyse(Game(5))
>>> len(analysis.moves[0].variation) == len(analysis.moves[0].names)
True
>>> tree = player.last_search.tree
>>> int(tree.nodes[0]["visits"])
100
>>> sum(int(child["visits"]) for child in tree.children())
100
"""

from kikashi.search.analysis import Analysis, MoveStatistics, from_side
from kikashi.search.config import Prior, SearchConfig, Stages
from kikashi.search.interface import Search, SearchRequest
from kikashi.search.kinds import (
    BY_PLAYOUT,
    MOMENTS,
    backup,
    evaluation,
    expansion,
    pruning,
    region,
    selection,
    statistic,
)
from kikashi.search.staged import new_search
from kikashi.search.tree import (
    BANNED,
    GROWN,
    PRUNED,
    SCALE,
    SHARES,
    Node,
    Tree,
    TreeRecord,
    for_mover,
    games,
    nodes_of,
    simulation_value,
    sum_of_values,
    value_for,
)
from kikashi.search.tree_search import TreeSearch

__all__ = [
    "BANNED",
    "BY_PLAYOUT",
    "GROWN",
    "MOMENTS",
    "PRUNED",
    "SCALE",
    "SHARES",
    "Analysis",
    "MoveStatistics",
    "Node",
    "Prior",
    "Search",
    "SearchConfig",
    "SearchRequest",
    "Stages",
    "Tree",
    "TreeRecord",
    "TreeSearch",
    "backup",
    "evaluation",
    "expansion",
    "for_mover",
    "from_side",
    "games",
    "new_search",
    "nodes_of",
    "pruning",
    "region",
    "selection",
    "simulation_value",
    "statistic",
    "sum_of_values",
    "value_for",
]
