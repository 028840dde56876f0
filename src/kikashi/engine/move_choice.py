"""Choice of move: the one that a preset's rule prefers in an analysis, when to pass, when to resign."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from kikashi.board.points import PASS, opponent, vertex
from kikashi.engine.limits import Savings
from kikashi.engine.preset import Preset
from kikashi.game import RESIGN, Game, Move
from kikashi.game.ownership import dead_stones, owners_by_point
from kikashi.search.analysis import Analysis, MoveStatistics, from_side

ROBUST_SHARE = 0.5
"""A move may be preferred for its value if it has this share of the visits of the most visited."""
SAFE_WINRATE = 0.9
"""A player who has won passes first if passing wins more often than this, and as often as any other move."""
LOST_WINRATE = 0.05
"""A player who has won the count, but not without the dead stones, plays on if a move wins more often than this, and
so does one who has won both ways, but not by the internal komi of its search."""

CLEARLY = 0.1
"""Where a pass wins nothing it is played only if it wins more often by this than any other move."""
NO_GAIN = 0.5
"""Points that a move among settled points must gain more than, where territory counts."""
ALIKE = 0.02
"""By so much the win rates of two moves that lose nothing may differ."""
SETTLED = 0.8
"""Where a point is a player's in this share of simulations more than the other's, a stone there may cost territory."""
LUCKY_RULES = ("value", "amaf", "first_put")
"""Rules of choice by which a move with few simulations can be preferred: it may have been lucky."""


@dataclass(frozen=True)
class Decision:
    """A move and why."""

    move: int
    """A point, PASS or RESIGN."""
    analysis: Analysis

    @property
    def name(self) -> str:
        """``"E5"``, ``"pass"`` or ``"resign"``."""
        return "resign" if self.move == RESIGN else vertex(self.move)

    def __repr__(self) -> str:
        return f"<Decision {self.name}; {self.analysis}>"

    def _repr_html_(self) -> str:
        return f"<p>The move: {self.name}</p>{self.analysis._repr_html_()}"


def _known_first(value: float | None) -> tuple[bool, float]:
    """For comparing: a value that is not known is below all others."""
    return value is not None, value or 0.0


_MERITS: dict[str, Callable[[MoveStatistics], Any]] = {
    "value": lambda move: (move.winrate, move.score),  # far ahead or behind, only points can tell
    "wins": lambda move: move.wins,
    "best_wins": lambda move: move.wins if move.best_wins is None else move.best_wins,
    "amaf": lambda move: (_known_first(move.rave), move.winrate),
    "first_put": lambda move: (_known_first(move.first_put), move.winrate),
}
"""What a rule compares moves by; the others go by visits."""


def best_move(analysis: Analysis, rule: str) -> MoveStatistics | None:
    """The move that a rule of `kikashi.engine.preset.Choice` prefers; None if there is no move at all."""
    tried = [move for move in analysis.moves if _is_choosable(move)]
    if not tried:
        return analysis.moves[0] if analysis.moves else None
    if rule in _MERITS:
        return max(tried, key=_MERITS[rule])
    if rule == "robust":
        most = max(move.visits for move in tried)
        return max((move for move in tried if move.visits >= ROBUST_SHARE * most), key=lambda move: move.winrate)
    return tried[0]


def is_unsettled(analysis: Analysis, close: float) -> bool:
    """Whether a longer search might well change the move: another one has nearly the visits of the most visited, by the
    share `close`, or has half of them and wins more often."""
    by_visits = sorted((move for move in analysis.moves if _is_choosable(move)), key=lambda move: -move.visits)
    if len(by_visits) < 2:
        return False
    first, second = by_visits[:2]
    return second.visits > close * first.visits or best_move(analysis, "robust") != first


def is_game_decided(analysis: Analysis, rarely: float) -> bool:
    """Whether one side wins less often than `rarely`."""
    return min(analysis.winrate, 1.0 - analysis.winrate) < rarely


def ranked(analysis: Analysis, rule: str) -> Analysis:
    """The analysis with the moves in the order of a rule that does not go by visits: these say nothing then."""
    if rule not in LUCKY_RULES:
        return analysis
    best_first = sorted(analysis.moves, key=lambda move: (_is_choosable(move), _MERITS[rule](move)), reverse=True)
    return replace(analysis, moves=tuple(best_first))


def _is_choosable(move: MoveStatistics) -> bool:
    """Whether a rule may prefer it: it was tried, and not given up."""
    return move.visits > 0 and not move.pruned


def should_pass(preset: Preset, game: Game, analysis: Analysis, best: MoveStatistics) -> bool:
    """Whether to end the game, or offer to: it is won both ways and nothing is left to gain, or nothing else can win.

    After the opponent's pass a player first looks at passing alone (see `as_pass`); if it went on to look at other
    moves, the game was not won both ways.
    """
    if game.rules.counts_territory:
        return keep_territory(analysis, best) == PASS
    if not is_count_won(game):
        return False
    if has_opponent_passed(game):
        hope = best_move(analysis, "robust") or best
        return all(move.move == PASS for move in analysis.moves) or hope.winrate < LOST_WINRATE
    passing = next((move for move in analysis.moves if move.move == PASS and move.visits), None)
    if passing is None or not preset.at(game.size).config.win_weight:
        return False
    is_safe = passing.winrate > SAFE_WINRATE and passing.winrate >= best.winrate
    return is_safe and is_won_both_ways(game, analysis.ownership)


def rather_than_pass(game: Game, analysis: Analysis, rule: str) -> MoveStatistics | None:
    """The move to play in place of a pass that is preferred but wins nothing; None if the pass is clearly better.

    It is better where any move does harm, as in a seki. On a board that is lost both ways it never is: the opponent
    passes, too, and has won. A lost game is over when the opponent has passed and no move wins.
    """
    passing = next(move for move in analysis.moves if move.move == PASS)
    other = best_move(replace(analysis, moves=tuple(move for move in analysis.moves if move.move != PASS)), rule)
    if other is None or not other.visits:
        return None
    if has_opponent_passed(game) and max(passing.winrate, other.winrate) < LOST_WINRATE:
        return None
    if is_lost_both_ways(game, analysis.ownership):
        return other
    by_luck = 0.0
    if rule in LUCKY_RULES and passing.visits:  # two standard deviations of the difference of two win rates
        by_luck = math.sqrt(1 / passing.visits + 1 / other.visits)
    return other if other.winrate > passing.winrate - max(CLEARLY, by_luck) else None


def may_cost_territory(game: Game, analysis: Analysis, best: MoveStatistics) -> bool:
    """Whether to ask what a pass is worth: the best move is one, or a stone where everything is settled.

    By area such a stone costs nothing, by territory a point.
    """
    owners = owners_by_point(game.size, analysis.ownership)
    return best.move == PASS or abs(owners[best.move]) > SETTLED


def best_but_pass(analysis: Analysis) -> MoveStatistics | None:
    """The best move that is none; None if no other was tried."""
    others = replace(analysis, moves=tuple(move for move in analysis.moves if move.move != PASS))
    other = best_move(others, "robust")
    return other if other is not None and other.visits else None


def gain_of_pass(passing: MoveStatistics, other: MoveStatistics) -> float:
    """How many points more a pass is worth than another move; it costs one at least if it wins less often."""
    points = passing.score - other.score
    return points if passing.winrate > other.winrate - ALIKE else min(points, -1.0)


def keep_territory(analysis: Analysis, best: MoveStatistics) -> int:
    """The best move, or a pass where that leaves more points.

    After a pass the player has put down a stone less than by any move (see `Game.surplus`): so a move that gains
    nothing by area is worth a point less than the pass. One that gains anything is worth a point more; simulations,
    in which invasions live now and then, find it halfway at times, so half a point is no gain.
    """
    if analysis.pass_gain is None:
        return best.move
    other = best if best.move != PASS else best_but_pass(analysis)
    return PASS if other is None or analysis.pass_gain > -NO_GAIN else other.move


def is_hopeless(preset: Preset, game: Game, best: MoveStatistics) -> bool:
    """Whether the best move wins less often than the preset asks for, and the count is not won either."""
    preset = preset.at(game.size)
    too_low = 0 < preset.choice.resign > best.winrate and preset.config.win_weight > 0
    return too_low and (game.rules.counts_territory or not is_count_won(game))


def is_count_won(game: Game) -> bool:
    """Whether the player to move wins if the board is counted as it stands."""
    return from_side(game.turn, game.score()) > 0


def is_won_both_ways(game: Game, ownership: Sequence[float]) -> bool:
    """Whether the player to move wins the count of the board as it stands, and also that without the dead stones.

    Servers and people take dead stones off, other programs count them: a game that is over must be won either way.
    """
    return min(_both_scores(game, ownership)) > 0


def is_lost_both_ways(game: Game, ownership: Sequence[float]) -> bool:
    """Whether the player to move wins neither the count of the board as it stands nor that without the dead stones."""
    return max(_both_scores(game, ownership)) <= 0


def _both_scores(game: Game, ownership: Sequence[float]) -> tuple[float, float]:
    """The score of the player to move, of the board as it stands and without the dead stones.

    Where territory counts nobody counts them as alive, and both are the second.
    """
    dead = dead_stones(game, owners_by_point(game.size, ownership))
    without = from_side(game.turn, game.score(dead))
    return without if game.rules.counts_territory else from_side(game.turn, game.score()), without


def has_opponent_passed(game: Game) -> bool:
    """Whether the last move was a pass, so that another one ends the game."""
    return bool(game.moves) and game.moves[-1].point == PASS


def as_pass(after: Analysis) -> Analysis:
    """An analysis of the position after a pass, as one of the position before it in which passing is the only move."""
    winrate, score = 1.0 - after.winrate, -after.score
    best = after.moves[0] if after.moves else None
    passing = MoveStatistics(
        move=PASS,
        visits=after.visits,
        winrate=winrate,
        score=score,
        prior=1.0,
        rave=None,
        variation=(PASS, *(best.variation if best else ())),
        variation_visits=(after.visits, *(best.variation_visits if best else ())),
    )
    return replace(after, to_play=opponent(after.to_play), winrate=winrate, score=score, moves=(passing,))


# --- decisions of a game ----------------------------------------------------------------------------------------------


class Remembered(NamedTuple):
    """What a decision means for later ones of the game."""

    is_hopeless: bool = False
    extra_komi: float = 0.0
    """The points on top of the game's komi, against the player, that its next search is to have."""
    savings: Savings = Savings()
    """What the player's moves have left unused of their limits."""


class Decisions:
    """The decisions of a player, by game and moves, the one decided on included.

    So a move that is taken back takes with it what was learned from it, and so does another komi.
    """

    def __init__(self) -> None:
        self._decided: dict[tuple[object, ...], Remembered] = {}

    def clear(self) -> None:
        """Forget all of them."""
        self._decided.clear()

    def note(self, game: Game, move: int, remembered: Remembered) -> None:
        """Remember a decision in the position of this game."""
        self._decided[(*start_of(game), *game.moves, Move(game.turn, move))] = remembered

    def hopeless_in_a_row(self, game: Game) -> int:
        """Number of hopeless decisions played in this game, from the last one back."""
        count, start = 0, start_of(game)
        for played in range(game.move_count, 0, -1):
            found = self._decided.get((*start, *game.moves[:played]))
            if found is not None and not found.is_hopeless:
                break
            count += found is not None
        return count

    def last(self, game: Game, color: int) -> Remembered:
        """The last decision for a colour that was played in this game; a blank one if there was none."""
        start = start_of(game)
        for played in range(game.move_count if self._decided else 0, 0, -1):
            found = self._decided.get((*start, *game.moves[:played]))
            if found is not None and game.moves[played - 1].color == color:
                return found
        return Remembered()


def start_of(game: Game) -> tuple[object, ...]:
    """Key of a game without its moves: what was found in one game holds in another with the same key."""
    start = game.root()
    return (game.size, game.compensation, game.rules, start.hash, start.turn)
