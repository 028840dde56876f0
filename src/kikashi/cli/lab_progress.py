"""What a person sees of a match or an experiment while it runs: its progress, and trees that are full."""

from __future__ import annotations

import threading
import time
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bar, TextColumn

from kikashi.match.one_game import GameRecord
from kikashi.match.progress import Progress
from kikashi.match.sprt import PairsInOrder
from kikashi.stats.intervals import wilson

LOOK_EVERY = 1.0
"""Seconds between two looks at the games that are being played."""
TELL_EVERY = 30.0
"""Seconds between two lines at least, where standard error is no terminal."""


class Watcher:
    """Collects results; shows progress on standard error: a bar on a terminal, else a line after results.

    The first time that a player's tree is full, or its memories are, is told there in any case.
    """

    def __init__(self, title: str, progress: Progress, *, player: str = "", console: Console | None = None) -> None:
        """With a `player` its score is shown, over complete pairs in the order of the schedule."""
        self.records: list[Any] = []
        self.look_every, self.tell_every = LOOK_EVERY, TELL_EVERY
        self.work = progress
        self._player, self._points, self._games = player, 0.0, 0
        self._pairs = PairsInOrder()
        self._full: set[str] = set()
        self._evicted: set[str] = set()
        self._console = console or Console(stderr=True)
        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(max(5, min(40, self._console.width - 60))),  # what is said needs the room more
            MofNCompleteColumn(),
            TextColumn("{task.fields[state]}", markup=False),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task(title, total=progress.total, state=progress.state)
        self._told_at = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep_looking, daemon=True)

    def __enter__(self) -> Watcher:
        try:
            self._bar.start()
            self._thread.start()
        except KeyboardInterrupt:
            self._bar.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        try:
            self._thread.join()
        finally:
            self._bar.stop()

    def _keep_looking(self) -> None:
        while not self._ended.wait(self.look_every):
            self.work.look()
            self._show()

    def _show(self) -> None:
        state = self.work.state if self.work.has_begun else "getting ready"
        self._bar.update(self._task, completed=self.work.completed, state=state)

    def _tell_of_results(self) -> None:
        """Where there is no bar, say how far it is, if that was not said just now."""
        if not self._console.is_terminal and time.monotonic() - self._told_at >= self.tell_every:
            self._told_at = time.monotonic()
            self.tell(str(self.work))

    def note(self, record: Any) -> None:
        """A game has ended, or a position has been studied."""
        self.records.append(record)
        self.work.note(len(record.moves) if isinstance(record, GameRecord) else 0)
        self._show()
        self._tell_of_results()
        if isinstance(record, GameRecord):
            self._show_score(record)
            self._tell_of_full_trees(record)
            self._tell_of_evictions(record)

    def _show_score(self, record: GameRecord) -> None:
        if self._player not in (record.black, record.white):
            return
        counted = [game for pair in self._pairs.add(record) for game in pair if not game.is_void]
        if not counted:
            return
        self._points += sum(game.points(self._player) for game in counted)
        self._games += len(counted)
        interval = wilson(self._points, self._games)
        score = f"{self._points:g}/{self._games} = {self._points / self._games:.0%}"
        bounds = f"[{interval.low:.0%}, {interval.high:.0%}]"
        self._bar.update(self._task, description=f"{self._player[:24]} {score} {bounds}")

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
