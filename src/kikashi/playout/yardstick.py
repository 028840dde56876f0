"""Speed of this machine by a plain loop, with which the speed of playouts is compared.

Like playouts, the loop is integers and branches that no processor can predict: Collatz sequences.
"""

import time
from dataclasses import dataclass

from kikashi.board import new_board
from kikashi.jit import kernel
from kikashi.playout.policy import make_policy
from kikashi.playout.sampling import sample
from kikashi.playout.simulation import new_root

NORM = 0.000171
"""Uniform playouts on 9×9 for each step of the loop: the median of 24 runs on an x86-64 processor (Zen 4), which were
between 0.000167 and 0.000175."""
ROUNDS = 5
LOOP_END, PLAYOUTS = 20_000, 4_000
"""Size of a round: some hundredths of a second each."""


@kernel
def collatz_steps(end: int) -> int:
    """Return the steps of the Collatz sequences of all numbers below `end`."""
    steps = 0
    for start in range(1, end):
        number = start
        while number != 1:
            number = number // 2 if number % 2 == 0 else 3 * number + 1
            steps += 1
    return steps


@dataclass(frozen=True)
class MachineSpeed:
    """Best of some rounds, by processor time of one thread."""

    playouts_per_second: float
    """Uniform playouts on 9×9."""
    steps_per_second: float

    @property
    def share_of_norm(self) -> float:
        """Playouts per second beside what a machine with this loop's speed usually has: about 1."""
        return self.playouts_per_second / (self.steps_per_second * NORM)


def measure_machine() -> MachineSpeed:
    """Measure loop and playouts by turns, which takes a second."""
    policy, root = make_policy("uniform"), new_root(new_board(9))
    collatz_steps(2)
    sample(policy, root, playouts=1)
    best_loop = best_playouts = 0.0
    for seed in range(1, ROUNDS + 1):
        started = time.thread_time()
        steps = collatz_steps(LOOP_END)
        best_loop = max(best_loop, steps / (time.thread_time() - started))
        totals = sample(policy, root, playouts=PLAYOUTS, seed=seed)
        best_playouts = max(best_playouts, totals.playouts / totals.cpu_seconds)
    return MachineSpeed(best_playouts, best_loop)
