"""The shape around a move, and the last move in it."""

from typing import Any

from kikashi.playout.kinds import feature
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.shapes import (
    RINGS,
    Keys,
    reply_images,
    reply_key,
    reply_rows,
    shape_images,
    shape_key,
    shape_rows,
)


@feature(
    levels=Keys(shape_images, shape_rows),
    limits={"rings": (1, len(RINGS))},
    rings=2,
    source="Coulom 2007; Stern et al. 2006",
)
def shape(sim: Simulation, point: int, my: Any) -> int:
    """The colours of the nearest points, and the neighbours in atari: one ring is 4 points, two are 8, three 12, four
    20 and five 28."""
    return shape_key(sim.board, point, my.rings)


@feature(
    levels=Keys(reply_images, reply_rows),
    limits={"rings": (1, len(RINGS))},
    rings=2,
    source="Silver et al. 2016, response patterns",
)
def reply(sim: Simulation, point: int, my: Any) -> int:
    """The shape, and the place of the last move in or near it; one level for all moves that are farther away."""
    return reply_key(sim.board, point, last_move(sim, 1), my.rings)
