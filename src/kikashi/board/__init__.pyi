from .board_types import (
    Board as Board,
    HasRandomNumbers as HasRandomNumbers,
    MutableBoard as MutableBoard,
    Numbers as Numbers,
)
from .influence import find_influence as find_influence
from .points import (
    BLACK as BLACK,
    EMPTY as EMPTY,
    MAX_SIZE as MAX_SIZE,
    MIN_SIZE as MIN_SIZE,
    PASS as PASS,
    POINTS as POINTS,
    STRIDE as STRIDE,
    WALL as WALL,
    WHITE as WHITE,
    color_name as color_name,
    column_of as column_of,
    opponent as opponent,
    parse_vertex as parse_vertex,
    point as point,
    points_of as points_of,
    row_of as row_of,
    vertex as vertex,
)
from .position import (
    atari_liberty as atari_liberty,
    east as east,
    empty_neighbours as empty_neighbours,
    enemy_of as enemy_of,
    has_empty_neighbour as has_empty_neighbour,
    in_atari as in_atari,
    is_legal as is_legal,
    is_suicide as is_suicide,
    neighbours as neighbours,
    new_board as new_board,
    north as north,
    only_liberty_is as only_liberty_is,
    play as play,
    south as south,
    surrounding as surrounding,
    west as west,
)
from .queries import (
    captures as captures,
    find_liberties as find_liberties,
    find_liberties_after as find_liberties_after,
    has_stone_beside as has_stone_beside,
    has_stone_within as has_stone_within,
    has_three_liberties as has_three_liberties,
    hash_after as hash_after,
    is_eyelike as is_eyelike,
    is_self_atari as is_self_atari,
    line_of as line_of,
    second_liberty as second_liberty,
)
from .rng import (
    index_at as index_at,
    random_below as random_below,
    random_unit as random_unit,
)
from .scoring import (
    area_score as area_score,
    owner_at_end as owner_at_end,
    playout_score as playout_score,
)
