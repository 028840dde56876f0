"""Points, the compiled board, random numbers. Knows nothing of policies or trees.

A board is a record. Compiled functions, those of parts among them, read its fields as attributes, Python as items:

>>> from kikashi.board import BLACK, in_atari, new_board, parse_vertex, play
>>> board = new_board(9)
>>> corner = parse_vertex("A1", 9)
>>> play(board, corner)
>>> int(board["color"][corner]) == BLACK
True
>>> play(board, parse_vertex("A2", 9))
>>> in_atari(board, corner)
True
"""

from kikashi.board.board_types import Board, HasRandomNumbers, MutableBoard, Numbers
from kikashi.board.influence import find_influence
from kikashi.board.points import (
    BLACK,
    EMPTY,
    MAX_SIZE,
    MIN_SIZE,
    PASS,
    POINTS,
    STRIDE,
    WALL,
    WHITE,
    color_name,
    column_of,
    opponent,
    parse_vertex,
    point,
    points_of,
    row_of,
    vertex,
)
from kikashi.board.position import (
    atari_liberty,
    east,
    empty_neighbours,
    enemy_of,
    has_empty_neighbour,
    in_atari,
    is_legal,
    is_suicide,
    new_board,
    north,
    only_liberty_is,
    play,
    south,
    surrounding,
    west,
)
from kikashi.board.queries import (
    captures,
    find_liberties,
    find_liberties_after,
    has_stone_beside,
    has_stone_within,
    has_three_liberties,
    hash_after,
    is_eyelike,
    is_self_atari,
    line_of,
    second_liberty,
)
from kikashi.board.rng import index_at, random_below, random_unit
from kikashi.board.scoring import area_score, owner_at_end, playout_score

__all__ = [
    "BLACK",
    "EMPTY",
    "MAX_SIZE",
    "MIN_SIZE",
    "PASS",
    "POINTS",
    "STRIDE",
    "WALL",
    "WHITE",
    "Board",
    "HasRandomNumbers",
    "MutableBoard",
    "Numbers",
    "area_score",
    "atari_liberty",
    "captures",
    "color_name",
    "column_of",
    "east",
    "empty_neighbours",
    "enemy_of",
    "find_influence",
    "find_liberties",
    "find_liberties_after",
    "has_empty_neighbour",
    "has_stone_beside",
    "has_stone_within",
    "has_three_liberties",
    "hash_after",
    "in_atari",
    "index_at",
    "is_eyelike",
    "is_legal",
    "is_self_atari",
    "is_suicide",
    "line_of",
    "new_board",
    "north",
    "only_liberty_is",
    "opponent",
    "owner_at_end",
    "parse_vertex",
    "play",
    "playout_score",
    "point",
    "points_of",
    "random_below",
    "random_unit",
    "row_of",
    "second_liberty",
    "south",
    "surrounding",
    "vertex",
    "west",
]
