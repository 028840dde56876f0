from .design import (
    Design as Design,
)
from .design import (
    LocalDesign as LocalDesign,
)
from .design import (
    MatchDesign as MatchDesign,
)
from .design import (
    PositionDesign as PositionDesign,
)
from .design import (
    QualityDesign as QualityDesign,
)
from .design import (
    ShareDesign as ShareDesign,
)
from .design import (
    experiment_names as experiment_names,
)
from .design import (
    load_design as load_design,
)
from .experiment import run_design as run_design
from .experiment_report import write_experiment_report as write_experiment_report
from .local_play import LocalRecord as LocalRecord
from .move_quality import QualityRecord as QualityRecord
from .positions import PositionRecord as PositionRecord
from .results import Experiment as Experiment
from .shares import ShareRecord as ShareRecord
