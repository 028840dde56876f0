"""Speed of a review over `kikashi kata-analysis` with two positions at once beside one, on an idle machine.

The engine plays a 9x9 game of 60 moves with itself, quickly. Then all of its positions are sent as one query of 1000
visits each, to an engine with one thread and to one with two, in turns. The time is from the query to the last answer.

Usage: python benchmarks/analysis.py [rounds]
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from typing import Any

from kikashi import Game, Limit, Player
from kikashi.board.points import BLACK

SIZE, MOVES, VISITS = 9, 60, 1000


def game_moves() -> list[tuple[str, str]]:
    """Return a game of MOVES moves."""
    game = Game(SIZE)
    player = Player(limit=Limit(simulations=100), seed=7)
    while game.move_count < MOVES:
        move = player.choose(game).name
        game.push(move if move not in ("resign", "pass") else next(iter(game.legal_moves)))
    return [("B" if move.color == BLACK else "W", move.name) for move in game.moves]


class Engine:
    """Start an engine and warm it up."""

    def __init__(self, threads: int) -> None:
        command = [sys.executable, "-m", "kikashi", "kata-analysis", "-analysis-threads", str(threads)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.review([("B", "E5")])

    def review(self, moves: list[tuple[str, str]], visits: int = VISITS) -> float:
        """Seconds until every position of a game is answered."""
        query: dict[str, Any] = {"id": "review", "moves": moves, "rules": "chinese", "maxVisits": visits}
        query |= {"boardXSize": SIZE, "boardYSize": SIZE, "analyzeTurns": [*range(len(moves) + 1)]}
        query |= {"includeOwnership": True, "includePolicy": True}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        started = time.perf_counter()
        self.process.stdin.write(json.dumps(query).encode() + b"\n")
        self.process.stdin.flush()
        answers = [json.loads(self.process.stdout.readline()) for _ in range(len(moves) + 1)]
        seconds = time.perf_counter() - started
        assert all(answer["rootInfo"]["visits"] == visits for answer in answers)
        return seconds


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    moves, engines = game_moves(), {threads: Engine(threads) for threads in (1, 2)}
    best = dict.fromkeys(engines, math.inf)
    for _ in range(rounds):
        for threads, engine in engines.items():
            best[threads] = min(best[threads], engine.review(moves))
    for engine in engines.values():
        engine.process.communicate()
    print(f"{MOVES} moves, {VISITS} visits a position: {best[1]:.2f} s with one thread, {best[2]:.2f} s with two")
    print(f"two threads are {best[1] / best[2]:.2f} x as fast")


if __name__ == "__main__":
    main()
