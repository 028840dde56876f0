"""The position of a game as simulations and searches need it."""

from __future__ import annotations

from collections.abc import Collection

from kikashi.board.points import PASS
from kikashi.engine.move_choice import has_opponent_passed, is_count_won
from kikashi.game import RESIGN, Game
from kikashi.playout.simulation import HISTORY, Root, new_root
from kikashi.search.situation import Situation
from kikashi.search.zones import Tuning


def root_of(game: Game, *, judging: bool = False, shift: float = 0.0) -> Root:
    """The position of a game as simulations need it: the board, the last moves and komi, with `shift` added to it.

    After a pass another one ends a simulation, but not if that would win the count: the question is then whether the
    player also wins without the dead stones, and simulations that end at once do not tell. With `judging` no pass
    before the root counts.

    >>> game = Game(9, komi=6.5)
    >>> _ = game.push("E5")
    >>> float(root_of(game)["komi"])
    6.5
    """
    points = [move.point for move in game.moves if move.point != RESIGN]
    ends = points[-1:] == [PASS] and not judging and not is_pass_in_doubt(game)
    passes = int(ends)  # never 2: after two passes nothing would be simulated
    return new_root(game.board, history=tuple(points[-HISTORY:]), passes=passes, komi=game.compensation + shift)


def situation_of(
    game: Game,
    moves: Collection[int] | None = None,
    *,
    everywhere: bool = False,
    judging: bool = False,
    shift: float = 0.0,
    tuning: Tuning | None = None,
    simulations: int | None = None,
) -> Situation:
    """The position of a game as a search needs it. With `moves` only these are looked at, wherever they are; `judging`
    and `shift` are those of `root_of`, the others those of `Situation`."""
    return Situation(
        root_of(game, judging=judging, shift=shift),
        [*game.legal_moves] if moves is None else [p for p in moves if game.is_legal(p)],
        [position for position, _ in game.positions()],
        everywhere or moves is not None,
        tuning,
        simulations,
    )


def is_pass_in_doubt(game: Game) -> bool:
    """Whether another pass ends the game with a count that is won: without the dead stones it may be lost."""
    return has_opponent_passed(game) and not game.rules.counts_territory and is_count_won(game)
