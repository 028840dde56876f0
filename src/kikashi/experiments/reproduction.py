"""The queue of experiments that reproduce the papers: runs in the order of what they show for their time."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from kikashi.experiments.experiment import FOLDER, seconds_of
from kikashi.experiments.results import RunName, keep, read_run, restore, run_file
from kikashi.match.journal import is_begun, read_header
from kikashi.match.progress import duration
from kikashi.wording import convert

QUEUE = "queue.toml"


class Entry(msgspec.Struct, frozen=True):
    """A run of the queue; its journal grows in a folder of the working directory."""

    name: RunName

    @property
    def folder(self) -> Path:
        return Path(FOLDER) / self.name.label

    def is_finished(self, results: Path) -> bool:
        """Restore the folder from the results, and return whether all tasks are done. Raises ValueError and OSError."""
        restore(self.name, self.folder, results)
        return is_begun(self.folder) and self.name.design().done(self.folder, read_header(self.folder))[2]


def read_queue(results: Path) -> list[Entry]:
    """Read the queue of a results folder. Raises ValueError and OSError."""
    table = tomllib.loads((results / QUEUE).read_text("utf-8"))
    return [Entry(name) for name in convert(table.get("run", []), list[RunName], "run")]


def keep_begun(queue: Iterable[Entry], results: Path) -> None:
    """Write the journals of all runs that have begun to the results. Raises OSError."""
    for entry in queue:
        if is_begun(entry.folder):
            keep(entry.name, entry.folder, results)


def state_of(entry: Entry, results: Path) -> str:
    """Return a line about a run of the queue: finished with its records, or the estimated time."""
    if entry.is_finished(results):
        return f"{entry.name.label}: finished, {read_run(run_file(entry.name, results)).scope}"
    return f"{entry.name.label}: next, {duration(seconds_of(entry.name.design(), 1))} on one core"
