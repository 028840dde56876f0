"""Matches between programs: settings, schedule, one game, referee, journal and summary.

`Match.play` plays a match in one call; `MatchSettings` and `run_match` are the steps behind it.

>>> from kikashi.match import MatchSettings
>>> settings = MatchSettings(players=("lgrf2", "mogo-2006"), size=9, games=20)
>>> settings.total_games
20
"""

import lazy_loader

# The public names are in the stub beside this file; each is imported when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
