"""Cores and memory of this process, by the limits of a container or a cluster's job."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/")
"""Folder of `proc` and `sys`; tests have others."""


def cores() -> int:
    """Return the cores of this process, by its affinity and control groups, rounded down; at least 1."""
    return max(1, int(min([float(len(os.sched_getaffinity(0))), *_processor_limits()])))


def megabytes() -> float:
    """Return the memory of this process: the machine's, or the limit of its control groups."""
    installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([float(installed), *_memory_limits()]) / 2**20


# --- control groups ---------------------------------------------------------------------------------------------------


def _processor_limits() -> Iterator[float]:
    """Yield the limits in cores."""
    for folder in _folders("cpu"):
        newer = _numbers(folder / "cpu.max")
        older = _numbers(folder / "cpu.cfs_quota_us") + _numbers(folder / "cpu.cfs_period_us")
        for limit in (newer, older):
            if len(limit) == 2 and min(limit) > 0:  # without a limit the quota is "max", or -1
                yield limit[0] / limit[1]


def _memory_limits() -> Iterator[float]:
    """Yield the limits in bytes."""
    for folder in _folders("memory"):
        for name in ("memory.max", "memory.high", "memory.limit_in_bytes"):
            yield from _numbers(folder / name)


def _folders(controller: str) -> Iterator[Path]:
    """Yield the folders of this process's control groups and their parents."""
    groups = ROOT / "sys" / "fs" / "cgroup"
    for line in _lines(ROOT / "proc" / "self" / "cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        top = groups / controllers if controllers else groups
        inside = top / path.lstrip("/")
        yield from (folder for folder in (inside, *inside.parents) if folder.is_relative_to(top))


def _numbers(file: Path) -> list[float]:
    """Return the numbers in a file; none if there is no limit, or no file."""
    words = [word for line in _lines(file) for word in line.split()]
    return [] if "max" in words else [float(word) for word in words]


def _lines(file: Path) -> list[str]:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return file.read_text("utf-8").splitlines()
    return []
