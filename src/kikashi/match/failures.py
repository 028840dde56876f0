"""What may go wrong with a worker or a player in a match, and what is said about it."""

from __future__ import annotations

import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from kikashi.match.one_game import GameRecord, GameTask
from kikashi.match.player_spec import Contestant
from kikashi.workers.pauses import pauses
from kikashi.workers.processes import WorkerDied
from kikashi.workers.watchdog import has_timed_out, note_path, remove_note

SEEN_AFTER = 5.0
"""Seconds after which the end of a worker has been seen."""


class MatchStopped(ValueError):
    """A match that stops because a player fails again and again; what was played is kept."""


def plugins_told(players: Iterable[Contestant]) -> str:
    """``; plugins that were loaded: corner.py: try kikashi check-plugin corner.py``, or nothing without plugins."""
    files = list(dict.fromkeys(plugin.file for player in players for plugin in player.plugins))
    if not files:
        return ""
    advice = " and ".join(f"kikashi check-plugin {shlex.quote(file)}" for file in files)
    return f"; plugins that were loaded: {', '.join(files)}: try {advice}"


def about_game(task: GameTask) -> str:
    """What is said about a game at which a worker died: its number, its players and their plugins."""
    players = (task.black, task.white)
    return f" in game {task.number} ({' – '.join(player.name for player in players)}){plugins_told(players)}"


def late_game(folder: Path, task: GameTask) -> GameRecord | None:
    """What a game came to in which a player of a worker's own process did not answer; None if that did not happen.

    Nothing is left of the worker's notes about the game.
    """
    note = note_path(folder, task.number)
    try:
        if has_timed_out(note):
            return msgspec.json.decode(note.read_bytes(), type=GameRecord)
    except (OSError, msgspec.DecodeError):
        pass
    finally:
        remove_note(note)
    return None


def settle_game(folder: Path, task: GameTask, error: Exception, tell: Callable[[str], None]) -> GameRecord | None:
    """What a game came to whose worker died; None if it is to be played again, which is told.

    A time-out does not count if we were stopped meanwhile, because then the worker was too.
    """
    if (late := late_game(folder, task)) is not None:
        if not was_stopped(task.settings.timeout):
            return late
        tell(f"everything stood still for a while in game {task.number}; the game is played again")
        return None
    if isinstance(error, WorkerDied):
        error.about = about_game(task)
        tell(f"{error}; the game is played again")
    return None


def forget_unseen(folder: Path, tasks: Iterable[GameTask], tell: Callable[[str], None]) -> None:
    """Forget what workers have left of games whose end nobody saw; of a time-out it is told.

    A time-out counts only time in which whoever watches ran too. Here nobody knows: the whole machine may have been
    stopped. A player that hangs will do so again.
    """
    for task in tasks:
        if note_path(folder, task.number).exists() and late_game(folder, task) is not None:
            tell(f"nobody saw the time-out in game {task.number}; the game is played again")


def was_stopped(timeout: float) -> bool:
    """Whether this process was stopped while a time-out ran that has just ended."""
    return pauses().since(time.perf_counter() - timeout - SEEN_AFTER) > 0


class Failures:
    """Counts the games in a row that each player has forfeited or could not begin."""

    def __init__(self, most: int, advice: str = "--resume goes on, with --forfeits for another number") -> None:
        """`advice` ends what is said when it has been too many."""
        self._most, self._advice = most, advice
        self._in_a_row: Counter[str] = Counter()

    def note(self, record: GameRecord) -> None:
        """Take note of a game. Raises MatchStopped if a player has failed too often."""
        for name in (record.black, record.white):
            if name != record.failed:
                if record.failed is None:
                    self._in_a_row[name] = 0
                continue
            self._in_a_row[name] += 1
            if self._in_a_row[name] >= self._most:
                games = f"{self._most} games in a row" if self._most > 1 else "a game"
                raise MatchStopped(
                    f"{name} forfeited {games} or could not begin them, the last one because of {record.reason}; "
                    + self._advice
                )
