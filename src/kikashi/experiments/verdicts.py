"""The verdicts that kept runs give on the papers' claims, and the page about them."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from kikashi.experiments.claims import AnyClaim, Effect, Verdict, decide, needed_share
from kikashi.experiments.design_files import experiment_names, load_design
from kikashi.experiments.kind import NOTHING
from kikashi.experiments.results import Run, largest, merged, read_runs, read_signatures
from kikashi.report import Document, Element, Figure, Paragraph, Section, Table, plots

PAGE = "results.md"
LETTERS = 54
"""Of a claim in a plot."""
FEW = 20
"""Observations of a claim that has hardly begun."""
SUMMARIES = "summaries.toml"
"""Paragraphs about papers, written by hand after reading the numbers, by source."""
OTHER_PLAY = " (not known to be this version's play)"
UNITS = {"match": "share of games", "positions": "points", "quality": "points", "speed": "a second"}
"""Of observations, by kind of experiments."""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


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
    for run in merged(runs):
        by_name.setdefault(run.name.experiment, []).append(run)
    judged: list[Judged] = []
    for name in experiment_names():
        design = load_design(name).at(1.0)
        found = [(run, run.design.effects(run.records)) for run in by_name.get(name, [])]
        means = {label: [mean] for label, mean in design.published_means().items()}
        for place, claim in enumerate(design.claim):
            published = claim.effect(means, paired=design.is_paired)
            one = Judged(name, design.source, claim, "not run", published=published and published.value)
            known = [(run, effect) for run, effects in found if (effect := effects[place]) is not None]
            if known:
                run, effect = max(known, key=_nearness)
                one = replace(one, run=run, effect=effect, hours=run.design.hours_spent(run.records))
            judged.append(one)
    return [one for paper in dict.fromkeys(one.paper for one in judged) for one in _decided(judged, paper)]


def _nearness(known: tuple[Run, Effect]) -> tuple[Any, ...]:
    """Sort key: what has hardly begun counts last, the paper's board and more simulations first."""
    run, effect = known
    simulations = max(largest(run.design.values().get("simulations")), default=0)
    return effect.observations >= FEW, run.has_papers("size"), simulations, effect.observations


def _decided(judged: Sequence[Judged], paper: str) -> list[Judged]:
    own = [one for one in judged if one.paper == paper]
    verdicts = decide([one.claim for one in own], [one.effect for one in own])
    tests = sum(one.effect is not None for one in own)
    found = []
    for one, verdict in zip(own, verdicts, strict=True):
        is_weaker = one.run is not None and not one.run.design.is_even
        is_weaker = is_weaker and one.run is not None and not one.run.has_papers("size", "simulations", "seconds")
        if is_weaker and verdict == one.claim.likely_if_weaker:
            verdict = "not decided" if verdict == "contradicted" else "same direction, not decided"
            found.append(replace(one, verdict=verdict))
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


def verdict_row(one: Judged, *, is_current: bool = True) -> list[str]:
    """Return the row of a claim, for `HEAD`; a run of players that play otherwise today is marked."""
    return [
        one.claim.text,
        one.claim.where,
        one.experiment,
        one.verdict,
        NOTHING if one.effect is None else str(one.effect),
        NOTHING if one.published is None else f"{one.published:+.3g}",
        NOTHING if one.run is None else f"{one.run.scope}{'' if is_current else OTHER_PLAY}",
        NOTHING if one.hours is None else f"{one.hours:.2g}",
        _cost(one),
    ]


def _cost(one: Judged) -> str:
    if one.hours_left is None:
        return NOTHING
    return f"{one.hours_left:,.2g} more" if one.run else f"{one.hours_left:,.0f} at the paper's scale"


def verdict_data(one: Judged) -> dict[str, Any]:
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


def verdicts_document(results: Path) -> Document:
    """Return the verdicts on all claims, paper by paper. Raises ValueError and OSError."""
    runs, signatures = read_runs(results), read_signatures(results)
    judged = judge_claims(runs)
    summaries = tomllib.loads(file.read_text("utf-8")) if (file := results / SUMMARIES).exists() else {}
    sections = []
    for paper in dict.fromkeys(one.paper for one in judged):
        own = [one for one in judged if one.paper == paper]
        elements: list[Element] = [Paragraph(" ".join(text.split())) for text in summaries.get(paper, "").split("\n\n")]
        rows = [verdict_row(one, is_current=one.run is None or one.run.is_of_version(signatures)) for one in own]
        elements += [*_figures(paper, own), Table(HEAD, rows)]
        sections.append(Section(paper, elements))
    sections += [_own_section(run) for run in merged(runs) if not run.design.claim]
    return Document("The papers' claims", sections, count_of_verdicts(judged))


def _own_section(run: Run) -> Section:
    """Return the figures of an experiment that is no paper's."""
    findings = run.design.findings(run.records)
    figures = [
        replace(element, name=f"{run.name.experiment}-{element.name}")
        for element in findings.elements
        if isinstance(element, Figure)
    ]
    about = " ".join([*run.design.about.split(), findings.scope, f"{findings.verdict}."])
    return Section(run.design.title, [Paragraph(f"{about} Run: {run.scope}."), *figures])


def count_of_verdicts(judged: Sequence[Judged]) -> str:
    """Return ``94 claims: 40 reproduced; …``."""
    counts = Counter(one.verdict for one in judged)
    return f"{len(judged)} claims: " + "; ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)


def _figures(paper: str, own: Sequence[Judged]) -> Iterator[Figure]:
    """Yield a plot for each kind of experiments: their effects are on the same scale."""
    kinds = {one.experiment: load_design(one.experiment) for one in own}
    for kind in dict.fromkeys(design.kind for design in kinds.values()):
        group = [one for one in own if one.effect is not None and kinds[one.experiment].kind == kind]
        shown = {one.claim.text: (one.effect.low, one.effect.value, one.effect.high) for one in group if one.effect}
        published = {one.claim.text: one.published for one in group if one.published is not None}
        if shown:
            label = f"effect ({UNITS.get(kind, 'mean')}; squares: the paper)"
            title = f"Claims of {paper}, by experiments of kind {kind}"
            plot = plots.intervals(shown, label, published, title=title, letters=LETTERS)
            yield Figure(plot, "-".join(["claims", *paper.lower().replace(".", "").split(), kind]))
