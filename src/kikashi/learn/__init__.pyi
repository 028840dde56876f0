from .balancing import (
    BalanceResult as BalanceResult,
    BalanceSettings as BalanceSettings,
    Calibration as Calibration,
    balance as balance,
)
from .dataset import (
    DEFAULT_FEATURES as DEFAULT_FEATURES,
    Collector as Collector,
    Dataset as Dataset,
    FeatureExtractor as FeatureExtractor,
    collect as collect,
    features_named as features_named,
)
from .expert_iteration import (
    IterationSettings as IterationSettings,
    RoundResult as RoundResult,
    run_rounds as run_rounds,
)
from .fitting import (
    Accuracy as Accuracy,
    Fit as Fit,
    FitSettings as FitSettings,
    fit as fit,
)
from .labels import Label as Label
from .learning import (
    LearningListener as LearningListener,
    LearningSettings as LearningSettings,
    learn as learn,
    write_weights as write_weights,
)
from .playout_learning import (
    PlayoutResult as PlayoutResult,
    PlayoutSettings as PlayoutSettings,
    learn_playouts as learn_playouts,
)
from .self_play import (
    SelfPlayGame as SelfPlayGame,
    SelfPlaySettings as SelfPlaySettings,
    play_self_games as play_self_games,
)
from .training_games import (
    TrainingGame as TrainingGame,
    read_training_games as read_training_games,
)
