from .design import (
    Design as Design,
    LocalDesign as LocalDesign,
    MatchDesign as MatchDesign,
    PositionDesign as PositionDesign,
    QualityDesign as QualityDesign,
    ShareDesign as ShareDesign,
    experiment_names as experiment_names,
    load_design as load_design,
)
from .experiment import run_design as run_design
from .experiment_report import write_experiment_report as write_experiment_report
from .local_play import LocalRecord as LocalRecord
from .move_quality import QualityRecord as QualityRecord
from .positions import PositionRecord as PositionRecord
from .results import Experiment as Experiment
from .shares import ShareRecord as ShareRecord
