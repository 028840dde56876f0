"""Games by every clock, with a process for each side: does anyone ever lose on time?

``python benchmarks/soak.py`` plays two games by each time system on an idle machine and two with every core busy. The
controller keeps the clocks and measures each move from sending the command to reading the answer. In every second game
it sends the engines their time before each move, as servers do; in the others they count themselves.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from kikashi.game.time_control import Clock
from kikashi.protocols.gtp.controller import Engine

SIZE, MOST_MOVES = 9, 200
PATIENCE = 300.0
"""Seconds until an engine is taken for dead; the first one may have to compile."""


@dataclass(frozen=True)
class System:
    """A time system: the commands to the engines, and the clock of the controller."""

    name: str
    settings: str
    clock: Clock


def systems(main: float) -> list[System]:
    """Return all systems for a main time in seconds; periods are a fifth of it, increments a twentieth."""
    period, increment = main / 5, main / 20
    return [
        System("absolute", f"time_settings {main:g} 0 0", Clock(main=main)),
        System("Canadian", f"time_settings {main:g} {2 * period:g} 10", Clock(main=main, period=2 * period, stones=10)),
        System("Canadian only", f"time_settings 0 {period:g} 10", Clock(period=period, stones=10)),
        System(
            "byo-yomi",
            f"kgs-time_settings byoyomi {main / 2:g} {increment:g} 3",
            Clock(main=main / 2, period=increment, periods=3),
        ),
        System(
            "Fischer",
            f"kata-time_settings fischer {main / 2:g} {increment:g}",
            Clock(main=main / 2, increment=increment),
        ),
    ]


def time_left(clock: Clock) -> str:
    """Return the seconds and stones of GTP's time_left."""
    if clock.main > 0 or not (clock.periods or clock.stones):
        return f"{max(0.0, clock.main):.3f} 0"
    if clock.periods:
        return f"{clock.period:.3f} {clock.periods}"
    return f"{clock.period - clock.used:.3f} {clock.stones - clock.made}"


@dataclass
class Report:
    """The course of a game."""

    moves: int
    longest: float
    """Seconds of the longest move."""
    least: float
    """The least main time left, in seconds."""
    loser: str | None
    """The side that ran out of time."""


def play(system: System, engine: str, *, sends_time: bool, seed: int) -> Report:
    """Play a game of the engine with itself, with or without time_left."""
    clocks = dict.fromkeys(("black", "white"), system.clock)
    longest, least, passes, moves = 0.0, math.inf, 0, 0
    with (
        Engine(f"{engine} --seed {seed}", timeout=PATIENCE) as black,
        Engine(f"{engine} --seed {seed + 1}", timeout=PATIENCE) as white,
    ):
        players = {"black": black, "white": white}
        for player in players.values():
            for line in (f"boardsize {SIZE}", "clear_board", "komi 7.5", system.settings):
                player.ask(line)
        while moves < MOST_MOVES and passes < 2:
            color, other = ("black", "white") if moves % 2 == 0 else ("white", "black")
            if sends_time:
                players[color].ask(f"time_left {color} {time_left(clocks[color])}")
            started = time.perf_counter()
            move = players[color].ask(f"genmove {color}").lower()
            taken = time.perf_counter() - started
            clocks[color] = clocks[color].after_move(taken)
            moves += 1
            longest, least = max(longest, taken), min(least, clocks[color].main)
            if clocks[color].main < 0:
                return Report(moves, longest, least, color)
            if move == "resign":
                break
            players[other].ask(f"play {color} {move}")
            passes = passes + 1 if move == "pass" else 0
    return Report(moves, longest, least, None)


@contextmanager
def loaded(processes: int) -> Iterator[None]:
    """So many processes keep the machine busy meanwhile."""
    busy = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(processes)]
    for process in busy:
        process.start()
    try:
        yield
    finally:
        for process in busy:
            process.terminate()
            process.join()


def _spin() -> None:
    while True:
        sum(range(10_000))


def soak(main: float, games: int, engine: str) -> int:
    """Play all the games, print a line for each, and return how many were lost on time."""
    lost = 0
    for load in (0, os.cpu_count() or 1):
        for system in systems(main):
            for game in range(games):
                sends_time = game % 2 == 0
                with loaded(load):
                    report = play(system, engine, sends_time=sends_time, seed=2 * game + 1)
                lost += report.loser is not None
                how = "sends time" if sends_time else "counts itself"
                where = f"{'loaded' if load else 'idle':7}{system.name:14}{how:14}"
                ended = f"{report.loser} LOST ON TIME" if report.loser else "nobody lost on time"
                times = f"longest {report.longest:6.2f} s, least left {report.least:6.2f} s"
                print(f"{where}{report.moves:4} moves, {times}: {ended}", flush=True)
    return lost


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--main", type=float, default=10.0, help="main time in seconds (10)")
    parser.add_argument("--games", type=int, default=2, help="games by each system and load (2)")
    parser.add_argument("--engine", default=f"{sys.executable} -m kikashi gtp", help="the engine's command")
    options = parser.parse_args()
    lost = soak(options.main, options.games, options.engine)
    print(f"{lost} lost on time")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(run())
