"""Facts about this installation: versions, machine, compiled kernels, extras and speed, for reports of bugs."""

import importlib.metadata
import os
import platform
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm

from kikashi import __version__
from kikashi.engine import machine
from kikashi.engine.warmup import is_warm
from kikashi.jit import cache_folder, is_bounds_checked
from kikashi.playout.yardstick import measure_machine

DEVELOPMENT = {"check", "docs", "test"}
"""Extras that no user needs."""
PREFIXES = ("KIKASHI_", "NUMBA_")
"""Environment variables that change what runs."""
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+).*;.*extra == ['\"]([a-z]+)['\"]")


@dataclass(frozen=True)
class CacheState:
    """Compiled kernels of this version on disk."""

    folder: str
    megabytes: float
    kernels: int
    is_complete: bool
    """Whether all presets and parts are compiled."""

    def __str__(self) -> str:
        scope = "all presets and parts" if self.is_complete else "not all presets; kikashi warm compiles the rest"
        return f"{self.folder}, {self.megabytes:.1f} MB, {self.kernels} kernels: {scope}"


def describe(*, with_speed: bool = True) -> dict[str, Any]:
    """Return the facts by name, as plain data."""
    facts: dict[str, Any] = {
        "kikashi": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "libraries": {name: _version_of(name) for name in ("numba", "llvmlite", "numpy")},
        "system": platform.platform(),
        "processor": llvm.get_host_cpu_name(),
        "cores": {"usable": machine.cores(), "present": os.cpu_count()},
        "megabytes": round(machine.megabytes()),
        "cache": asdict(cache_state()),
        "bounds checked": is_bounds_checked(),
        "extras": extras(),
        "environment": {name: value for name, value in sorted(os.environ.items()) if name.startswith(PREFIXES)},
    }
    if with_speed:
        speed = measure_machine()
        facts["speed"] = {
            "playouts_per_s": round(speed.playouts_per_second),
            "loop_steps_per_s": round(speed.steps_per_second),
            "share_of_norm": round(speed.share_of_norm, 2),
        }
    return facts


def cache_state() -> CacheState:
    folder = cache_folder()
    files = [file for file in folder.glob("*") if file.is_file()] if folder.is_dir() else []
    size = sum(map(_size, files)) / 2**20
    return CacheState(str(folder), round(size, 1), sum(file.suffix == ".nbi" for file in files), is_warm())


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # another process has replaced it
        return 0


def extras() -> dict[str, dict[str, str | None]]:
    """Return the packages of each extra with their versions; None for one that is missing."""
    found: dict[str, dict[str, str | None]] = {}
    for requirement in importlib.metadata.requires("kikashi") or []:
        match = _REQUIREMENT.fullmatch(requirement)
        if match and match[2] not in DEVELOPMENT:
            found.setdefault(match[2], {})[match[1]] = _version_of(match[1])
    return found


def _version_of(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
