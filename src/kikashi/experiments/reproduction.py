"""The queue of experiments that reproduce the papers: runs in the order of what they show for their time.

The journal of a run grows in a folder of the working directory.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from kikashi.experiments.experiment import FOLDER
from kikashi.experiments.queue import ExperimentEntry, stat_of
from kikashi.experiments.results import SUFFIX, RunName, keep, read_run, read_runs, run_file
from kikashi.experiments.verdicts import Judged, count_of_verdicts, judge_claims
from kikashi.match.journal import FILE
from kikashi.match.progress import duration
from kikashi.wording import convert, counted

QUEUE = "queue.toml"


def read_queue(results: Path) -> list[ExperimentEntry]:
    """Read the queue of a results folder. Journals grow in the working directory. Raises ValueError and OSError."""
    table = tomllib.loads((results / QUEUE).read_text("utf-8"))
    names = convert(table.get("run", []), list[RunName], "run")
    return [ExperimentEntry(str(Path(FOLDER) / name.label), name, str(results)) for name in names]


def keep_begun(queue: Iterable[ExperimentEntry]) -> None:
    """Write the journals of all runs that have begun, and that nobody runs, to their results. Raises OSError."""
    for entry in queue:
        if (entry.folder / FILE).exists() and not entry.is_running:
            keep(entry.name, entry.folder, Path(entry.results))


def outlook(queue: Sequence[ExperimentEntry], results: Path) -> str:
    """Return the verdicts so far, and the time that the queue takes. Raises ValueError and OSError."""
    left = [seconds for entry in queue if (seconds := entry.recorded().seconds)]
    verdicts = count_of_verdicts(_judged(results))
    return f"{verdicts}; {counted(len(left), 'runs')} left, {duration(sum(left))} on one core"


def is_decided(entry: ExperimentEntry) -> bool:
    """Return whether the claims of a run were decided by tests that are valid at any time, so that it is not needed."""
    if any(entry.version()) or not entry.design.same_as():
        return False
    judged = [one for one in _judged(Path(entry.results)) if one.experiment == entry.name.experiment]
    return bool(judged) and all(
        one.effect is not None and one.effect.score is not None and one.verdict in ("reproduced", "contradicted")
        for one in judged
    )


def state_of(entry: ExperimentEntry) -> str:
    """Return a line about a run of the queue: finished with its records, not needed, or the estimated time."""
    if not (seconds := entry.recorded().seconds):
        return f"{entry.name.label}: finished, {read_run(run_file(entry.name, Path(entry.results))).scope}"
    if is_decided(entry):
        return f"{entry.name.label}: not needed, its claims are decided"
    return f"{entry.name.label}: next, {duration(seconds)} on one core"


def _judged(results: Path) -> list[Judged]:
    return _judged_at(results, tuple((file.name, stat_of(file)) for file in sorted(results.glob(f"*{SUFFIX}"))))


@lru_cache(1)
def _judged_at(results: Path, _files: tuple[Any, ...]) -> list[Judged]:
    return judge_claims(read_runs(results))
