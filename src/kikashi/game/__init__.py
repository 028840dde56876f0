"""The game as plain Python: rules, history, result, diagrams. Of compiled code it knows only the board."""

from kikashi.game.game import Game
from kikashi.game.moves import RESIGN, IllegalMove, Move
from kikashi.game.rules import Rules

__all__ = ["RESIGN", "Game", "IllegalMove", "Move", "Rules"]
