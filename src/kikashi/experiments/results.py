"""Results that are kept: compressed journals of experiments, and the verdicts that they give on the papers' claims.

A file of a results folder is one run: a line that names the experiment and its changed settings, then the journal.
"""

from __future__ import annotations

import lzma
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from kikashi.experiments.claims import AnyClaim, Effect, Verdict, decide, needed_share
from kikashi.experiments.design_files import experiment_names, load_design
from kikashi.experiments.kind import NOTHING, Design
from kikashi.files import write_whole
from kikashi.match.journal import FILE, parse_journal
from kikashi.report import Document, Element, Figure, Paragraph, Section, Table, plots
from kikashi.wording import counted

FOLDER = "results"
SUFFIX = ".jsonl.xz"
PAGE = "results.md"
FEW = 20
"""Records of a run that has hardly begun."""
SUMMARIES = "summaries.toml"
"""Paragraphs about papers, written by hand after reading the numbers, by source."""


class RunName(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An experiment with changed settings."""

    experiment: str
    overrides: tuple[str, ...] = msgspec.field(default=(), name="set")
    scale: float = 1.0

    def design(self) -> Design:
        """Load the experiment. Raises ValueError and OSError."""
        return load_design(self.experiment, self.overrides).at(self.scale)

    @property
    def label(self) -> str:
        """Name of its folder and file: the experiment, and what tells its runs apart."""
        words = [change.replace(" ", "").replace("=", "-") for change in self.overrides]
        scale = [] if self.scale == 1 else [f"scale-{self.scale:g}"]
        return "+".join([self.experiment, *words, *scale]).translate(str.maketrans("/[],\"'", "_-----"))


@dataclass(frozen=True)
class Run:
    """A run of an experiment, read from a results folder."""

    name: RunName
    design: Design
    header: dict[str, Any]
    """The last one of its journal."""
    records: Sequence[Any]

    def effects(self) -> list[Effect | None]:
        """Return the effects of the experiment's claims."""
        observations = self.design.observations(self.records)
        return [claim.effect(observations, paired=self.design.is_paired) for claim in self.design.claim]

    @property
    def scope(self) -> str:
        """The size of the run: board, simulations, opponent and records."""
        values = self.design.values()
        words = [f"{size}×{size}" for size in values.get("size", [])]
        words += [f"{count:,} {unit}" for unit in ("simulations", "oracle") for count in _largest(values.get(unit))]
        words += [f"{seconds:g} s a move" for seconds in values.get("seconds", [])]
        return ", ".join([*words, counted(len(self.records), self.design.unit)])

    @property
    def nearness(self) -> tuple[bool, bool, int, int]:
        """Sort key: runs that have hardly begun count last, those on the paper's board with more simulations first."""
        simulations = self.design.values().get("simulations")
        return (
            len(self.records) >= FEW,
            self.has_papers("size"),
            max(_largest(simulations), default=0),
            len(self.records),
        )

    def has_papers(self, *settings: str) -> bool:
        """Return whether settings are those of the paper."""
        ours, paper = self.design.values(), load_design(self.name.experiment).at(1.0).values()
        return all(ours.get(name) == paper.get(name) for name in settings)


def _largest(values: Sequence[Any] | None) -> list[int]:
    numbers = [n for value in values or () for n in (value if isinstance(value, tuple | list) else [value])]
    return [max(numbers)] if numbers else []


# --- files ------------------------------------------------------------------------------------------------------------


def run_file(name: RunName, results: Path) -> Path:
    """Return the file of a run."""
    return results / f"{name.label}{SUFFIX}"


def keep(name: RunName, folder: Path, results: Path) -> Path | None:
    """Write the journal of a run's folder to the results; return its file, or None if there is no journal yet."""
    journal = folder / FILE
    if not journal.exists():
        return None
    whole = b"".join(journal.read_bytes().rpartition(b"\n")[:2])
    file = run_file(name, results)
    kept = _kept_journal(file)
    if not whole.startswith(kept) and not kept.startswith(whole):
        raise ValueError(f"{journal} and {file} are different runs: move one of them away")
    if len(whole) > len(kept):
        write_whole(file, lzma.compress(msgspec.json.encode(name) + b"\n" + whole, preset=9))
    return file


def _kept_journal(file: Path) -> bytes:
    return lzma.decompress(file.read_bytes()).partition(b"\n")[2] if file.exists() else b""


def restore(name: RunName, folder: Path, results: Path) -> None:
    """Make the journal of a run from its file in the results, if that has more of it. Raises OSError."""
    journal, kept = folder / FILE, _kept_journal(run_file(name, results))
    there = journal.read_bytes() if journal.exists() else b""
    if len(kept) > len(there) and kept.startswith(there):
        write_whole(journal, kept)


def read_run(file: Path) -> Run:
    """Read a run. Raises ValueError for a damaged file, OSError."""
    try:
        first, _, journal = lzma.decompress(file.read_bytes()).partition(b"\n")
        name = msgspec.json.decode(first, type=RunName)
    except (lzma.LZMAError, msgspec.MsgspecError) as error:
        raise ValueError(f"{file} is not a kept run: {error}") from None
    design = name.design()
    headers, records = parse_journal(file, journal, design.record_type)
    latest = {record.number: record for record in records}  # a void game may have been played again
    return Run(name, design, headers[-1], design.complete([latest[number] for number in sorted(latest)]))


def read_runs(results: Path) -> list[Run]:
    """Read all runs of a folder. Raises ValueError and OSError."""
    return [read_run(file) for file in sorted(results.glob(f"*{SUFFIX}"))]


# --- verdicts ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict, by the run that is nearest to the paper's settings."""

    experiment: str
    source: str
    claim: AnyClaim
    verdict: Verdict
    run: Run | None = None
    effect: Effect | None = None
    published: float | None = None
    """The paper's own effect, if it is printed."""
    hours: float | None = None
    """Core-hours of the run."""
    hours_left: float | None = None
    """Core-hours to a decision, if the effect is as it seems, or of the paper's scale if there is no run; None if it is
    decided or looks like nothing."""

    @property
    def paper(self) -> str:
        """``Baier 2010``."""
        return self.source.partition(",")[0]


def judge_claims(runs: Iterable[Run]) -> list[Judged]:
    """Return all claims of the package's experiments with their verdicts, corrected over the claims of each paper."""
    by_name: dict[str, list[Run]] = {}
    for run in runs:
        by_name.setdefault(run.name.experiment, []).append(run)
    judged: list[Judged] = []
    for name in experiment_names():
        design = load_design(name).at(1.0)
        nearest = sorted(by_name.get(name, []), key=lambda run: run.nearness, reverse=True)
        effects = [run.effects() for run in nearest]
        means = {label: [mean] for label, mean in design.published_means().items()}
        for place, claim in enumerate(design.claim):
            published = claim.effect(means, paired=design.is_paired)
            one = Judged(name, design.source, claim, "not run", published=published and published.value)
            for run, found in zip(nearest, effects, strict=True):
                if found[place] is not None:
                    hours = run.design.hours_spent(run.records)
                    one = replace(one, run=run, effect=found[place], hours=hours)
                    break
            judged.append(one)
    return [one for paper in dict.fromkeys(one.paper for one in judged) for one in _decided(judged, paper)]


def _decided(judged: Sequence[Judged], paper: str) -> list[Judged]:
    own = [one for one in judged if one.paper == paper]
    verdicts = decide([one.claim for one in own], [one.effect for one in own])
    tests = sum(one.effect is not None for one in own)
    found = []
    for one, verdict in zip(own, verdicts, strict=True):
        is_weaker = one.run is not None and not one.run.has_papers("size", "simulations", "seconds")
        if verdict == "contradicted" and one.claim.is_absolute and is_weaker:
            found.append(replace(one, verdict="not decided"))  # a smaller search may lose where the paper's won
        else:
            found.append(replace(one, verdict=verdict, hours_left=_hours_left(one, verdict, tests)))
    return found


def _hours_left(one: Judged, verdict: Verdict, tests: int) -> float | None:
    if one.effect is None or one.hours is None:
        return load_design(one.experiment).at(1.0).core_seconds() / 3600
    if verdict in ("reproduced", "contradicted"):
        return None
    times = needed_share(one.claim, one.effect, tests)
    return None if times is None else one.hours * max(0.0, times - 1)


HEAD = ["claim", "section", "experiment", "verdict", "effect", "published", "run", "core-hours", "to a decision"]


def verdict_row(one: Judged) -> list[str]:
    """Return the row of a claim, for `HEAD`."""
    effect = one.effect
    return [
        one.claim.text,
        one.claim.where,
        one.experiment,
        one.verdict,
        NOTHING
        if effect is None
        else f"{effect.value:+.3g} [{effect.low:+.3g}, {effect.high:+.3g}], p = {effect.p:.2g}",
        NOTHING if one.published is None else f"{one.published:+.3g}",
        NOTHING if one.run is None else one.run.scope,
        NOTHING if one.hours is None else f"{one.hours:.1f}",
        _cost(one),
    ]


def _cost(one: Judged) -> str:
    if one.hours_left is None:
        return NOTHING
    return f"{one.hours_left:,.0f} more" if one.run else f"{one.hours_left:,.0f} at the paper's scale"


def verdict_data(one: Judged) -> dict[str, Any]:
    """Return a claim and its verdict for programs."""
    return {
        "experiment": one.experiment,
        "claim": one.claim.text,
        "section": one.claim.where,
        "verdict": one.verdict,
        "effect": one.effect and one.effect._asdict(),
        "published": one.published,
        "run": one.run and one.run.scope,
        "core_hours": one.hours,
        "core_hours_left": one.hours_left,
    }


def write_page(document: Document, folder: Path) -> None:
    """Write a document as ``results.md`` with its pictures. Raises OSError."""
    pictures: dict[str, str] = {}
    page = document.markdown(pictures)
    for name, content in {PAGE: page, **pictures}.items():
        write_whole(folder / name, content)


def verdicts_document(results: Path) -> Document:
    """Return the verdicts on all claims, paper by paper. Raises ValueError and OSError."""
    judged = judge_claims(read_runs(results))
    summaries = tomllib.loads(file.read_text("utf-8")) if (file := results / SUMMARIES).exists() else {}
    sections = []
    for paper in dict.fromkeys(one.paper for one in judged):
        own = [one for one in judged if one.paper == paper]
        shown = {one.claim.text: (one.effect.low, one.effect.value, one.effect.high) for one in own if one.effect}
        published = {one.claim.text: one.published for one in own if one.effect and one.published is not None}
        elements: list[Element] = [Paragraph(" ".join(summaries.get(paper, "").split()))]
        if shown:
            label = "effect; above 0 the claim holds (squares: the paper)"
            elements.append(Figure(plots.intervals(shown, label, published, title=f"Claims of {paper}"), _slug(paper)))
        elements.append(Table(HEAD, [verdict_row(one) for one in own]))
        sections.append(Section(paper, elements))
    counts = {
        verdict: sum(one.verdict == verdict for one in judged)
        for verdict in dict.fromkeys(one.verdict for one in judged)
    }
    total = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    return Document("The papers' claims", sections, f"{len(judged)} claims: {total}")


def _slug(paper: str) -> str:
    return "claims-" + "-".join(paper.lower().replace(".", "").split())
