"""Weights of features, learned from games.

`learn` reads games and fits weights to them; `read_training_games`, `collect` and `fit` are its steps. `write_weights`
writes the file that the heuristic `learned` reads. `run_rounds` plays and learns in turn. `learn_playouts` learns
weights for the heuristic `roulette`: fitted to games, then balanced by `balance`.

>>> import tempfile
>>> from pathlib import Path
>>> from kikashi.learn import FitSettings, LearningSettings, learn
>>> with tempfile.TemporaryDirectory() as folder:
...     for number in range(4):
...         _ = Path(folder, f"{number}.sgf").write_text("(;SZ[5];B[cc];W[cb];B[bb];W[db];B[dc])")
...     settings = LearningSettings([Path(folder)], "line,distance", fit=FitSettings(held_out=0.25))
...     found = learn(settings)
>>> found.weights.size, [one.spec for one in found.weights.features], found.held_out.games
(5, ['line', 'distance'], 1)

Reading order: self_play, training_games, dataset (positions and their features), fitting, learning, learning_report,
expert_iteration (playing and fitting in turn); then labels (values of positions), balancing, playout_learning.
"""

import lazy_loader

# The public names are in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
