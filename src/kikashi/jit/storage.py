"""Files of the cache, which only this user can have written and which are whole.

Loading an entry runs code: it is a pickle with machine code in it. So a folder or a file is used only if it belongs to
this user, or to root, and others cannot write to it. `TRUST` switches this off. Each entry begins with a hash of the
rest: a flipped bit in machine code would end the process.
"""

import glob
import grp
import hashlib
import os
import pickle
import pwd
import stat
import sys
import tempfile
import uuid
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile

TRUST = "KIKASHI_TRUST_CACHE"
"""Environment variable, 1 where a cache is shared on purpose."""
MARK = "CACHEDIR.TAG"
"""File that marks a folder of ours, which programs for backups know as well (bford.info/cachedir)."""
MARKED = b"Signature: 8a477f597d28d172789f06886806bc55\n# Compiled kernels of kikashi: remove them at will.\n"
DIGEST = 32
"""Bytes of the hash of an entry."""


def objection(status: os.stat_result) -> str:
    """Return a reason not to load from a folder or file; empty if there is none."""
    if is_trusted():
        return ""
    if status.st_uid not in (os.geteuid(), 0):
        with suppress(KeyError):
            return f"it belongs to another user ({pwd.getpwuid(status.st_uid).pw_name})"
        return f"it belongs to another user ({status.st_uid})"
    others = stat.S_IWOTH if _is_own_group(status.st_gid) else stat.S_IWOTH | stat.S_IWGRP
    is_sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX  # as /tmp: each writes only their own
    return "other users can write to it" if status.st_mode & others and not is_sticky else ""


def is_trusted() -> bool:
    """Return whether the user trusts all who can write to the cache."""
    return os.environ.get(TRUST) == "1"


def trusted_folder(version: str) -> Path:
    """Return the folder of one version's kernels. If the user's cannot be used, it is a private one, with a notice."""
    root = _user_folder()
    if root is None:
        reason = "compiled kernels have no place to be kept: there is no home directory"
    else:
        kernels = root / "kernels"
        reason = _objection_to(kernels) or _objection_to(kernels / version)
        if not reason:
            return kernels / version
        reason = f"no compiled kernels are taken from {kernels}: {reason}"
    private = _private_folder()
    advice = "KIKASHI_CACHE names a folder" if root is None else f"{TRUST}=1 if you trust all who can write there"
    say_once(f"kikashi: {reason}; {private} is used instead ({advice})")
    os.environ["KIKASHI_CACHE"] = str(private)  # for processes that this one starts
    return private / "kernels" / version


def make_folder(folder: Path) -> None:
    """Make a folder that only this user can write to, unless the cache is shared. Raises OSError."""
    folder.parent.parent.mkdir(parents=True, exist_ok=True)
    for each in (folder.parent, folder):
        each.mkdir(mode=0o777 if is_trusted() else 0o755, exist_ok=True)
    if not is_marked(folder):
        (folder / MARK).write_bytes(MARKED)


def is_marked(folder: Path) -> bool:
    """Return whether a folder was made for compiled kernels: no other may be removed."""
    try:
        return (folder / MARK).read_bytes() == MARKED
    except OSError:
        return False


def digest(path: str, content: bytes | memoryview) -> bytes:
    """Return a hash of an entry with its name and its folder's: no entry can stand in for another."""
    name = "/".join(Path(path).parts[-2:]).encode()
    return hashlib.blake2b(name + content, digest_size=DIGEST).digest()


class EntryFiles(IndexDataCacheFile):
    """Files of one function: an index by types, and an entry for each."""

    def load(self, key: Any) -> Any:
        """Return the entry of a key; None if there is none that can be used."""
        name = self._load_index().get(key)
        content = None if name is None else self._read(self._data_path(name))
        return None if content is None else pickle.loads(content)

    def _load_index(self) -> dict[Any, str]:
        content = self._read(self._index_path)
        if content is None:
            return {}
        stamp, names = pickle.loads(content)
        return names if stamp == self._source_stamp else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, self._dump((self._source_stamp, overloads)))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), self._dump(data))

    def forget_others(self, kept: int, names: str) -> None:
        """Remove all but the latest of the functions that a pattern names. Raises OSError."""
        found = sorted(Path(self._cache_path).glob(f"{names}.nbi"), key=os.path.getmtime, reverse=True)
        for index in found[kept:]:
            for entry in index.parent.glob(f"{glob.escape(index.stem)}.*.nbc"):
                entry.unlink(missing_ok=True)
            index.unlink(missing_ok=True)

    def _read(self, path: str) -> memoryview | None:
        """Return the content of a file; None if there is none, others can have written it, or it is damaged."""
        try:
            with open(path, "rb") as file:
                reason = objection(os.fstat(file.fileno()))
                content = b"" if reason else file.read()
        except OSError:
            return None
        if reason:
            say_once(f"kikashi: compiled kernels in {self._cache_path} are made anew: of a file there, {reason}")
        rest = memoryview(content)[DIGEST:]
        return rest if content[:DIGEST] == digest(path, rest) else None

    def _write(self, path: str, content: bytes) -> None:
        part = f"{path}.tmp.{uuid.uuid4().hex}"
        try:
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if is_trusted() else 0o644)
            with open(descriptor, "wb") as file:
                file.write(digest(path, content))
                file.write(content)
            os.replace(part, path)
        except OSError:
            with suppress(OSError):
                os.unlink(part)
            raise


@cache
def say_once(line: str) -> None:
    """Print a line on standard error, the first time only."""
    print(line, file=sys.stderr, flush=True)


def _user_folder() -> Path | None:
    """Return ``$KIKASHI_CACHE`` or the user's cache folder; None for a user without a home."""
    if chosen := os.environ.get("KIKASHI_CACHE"):
        return Path(chosen)
    for caches in (os.environ.get("XDG_CACHE_HOME", ""), os.path.expanduser("~/.cache")):
        if os.path.isabs(caches):  # as the specification of XDG_CACHE_HOME has it
            return Path(caches, "kikashi")
    return None


def _objection_to(folder: Path) -> str:
    try:
        return objection(folder.stat())
    except OSError:  # there is none, or none that anything could be loaded from
        return ""


def _private_folder() -> Path:
    """Return a temporary folder that only this user can write to; the null device, which keeps nothing, if none."""
    with suppress(OSError):
        folder = Path(tempfile.gettempdir()) / f"kikashi-{os.geteuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        if not objection(folder.lstat()):
            return folder
    return Path(os.devnull)


@cache
def _is_own_group(group: int) -> bool:
    """Return whether a group has no member but this user, as where each user has a group of the same name."""
    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and found.gr_name == user.pw_name and set(found.gr_mem) <= {user.pw_name}
