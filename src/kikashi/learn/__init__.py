"""Learning the weights of features from games, of others and of one's own.

`learn` reads the games of a `Course` and fits weights to them, `write_weights` keeps these in a file, which the
heuristic `learned` reads; `read_lessons`, `collect` and `fit` are its steps. `run_rounds` plays and learns in turn.
`learn_playouts` finds weights for the heuristic `roulette`: fitted to games, then balanced by `balance`.

>>> import tempfile
>>> from pathlib import Path
>>> from kikashi.learn import Course, Wanted, learn
>>> with tempfile.TemporaryDirectory() as folder:
...     for number in range(4):
...         _ = Path(folder, f"{number}.sgf").write_text("(;SZ[5];B[cc];W[cb];B[bb];W[db];B[dc])")
...     found = learn(Course([Path(folder)], features="line,distance", wanted=Wanted(held_out=0.25)))
>>> found.weights.size, [one.spec for one in found.weights.features], found.held_out.games
(5, ['line', 'distance'], 1)

Reading order: games (what is learned from), self_play (playing them), positions (their features), fitting (weights),
report (what was found), rounds (playing and fitting in turn); then labels (what positions are worth), balancing and
playouts (weights for playouts).
"""

import lazy_loader

# The public names are in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
