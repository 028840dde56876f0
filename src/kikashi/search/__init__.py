"""Tree search: the tree, the rules that grow and judge it, and the one loop. Knows nothing of GTP or files.

This is the face for people who write rules of the tree (the kinds `selection`, `expansion`, `backup` …, and what they
ask of nodes), and for those who search and look into trees. `kikashi.Player` does all of it for a game:

>>> from kikashi import Budget, Game, Player
>>> player = Player("mogo-2006", budget=Budget(simulations=100), seed=1)
>>> analysis = player.analyse(Game(5))
>>> len(analysis.moves[0].variation) == len(analysis.moves[0].names)
True
>>> tree = player.searched.tree
>>> int(tree.nodes[0]["visits"])
100
>>> sum(int(child["visits"]) for child in tree.children())
100
"""

from kikashi.search.analysis import Analysis, MoveStatistics, analyse, from_side
from kikashi.search.config import Prior, Recipe, Stages
from kikashi.search.kinds import (
    BY_PLAYOUT,
    MOMENTS,
    backup,
    expansion,
    pruning,
    region,
    selection,
    statistic,
)
from kikashi.search.search import Search
from kikashi.search.situation import Situation
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
    "Recipe",
    "Search",
    "Situation",
    "Stages",
    "Tree",
    "TreeRecord",
    "analyse",
    "backup",
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
