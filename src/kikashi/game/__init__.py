"""Games in plain Python: rules, history, result, diagrams. Of compiled code it knows only the board.

>>> from kikashi.game import Game
>>> game = Game(9, komi=7.5, rules="japanese")
>>> [str(game.push(name)) for name in ("E5", "C3")]
['black E5', 'white C3']
>>> game.pop().name, game.rules.counts_territory
('C3', True)
"""

from kikashi.game.game import Game
from kikashi.game.moves import RESIGN, IllegalMove, LegalMoves, Move
from kikashi.game.ownership import dead_stones, owners_by_point
from kikashi.game.rules import Rules

__all__ = ["RESIGN", "Game", "IllegalMove", "LegalMoves", "Move", "Rules", "dead_stones", "owners_by_point"]
