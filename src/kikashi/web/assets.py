"""The files of the page, which `make page` builds into the folder ``static`` beside this file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "static"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Asset:
    """A file of the page."""

    content: bytes
    kind: str


def load_assets(folder: Path = FOLDER) -> dict[str, Asset]:
    """All files by the path that they are asked for. Raises ValueError if the page has not been built."""
    found = {
        f"/{file.name}": Asset(file.read_bytes(), KINDS[file.suffix])
        for file in (sorted(folder.iterdir()) if folder.is_dir() else [])
        if file.suffix in KINDS
    }
    if "/index.html" not in found:
        raise ValueError("the page has not been built: make page does that")
    found["/"] = found.pop("/index.html")
    return found
