from .balancing import (
    Agreement as Agreement,
    Balanced as Balanced,
    Balancing as Balancing,
    balance as balance,
)
from .expert_iteration import (
    RoundFound as RoundFound,
    RoundListener as RoundListener,
    Rounds as Rounds,
    run_rounds as run_rounds,
)
from .fitting import (
    Figures as Figures,
    Fit as Fit,
    Wanted as Wanted,
    fit as fit,
)
from .games import (
    Lesson as Lesson,
    read_lessons as read_lessons,
)
from .labels import Label as Label
from .learning import (
    Course as Course,
    Listener as Listener,
    learn as learn,
    write_weights as write_weights,
)
from .playouts import (
    PlayoutCourse as PlayoutCourse,
    PlayoutListener as PlayoutListener,
    PlayoutsFound as PlayoutsFound,
    learn_playouts as learn_playouts,
)
from .positions import (
    DEFAULT_FEATURES as DEFAULT_FEATURES,
    Collector as Collector,
    Eye as Eye,
    Positions as Positions,
    collect as collect,
    features_named as features_named,
)
from .self_play import (
    SelfPlay as SelfPlay,
    SelfPlayGame as SelfPlayGame,
    play_self_games as play_self_games,
)
