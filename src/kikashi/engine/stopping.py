"""A search runs up to a limit and tells what it has found so far: when it ends, and who hears of it in between."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from kikashi.engine.limits import Limit
from kikashi.game import Game
from kikashi.search.analysis import Analysis
from kikashi.search.interface import AnySearch

Check = Callable[[], bool]
Tell = Callable[[float, dict[str, int]], Analysis]
"""An analysis of what was found, from the seconds and the playout moves by heuristic that it took."""
CLEAR_AFTER = 0.25
"""The part of a budget after which a move, or who wins, may be clear."""


@dataclass(frozen=True)
class Question:
    """What is thought about, and who wants to hear of it."""

    game: Game
    moves: Collection[int] | None
    """The only ones to be looked at, besides passing; all if it is None."""
    every: float | None
    """Seconds from one analysis to the next; only the last one is told if it is None."""
    interrupted: Check | None

    @property
    def is_withdrawn(self) -> bool:
        """Whether nobody wants to know any more."""
        return self.interrupted is not None and self.interrupted()


def run(
    search: AnySearch,
    limit: Limit,
    every: float | None,
    checks: Iterable[Check | None],
    tell: Tell,
    *,
    first: float | None = None,
) -> Iterator[Analysis]:
    """Run simulations up to a limit, or until one of the checks says yes. Yields an analysis after `first` seconds, if
    that is given, after every `every` seconds, and one at the end."""
    begun = ended = False
    before = search.moves_by()

    def is_ended() -> bool:
        nonlocal ended
        ended = ended or any(check() for check in checks if check is not None)
        return ended

    def is_over() -> bool:
        return ended or search.done >= limit.simulations or (begun and time.perf_counter() >= limit.until)

    try:
        while not is_over():
            wait = every if begun or first is None else first
            begun = True
            pause = limit.until if wait is None else min(limit.until, time.perf_counter() + wait)
            ran = search.run(limit.simulations - search.done, until=pause, check=is_ended)
            ended = ended or not ran or is_over()
            if ended:
                search.rest()
            moves_by = {name: count - before[name] for name, count in search.moves_by().items()}
            yield tell(time.perf_counter() - limit.started, moves_by)
    finally:  # also where nobody wants the next analysis
        search.rest()


def told_on(search: AnySearch, found: Iterator[Analysis], every: float, interrupted: Check) -> Iterator[Analysis]:
    """What was found; and then that again and again until interrupted, if the search knows enough before."""
    for analysis in found:
        yield analysis
    again = time.perf_counter() + every
    while search.is_decided and not interrupted():
        time.sleep(0.005)
        if time.perf_counter() >= again:
            again += every
            yield analysis


def will_not_be_overtaken(search: AnySearch, limit: Limit, clear: float) -> bool:
    """Whether even all simulations that are left could not make the second most visited move the most visited one; or
    whether it is unlikely, as it has less than the share `clear` of its visits after a good part of the simulations."""
    visits, done = search.visits_of_moves(), search.done
    if len(visits) < 2 or not done:
        return False
    second, first = sorted(visits)[-2:]
    left = limit.simulations_left(done)
    return first - second > left or (second < clear * first and done >= CLEAR_AFTER * (done + left))
