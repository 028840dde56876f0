"""A plugin of three heuristics that never propose, to measure the cost of a call."""

from kikashi.playout import heuristic


@heuristic()
def idle_1(sim, moves, my):
    """Proposes nothing."""


@heuristic()
def idle_2(sim, moves, my):
    """Proposes nothing."""


@heuristic()
def idle_3(sim, moves, my):
    """Proposes nothing."""
