"""Statistics of results: numbers in, numbers out.

`wilson` and `elo_interval` for one score, `two_proportions` for two, `sprt` for a match that stops early,
`bradley_terry` and `bootstrap` for many players.

>>> from kikashi.stats import elo_interval, wilson
>>> interval = wilson(65, 100)
>>> f"{interval.low:.1%} to {interval.high:.1%}"
'55.3% to 73.6%'
>>> round(elo_interval(wins=65, draws=0, losses=35).elo)
108
"""

import lazy_loader

# The public names are in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
