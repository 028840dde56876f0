"""Progress of matches, experiments and tunings, and the way they end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bar, TextColumn

from kikashi.cli.streams import tell
from kikashi.match.failures import MatchStopped
from kikashi.match.journal import read_records
from kikashi.match.one_game import GameRecord
from kikashi.match.preflight import CannotPlay
from kikashi.match.progress import Progress
from kikashi.match.summary import PairsInOrder, latest
from kikashi.stats.intervals import wilson

REFRESH_SECONDS = 1.0
LINE_SECONDS = 30.0
"""Least time between two lines where standard error is no terminal."""


class ProgressBar:
    """A bar on standard error, where that is a terminal."""

    def __init__(self, title: str, total: int | None, *columns: TextColumn, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(max(5, min(40, self.console.width - 60))),  # the text needs the room more
            MofNCompleteColumn(),
            *columns,
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )
        self._task = self._bar.add_task(title, total=total, state="")

    def __enter__(self) -> Self:
        try:
            self._bar.start()
        except KeyboardInterrupt:
            self._bar.stop()  # the cursor may be hidden already
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def tell(self, line: str) -> None:
        """Print a line on standard error, above the progress."""
        self.console.print(line, markup=False, highlight=False, soft_wrap=True)


class ProgressView(ProgressBar):
    """Results of a run and its progress: a bar on a terminal, else a line after results.

    It also prints a line when a player's tree or its memories are full for the first time.
    """

    def __init__(self, title: str, progress: Progress, *, player: str = "", console: Console | None = None) -> None:
        """With a `player`, show its score over complete pairs in the order of the schedule."""
        super().__init__(title, progress.total, TextColumn("{task.fields[state]}", markup=False), console=console)
        self.records: list[Any] = []
        self.refresh_seconds, self.line_seconds = REFRESH_SECONDS, LINE_SECONDS
        self.work = progress
        self._player, self._points, self._games = player, 0.0, 0
        self._pairs = PairsInOrder()
        self._warned: set[tuple[str, str]] = set()
        self._last_line = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._refresh, daemon=True)

    def __enter__(self) -> Self:
        super().__enter__()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        try:
            self._thread.join()
        finally:
            super().__exit__()

    def _refresh(self) -> None:
        while not self._ended.wait(self.refresh_seconds):
            self.work.look()
            self._show()

    def _show(self) -> None:
        state = self.work.state if self.work.has_begun else "getting ready"
        self._bar.update(self._task, completed=self.work.completed, state=state)

    def add(self, record: Any) -> None:
        """Count a game or a position that is done."""
        self.records.append(record)
        self.work.note(len(record.moves) if isinstance(record, GameRecord) else 0)
        self._show()
        if not self.console.is_terminal and time.monotonic() - self._last_line >= self.line_seconds:
            self._last_line = time.monotonic()
            self.tell(str(self.work))
        if isinstance(record, GameRecord):
            self._show_score(record)
            for name, full, evicted in zip((record.black, record.white), record.full, record.evicted, strict=True):
                if full:
                    hint = "--megabytes gives it more room"
                    self._warn(name, f"the tree was full in game {record.number}; {hint}", "tree")
                if evicted:
                    lost = f"its memories evicted {evicted:,} entries in game {record.number} for want of room"
                    self._warn(name, lost, "memories")

    def _show_score(self, record: GameRecord) -> None:
        if self._player not in (record.black, record.white):
            return
        complete = [game for pair in self._pairs.add(record) for game in pair if not game.is_void]
        if not complete:
            return
        self._points += sum(game.points(self._player) for game in complete)
        self._games += len(complete)
        interval = wilson(self._points, self._games)
        score = f"{self._points:g}/{self._games} = {self._points / self._games:.0%}"
        bounds = f"[{interval.low:.0%}, {interval.high:.0%}]"
        self._bar.update(self._task, description=f"{self._player[:24]} {score} {bounds}")

    def _warn(self, name: str, line: str, kind: str) -> None:
        if (name, kind) not in self._warned:
            self._warned.add((name, kind))
            self.tell(f"{name}: {line}")


@dataclass
class RunEnd:
    """The end of a run: finished, stopped by a failing player, or else interrupted."""

    finished: bool = False
    stopped: MatchStopped | None = None

    @property
    def interrupted(self) -> bool:
        return not self.finished and self.stopped is None


@contextmanager
def run_to_end() -> Iterator[RunEnd]:
    """Catch Ctrl-C and a player that fails again and again in the body of the ``with``; raise all other errors."""
    end = RunEnd()
    try:
        with printed_failures():
            yield end
        end.finished = True
    except KeyboardInterrupt:
        pass
    except MatchStopped as error:
        end.stopped = error


@contextmanager
def printed_failures() -> Iterator[None]:
    """Print the last lines that a player wrote before it failed to start, and raise the error."""
    try:
        yield
    except CannotPlay as error:
        if error.lines:
            tell("\n".join(["the last lines of its standard error:", *(f"| {line}" for line in error.lines)]))
        raise


def games_before(folder: Path) -> int:
    """Return the number of games that a resumed match has; games that could not begin are played again."""
    return sum(not record.is_void for record in latest(read_records(folder, GameRecord)))
