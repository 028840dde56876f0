"""Points, the compiled board, queries and random numbers. No policies, no trees.

A board is a record: compiled functions, parts included, read its fields as attributes, Python as items.

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

import lazy_loader

# The public names are in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
