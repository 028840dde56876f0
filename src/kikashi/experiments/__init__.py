"""Experiments: the papers' tables and figures, run at any scale and reported beside the published values.

`Experiment.run` runs one in one call; `load_design` and `run_design` are the steps behind it.

>>> from kikashi.experiments import experiment_names, load_design
>>> "coulom2006-table1" in experiment_names()
True
>>> load_design("coulom2006-table1").source
'Coulom 2006, table 1'
"""

import lazy_loader

# The public names are in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
