"""The tree beside its playouts and beside the C yardstick, in one run: what selection, expansion and backup cost.

The tree's share of the time is what is left when the playouts' moves, at the price of a move in playouts alone, are
taken off. Best of several rounds that take turns, per CPU second; threads by the clock on the wall.

Usage: python benchmarks/search.py [rounds]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from playouts import YARDSTICK, ours, yardstick

from kikashi import Game
from kikashi.player import root_of
from kikashi.preset import load_preset
from kikashi.search.search import Search

SIMULATIONS = 20_000


def search(preset: str, size: int, simulations: int, threads: int = 1) -> tuple[float, float, int]:
    """CPU seconds, seconds and playouts' moves of a search of the empty board."""
    game = Game(size)
    made = Search(load_preset(preset).rules, size=size, threads=threads)
    made.start(root_of(game), game.legal_moves, ())
    made.run(1000)  # warm up
    made.tree.clear()
    made.start(root_of(game), game.legal_moves, ())
    before = sum(made.moves_by().values())
    cpu, wall = time.process_time(), time.perf_counter()
    made.run(simulations)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return cpu, wall, sum(made.moves_by().values()) - before


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    shares: list[float] = []
    threads: list[float] = []
    ratios: dict[int, list[float]] = {9: [], 19: []}
    for _ in range(rounds):
        cpu, one, moves = search("mogo-2006", 9, SIMULATIONS)
        alone = ours(9, "--playout", "mogo")
        shares.append(1 - moves * alone["cpu_s"] / (alone["moves_per_playout"] * alone["playouts"]) / cpu)
        _, two, _ = search("mogo-2006", 9, SIMULATIONS, threads=2)
        threads.append(one / two)
        if YARDSTICK.exists():
            playouts = yardstick(by="playouts")
            for size, simulations in ((9, SIMULATIONS), (19, SIMULATIONS // 4)):
                cpu, _, _ = search("lgrf2", size, simulations)
                ratios[size].append(simulations / cpu / playouts[size])
    print(f"mogo-2006, 9x9, {SIMULATIONS:,} simulations: the tree's share of the time {min(shares):.0%}")
    print(f"two threads / one: {max(threads):.2f}")
    for size, found in ratios.items():
        if found:
            print(f"lgrf2 in the tree / yardstick, playouts, {size}x{size}: {max(found):.2f}")


if __name__ == "__main__":
    main()
