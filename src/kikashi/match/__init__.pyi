from .failures import MatchStopped as MatchStopped
from .journal import JournalError as JournalError
from .match_report import write_report as write_report
from .one_game import GameRecord as GameRecord
from .player_spec import PlayerSpec as PlayerSpec
from .preflight import CannotPlay as CannotPlay
from .results import Match as Match
from .runner import (
    resumed_settings as resumed_settings,
    run_match as run_match,
)
from .settings import (
    MatchSettings as MatchSettings,
    Pairing as Pairing,
    own_openings as own_openings,
    read_openings as read_openings,
)
from .statistics import (
    GameSet as GameSet,
    StatisticValue as StatisticValue,
    match_statistic as match_statistic,
)
from .summary import (
    Comparison as Comparison,
    MatchSummary as MatchSummary,
    PairingScore as PairingScore,
    PlayerTimes as PlayerTimes,
    summarize as summarize,
)
