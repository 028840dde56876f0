"""The queue: matches and experiments that wait, run, stop and go on, each in a folder of its own.

`kikashi experiment reproduce` and the page run the same entries. Whoever runs one holds the lock of its ``run.json``.
Its journal is enough to go on after any end of its process, a kill included. ``run.json`` has the entry itself, which
may wait for its first process, and the last line of its progress, or the reason of its failure.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from io import FileIO
from pathlib import Path
from threading import Event, Thread
from typing import Any, ClassVar, Literal

import msgspec

from kikashi.experiments.design_files import experiment_names
from kikashi.experiments.estimate import game_seconds
from kikashi.experiments.experiment import experiment_report, seconds_of
from kikashi.experiments.kind import Design
from kikashi.experiments.results import RunName, keep, restore, run_file, whole_journal
from kikashi.files import is_locked, lock
from kikashi.match.journal import FILE, parse_journal, read_header
from kikashi.match.match_report import match_report
from kikashi.match.one_game import GameRecord
from kikashi.match.progress import Progress
from kikashi.match.provenance import settings_of
from kikashi.match.results import Match
from kikashi.match.runner import run_match
from kikashi.match.settings import MatchSettings
from kikashi.match.summary import is_complete, latest
from kikashi.report import Document
from kikashi.wording import reason
from kikashi.workers.executors import Workers

RUN = "run.json"
DEPTH = 3
"""Levels of folders in which entries are found."""
MOST_ENTRIES = 500
JOURNAL_BYTES = 256 << 20
REPORTED = 1.0
"""Seconds between two lines of progress."""
HARMLESS = (
    *("direct", "games", "only", "oracle", "positions", "referee", "rounds", "seed", "simulations"),
    *("simulations_per_second", "size"),
)
"""Settings of an experiment that name no file and no program."""
State = Literal["waiting", "running", "stopped", "failed", "finished", "decided"]


class Taken(ValueError):
    """An entry that another process runs."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(f"another process is running {entry.title} in {entry.folder}")


class Status(msgspec.Struct, frozen=True):
    """The state and the extent of an entry."""

    state: State
    done: int = 0
    of: int = 0
    seconds: float | None = None
    """Estimated seconds of one core to its end; None if they are not known."""
    line: str = ""
    """The last line of its progress, or the reason of its failure."""

    @property
    def is_over(self) -> bool:
        return self.state in ("finished", "decided")

    def __str__(self) -> str:
        return "finished" if self.is_over else f"{self.done:,} of {self.of:,}"


class Entry(msgspec.Struct, frozen=True, tag="records"):
    """An entry in a folder. This class is for journals of an unknown kind, which are only shown."""

    place: str
    """The folder."""
    record_type: ClassVar[Any] = dict
    unit: ClassVar[str] = "results"

    @property
    def folder(self) -> Path:
        return Path(self.place)

    @property
    def title(self) -> str:
        return self.folder.name

    # --- its records ---

    def journal(self) -> bytes:
        """Return the content of its journal. Raises OSError."""
        return file.read_bytes() if (file := self.folder / FILE).exists() else b""

    def read(self) -> tuple[list[dict[str, Any]], list[Any]]:
        """Return headers and records; none if it has not begun. Raises ValueError and OSError."""
        headers, records = parse_journal(self.folder / FILE, self.journal(), self.record_type)
        return headers, records if self.record_type is dict else latest(records)

    def recorded(self) -> Status:
        """Return its state by its journal alone. Raises ValueError and OSError."""
        headers, records = self.read()
        of = int(headers[-1].get("steps", 0))
        return Status("finished" if of and len(records) >= of else "stopped", len(records), of)

    def report(self) -> Document | None:
        """Return its report; None if there are no results. Raises ValueError and OSError."""
        return None

    # --- its state ---

    def version(self) -> tuple[Any, ...]:
        """Return what changes whenever its journal does."""
        return (stat_of(self.folder / FILE),)

    @property
    def changed(self) -> float:
        """The time of its last change."""
        return max((found[1] for name in (RUN, FILE) if (found := stat_of(self.folder / name))), default=0)

    @property
    def is_running(self) -> bool:
        """Whether a process runs it; `kikashi match` and Python lock its journal alone."""
        return any(is_locked(self.folder / name) for name in (RUN, FILE))

    def status(self) -> Status:
        """Return its state."""
        is_running = self.is_running  # before its journal is read: it may end meanwhile
        try:
            found = _recorded(self, self.version())
        except (ValueError, OSError) as error:
            return Status("failed", line=reason(error))
        note = _read_note(self.folder)
        if is_running or (note.failed and not found.is_over):
            return msgspec.structs.replace(found, state="running" if is_running else "failed", line=note.line)
        return found

    # --- running ---

    def progress(self, cores: int) -> Progress:
        """Return the progress of a process that runs it from now on. Raises ValueError and OSError."""
        raise NotImplementedError

    def work(self, workers: Workers, listener: Any = None, tell: Any = None) -> None:
        """Run what is left of it. Raises as `run_match`."""
        raise NotImplementedError

    @contextmanager
    def hold(self) -> Iterator[Hold]:
        """Hold its lock, and note an error of the body as its failure. Raises Taken and OSError."""
        with _opened(self.folder / RUN) as file:
            if is_locked(self.folder / FILE):
                raise Taken(self)
            noted = _read_note(self.folder).entry  # the entry that has begun, whoever holds its folder for another
            hold = Hold(file, noted if noted is not None and any(self.version()) else self)
            hold.write()
            failure = ""
            try:
                yield hold
            except Exception as error:
                failure = reason(error)
                raise
            finally:
                hold.write(failure, failed=bool(failure))

    def leave(self) -> None:
        """Take it out of the queue if it has not begun. Raises Taken and OSError."""
        with _opened(self.folder / RUN):
            if not any(self.version()):
                (self.folder / RUN).unlink()
                if not any(self.folder.iterdir()):
                    self.folder.rmdir()


class MatchEntry(Entry, frozen=True, tag="match"):
    """A match, with or without a sequential test. Its players are texts."""

    settings: MatchSettings
    record_type: ClassVar[Any] = GameRecord
    unit: ClassVar[str] = "games"

    @property
    def title(self) -> str:
        return " – ".join(self.settings.names)

    def recorded(self) -> Status:
        (headers, games), of = self.read(), self.settings.total_games
        if is_complete(self.settings, games):
            return Status("finished" if len(games) >= of else "decided", len(games), of, 0.0)
        whole = sum(sum(game.seconds) for game in games) / len(games) * of if games else self._nominal_seconds()
        return Status("stopped" if headers else "waiting", len(games), of, whole * (1 - len(games) / of))

    def _nominal_seconds(self) -> float:
        chosen = self.settings
        specs = [each.with_defaults(chosen.simulations, chosen.seconds, clock=chosen.clock) for each in chosen.specs]
        players = dict(zip(chosen.names, specs, strict=True))
        pairings = chosen.all_pairings()
        return sum(
            each.games * game_seconds(chosen.size, players[each.first], players[each.second]) for each in pairings
        )

    def report(self) -> Document | None:
        headers, games = self.read()
        match = Match(self.settings, tuple(games), self.folder)
        return match_report(match.records, match.summary, headers) if games else None

    def progress(self, cores: int) -> Progress:
        before = [game for game in self.read()[1] if not game.is_void]
        estimate = self._nominal_seconds() / cores
        size, total = self.settings.size, self.settings.total_games
        return Progress(total, size=size, folder=self.folder, before=len(before), estimate=estimate)

    def work(self, workers: Workers, listener: Any = None, tell: Any = None) -> None:
        resume = bool(self.read()[0])
        run_match(self.settings, self.folder, workers, resume=resume, listener=listener, tell=tell)


class ExperimentEntry(Entry, frozen=True, tag="experiment"):
    """An experiment."""

    name: RunName
    results: str = ""
    """The folder in which its journal is kept, too."""

    @property
    def design(self) -> Design:
        """Its design. Raises ValueError and OSError."""
        return _design(self.name)

    @property
    def kind(self) -> str:
        """The kind of its journal."""
        return self.design.journal_kind or self.design.kind

    @property
    def record_type(self) -> Any:
        return self.design.record_type

    @property
    def unit(self) -> str:  # type: ignore[override]
        return self.design.unit

    @property
    def title(self) -> str:
        try:
            return self.design.title
        except (ValueError, OSError):  # its state says why
            return self.name.label

    def journal(self) -> bytes:
        return whole_journal(self.name, self.folder, Path(self.results)) if self.results else super().journal()

    def version(self) -> tuple[Any, ...]:
        kept = stat_of(run_file(self.name, Path(self.results))) if self.results else None
        return *super().version(), kept

    def recorded(self) -> Status:
        headers, records = self.read()
        seconds = seconds_of(self.design, 1)
        if not headers:
            return Status("waiting", 0, self.design.steps, seconds)
        done, of, is_over = self.design.done(headers[-1], records)
        return Status(
            "finished" if is_over else "stopped", done, of, 0.0 if is_over else seconds * (1 - done / max(1, of))
        )

    def report(self) -> Document | None:
        records = self.counting()
        return experiment_report(self.design, records).document if records else None

    def counting(self) -> Sequence[Any]:
        """Return the records that count in a report. Raises ValueError and OSError."""
        headers, records = self.read()
        is_over = bool(headers) and self.design.done(headers[-1], records)[2]
        return records if is_over else self.design.complete(records)

    def progress(self, cores: int) -> Progress:
        return self.design.progress(self.folder, seconds_of(self.design, cores))

    def work(self, workers: Workers, listener: Any = None, tell: Any = None) -> None:
        self.design.run(self.folder, workers, listener, tell)

    @contextmanager
    def hold(self) -> Iterator[Hold]:
        with super().hold() as hold:
            if self.results:
                restore(self.name, self.folder, Path(self.results))
            try:
                yield hold
            finally:
                if self.results:
                    keep(self.name, self.folder, Path(self.results))


AnyEntry = Entry | MatchEntry | ExperimentEntry


class Hold:
    """The lock of an entry, held by this process."""

    def __init__(self, file: FileIO, entry: Entry) -> None:
        self._file, self._entry = file, entry

    def write(self, line: str = "", *, failed: bool = False) -> None:
        """Note the last line of progress, or of the failure, for other processes."""
        data = msgspec.json.encode(Note(self._entry, line, failed)) + b"\n"  # a reader takes the first line
        os.pwrite(self._file.fileno(), data, 0)
        self._file.truncate(len(data))

    @contextmanager
    def following(self, progress: Progress) -> Iterator[None]:
        """Note the progress while the body runs."""
        ended = Event()

        def follow() -> None:
            while not ended.wait(REPORTED):
                progress.look()
                self.write(str(progress) if progress.has_begun else "getting ready")

        thread = Thread(target=follow, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


class Note(msgspec.Struct, omit_defaults=True):
    """The content of a ``run.json``."""

    entry: AnyEntry | None = None
    line: str = ""
    failed: bool = False


def _read_note(folder: Path) -> Note:
    """Return the note in a folder; an empty one if there is none that can be read."""
    try:
        return _NOTES.decode((folder / RUN).read_bytes().partition(b"\n")[0])
    except (OSError, msgspec.DecodeError):
        return Note()


_NOTES = msgspec.json.Decoder(Note)


@contextmanager
def _opened(path: Path) -> Iterator[FileIO]:
    """Open and lock a ``run.json``. Raises Taken and OSError."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0) as file:
            if not lock(file):
                raise Taken(_read_note(path.parent).entry or Entry(str(path.parent)))
            if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):  # else it was just removed
                yield file
                return


def run_entry(entry: Entry, workers: Workers) -> None:
    """Run what is left of an entry, and write its report, also if it is interrupted.

    Raises Taken, and as `run_match`.
    """
    with entry.hold() as hold:
        progress = entry.progress(workers.count)
        try:
            with hold.following(progress):
                entry.work(workers, lambda it: progress.note(len(it.moves) if isinstance(it, GameRecord) else 0))
        finally:
            if (document := entry.report()) is not None:
                document.write(entry.folder)


@lru_cache(1024)
def _design(name: RunName) -> Design:
    return name.design()


@lru_cache(1024)
def _recorded(entry: Entry, _version: tuple[Any, ...]) -> Status:
    return entry.recorded()


def stat_of(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


# --- entries of a folder ----------------------------------------------------------------------------------------------


def find_entries(place: Path) -> dict[str, Entry]:
    """Return the entries below a folder by the names of their folders. Links are not followed."""
    found: dict[str, Entry] = {}
    for path, inner, _ in os.walk(place):
        name = os.path.relpath(path, place)
        inner[:] = sorted(inner) if len(Path(name).parts) < DEPTH else []
        if len(found) < MOST_ENTRIES and (entry := entry_in(Path(path))) is not None:
            found[name] = entry
    return found


def entry_in(folder: Path) -> Entry | None:
    """Return the entry in a folder, or None. An experiment of other files or programs is only shown by its records."""
    note, journal = folder / RUN, folder / FILE
    if note.is_symlink() or journal.is_symlink() or (stat_of(journal) or (0,))[0] > JOURNAL_BYTES:
        return None
    return _entry_in(folder, stat_of(note), stat_of(journal))


@lru_cache(1024)
def _entry_in(folder: Path, _note: Any, journal: Any) -> Entry | None:
    noted, (name, _, scale) = _read_note(folder).entry, folder.name.rpartition("-")
    try:
        header = read_header(folder) if journal else {}
        known = noted if isinstance(noted, ExperimentEntry) and is_harmless(noted.name) else None
        if known is not None and header.get("kind", known.kind) == known.kind:
            return ExperimentEntry(str(folder), known.name)
        if not header:
            return MatchEntry(str(folder), noted.settings) if isinstance(noted, MatchEntry) else None
        if name in experiment_names() and float(scale) > 0:
            return ExperimentEntry(str(folder), RunName(experiment=name, scale=float(scale)))
        return MatchEntry(str(folder), settings_of(header)) if header.get("kind") == "match" else Entry(str(folder))
    except (ValueError, OSError):  # not a journal of ours, or gone in between
        return None


def is_harmless(name: RunName) -> bool:
    """Return whether an experiment is one of the package, with no files and programs but its own."""
    changed = {change.partition("=")[0].strip() for change in name.overrides}
    return name.experiment in experiment_names() and changed.issubset(HARMLESS)
