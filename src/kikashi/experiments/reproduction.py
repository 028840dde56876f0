"""The queue of experiments that reproduce the papers: runs in the order of what they show for their time."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from kikashi.experiments.experiment import FOLDER, seconds_of
from kikashi.experiments.results import RunName, keep, read_run, read_runs, restore, run_file
from kikashi.experiments.verdicts import count_of_verdicts, judge_claims
from kikashi.match.journal import is_begun, read_header
from kikashi.match.progress import duration
from kikashi.wording import convert, counted

QUEUE = "queue.toml"


class Entry(msgspec.Struct, frozen=True):
    """A run of the queue; its journal grows in a folder of the working directory."""

    name: RunName

    @property
    def folder(self) -> Path:
        return Path(FOLDER) / self.name.label

    def left(self, results: Path) -> float:
        """Restore the folder from the results, and return the share of its tasks that is left.

        Raises ValueError and OSError.
        """
        restore(self.name, self.folder, results)
        if not is_begun(self.folder):
            return 1.0
        done, total, is_over = self.name.design().done(self.folder, read_header(self.folder))
        return 0.0 if is_over else 1 - done / max(1, total)

    def seconds_left(self, results: Path) -> float:
        """Return the estimated seconds of one core to its end."""
        left = self.left(results)
        return left * seconds_of(self.name.design(), 1) if left else 0.0


def read_queue(results: Path) -> list[Entry]:
    """Read the queue of a results folder. Raises ValueError and OSError."""
    table = tomllib.loads((results / QUEUE).read_text("utf-8"))
    return [Entry(name) for name in convert(table.get("run", []), list[RunName], "run")]


def keep_begun(queue: Iterable[Entry], results: Path) -> None:
    """Write the journals of all runs that have begun to the results. Raises OSError."""
    for entry in queue:
        if is_begun(entry.folder):
            keep(entry.name, entry.folder, results)


def outlook(queue: Sequence[Entry], results: Path) -> str:
    """Return the verdicts so far, and the time that the queue takes. Raises ValueError and OSError."""
    left = [seconds for entry in queue if (seconds := entry.seconds_left(results))]
    verdicts = count_of_verdicts(judge_claims(read_runs(results)))
    return f"{verdicts}; {counted(len(left), 'runs')} left, {duration(sum(left))} on one core"


def is_decided(entry: Entry, results: Path) -> bool:
    """Return whether the claims of a run were decided by tests that are valid at any time, so that it is not needed."""
    if is_begun(entry.folder) or not entry.name.design().same_as():
        return False
    judged = [one for one in judge_claims(read_runs(results)) if one.experiment == entry.name.experiment]
    return bool(judged) and all(
        one.effect is not None and one.effect.score is not None and one.verdict in ("reproduced", "contradicted")
        for one in judged
    )


def state_of(entry: Entry, results: Path) -> str:
    """Return a line about a run of the queue: finished with its records, not needed, or the estimated time."""
    if not (seconds := entry.seconds_left(results)):
        return f"{entry.name.label}: finished, {read_run(run_file(entry.name, results)).scope}"
    if is_decided(entry, results):
        return f"{entry.name.label}: not needed, its claims are decided"
    return f"{entry.name.label}: next, {duration(seconds)} on one core"
