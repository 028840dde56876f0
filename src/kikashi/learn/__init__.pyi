from .balancing import (
    Agreement as Agreement,
)
from .balancing import (
    Balanced as Balanced,
)
from .balancing import (
    Balancing as Balancing,
)
from .balancing import (
    balance as balance,
)
from .expert_iteration import (
    RoundFound as RoundFound,
)
from .expert_iteration import (
    RoundListener as RoundListener,
)
from .expert_iteration import (
    Rounds as Rounds,
)
from .expert_iteration import (
    run_rounds as run_rounds,
)
from .fitting import (
    Figures as Figures,
)
from .fitting import (
    Fit as Fit,
)
from .fitting import (
    Wanted as Wanted,
)
from .fitting import (
    fit as fit,
)
from .games import (
    Lesson as Lesson,
)
from .games import (
    read_lessons as read_lessons,
)
from .labels import Label as Label
from .learning import (
    Course as Course,
)
from .learning import (
    Listener as Listener,
)
from .learning import (
    learn as learn,
)
from .learning import (
    write_weights as write_weights,
)
from .playouts import (
    PlayoutCourse as PlayoutCourse,
)
from .playouts import (
    PlayoutListener as PlayoutListener,
)
from .playouts import (
    PlayoutsFound as PlayoutsFound,
)
from .playouts import (
    learn_playouts as learn_playouts,
)
from .positions import (
    DEFAULT_FEATURES as DEFAULT_FEATURES,
)
from .positions import (
    Collector as Collector,
)
from .positions import (
    Eye as Eye,
)
from .positions import (
    Positions as Positions,
)
from .positions import (
    collect as collect,
)
from .positions import (
    features_named as features_named,
)
from .self_play import (
    SelfPlay as SelfPlay,
)
from .self_play import (
    SelfPlayGame as SelfPlayGame,
)
from .self_play import (
    play_self_games as play_self_games,
)
