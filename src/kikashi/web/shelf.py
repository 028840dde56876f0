"""The shelf: recent games and studies of all pages, kept in a folder so that no page overwrites another's."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from threading import RLock

import msgspec

from kikashi.files import write_whole
from kikashi.web.messages import ItemInfo, KeptClock, Setup

ITEMS = 60
"""Games and studies that are kept; the oldest go first."""
ITEM_BYTES = 8 << 20


class Item(msgspec.Struct, frozen=True):
    """A game or a study as it is kept."""

    kind: str
    title: str
    sgf: str
    moves: int
    size: int
    stones: str
    changed: float = 0.0
    setup: Setup | None = None
    """The settings of a game."""
    clocks: tuple[KeptClock, KeptClock] | None = None


class ItemStore:
    """Items by name, in memory and in a folder. Each is held by one page at most, and only that page changes it."""

    def __init__(self, folder: Path | None = None) -> None:
        """Without a `folder` nothing is kept on disk."""
        self._folder = folder
        self._lock = RLock()
        self._items: dict[str, Item] = {}
        self._holders: dict[str, object] = {}
        self._written: dict[str, int] = {}
        """The time of our last change of each file: another server may have changed it since."""
        for file in sorted(folder.glob("*.json")) if folder is not None and folder.is_dir() else []:
            try:
                if file.stat().st_size <= ITEM_BYTES and not file.is_symlink():
                    self._items[file.stem] = msgspec.json.decode(file.read_bytes(), type=Item)
                    self._written[file.stem] = file.stat().st_mtime_ns
            except (OSError, msgspec.DecodeError):  # not ours, or damaged
                continue

    def infos(self) -> list[ItemInfo]:
        """Return all items, the latest first."""
        with self._lock:
            return [
                ItemInfo(
                    id=key,
                    kind="game" if item.kind == "game" else "study",
                    title=item.title,
                    changed=item.changed,
                    moves=item.moves,
                    size=item.size,
                    stones=item.stones,
                    is_open=key in self._holders,
                )
                for key, item in self._latest()
            ]

    def latest(self, kind: str) -> str:
        """Return the latest item of a kind that no page holds; empty if there is none."""
        with self._lock:
            found = (key for key, item in self._latest() if item.kind == kind and key not in self._holders)
            return next(found, "")

    def take(self, key: str, holder: object) -> tuple[str, Item] | None:
        """Hold an item and return its name. The name is empty if another page holds it: then it is a copy.

        Pages that compare equal are the same browser tab, which was loaded again. None if there is no such item.
        """
        with self._lock:
            if key not in self._items:
                return None
            if self._holders.get(key, holder) != holder:
                return "", self._items[key]
            self._holders[key] = holder
            return key, self._items[key]

    def save(self, key: str, holder: object, item: Item) -> str:
        """Keep an item under its name, or under a new one unless the page holds it. Return the name. Raises OSError."""
        with self._lock:
            if not key or self._holders.get(key) is not holder or self._is_changed(key):
                key = secrets.token_hex(8)
            self._items[key] = item = msgspec.structs.replace(item, changed=time.time())
            self._holders[key] = holder
            if self._folder is not None:
                try:
                    self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                    write_whole(self._file(key), msgspec.json.encode(item))
                    self._written[key] = self._file(key).stat().st_mtime_ns
                except OSError:
                    self._folder = None  # from now on in memory only
                    raise
            for old, _ in [*self._latest()][ITEMS:]:
                if old not in self._holders:
                    self.delete(old)
            return key

    def delete(self, key: str) -> None:
        """Remove an item; one that a page holds comes back with its next change."""
        with self._lock:
            self._items.pop(key, None)
            self._holders.pop(key, None)
            if self._folder is not None and self._written.pop(key, None) is not None:
                self._file(key).unlink(missing_ok=True)

    def release(self, holder: object, key: str | None = None) -> None:
        """Let go of one item of a page, or of all."""
        with self._lock:
            for held in [name for name, page in self._holders.items() if page is holder and key in (None, name)]:
                del self._holders[held]

    def _latest(self) -> Iterator[tuple[str, Item]]:
        yield from sorted(self._items.items(), key=lambda pair: -pair[1].changed)

    def _file(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{key}.json"

    def _is_changed(self, key: str) -> bool:
        """Whether another server has changed the file of an item."""
        if self._folder is None or key not in self._written:
            return False
        try:
            return self._file(key).stat().st_mtime_ns != self._written[key]
        except FileNotFoundError:
            return False
