"""Progress of a match or a study: results, moves of the games in progress, and the time left.

Workers note the moves of their games for the watchdog (`kikashi.workers.watchdog`). So the time left is known before
the first game has ended.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from kikashi.wording import counted, plural
from kikashi.workers.watchdog import FOLDER

MAX_OF_A_GAME = 0.95
"""A game that is longer than expected counts as nearly ended."""
MIN_COMPLETED = 0.02
"""Part of a game, or of a study, after which the time left follows from the measured speed."""
MOVES_PER_POINT = 1.2
"""Moves of a game, of both sides, by points of the board."""


def notes_in(folder: Path) -> dict[Path, int]:
    """Return the notes of workers in a match's folder, and when each was written."""
    found = {}
    for note in sorted((folder / FOLDER).glob("*.json")):
        with suppress(OSError):  # it has just ended
            found[note] = note.stat().st_mtime_ns
    return found


def moves_made(folder: Path, left: Mapping[Path, int] | None = None) -> list[int]:
    """Return the moves of each game in progress, by the notes in a match's folder except those of an earlier run."""
    found = []
    for note, written in notes_in(folder).items():
        if left is not None and left.get(note) == written:
            continue
        try:
            found.append(len(msgspec.json.decode(note.read_bytes())["moves"]))
        except (OSError, msgspec.DecodeError, KeyError, TypeError):  # it has just ended, or is just being written
            continue
    return found


@dataclass
class Progress:
    """Results and running games of a match or a study."""

    total: int
    unit: str = "games"
    size: int = 0
    """Board size, if games are played."""
    folder: Path | None = None
    """Folder with the notes of workers."""
    estimate: float | None = None
    """Seconds for all of it, by nominal speeds; shown until more is known."""
    before: int = 0
    """Results of an earlier run: they say nothing about our speed."""
    clock: Callable[[], float] = time.monotonic
    done: int = 0
    running: list[int] = field(default_factory=list)
    """Moves of the games in progress."""
    _moves: int = 0
    """Moves of all games that have ended."""
    _since: float | None = None
    """Time of the first work: compiling is not counted."""
    _left: dict[Path, int] = field(default_factory=dict)
    """Notes of a run that was interrupted."""

    def __post_init__(self) -> None:
        self._left = {} if self.folder is None else notes_in(self.folder)

    def note(self, moves: int = 0) -> None:
        """Count a result, of a game with its moves."""
        self.done += 1
        self._moves += moves
        self._see_work(is_new=self.done > self.before)

    def look(self) -> None:
        """Count the moves of the games in progress."""
        self.running = moves_made(self.folder, self._left) if self.folder is not None else []
        self._see_work(is_new=any(self.running))

    def _see_work(self, *, is_new: bool) -> None:
        if is_new and self._since is None:
            self._since = self.clock()

    @property
    def has_begun(self) -> bool:
        """Return whether any work was done; before that players are started and kernels compiled."""
        return self._since is not None

    @property
    def completed(self) -> float:
        """Results, and parts of those to come."""
        expected = self._moves / self.done if self._moves else expected_moves(self.size)
        return self.done + sum(min(MAX_OF_A_GAME, moves / max(1.0, expected)) for moves in self.running)

    @property
    def left(self) -> float | None:
        """Seconds left, by our own speed so far, or else by the estimate; None if neither is known."""
        completed = max(self.completed, self.before)  # results that were there already are noted at the start
        rest, made = max(0.0, self.total - completed), completed - self.before
        if self._since is not None and made >= MIN_COMPLETED and (elapsed := self.clock() - self._since) > 0:
            return rest * elapsed / made
        return None if self.estimate is None else self.estimate * rest / max(1, self.total)

    @property
    def state(self) -> str:
        """``3 running, about 2 h left``."""
        parts = [f"{len(self.running)} running ({plural(sum(self.running), 'move')})"] if self.running else []
        if self.done < self.total and (left := self.left) is not None:
            parts.append(f"{duration(left)} left")
        return ", ".join(parts)

    def __str__(self) -> str:
        return ", ".join(
            filter(None, [f"{max(self.done, self.before):,} of {counted(self.total, self.unit)}", self.state])
        )


def expected_moves(size: int) -> float:
    """Return the nominal length of a game, in moves of both sides."""
    return MOVES_PER_POINT * size**2


def duration(seconds: float) -> str:
    """Return ``about 3 h``: one rounded number."""
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 1.5 * length:
            return f"about {seconds / length:.0f} {unit}"
    return f"about {max(1.0, seconds):.0f} s"
