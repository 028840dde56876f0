"""Playouts beside the C yardstick, in one run: best of several rounds that take turns, per CPU second.

Usage: python benchmarks/playouts.py [rounds]
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
YARDSTICK = HERE.parent.parent / "shared" / "yardstick" / "run"
SIZES = (9, 13, 19)
POLICIES = ("mogo", "lgrf2", "crazystone")
IDLE = ("--plugin", str(HERE / "idle.py"), "--playout", "idle_1,idle_2,idle_3")


def yardstick(by: str = "moves") -> dict[int, float]:
    """Moves or playouts per CPU second of the yardstick, by board size."""
    lines = subprocess.run([YARDSTICK], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["size"]: row["playouts_per_s"] * (row["moves_per_playout"] if by == "moves" else 1) for row in rows}


def ours(size: int, *options: str) -> dict[str, Any]:
    """One run of ``kikashi bench playouts``."""
    command = [sys.executable, "-m", "kikashi", "bench", "playouts", "--json", "--seconds", "1.5"]
    done = subprocess.run([*command, "--size", str(size), *options], stdout=subprocess.PIPE, text=True, check=True)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def moves_per_cpu_second(report: dict[str, Any]) -> float:
    return float(report["moves_per_playout"] * report["playouts"] / report["cpu_s"])


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    best: dict[tuple[str, int], float] = {}

    def keep(name: str, size: int, value: float) -> None:
        best[name, size] = max(best.get((name, size), 0.0), value)

    for _ in range(rounds):
        if YARDSTICK.exists():
            for size, speed in yardstick().items():
                keep("yardstick", size, speed)
        for size in SIZES:
            keep("uniform", size, moves_per_cpu_second(ours(size)))
            for name in POLICIES:
                keep(name, size, moves_per_cpu_second(ours(size, "--playout", name)))
            keep("three idle heuristics", size, moves_per_cpu_second(ours(size, *IDLE)))
            keep("one thread, wall clock", size, ours(size)["moves_per_s"])
            keep("two threads, wall clock", size, ours(size, "--threads", "2")["moves_per_s"])
    report(best)


def report(best: dict[tuple[str, int], float]) -> None:
    print(f"{'':26}" + "".join(f"{f'{size}x{size}':>14}" for size in SIZES))
    for name in dict.fromkeys(name for name, _ in best):
        print(f"{name:26}" + "".join(f"{best[name, size]:>14,.0f}" for size in SIZES) + "  moves/s")
    ratios = {"two threads / one": ("two threads, wall clock", "one thread, wall clock")}
    if ("yardstick", SIZES[0]) in best:
        ratios |= {f"{name} / yardstick": (name, "yardstick") for name in ("uniform", *POLICIES)}
    for name, (over, under) in ratios.items():
        print(f"{name:26}" + "".join(f"{best[over, size] / best[under, size]:>14.2f}" for size in SIZES))
    if ("yardstick", SIZES[0]) in best:
        cost = [_cost(best["yardstick", n], best["three idle heuristics", n], best["uniform", n]) for n in SIZES]
        print(f"{'cost of three idle ones':26}" + "".join(f"{c:>14.2f}" for c in cost) + "  yardstick moves")


def _cost(yardstick: float, with_idle: float, without: float) -> float:
    """Return the further time of a move, in units of the yardstick's time for one."""
    return yardstick / with_idle - yardstick / without


if __name__ == "__main__":
    main()
