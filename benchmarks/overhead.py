"""Cost of a match beside its thinking: games per hour of a match and of players in a bare loop.

Both play the same games, lgrf2 against lgrf2 on 9x9, on the same number of processes, and take turns; the best round
of each counts. A bare game is moves only: nobody counts it, and nothing is written down. The clock runs from when the
processes have started and played a little: a match of hours starts once.

Usage: python benchmarks/overhead.py [--games 40] [--playouts 500] [--processes 2] [--rounds 3] [--bar 0.9]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import Executor
from pathlib import Path

from msgspec.structs import replace

from kikashi.match.game_players import new_player
from kikashi.match.one_game import GameTask, play_game
from kikashi.match.runner import run_match, schedule
from kikashi.match.settings import MatchSettings, own_openings
from kikashi.workers.executors import Workers, make_workers

Games = list[tuple[str, ...]]
"""The moves of each game."""


def bare_game(task: GameTask) -> tuple[str, ...]:
    """Return the moves of a game by two players who share a board."""
    game, players = task.settings.after(task.opening), {}
    for color, player in enumerate((task.black, task.white), 1):
        players[color] = new_player(player, game.size, task.seeds[color - 1])
    while not game.is_over() and game.move_count < task.settings.most_moves:
        game.push(players[game.turn].choose(game).name)
    return tuple(move.name for move in game.moves)


def warm_pool(settings: MatchSettings, processes: int) -> Executor:
    """Processes that have each played a little already."""
    pool = make_workers("processes", processes).make()
    short = replace(settings, move_limit=10)
    first = next(schedule(short, short.match_players()))
    list(pool.map(play_game, [first] * 3 * processes))
    return pool


def bare_round(settings: MatchSettings, processes: int) -> tuple[float, Games]:
    """Seconds and games of the bare loop."""
    with warm_pool(settings, processes) as pool:
        started = time.perf_counter()
        games = list(pool.map(bare_game, schedule(settings, settings.match_players())))
        return time.perf_counter() - started, games


def match_round(settings: MatchSettings, processes: int) -> tuple[float, Games]:
    """Seconds and games of a match."""
    pool = warm_pool(settings, processes)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        records = run_match(settings, Path(folder) / "match", Workers(lambda: pool, processes))
        return time.perf_counter() - started, [record.moves for record in records]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--playouts", type=int, default=500)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bar", type=float, default=0.9)
    said = parser.parse_args()
    settings = MatchSettings(
        players=("name=one lgrf2", "name=other lgrf2"),
        games=said.games,
        simulations=said.playouts,
        openings=tuple(own_openings(9)),
    )
    best = {"bare": float("inf"), "match": float("inf")}
    for _ in range(said.rounds):
        bare, games = bare_round(settings, said.processes)
        match, same_games = match_round(settings, said.processes)
        if games != same_games:
            sys.exit("the games differ: nothing is measured")
        best = {"bare": min(best["bare"], bare), "match": min(best["match"], match)}
    hourly = {name: 3600 * len(games) / seconds for name, seconds in best.items()}
    for name, rate in hourly.items():
        print(f"{name:8}{rate:>12,.0f} games an hour on {said.processes} processes")
    ratio = hourly["match"] / hourly["bare"]
    print(f"ratio   {ratio:>12.3f}  (bar {said.bar})")
    sys.exit(ratio < said.bar)


if __name__ == "__main__":
    main()
