from .design_files import (
    experiment_names as experiment_names,
    load_design as load_design,
)
from .experiment import (
    Experiment as Experiment,
    experiment_report as experiment_report,
    write_experiment_report as write_experiment_report,
)
from .kind import (
    Design as Design,
    Findings as Findings,
    PlayerRow as PlayerRow,
    at_scale as at_scale,
    experiment_kind as experiment_kind,
)
