"""What exchanging costs a rank of `kikashi gtp --ranks`, and what that means for many ranks.

By itself it measures the steps, in microseconds of the processor, and says what they add up to on a rank with 16 below
it, which is as many as any rank has. Under ``mpiexec -n 17`` it checks that: rank 0 searches and takes in what 16
others send, which only send, as often and as much as they would after simulations; no job has a busier rank.

Usage: [mpiexec -n 17] python benchmarks/ranks.py [--size 9] [--seconds 10] [--preset mogo-2006]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from kikashi.engine.tree_reuse import search_request
from kikashi.game import Game
from kikashi.mpi.gathering import Gathering
from kikashi.mpi.links import EVERY, FAN, LOOK, Links, _under
from kikashi.mpi.worker_rank import Searcher

JOBS = (2, 17, 128, 1024)


def gathering_for(preset: str, size: int, links: Links) -> Gathering:
    """A search of the empty board that has begun."""
    game, player = Game(size), Searcher(preset, megabytes=64)
    found = Gathering(player.new_search(size, links))
    found.begin(1)
    found.search.start(search_request(game))
    found.run(2000 * links.ranks, links)
    return found


def cost_of(step: Callable[[], object], times: int = 200, rounds: int = 7) -> float:
    """Microseconds of the processor, in the best round."""
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        for _ in range(times):
            step()
        best = min(best, (time.process_time() - started) / times)
    return best * 1e6


def measure(gathering: Gathering) -> dict[str, float]:
    """The steps that the model is made of."""
    said = gathering.all().numbers.copy()
    for rank in range(1, FAN + 1):
        gathering.note(rank, said)

    found = {
        "bytes": float(said.nbytes),
        "make": cost_of(gathering.own),
        "take": cost_of(lambda: gathering.note(1, said)),
    }
    gathering.begin(1)
    return found


def predicted(steps: dict[str, float], below: int) -> float:
    """The share of a rank's time: its own sums, and messages from below."""
    return (steps["make"] + below * steps["take"]) / (EVERY + LOOK) / 1e6


def depth_of(ranks: int) -> int:
    """How many ranks pass a message on before it is at the top, the last one included."""
    rank, depth = ranks - 1, 0
    while rank > 0:
        rank, depth = (rank - 1) // FAN, depth + 1
    return depth


def tell_model(steps: dict[str, float], size: int) -> None:
    print(f"{size}x{size}: {steps['bytes']:.0f} bytes; µs to make {steps['make']:.0f}, to take {steps['take']:.1f}")
    for ranks in JOBS:
        below = min(FAN, ranks - 1)
        assert _under(0, ranks) == ranks
        lag = depth_of(ranks) * (EVERY + LOOK)
        busy = below * steps["bytes"] / (EVERY + LOOK) / 1e6
        print(
            f"{ranks:5} ranks: {predicted(steps, below):.2%} of rank 0's time, {predicted(steps, 0):.2%} of a last "
            f"one's, {busy:.2f} MB/s into rank 0, sums at most {lag:.2f} s old"
        )


def feed(links: Links, numbers: np.ndarray, seconds: float) -> None:
    """Send as a rank does that searches, without searching."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        if links.can_report():
            links.report(numbers.copy())
        time.sleep(EVERY + LOOK)


def listen(links: Links, gathering: Gathering, seconds: float) -> None:
    """Search, and take in what comes."""
    until, before = time.perf_counter() + seconds, gathering.search.done
    busy = 0.0

    def look() -> bool:
        nonlocal busy
        if links.is_time_to_look():
            started = time.thread_time()
            with links.timed():
                for rank, numbers in links.reports():
                    gathering.note(rank, numbers)
            busy += time.thread_time() - started
        return time.perf_counter() >= until

    started = time.process_time()
    gathering.search.run(1 << 40, check=look)
    spent = time.process_time() - started
    print(
        f"measured on rank 0 of {links.ranks}: {links.messages / seconds:.0f} messages a second, "
        f"{busy / links.messages * 1e6:.0f} µs for each; {busy / spent:.2%} of its processor's time and "
        f"{links.seconds / seconds:.2%} by the clock; "
        f"{(gathering.search.done - before) / spent:.0f} simulations a second of the processor"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--preset", default="mogo-2006")
    asked = parser.parse_args()
    links = Links(60.0)
    if links.rank == 0:
        gathering = gathering_for(asked.preset, asked.size, links)
        steps = measure(gathering)
        tell_model(steps, asked.size)
        numbers = gathering.own().numbers
    if links.ranks == 1:
        return
    numbers = links._world.bcast(numbers if links.rank == 0 else None)
    if links.rank == 0:
        sums = 1 / (EVERY + LOOK)
        taking = predicted(steps, FAN) - sums * steps["make"] / 1e6
        print(f"predicted for taking in: {taking:.2%}")
        listen(links, gathering, asked.seconds)
    elif links.rank <= FAN:
        feed(links, numbers, asked.seconds)
    links._world.Barrier()
    for _ in links.reports():  # what came too late
        pass


if __name__ == "__main__":
    main()
