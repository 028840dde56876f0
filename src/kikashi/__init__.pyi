from .engine.limits import Limit as Limit
from .engine.move_choice import Decision as Decision
from .engine.named_files import preset_names as preset_names
from .engine.player import Player as Player
from .engine.preset import (
    Preset as Preset,
    load_preset as load_preset,
)
from .engine.scoring import judge as judge
from .engine.tree_reuse import (
    root_of as root_of,
    search_request as search_request,
)
from .game import (
    Game as Game,
    IllegalMove as IllegalMove,
    Move as Move,
    Rules as Rules,
)
from .game.time_control import Clock as Clock
from .review.review import (
    Evaluation as Evaluation,
    MoveReview as MoveReview,
    Review as Review,
    review_game as review_game,
)
from .search import (
    Analysis as Analysis,
    MoveStatistics as MoveStatistics,
)

__version__: str
