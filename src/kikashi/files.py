"""Files written whole or not at all: games, reports and pictures; and locks of files."""

import fcntl
import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

LOCK_SECONDS = 0.5
"""Seconds to wait for a file that another process has locked."""
_PART = re.compile(r"\..*\.[0-9a-f]{16}\.part", re.DOTALL)
"""Names of files that are being written."""


def write_whole(path: str | os.PathLike[str], content: str | bytes, *, make_folders: bool = True) -> None:
    """Write a file, so that after a crash, a kill or on a full disk the old one is still there. Raises OSError.

    Text is written as UTF-8. A device such as ``/dev/stdout`` is simply written to. A link stays a link.
    """
    file = Path(path).resolve()
    data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    if file.exists() and not file.is_file():
        file.write_bytes(data)
        return
    if make_folders:
        file.parent.mkdir(parents=True, exist_ok=True)
    # The name cannot be guessed, and cut: a folder limits its bytes. A link that somebody has made is not followed.
    start = os.fsencode(file.name)[:200].decode("utf-8", "ignore")
    part = file.with_name(f".{start}.{secrets.token_hex(8)}.part")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as written:
            try:
                if file.exists():
                    os.fchmod(written.fileno(), stat.S_IMODE(file.stat().st_mode))  # before there is anything to read
                written.write(data)
                written.flush()
                os.fsync(written.fileno())
                part.replace(file)
            finally:
                with suppress(OSError):
                    part.unlink(missing_ok=True)
    except OSError as error:  # of the file, not of its part
        raise type(error)(error.errno, error.strerror, str(path)) from error


def check_writable(path: Path) -> None:
    """Raise OSError if a file could not be written whole, before a long game rather than after it."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; a file is needed")
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no folder {path.absolute().parent}")
    is_device = path.exists() and not path.is_file()
    if not os.access(path if path.exists() else path.parent, os.W_OK) or not (
        is_device or os.access(path.resolve().parent, os.W_OK)
    ):
        raise PermissionError(f"cannot write {path}")


def free_name(path: Path) -> Path:
    """Return this path, or the next one that is free if it is a file: ``game-2.sgf`` after ``game.sgf``."""
    found, number = path, 1
    while found.is_file():
        number += 1
        found = path.with_stem(f"{path.stem}-{number}")
    return found


def remove_unfinished(folder: Path, subfolders: Iterable[str] = ()) -> None:
    """Remove unfinished files of a killed process from a folder and below some subfolders.

    No other process may be writing there. Raises OSError.
    """
    deep = (path for name in subfolders for path in (folder / name).rglob(".*.part"))
    for path in (*folder.glob(".*.part"), *deep):
        if _PART.fullmatch(path.name):
            path.unlink(missing_ok=True)


def lock(file: Any) -> bool:
    """Lock an open file until it is closed; return False if another process has it.

    A process that has just begun shares its parent's lock until it is another program, so the lock of a process that
    has ended may be free only a moment later.
    """
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() > until:
                return False
        time.sleep(0.02)


def is_locked(path: Path) -> bool:
    """Return whether a file is there and locked."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def digest_of(data: bytes) -> str:
    """Return a short hash of a file's content."""
    return hashlib.sha256(data).hexdigest()[:16]
