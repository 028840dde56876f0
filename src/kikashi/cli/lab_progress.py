"""What a person sees of a match or an experiment while it runs: its progress, and trees that are full."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kikashi.lab.one_game import GameRecord
from kikashi.lab.statistics import wilson

SPEED_PERIOD = 3600.0
"""Seconds over which the time left is estimated: games may take minutes."""


class Watcher:
    """Collects results; shows progress on standard error, where somebody is looking.

    The first time that a player's tree is full, or its memories are, is told there in any case.
    """

    def __init__(self, title: str, total: int, *, player: str = "", before: int = 0) -> None:
        """With a `player` its score is shown. `before` results are there already: they say nothing about the time
        that is left."""
        self.records: list[Any] = []
        self._before, self._total = before, total
        self._player, self._points, self._games = player, 0.0, 0
        self._full: set[str] = set()
        self._evicted: set[str] = set()
        self._console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
            speed_estimate_period=SPEED_PERIOD,
        )
        self._task = self._progress.add_task(title, total=total)

    def __enter__(self) -> Watcher:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def note(self, record: Any) -> None:
        """A game has ended, or a position has been studied."""
        self.records.append(record)
        self._progress.update(self._task, completed=len(self.records))
        if isinstance(record, GameRecord):
            self._show_score(record)
            self._tell_of_full_trees(record)
            self._tell_of_evictions(record)
        if len(self.records) == self._before:
            self._progress.reset(self._task, total=self._total, completed=self._before)

    def _show_score(self, record: GameRecord) -> None:
        if self._player not in (record.black, record.white) or record.is_void:
            return
        self._points += record.points(self._player)
        self._games += 1
        interval = wilson(self._points, self._games)
        score = f"{self._points:g}/{self._games} = {self._points / self._games:.0%}"
        bounds = f"[{interval.low:.0%}, {interval.high:.0%}]"
        self._progress.update(self._task, description=f"{self._player[:24]} {score} {bounds}")

    def _tell_of_full_trees(self, record: GameRecord) -> None:
        for name, full in zip((record.black, record.white), record.full, strict=True):
            if full and name not in self._full:
                self._full.add(name)
                self.tell(f"{name}: the tree was full in game {record.number}; --megabytes gives it more room")

    def _tell_of_evictions(self, record: GameRecord) -> None:
        for name, evicted in zip((record.black, record.white), record.evicted, strict=True):
            if evicted and name not in self._evicted:
                self._evicted.add(name)
                self.tell(f"{name}: its memories evicted {evicted:,} entries in game {record.number} for want of room")

    def tell(self, line: str) -> None:
        """Say something on standard error, above the progress."""
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)
