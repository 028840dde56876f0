"""A match or an experiment of the laboratory, in a process of its own: ``python -m kikashi.web.run_job``.

The job is a line of JSON on standard input. When that is closed, by the server or because the server is gone, the run
ends as after Ctrl-C: its journal and its report stay, and the same job resumes it. Progress goes to standard output,
a line at a time; the last line of a run that fails says why.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import msgspec

from kikashi.experiments.design_files import load_design
from kikashi.experiments.experiment import seconds_of, write_experiment_report
from kikashi.match.failures import MatchStopped
from kikashi.match.journal import is_begun, read_records
from kikashi.match.match_report import write_report
from kikashi.match.one_game import GameRecord
from kikashi.match.progress import Progress
from kikashi.match.results import Match
from kikashi.match.runner import new_settings, resumed_settings
from kikashi.match.summary import latest
from kikashi.wording import reason
from kikashi.workers.executors import Workers, make_workers

INTERRUPTED = 130
REPORTED = 1.0
"""Seconds between two lines of progress."""
Listener = Callable[[Any], None]


class Job(msgspec.Struct, frozen=True):
    """A run in a folder: an experiment of the package at a scale, or else a match."""

    folder: str
    concurrency: int
    match: dict[str, Any] = {}
    """Settings of a new match; a match that has begun keeps its own."""
    experiment: str = ""
    scale: float = 1.0


def progress_of(job: Job) -> Progress:
    """Return the progress of a job that begins or is resumed. Raises ValueError and OSError."""
    folder = Path(job.folder)
    if job.experiment:
        design = load_design(job.experiment).at(job.scale)
        return design.progress(folder, seconds_of(design, job.concurrency))
    settings = _settings(job)
    before = [record for record in Match.read(folder).records if not record.is_void] if is_begun(folder) else []
    return Progress(settings.total_games, size=settings.size, folder=folder, before=len(before))


def run(job: Job, listener: Listener) -> None:
    """Run or resume a job, and write its report, also if it is interrupted.

    Raises ValueError, OSError, MatchStopped and KeyboardInterrupt.
    """
    folder, workers = Path(job.folder), make_workers("processes", job.concurrency)
    (_run_experiment if job.experiment else _run_match)(job, folder, workers, listener)


def _run_match(job: Job, folder: Path, workers: Workers, listener: Listener) -> None:
    try:
        Match.run(_settings(job), folder, workers, listener)
    except (KeyboardInterrupt, MatchStopped):
        if is_begun(folder) and (match := Match.read(folder)).records:
            write_report(folder, match.records, match.summary)
        raise


def _run_experiment(job: Job, folder: Path, workers: Workers, listener: Listener) -> None:
    design = load_design(job.experiment).at(job.scale)
    try:
        records: Sequence[Any] = design.run(folder, workers, listener)
    except (KeyboardInterrupt, MatchStopped):
        if is_begun(folder) and (records := sorted_records(design, folder)):
            write_experiment_report(folder, design, design.complete(records))
        raise
    write_experiment_report(folder, design, records)


def sorted_records(design: Any, folder: Path) -> list[Any]:
    """Return the records of an experiment's journal in the order of its tasks. Raises ValueError."""
    records: list[Any] = read_records(folder, design.record_type)
    return latest(records) if design.record_type is GameRecord else sorted(records, key=lambda record: record.number)


def _settings(job: Job) -> Any:
    folder = Path(job.folder)
    return resumed_settings(folder, {}) if is_begun(folder) else new_settings(job.match)


# --- the process ------------------------------------------------------------------------------------------------------


def main() -> int:
    """Run the job of standard input; return the exit code."""
    job = msgspec.json.decode(sys.stdin.readline(), type=Job)
    ended = Event()

    def wait_for_end() -> None:
        sys.stdin.read()
        os.kill(os.getpid(), signal.SIGINT)

    def report() -> None:
        while not ended.wait(REPORTED):
            progress.look()
            print(progress if progress.has_begun else "getting ready", flush=True)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        Thread(target=wait_for_end, daemon=True).start()
        progress = progress_of(job)
        Thread(target=report, daemon=True).start()
        run(job, lambda record: progress.note(len(record.moves) if isinstance(record, GameRecord) else 0))
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return INTERRUPTED
    except (ValueError, OSError, MatchStopped) as error:
        ended.set()
        print(reason(error), flush=True)
        return 1
    finally:
        ended.set()
    return 0


if __name__ == "__main__":
    code = main()
    with suppress(OSError):
        sys.stdout.flush()
    os._exit(code)  # a thread may still read
