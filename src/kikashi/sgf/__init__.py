"""SGF, the file format of game records: our own reader and writer.

`parse` and `load` give the trees of a file, `dump` and `save` write them; `read_game` and `write_game` translate
between a tree's main line and a :class:`kikashi.game.Game`. Broken files raise :class:`SGFError`: one line, with the
place. Reading order: nodes, parser, writer, games.
"""

from kikashi.sgf.games import game_tree, read_game, write_game
from kikashi.sgf.nodes import Node, RecordedMoveError, SGFError, escape, unescape
from kikashi.sgf.parser import load, parse
from kikashi.sgf.writer import dump, save

__all__ = [
    "Node",
    "RecordedMoveError",
    "SGFError",
    "dump",
    "escape",
    "game_tree",
    "load",
    "parse",
    "read_game",
    "save",
    "unescape",
    "write_game",
]
