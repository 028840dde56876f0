"""What a move costs beyond the time that is thought about it, kept back from the clock."""

from __future__ import annotations

from dataclasses import replace

from kikashi.search.budget import Clock

LATE = 0.03
"""Seconds that a move may come later than was meant: the last simulations, pipes, a busy machine."""
UNSEEN = 0.01
"""Seconds of a move that only the controller's clock sees."""
MOVES_KEPT = 30
"""A game may be so many moves longer than was thought."""


def prudent(clock: Clock, moves_left: int) -> Clock:
    """A clock that shows less, so that what it allots can be thought and the move still comes in time."""
    if clock.stones:
        return replace(clock, used=clock.used + LATE * clock.stones)
    if clock.periods:
        return clock  # it keeps a tenth of a period back, and moves do not add up
    kept = LATE * (moves_left + MOVES_KEPT)
    if clock.increment:
        kept = min(kept, clock.main / 2)
    return replace(clock, main=max(0.0, clock.main - kept))
