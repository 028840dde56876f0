"""Simulations for tests of memories: from various roots, with moves of a tree, passes among them, and then playouts."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import NamedTuple

import numpy as np

from helpers.heuristic_cases import playable_points
from kikashi.board.points import PASS, opponent
from kikashi.board.position import new_board, play
from kikashi.playout import HISTORY, make_policy, new_root
from kikashi.playout.loop import begin, choose, make_move, playout
from kikashi.playout.worker import Memories, Worker


class Random32:
    """The random numbers that a kernel draws from a state on: PCG-XSH-RS, in the integers of Python."""

    def __init__(self, state: int) -> None:
        self.state = state

    def bits(self) -> int:
        old = self.state
        self.state = (old * 6364136223846793005 + 1442695040888963407) % 2**64
        return ((old ^ (old >> 22)) >> (22 + (old >> 61))) & 0xFFFFFFFF

    def below(self, n: int) -> int:
        return (self.bits() * n) >> 32

    def unit(self) -> float:
        high = self.bits()
        return ((high << 21) | (self.bits() >> 11)) / 2**53


class Record(NamedTuple):
    """The record of a simulation."""

    moves: list[int]
    first: int
    """The colour of its first move."""
    winner: int
    colors: list[np.ndarray]
    """The colours of all points before each move."""
    final: np.ndarray
    """The colours of all points at the end."""
    random: Random32
    """The generator as the memories found it."""

    def color(self, t: int) -> int:
        """Return the colour of a move."""
        return self.first if t % 2 == 0 else opponent(self.first)


class Simulations:
    """A worker that runs simulations from random roots of a size, with what they were like."""

    def __init__(self, playout: str, size: int, seed: int = 1) -> None:
        self.worker = Worker(make_policy(playout), Memories(), size=size, seed=seed)
        self.size, self.random = size, Random(seed)
        self.winners: Counter[int] = Counter()
        self.random_at_end = Random32(0)
        """The generator when the moves of the last simulation were made; right for `run_by_moves`."""

    def random_root(self):
        """A root some moves into the game, with these as its history. Komi may be what Black has if all is black, which
        makes draws."""
        board, history = new_board(self.size), []
        for _ in range(self.random.randrange(4)):
            history.append(self.random.choice(board["empty"][: board["empty_count"]].tolist()))
            play(board, history[-1])
        return new_root(board, history=tuple(history), komi=self.random.choice((0.5, 0.5, self.size**2)))

    def random_moves(self):
        """From a root some moves of a tree, yielding before each where it stands; two passes end it."""
        begin(self.worker.sim, self.worker.record, self.random_root())
        for _ in range(self.random.randrange(7)):
            yield
            legal = [PASS, *sorted(playable_points(self.worker))]
            make_move(self.worker.sim, self.worker.record, self.random.choice(legal))
            if self.worker.sim["passes"] == 2:
                return

    def run(self) -> tuple[list[int], int, int]:
        """One simulation at once: its moves, who made the first, and who won."""
        for _ in self.random_moves():
            pass
        return self._finished()

    def run_by_moves(self):
        """One simulation, yielding before every move of it; returns what `run` does."""
        sim, record = self.worker.sim, self.worker.record
        yield from self.random_moves()
        while sim["passes"] < 2 and sim["length"] < HISTORY + record["move_limit"]:
            yield
            make_move(sim, record, choose(sim, self.worker.moves, record))
        return self._finished()

    def _finished(self) -> tuple[list[int], int, int]:
        sim = self.worker.sim
        self.random_at_end = Random32(int(sim["rng"]))
        playout(sim, self.worker.moves, self.worker.record)  # after `run_by_moves` it only settles and learns
        self.winners[int(sim["winner"])] += 1
        return sim["moves"][HISTORY : sim["length"]].tolist(), int(sim["root_color"]), int(sim["winner"])

    def run_step_by_step(self, before_each: Callable[[], None]) -> Record:
        """One simulation, with a look before each of its moves."""
        colors, steps = [], self.run_by_moves()
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                return Record(*stop.value, colors, self.worker.sim["board"]["color"].copy(), self.random_at_end)
            colors.append(self.worker.sim["board"]["color"].copy())
            before_each()
