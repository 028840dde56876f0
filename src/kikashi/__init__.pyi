from .engine.preset_files import preset_names as preset_names
from .engine.limits import Limit as Limit
from .engine.move_choice import Decision as Decision
from .engine.player import Player as Player
from .engine.preset import (
    Preset as Preset,
)
from .engine.preset import (
    load_preset as load_preset,
)
from .engine.preset import (
)
from .engine.scoring import judge as judge
from .engine.tree_reuse import (
    root_of as root_of,
)
from .engine.tree_reuse import (
    search_request as search_request,
)
from .game import (
    Game as Game,
)
from .game import (
    IllegalMove as IllegalMove,
)
from .game import (
    Move as Move,
)
from .game import (
    Rules as Rules,
)
from .game.time_control import Clock as Clock
from .review.review import (
    Evaluation as Evaluation,
)
from .review.review import (
    MoveReview as MoveReview,
)
from .review.review import (
    Review as Review,
)
from .review.review import (
    review_game as review_game,
)
from .search import (
    Analysis as Analysis,
)
from .search import (
    MoveStatistics as MoveStatistics,
)

__version__: str
