"""Speed of two ranks beside one, and the cost of their exchange by their own clocks.

One engine of one rank and one of two sample the same number of games from the empty board, in turn, and the best round
of each counts. Then two ranks search with a tree for some seconds a move, and `kikashi-ranks` reports their time in
exchanging. Nothing else should run on the machine.

Usage: python benchmarks/two_ranks.py [--size 9] [--samples 400000] [--rounds 5] [--seconds 3] [--tree mogo-2006]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import ExitStack

from kikashi.protocols.gtp.controller import Engine

FLAT = "yoshizoe-2006-basic"


def engine(ranks: int, preset: str, size: int, *budget: str) -> Engine:
    """Start an engine of some ranks that has played a move, so that its kernels are compiled."""
    words = [sys.executable, "-m", "kikashi", "gtp", "--preset", preset, *budget]
    command = words if ranks == 1 else ["mpiexec", "-n", str(ranks), *words, "--ranks"]
    found = Engine(command, timeout=600.0)
    found.ask(f"boardsize {size}")
    found.ask("genmove b")
    return found


def seconds_of(engine: Engine) -> float:
    """Return the seconds of a move from the empty board."""
    engine.ask("clear_board")
    started = time.perf_counter()
    engine.ask("genmove b")
    return time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--samples", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--tree", default="mogo-2006")
    options = parser.parse_args()
    with ExitStack() as stack:
        budget = ("--simulations", str(options.samples))
        one, two = (stack.enter_context(engine(ranks, FLAT, options.size, *budget)) for ranks in (1, 2))
        rounds = [(seconds_of(one), seconds_of(two)) for _ in range(options.rounds)]
    alone, together = (options.samples / min(times) for times in zip(*rounds, strict=True))
    print(f"{FLAT}, {options.samples:,} games: {alone:,.0f} games/s with one rank, {together:,.0f} with two: ", end="")
    print(f"{together / alone:.2f} times")
    with engine(2, options.tree, options.size, "--seconds", str(options.seconds)) as both:
        for _ in range(options.rounds):
            seconds_of(both)
        for rank, work in enumerate(json.loads(both.ask("kikashi-ranks"))):
            share = work["exchanging"] / work["working"]
            often = work["messages"] / work["working"]
            print(f"{options.tree}, rank {rank}: {share:.2%} of its time in exchanging, {often:.1f} messages a second")


if __name__ == "__main__":
    main()
