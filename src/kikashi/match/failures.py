"""Failures in a match: workers that die, players that hang or forfeit, and the messages about them."""

import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from kikashi.match.match_player import MatchPlayer
from kikashi.match.one_game import GameRecord, GameTask
from kikashi.workers.processes import WorkerDied
from kikashi.workers.watchdog import has_timed_out, note_path, pauses, remove_note

NOTICED_AFTER = 5.0
"""Seconds after which the end of a worker has been noticed."""


class MatchStopped(ValueError):
    """A match that stops because a player fails again and again; what was played is kept."""


def plugin_advice(players: Iterable[MatchPlayer]) -> str:
    """Return ``; plugins that were loaded: corner.py: try kikashi check-plugin corner.py``, or nothing without any."""
    files = list(dict.fromkeys(plugin.file for player in players for plugin in player.plugin_files))
    if not files:
        return ""
    advice = " and ".join(f"kikashi check-plugin {shlex.quote(file)}" for file in files)
    return f"; plugins that were loaded: {', '.join(files)}: try {advice}"


def timed_out_game(folder: Path, task: GameTask) -> GameRecord | None:
    """Return the record of a game in which a preset timed out, or None; remove the worker's note about the game."""
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
    """Return the record of a game whose worker died, or None to play it again, with a message.

    A time-out does not count if this process was stopped meanwhile, because then the worker was too.
    """
    if (record := timed_out_game(folder, task)) is not None:
        if not was_stopped(task.settings.timeout):
            return record
        tell(f"everything stood still for a while in game {task.number}; the game is played again")
        return None
    if isinstance(error, WorkerDied):
        players = (task.black, task.white)
        names = " – ".join(player.name for player in players)
        error.about = f" in game {task.number} ({names}){plugin_advice(players)}"
        tell(f"{error}; the game is played again")
    return None


def remove_old_notes(folder: Path, tasks: Iterable[GameTask], tell: Callable[[str], None]) -> None:
    """Remove notes of an earlier run about games that did not end, with a message about a time-out.

    A time-out counts only time in which the parent ran too. Here that is not known: the whole machine may have been
    stopped. A player that hangs will do so again.
    """
    for task in tasks:
        if note_path(folder, task.number).exists() and timed_out_game(folder, task) is not None:
            tell(f"nobody saw the time-out in game {task.number}; the game is played again")


def was_stopped(timeout: float) -> bool:
    """Return whether this process was stopped while a time-out ran that has just ended."""
    return pauses().since(time.perf_counter() - timeout - NOTICED_AFTER) > 0


class Failures:
    """Numbers of games in a row that each player has forfeited or could not begin."""

    def __init__(self, most: int, advice: str = "--resume goes on, with --forfeits for another number") -> None:
        """`advice` ends the message when there were too many."""
        self._most, self._advice = most, advice
        self._in_a_row: Counter[str] = Counter()

    def note(self, record: GameRecord) -> None:
        """Count a game. Raises MatchStopped if a player has failed too often."""
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
