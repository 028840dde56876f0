"""Speed of searches: simulations per second from the empty board, by preset, board size and threads."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset
from kikashi.game import Game

FIRST = 200
"""Simulations of a search before the measured one: it compiles, and waits for the system's memory."""


@dataclass(frozen=True)
class SearchSpeed:
    preset: str
    size: int
    threads: int
    simulations: int
    seconds: float
    cpu_seconds: float
    """Processor time of all threads."""

    @property
    def per_second(self) -> float:
        return self.simulations / self.seconds


def measure_searches(
    presets: Iterable[str], sizes: Iterable[int], threads: Iterable[int], *, simulations: int, seed: int = 1
) -> Iterator[SearchSpeed]:
    """Yield the speed of a search for each preset, board size and number of threads. Raises ValueError."""
    players = {name: load_preset(name) for name in presets}  # all of them before the first takes its time
    for (name, preset), size, count in product(players.items(), sizes, threads):
        player = Player(preset, threads=count, seed=seed)
        player.analyse(Game(size), Limit(simulations=min(FIRST, simulations)))
        player.new_game()
        wall, cpu = time.perf_counter(), time.process_time()
        found = player.analyse(Game(size), Limit(simulations=simulations))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        yield SearchSpeed(name, size, count, found.simulations, wall, cpu)
