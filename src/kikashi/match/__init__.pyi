from .failures import MatchStopped as MatchStopped
from .journal import JournalError as JournalError
from .match_report import write_report as write_report
from .one_game import GameRecord as GameRecord
from .openings import (
    own_openings as own_openings,
)
from .openings import (
    read_openings as read_openings,
)
from .preflight import CannotPlay as CannotPlay
from .results import Match as Match
from .runner import (
    resumed_settings as resumed_settings,
)
from .runner import (
    run_match as run_match,
)
from .settings import (
    MatchSettings as MatchSettings,
)
from .settings import (
    Pairing as Pairing,
)
from .summary import (
    Comparison as Comparison,
)
from .summary import (
    PairingScore as PairingScore,
)
from .summary import (
    PlayerTimes as PlayerTimes,
)
from .summary import (
    Standing as Standing,
)
