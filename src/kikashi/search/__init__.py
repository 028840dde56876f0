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

import lazy_loader

# The public names are in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
