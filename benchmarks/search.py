"""The tree beside its playouts and beside the C yardstick, in one run: the cost of selection, expansion and backup.

The tree's share of the time is what is left when the playouts' moves, at the price of a move in playouts alone, are
taken off. Best of several rounds that take turns, per CPU second; threads by the clock on the wall.

Usage: python benchmarks/search.py [rounds]
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from playouts import YARDSTICK, ours, yardstick

from kikashi import Game
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import search_request
from kikashi.search.tree_search import TreeSearch

SIMULATIONS = 20_000


def search(preset: str, size: int, simulations: int, threads: int = 1) -> tuple[float, float, int]:
    """CPU seconds, seconds and playouts' moves of a search of the empty board."""
    game = Game(size)
    made = TreeSearch(load_preset(preset).at(size).config, size=size, threads=threads)
    made.start(search_request(game))
    made.run(simulations)  # the first search of a process also waits for the system's memory
    made.tree.clear()
    made.start(search_request(game))
    before = sum(made.moves_by().values())
    cpu, wall = time.process_time(), time.perf_counter()
    made.run(simulations)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return cpu, wall, sum(made.moves_by().values()) - before


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    cpu, one, two, move = (math.inf,) * 4
    moves = 0
    speed: dict[tuple[str, int], float] = {}
    for _ in range(rounds):
        taken, wall, moves = search("mogo-2006", 9, SIMULATIONS)
        cpu, one = min(cpu, taken), min(one, wall)
        two = min(two, search("mogo-2006", 9, SIMULATIONS, threads=2)[1])
        alone = ours(9, "--playout", "mogo")
        move = min(move, alone["cpu_s"] / (alone["moves_per_playout"] * alone["playouts"]))
        for size, simulations in ((9, SIMULATIONS), (19, SIMULATIONS // 4)):
            found = simulations / search("lgrf2", size, simulations)[0]
            speed["lgrf2", size] = max(found, speed.get(("lgrf2", size), 0.0))
        if YARDSTICK.exists():
            for size, found in yardstick(by="playouts").items():
                speed["yardstick", size] = max(found, speed.get(("yardstick", size), 0.0))
    print(f"mogo-2006, 9x9, {SIMULATIONS:,} simulations: the tree's share of the time {1 - moves * move / cpu:.0%}")
    print(f"two threads / one: {one / two:.2f}")
    for size in (9, 19):
        if ("yardstick", size) in speed:
            ratio = speed["lgrf2", size] / speed["yardstick", size]
            print(f"lgrf2 in the tree / yardstick, playouts, {size}x{size}: {ratio:.2f}")


if __name__ == "__main__":
    main()
