"""Cost of the exchange to a rank of `kikashi gtp --ranks`, and a prediction for many ranks.

Alone it measures the steps, in microseconds of the processor, and adds them up for a rank with 16 children, the most of
any rank. Under ``mpiexec -n 17`` it checks the prediction: rank 0 searches and receives the reports of 16 others, which
only send, as often and as much as if they searched. No job has a busier rank.

Usage: [mpiexec -n 17] python benchmarks/ranks.py [--size 9] [--seconds 10] [--preset mogo-2006]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import search_request
from kikashi.game import Game
from kikashi.mpi.communicator import FAN_OUT, POLL_INTERVAL, REPORT_INTERVAL, Communicator, subtree_size
from kikashi.mpi.rank_search import RankSearch, new_rank_search

JOBS = (2, 17, 128, 1024)
INTERVAL = REPORT_INTERVAL + POLL_INTERVAL


def search_empty_board(preset: str, size: int, communicator: Communicator) -> RankSearch:
    """Begin a search of the empty board."""
    ranks = RankSearch(new_rank_search(load_preset(preset), communicator, size=size, megabytes=64))
    ranks.begin(1)
    ranks.search.start(search_request(Game(size)))
    ranks.run(2000 * communicator.ranks, communicator)
    return ranks


def cost_of(step: Callable[[], object], times: int = 200, rounds: int = 7) -> float:
    """Return microseconds of the processor, of the best round."""
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        for _ in range(times):
            step()
        best = min(best, (time.process_time() - started) / times)
    return best * 1e6


def measure(ranks: RankSearch) -> dict[str, float]:
    """Measure the steps of the model: a report, and receiving one."""
    report = ranks.all_totals().numbers.copy()
    for rank in range(1, FAN_OUT + 1):
        ranks.receive(rank, report)
    steps = {
        "bytes": float(report.nbytes),
        "make": cost_of(ranks.own_totals),
        "take": cost_of(lambda: ranks.receive(1, report)),
    }
    ranks.begin(1)
    return steps


def predicted(steps: dict[str, float], children: int) -> float:
    """Return the fraction of a rank's time for its own sums and the reports of its children."""
    return (steps["make"] + children * steps["take"]) / INTERVAL / 1e6


def depth_of(ranks: int) -> int:
    """Return the number of steps of a message from the last rank to rank 0."""
    rank, depth = ranks - 1, 0
    while rank > 0:
        rank, depth = (rank - 1) // FAN_OUT, depth + 1
    return depth


def print_model(steps: dict[str, float], size: int) -> None:
    print(f"{size}x{size}: {steps['bytes']:.0f} bytes; µs to make {steps['make']:.0f}, to take {steps['take']:.1f}")
    for ranks in JOBS:
        children = min(FAN_OUT, ranks - 1)
        assert subtree_size(0, ranks) == ranks
        lag = depth_of(ranks) * INTERVAL
        busy = children * steps["bytes"] / INTERVAL / 1e6
        print(
            f"{ranks:5} ranks: {predicted(steps, children):.2%} of rank 0's time, {predicted(steps, 0):.2%} of a last "
            f"one's, {busy:.2f} MB/s into rank 0, sums at most {lag:.2f} s old"
        )


def feed(communicator: Communicator, numbers: np.ndarray, seconds: float) -> None:
    """Send reports as a rank that searches, without searching."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        if communicator.can_report():
            communicator.report(numbers.copy())
        time.sleep(INTERVAL)


def listen(communicator: Communicator, ranks: RankSearch, seconds: float) -> None:
    """Search and receive reports."""
    until, before = time.perf_counter() + seconds, ranks.search.done
    busy = 0.0

    def poll() -> bool:
        nonlocal busy
        if communicator.is_time_to_poll():
            started = time.thread_time()
            with communicator.timed():
                for rank, numbers in communicator.reports():
                    ranks.receive(rank, numbers)
            busy += time.thread_time() - started
        return time.perf_counter() >= until

    started = time.process_time()
    ranks.search.run(1 << 40, check=poll)
    spent = time.process_time() - started
    print(
        f"measured on rank 0 of {communicator.ranks}: {communicator.messages / seconds:.0f} messages a second, "
        f"{busy / communicator.messages * 1e6:.0f} µs for each; {busy / spent:.2%} of its processor's time and "
        f"{communicator.seconds / seconds:.2%} by the clock; "
        f"{(ranks.search.done - before) / spent:.0f} simulations a second of the processor"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--preset", default="mogo-2006")
    options = parser.parse_args()
    communicator = Communicator(60.0)
    if communicator.rank == 0:
        ranks = search_empty_board(options.preset, options.size, communicator)
        steps = measure(ranks)
        print_model(steps, options.size)
        numbers = ranks.own_totals().numbers
    if communicator.ranks == 1:
        return
    numbers = communicator._world.bcast(numbers if communicator.rank == 0 else None)
    if communicator.rank == 0:
        print(f"predicted for receiving: {FAN_OUT * steps['take'] / INTERVAL / 1e6:.2%}")
        listen(communicator, ranks, options.seconds)
    elif communicator.rank <= FAN_OUT:
        feed(communicator, numbers, options.seconds)
    communicator._world.Barrier()
    for _ in communicator.reports():  # what came too late
        pass


if __name__ == "__main__":
    main()
