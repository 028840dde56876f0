from .analysis import Analysis as Analysis, MoveStatistics as MoveStatistics, from_side as from_side
from .config import Prior as Prior, SearchConfig as SearchConfig, Stages as Stages
from .interface import Search as Search, SearchRequest as SearchRequest
from .kinds import (
    BY_PLAYOUT as BY_PLAYOUT,
    MOMENTS as MOMENTS,
    backup as backup,
    evaluation as evaluation,
    expansion as expansion,
    pruning as pruning,
    region as region,
    selection as selection,
    statistic as statistic,
)
from .staged import new_search as new_search
from .terms import Terms as Terms, set_term as set_term, set_total as set_total
from .tree import (
    BANNED as BANNED,
    GROWN as GROWN,
    PRUNED as PRUNED,
    SCALE as SCALE,
    SHARES as SHARES,
    Node as Node,
    Tree as Tree,
    TreeRecord as TreeRecord,
    for_mover as for_mover,
    games as games,
    nodes_of as nodes_of,
    simulation_value as simulation_value,
    sum_of_values as sum_of_values,
    value_for as value_for,
)
from .tree_search import TreeSearch as TreeSearch
