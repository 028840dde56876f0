"""An experiment from Python: run in one call, and shown by a notebook.

`kikashi experiment run` does the same on a command line, and writes the same folders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

from kikashi.experiments.design import Design, load_design
from kikashi.experiments.experiment import experiment_folder, run_design
from kikashi.experiments.experiment_report import ExperimentReport, Records, experiment_report, write_experiment_report
from kikashi.experiments.numbers import numbers_of
from kikashi.experiments.paper import deviations
from kikashi.pictures.tables import DataFrame, data_frame
from kikashi.workers.executors import make_workers

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Experiment:
    """An experiment that was run: a paper's table or figure. A notebook shows it beside the published values."""

    design: Design
    scale: float
    records: Records
    """Games, or what was found in positions and searches."""
    folder: Path

    @classmethod
    def run(
        cls,
        name: str,
        *,
        scale: float = 1.0,
        overrides: Iterable[str] = (),
        folder: str | Path | None = None,
        concurrency: int | None = None,
        tell: Tell | None = None,
    ) -> Experiment:
        """Run an experiment of the package or of a TOML file, or go on with it, and return it.

        `overrides` change settings of its design: ``"size=7"``. `scale` and the others are as for
        ``kikashi experiment run`` and for `Match.play`, and so is what is raised.
        """
        design = load_design(name, overrides)
        deviations(design, scale)  # what is wrong about them is not told only when all has been run
        place = experiment_folder(name, scale) if folder is None else Path(folder)
        records = run_design(design, place, make_workers("processes", concurrency), scale=scale, tell=tell)
        write_experiment_report(place, design, scale, records)
        return cls(design, scale, records, place)

    @cached_property
    def report(self) -> ExperimentReport:
        """What was found, as text, as a page, and as data."""
        return experiment_report(self.design, self.scale, self.records)

    def as_frame(self) -> DataFrame:
        """The numbers, ours and the paper's, as a data frame. Raises ImportError where there is no pandas."""
        return data_frame(numbers_of(self.design, self.scale, self.records))

    def __str__(self) -> str:
        return self.report.text

    def __repr__(self) -> str:
        return f"<Experiment {self.design.title} ({self.design.source}), scale {self.scale:g}, {self.folder}>"

    def _repr_html_(self) -> str:
        return "\n".join(["<div>", f"<h2>{escape(self.design.title)}</h2>", *self.report.body, "</div>"])
