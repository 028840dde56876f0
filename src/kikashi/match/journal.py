"""The journal of a match or another study: a file of JSON lines that only grows.

The first line is a header with kind, settings and versions. A run that goes on in another way, with more games or on
another machine, adds a header, and the last one holds. A result counts when its line is complete and on the disk. A
line that was cut off by a crash is thrown away, and its work is done again.

The last field of a line, ``crc32``, is the checksum of the line without it, eight hexadecimal digits. Lines of version
0.2 and before have none, and are taken as they are.
"""

import json
import os
import re
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import msgspec

from kikashi.engine.old_names import current_players
from kikashi.files import lock, remove_unfinished
from kikashi.wording import explain
from kikashi.workers.executors import Workers, run_all

Record = TypeVar("Record")
FILE = "journal.jsonl"
SUBFOLDERS = ("games", "logs", "files")
"""Folders beside a journal that only its own process writes to."""
_HEAD = b'{"kind":'
"""Beginning of a header."""
_CHECKSUM = re.compile(rb',"crc32":"([0-9a-f]{8})"}$')
"""End of a line."""


class JournalError(ValueError):
    """A journal that cannot be used; one line says why."""


class Journal(Generic[Record]):
    """The journal of a folder: a header, then a line for each result.

    One process at a time may have it open. Use it as a context manager.
    """

    def __init__(
        self,
        folder: Path,
        header: Mapping[str, Any],
        kind: type[Record],
        *,
        resume: bool,
        upgrade: Callable[[dict[str, Any]], dict[str, Any]] = dict,
        free: Collection[str] = (),
    ) -> None:
        """`upgrade` makes a header of an older version one of this; `free` settings may change."""
        self.folder = folder
        self._upgrade = upgrade
        self._free = free
        self._kind = kind
        path = folder / FILE
        if resume and not path.exists():
            raise JournalError(f"{folder} has no {FILE}: there is nothing to resume")
        if not resume:
            refuse_begun(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115
        try:
            if not lock(self._file):
                raise JournalError(f"another process is writing to {folder}")
            remove_unfinished(folder, SUBFOLDERS)
            self.records: list[Record] = self._read(path, header) if path.stat().st_size else []
            if not path.stat().st_size:
                self._append(header)
                _to_disk(folder)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _read(self, path: Path, header: Mapping[str, Any]) -> list[Record]:
        lines = _whole_lines(path)
        whole = sum(len(line) + 1 for line in lines)
        if path.stat().st_size > whole:  # a line was cut off; a whole journal stays untouched
            self._file.truncate(whole)
        if lines:
            before = _decode(path, lines, Any, headers=True)[-1]
            is_ours = isinstance(before, dict) and before.get("kind") == header["kind"]
            check_same(self.folder, self._upgrade(before) if is_ours else before, header, self._free)
        return _decode(path, lines, self._kind)

    def advance(self, header: Mapping[str, Any]) -> None:
        self._append(header)

    def append(self, record: Record) -> None:
        """Write a result to the disk before returning. Raises OSError, for example of a full disk."""
        self._append(record)
        self.records.append(record)

    def _append(self, line: Any) -> None:
        end = os.fstat(self._file.fileno()).st_size
        data = _with_checksum(msgspec.json.encode(line)) + b"\n"
        try:
            self._write_rest(data, end)
        except OSError:  # a full disk
            self._file.truncate(end)
            raise
        except BaseException:  # Ctrl-C: a finished game is not lost
            self._write_rest(data, end)
            raise

    def _write_rest(self, data: bytes, end: int) -> None:
        """Write the rest of the line that begins at `end`. If this is interrupted once more, reading throws the torn
        line away."""
        while left := data[os.fstat(self._file.fileno()).st_size - end :]:
            self._file.write(left)
        os.fsync(self._file.fileno())


def refuse_begun(folder: Path) -> None:
    """Raise JournalError if a folder has a journal."""
    if is_begun(folder):
        raise JournalError(f"{folder} was begun already; go on with --resume {folder}")


def is_begun(folder: Path) -> bool:
    """Return whether a folder has a journal; one whose very beginning was cut off is none."""
    path = folder / FILE
    if not path.exists():
        return False
    with path.open("rb") as file:
        return file.readline().endswith(b"\n")


def read_header(folder: Path) -> dict[str, Any]:
    """Return the last header of a folder's journal. Raises JournalError."""
    return read_headers(folder)[-1]


def require_match(folder: Path) -> None:
    """Raise JournalError if a folder has no match, or is not there."""
    if not folder.is_dir():
        raise JournalError(f"there is no folder {folder}")
    if not (folder / FILE).exists():
        raise JournalError(f"there is no match in {folder}: it has no {FILE}")


def read_headers(folder: Path) -> list[dict[str, Any]]:
    """Return all headers of a folder's journal, at least one. Raises JournalError."""
    path = folder / FILE
    if not path.exists():
        raise JournalError(f"{folder} has no {FILE}: there is nothing to resume")
    lines = _whole_lines(path)
    if not lines:
        raise JournalError(f"{path} is empty: nothing was begun, say again what to do")
    return _headers(path, lines)


def read_records(folder: Path, kind: type[Record]) -> list[Record]:
    """Return the results in a folder's journal, also while it is being written. Raises JournalError."""
    read_headers(folder)
    return _decode(folder / FILE, _whole_lines(folder / FILE), kind)


def parse_journal(path: Path, content: bytes, kind: Any) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return the headers and the results in the content of a journal's file. Raises JournalError."""
    lines = content.split(b"\n")[:-1]
    return _headers(path, lines), _decode(path, lines, kind)


def _headers(path: Path, lines: list[bytes]) -> list[dict[str, Any]]:
    found = _decode(path, lines, Any, headers=True)
    if not all(isinstance(header, dict) for header in found):
        raise JournalError(f"{path} is not a journal of ours")
    return found


def _whole_lines(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")[:-1]


def _decode(path: Path, lines: list[bytes], kind: Any, *, headers: bool = False) -> list[Any]:
    """Decode the headers, or the results; the first line is always a header."""
    numbered = ((number, line, number == 1 or line.startswith(_HEAD)) for number, line in enumerate(lines, 1))
    return [read_json(path, line, kind, number) for number, line, is_header in numbered if is_header == headers]


def read_json(path: Path, line: bytes, kind: Any = Any, number: int = 1) -> Any:
    """Decode a line of a journal. Raises JournalError if it cannot be one, or is not as it was written."""
    if (checksum := _CHECKSUM.search(line)) is not None:
        line = line[: checksum.start()] + b"}"
        if zlib.crc32(line) != int(checksum[1], 16):
            raise JournalError(f"{path} is damaged in line {number}: its checksum is another")
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.ValidationError as error:
        raise JournalError(f"{path} is damaged in line {number}: {explain(error, kind)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise JournalError(f"{path} is damaged in line {number}: this is not JSON") from None


def _with_checksum(line: bytes) -> bytes:
    """Return a line, an object with at least one field, with its checksum as the last field."""
    return line[:-1] + b',"crc32":"%08x"}' % zlib.crc32(line)


def check_same(folder: Path, before: Any, now: Mapping[str, Any], free: Collection[str] = ()) -> None:
    """Raise JournalError if a journal was begun for something else, `free` settings and versions aside.

    ``files`` of a header has the identities of players that name files; headers of older versions may not have it.
    """
    if not isinstance(before, dict) or before.get("kind") != now["kind"]:
        raise JournalError(f"{folder} does not hold a {now['kind']}")
    texts = (msgspec.json.encode(header.get("settings", {})).decode() for header in (before, now))
    old, new = (msgspec.json.decode(current_players(text)) for text in texts)
    for key in [*new, *(key for key in old if key not in new)]:
        if key not in free and old.get(key) != new.get(key):
            raise JournalError(
                f"{folder} was begun with {key} {_short(old.get(key))}, not {_short(new.get(key))}: "
                "resume it as it was, or begin in another folder"
            )
    files = before.get("files", {})
    for player, identity in now.get("files", {}).items():
        if files.get(player, identity) != identity:
            raise JournalError(
                f"{folder} was begun with other files of {player} (preset, plugins or weights): "
                "restore them, or begin in another folder"
            )


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"


def _to_disk(folder: Path) -> None:
    """Make sure that a new file in a folder outlives a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def work_off(
    journal: Journal[Any],
    tasks: Sequence[Any],
    work: Callable[[Any], Any],
    workers: Workers,
    listener: Callable[[Any], None],
) -> list[Any]:
    """Run the numbered tasks that have no result in a journal yet, and return all results by number.

    `listener` receives every result, those of an earlier run first.
    """
    for known in journal.records:
        listener(known)
    done = {known.number for known in journal.records}

    def note(found: Any) -> None:
        journal.append(found)
        listener(found)

    run_all([task for task in tasks if task.number not in done], work, workers, note)
    return sorted(journal.records, key=lambda record: record.number)
