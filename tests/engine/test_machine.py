"""The cores and the memory that may be used: affinity, and control groups of both versions."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.gtp_text import new_session, says
from kikashi.engine import limits, machine
from kikashi.workers.executors import make_workers

GIGABYTE = 2**30
CASES: dict[str, tuple[str, dict[str, str], int, float]] = {
    "none": ("", {}, 64, 1000),
    "version 2": ("0::/box", {"box/cpu.max": "200000 100000", "box/memory.max": str(3 * GIGABYTE)}, 2, 3),
    "no limit": ("0::/box", {"box/cpu.max": "max 100000", "box/memory.max": "max"}, 64, 1000),
    "in a container": ("0::/", {"cpu.max": "300000 100000", "memory.max": str(2 * GIGABYTE)}, 3, 2),
    "half a core": ("0::/box", {"box/cpu.max": "50000 100000"}, 1, 1000),
    "two cores and a half": ("0::/box", {"box/cpu.max": "250000 100000"}, 2, 1000),
    "the one around it": (
        "0::/job/step",
        {"job/cpu.max": "400000 100000", "job/step/cpu.max": "max 100000", "job/memory.max": str(GIGABYTE)},
        4,
        1,
    ),
    "a path of another name space": ("0::/elsewhere/box", {"cpu.max": "500000 100000"}, 5, 1000),
    "throttled": ("0::/box", {"box/memory.high": str(4 * GIGABYTE), "box/memory.max": str(5 * GIGABYTE)}, 64, 4),
    "version 1": (
        "4:memory:/box\n3:cpu,cpuacct:/box\n0::/",
        {
            "memory/box/memory.limit_in_bytes": str(6 * GIGABYTE),
            "memory/memory.limit_in_bytes": "9223372036854771712",
            "cpu,cpuacct/box/cpu.cfs_quota_us": "600000",
            "cpu,cpuacct/box/cpu.cfs_period_us": "100000",
        },
        6,
        6,
    ),
    "version 1, no limit": (
        "3:cpu:/box",
        {"cpu/box/cpu.cfs_quota_us": "-1", "cpu/box/cpu.cfs_period_us": "100000"},
        64,
        1000,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_limits_of_control_groups(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups, files, cores, gigabytes = CASES[case]
    (tmp_path / "proc" / "self").mkdir(parents=True)
    (tmp_path / "proc" / "self" / "cgroup").write_text(f"{groups}\n" if groups else "")
    for name, text in files.items():
        file = tmp_path / "sys" / "fs" / "cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)))
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 1000 * GIGABYTE // 4096, "SC_PAGE_SIZE": 4096}.__getitem__)
    assert (machine.cores(), machine.megabytes()) == (cores, 1024 * gigabytes)
    assert make_workers("processes").count == cores
    assert limits.ceiling() == min(limits.MOST_MEGABYTES, 1024 * gigabytes / (4 * cores))


def test_affinity_is_respected() -> None:
    one = min(os.sched_getaffinity(0))
    program = f"import os; os.sched_setaffinity(0, [{one}]); from kikashi.engine import machine; print(machine.cores())"
    assert subprocess.check_output([sys.executable, "-c", program]) == b"1\n"


def test_a_want_of_memory_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(*_: object, **__: object) -> None:
        raise MemoryError

    session = new_session()
    monkeypatch.setattr(session, "think", too_large)
    assert says(session, "genmove b") == "? there is not enough memory: try fewer --megabytes\n\n"
