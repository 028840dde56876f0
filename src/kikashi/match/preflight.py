"""Preflight of a match: every player is started and compiled, and engines make one move.

One that cannot play stops the match before it has begun, with its last lines on standard error.
"""

import tempfile
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kikashi.files import write_whole
from kikashi.match.failures import plugin_advice, was_stopped
from kikashi.match.game_players import EnginePlayer, log_folder, signature
from kikashi.match.match_player import FileChanged, MatchPlayer
from kikashi.match.settings import MatchSettings
from kikashi.protocols.gtp.controller import EngineError
from kikashi.workers.executors import WorkerPool
from kikashi.workers.watchdog import Watchdog, has_timed_out, note_path

PATIENCE = 3
"""Time-out of a start, in time-outs of an answer: something may have to be compiled."""


class CannotPlay(ValueError):
    """A player that cannot play; `lines` are its last ones on standard error."""

    def __init__(self, message: str, lines: Sequence[str] = ()) -> None:
        super().__init__(message, tuple(lines))
        self.lines = tuple(lines)

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class StartTask:
    number: int
    player: MatchPlayer
    settings: MatchSettings
    folder: str
    """For notes and logs."""


@dataclass(frozen=True)
class Started:
    """A player that can play."""

    name: str
    version: str = ""
    """Name and version of an engine, by itself."""
    log: str = ""
    """Its standard error."""
    signature: str = ""
    """A hash of how a preset plays."""


def start_players(players: Sequence[MatchPlayer], settings: MatchSettings, pool: WorkerPool) -> list[Started]:
    """Start every player once, and end it. Raises CannotPlay for one that cannot play."""
    found: list[Started] = []
    with tempfile.TemporaryDirectory(prefix="kikashi-") as folder:

        def settle(task: StartTask, error: BrokenExecutor) -> None:
            if getattr(error, "signal", "") == "SIGKILL":
                return  # somebody else did that: it is tried again
            why = f"{error} when it was started"
            if has_timed_out(note_path(folder, task.number)):
                if was_stopped(_patience(settings)):
                    return
                why = f"it was not ready in {_patience(settings):g} seconds"
            raise CannotPlay(f"{task.player.name} cannot play: {why}{plugin_advice([task.player])}")

        tasks = [StartTask(number, player, settings, folder) for number, player in enumerate(players)]
        pool.run(tasks, start, found.append, settle=settle)
    return found


def _patience(settings: MatchSettings) -> float:
    return PATIENCE * settings.timeout


def start(task: StartTask) -> Started:
    """Start a player, perhaps in another process, and end it. Raises CannotPlay."""
    player = task.player
    if player.command:
        return _start_engine(task)
    try:
        with Watchdog(note_path(task.folder, task.number), _patience(task.settings)) as watch:
            watch.arm(bytes)
            found = signature(player, task.settings.size)
    except FileChanged:
        raise
    except (ValueError, OSError) as error:
        raise CannotPlay(f"{player.name} cannot play: {error}") from error
    return Started(player.name, signature=found)


def _start_engine(task: StartTask) -> Started:
    player, log = task.player, Path(task.folder) / f"{task.number}.txt"
    game = task.settings.after(())
    try:
        engine = EnginePlayer(player, game, 1, _patience(task.settings), log)
    except EngineError as error:
        lines = [line for note in getattr(error, "__notes__", []) for line in note.splitlines()]
        raise CannotPlay(f"{player.name} cannot play: {error}", lines) from error
    try:
        words = [engine.answer(command) for command in ("name", "version")]
        engine.genmove(game)
    except EngineError as error:
        raise CannotPlay(f"{player.name} cannot play: {error}", engine.stderr_tail()) from error
    finally:
        engine.close()
    text = log.read_text("utf-8", "replace") if log.exists() else ""
    return Started(player.name, " ".join(filter(None, words)), text)


def keep_logs(folder: Path, started: Sequence[Started]) -> None:
    """Keep the standard error of the players' starts among their logs."""
    for one in started:
        if one.log:
            write_whole(log_folder(folder, one.name) / "start.txt", one.log)


def drop_empty_logs(folder: Path) -> None:
    """Remove the folders of players that have written nothing."""
    for path in [*(folder / "logs").glob("*"), folder / "logs"]:
        with suppress(OSError):  # there are logs, or there is no such folder
            path.rmdir()
