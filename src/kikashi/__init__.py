"""kikashi: the Monte-Carlo Go programs of the classic papers, as one engine and laboratory.

A game, a player and what it thinks:

>>> from kikashi import Limit, Game, Player
>>> game = Game(size=5, komi=0.5)
>>> player = Player("mogo-2006", limit=Limit(simulations=100), seed=1)
>>> decision = player.choose(game)
>>> game.push(decision.move).name == decision.name
True
>>> decision.analysis.visits
100
"""

import lazy_loader

__version__ = "0.3.0"

# The public names are in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
