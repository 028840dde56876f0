"""The queue of experiments that reproduce the papers: runs in the order of what they show for their time.

The journal of a run grows in a folder of the working directory.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

from kikashi.experiments.experiment import FOLDER, seconds_of
from kikashi.experiments.results import RunName, keep, read_run, read_runs, restore, run_file
from kikashi.experiments.verdicts import count_of_verdicts, judge_claims
from kikashi.match.journal import is_begun, read_header
from kikashi.match.progress import duration
from kikashi.wording import convert, counted

QUEUE = "queue.toml"


def read_queue(results: Path) -> list[RunName]:
    """Read the queue of a results folder. Raises ValueError and OSError."""
    table = tomllib.loads((results / QUEUE).read_text("utf-8"))
    return convert(table.get("run", []), list[RunName], "run")


def folder_of(run: RunName) -> Path:
    return Path(FOLDER) / run.label


def keep_begun(queue: Iterable[RunName], results: Path) -> None:
    """Write the journals of all runs that have begun to the results. Raises OSError."""
    for run in queue:
        if is_begun(folder_of(run)):
            keep(run, folder_of(run), results)


def seconds_left(run: RunName, results: Path) -> float:
    """Restore the folder of a run from the results, and return the estimated seconds of one core to its end.

    Raises ValueError and OSError.
    """
    folder, design = folder_of(run), run.design()
    restore(run, folder, results)
    if not is_begun(folder):
        return seconds_of(design, 1)
    done, total, is_over = design.done(folder, read_header(folder))
    return 0.0 if is_over else seconds_of(design, 1) * (1 - done / max(1, total))


def outlook(queue: Sequence[RunName], results: Path) -> str:
    """Return the verdicts so far, and the time that the queue takes. Raises ValueError and OSError."""
    left = [seconds for run in queue if (seconds := seconds_left(run, results))]
    verdicts = count_of_verdicts(judge_claims(read_runs(results)))
    return f"{verdicts}; {counted(len(left), 'runs')} left, {duration(sum(left))} on one core"


def is_decided(run: RunName, results: Path) -> bool:
    """Return whether the claims of a run were decided by tests that are valid at any time, so that it is not needed."""
    if is_begun(folder_of(run)) or not run.design().same_as():
        return False
    judged = [one for one in judge_claims(read_runs(results)) if one.experiment == run.experiment]
    return bool(judged) and all(
        one.effect is not None and one.effect.score is not None and one.verdict in ("reproduced", "contradicted")
        for one in judged
    )


def state_of(run: RunName, results: Path) -> str:
    """Return a line about a run of the queue: finished with its records, not needed, or the estimated time."""
    if not (seconds := seconds_left(run, results)):
        return f"{run.label}: finished, {read_run(run_file(run, results)).scope}"
    if is_decided(run, results):
        return f"{run.label}: not needed, its claims are decided"
    return f"{run.label}: next, {duration(seconds)} on one core"
