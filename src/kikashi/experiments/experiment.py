"""Experiments: run, described and reported, from the command line, from Python and in notebooks.

`Experiment.run` does what ``kikashi experiment run`` does, and writes the same folders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from kikashi.engine import machine
from kikashi.experiments.claims import decide
from kikashi.experiments.design_files import load_design
from kikashi.experiments.estimate import HOW
from kikashi.experiments.kind import NOTHING, Design
from kikashi.experiments.paper import deviations
from kikashi.match.progress import duration
from kikashi.pictures.tables import DataFrame, data_frame
from kikashi.report import Document, Element, Items, Paragraph, Table
from kikashi.wording import counted, plural
from kikashi.workers.executors import make_workers

FOLDER = "experiments"
"""Where experiments are kept, in the working directory."""


def experiment_folder(name: str, scale: float) -> Path:
    return Path(FOLDER) / f"{Path(name).stem if name.endswith('.toml') else name}-{scale:g}"


# --- before it is run -------------------------------------------------------------------------------------------------


class ExperimentReport(NamedTuple):
    """An experiment before or after its run, for people and as JSON."""

    document: Document
    data: dict[str, Any]


def describe(design: Design) -> ExperimentReport:
    """Describe an experiment at a scale. Raises ValueError for a deviation that names no setting."""
    rows, changes, seconds = list(design.rows()), deviations(design), seconds_of(design)
    size = f"{counted(design.steps, design.unit)}, {duration(seconds)} on the {plural(machine.cores(), 'core')}"
    about, head = " ".join(design.about.split()), list(rows[0])
    elements: list[Element] = [
        Paragraph(f"{design.source}; {design.kind}; scale {design.scale:g}: {size} of this machine"),
        Paragraph(about),
        Table(head, [[row.get(column, "") for column in head] for row in rows]),
        *_notes(changes, design.remarks),
        Paragraph(f"The time is estimated {HOW}."),
    ]
    named = {name: getattr(design, name) for name in ("title", "source", "kind", "scale", "unit", "steps", "remarks")}
    data = {**named, "about": about, "seconds": seconds, "rows": rows, "deviations": changes}
    return ExperimentReport(Document(design.title, elements), data)


def seconds_of(design: Design, cores: int | None = None) -> float:
    """Estimate the seconds of an experiment on a number of cores, by default all."""
    return design.core_seconds() / (cores or machine.cores())


# --- afterwards -------------------------------------------------------------------------------------------------------


def experiment_report(design: Design, records: Sequence[Any]) -> ExperimentReport:
    """Report the records of an experiment beside the paper's results."""
    findings, changes = design.findings(records), deviations(design)
    is_papers = design.values() == design.paper.at(1.0).values()
    size = f"at scale {design.scale:g}" if design.scale != 1 or is_papers else "with other settings"
    about = f"{design.source}, {size}. {findings.scope} {' '.join(design.about.split())}".strip()
    claims = _claims(design, records)
    elements: list[Element] = [Paragraph(about), *_notes(changes, design.remarks), *findings.elements]
    if claims:
        table = Table(
            list(claims[0]), [list(claim.values()) for claim in claims], "The paper's claims, by this run alone:"
        )
        elements.insert(1, table)
    data = {"title": design.title, "scale": design.scale, "verdict": findings.verdict, "deviations": changes}
    data |= {"remarks": design.remarks, "claims": claims}
    return ExperimentReport(Document(design.title, elements, findings.verdict), data | findings.data)


def _claims(design: Design, records: Sequence[Any]) -> list[dict[str, str]]:
    """Return the verdicts of a run on the claims of its experiment, corrected for their number."""
    effects = design.effects(records)
    return [
        {"claim": claim.text, "section": claim.where, "verdict": verdict, "effect": str(effect or NOTHING)}
        for claim, effect, verdict in zip(design.claim, effects, decide(design.claim, effects), strict=True)
    ]


def _notes(changes: Sequence[str], remarks: Sequence[str]) -> list[Items]:
    return [Items(changes, "Not as in the paper:"), Items(remarks, "About the paper's results:")]


def write_experiment_report(folder: Path, design: Design, records: Sequence[Any]) -> ExperimentReport:
    """Write ``report.md`` and ``report.html`` into a folder, and return the report. Raises OSError."""
    report = experiment_report(design, records)
    report.document.write(folder)
    return report


@dataclass(frozen=True)
class Experiment:
    """An experiment that was run: a paper's table or figure. A notebook shows it beside the published values."""

    design: Design
    records: Sequence[Any]
    """Games, positions or searches."""
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
        tell: Callable[[str], None] | None = None,
    ) -> Experiment:
        """Run or resume an experiment of the package or of a TOML file, and return it.

        `overrides` change settings of its design: ``"size=7"``. `scale` and the others are as for
        ``kikashi experiment run`` and `Match.play`, and so are the errors.
        """
        design = load_design(name, overrides).at(scale)
        deviations(design)  # raises errors now, not after the run
        place = experiment_folder(name, scale) if folder is None else Path(folder)
        records = design.run(place, make_workers("processes", concurrency), tell=tell)
        write_experiment_report(place, design, records)
        return cls(design, records, place)

    @cached_property
    def report(self) -> ExperimentReport:
        """The report, as a document and as data."""
        return experiment_report(self.design, self.records)

    def as_frame(self) -> DataFrame:
        """Return the numbers, ours and the paper's, as a data frame. Raises ImportError without pandas."""
        return data_frame(self.design.numbers(self.records))

    def __str__(self) -> str:
        return self.report.document.text()

    def __repr__(self) -> str:
        return f"<Experiment {self.design.title} ({self.design.source}), scale {self.design.scale:g}, {self.folder}>"

    def _repr_html_(self) -> str:
        return f"<div>\n<h2>{escape(self.design.title)}</h2>\n{self.report.document.fragment()}\n</div>"
