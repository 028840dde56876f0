"""Plots for reports, as SVG.

>>> from kikashi.report import bars
>>> plot = bars({"capture": 12.0, "escape": 30.0}, "moves")
>>> plot.startswith("<svg")
True
"""

import lazy_loader

# The public names are in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
