"""Choice of move by an analysis: the rules of presets, passing and resigning."""

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
"""Win rate up to which a position counts as lost: for a player who wins the count but not without the dead stones, or
wins both ways but not by the internal komi."""
CLEARLY = 0.1
"""Advantage in win rate over every move that a pass which wins nothing needs."""
NO_GAIN = 0.5
"""Points that a move among settled points must gain under territory rules."""
ALIKE = 0.02
"""Difference in win rate of two moves that lose nothing."""
SETTLED = 0.8
"""Ownership, from -1 to 1, beyond which a stone on a point may cost territory."""
LUCKY_RULES = ("value", "amaf", "first_put")
"""Rules that may prefer a move with few simulations, which may have been lucky."""


@dataclass(frozen=True)
class Decision:
    """A move, which is a point, PASS or RESIGN, and its analysis."""

    move: int
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
    """Return a key by which an unknown value is below all others."""
    return value is not None, value or 0.0


_MERITS: dict[str, Callable[[MoveStatistics], Any]] = {
    "value": lambda move: (move.winrate, move.score),  # far ahead or behind, only points can tell
    "wins": lambda move: move.wins,
    "best_wins": lambda move: move.wins if move.best_wins is None else move.best_wins,
    "amaf": lambda move: (_known_first(move.rave), move.winrate),
    "first_put": lambda move: (_known_first(move.first_put), move.winrate),
}
"""Values that rules compare; other rules compare visits."""


def best_move(analysis: Analysis, rule: str) -> MoveStatistics | None:
    """Return the move that a rule of `kikashi.engine.preset.Choice` prefers; None if there is no move."""
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
    """Return whether a longer search may change the move: another one has the share `close` of the visits of the most
    visited, or half of them and wins more often."""
    by_visits = sorted((move for move in analysis.moves if _is_choosable(move)), key=lambda move: -move.visits)
    if len(by_visits) < 2:
        return False
    first, second = by_visits[:2]
    return second.visits > close * first.visits or best_move(analysis, "robust") != first


def is_game_decided(analysis: Analysis, rarely: float) -> bool:
    """Return whether one side wins less often than `rarely`."""
    return min(analysis.winrate, 1.0 - analysis.winrate) < rarely


def ranked(analysis: Analysis, rule: str) -> Analysis:
    """Return the analysis with its moves in the order of a rule, if that does not go by visits."""
    if rule not in LUCKY_RULES:
        return analysis
    best_first = sorted(analysis.moves, key=lambda move: (_is_choosable(move), _MERITS[rule](move)), reverse=True)
    return replace(analysis, moves=tuple(best_first))


def _is_choosable(move: MoveStatistics) -> bool:
    """Return whether it was tried, and not pruned."""
    return move.visits > 0 and not move.pruned


def should_pass(preset: Preset, game: Game, analysis: Analysis, best: MoveStatistics) -> bool:
    """Return whether to end the game or offer to: it is won both ways with nothing left to gain, or no move wins.

    After the opponent's pass a search of moves means that the game is not won both ways (see `as_pass`).
    """
    if game.rules.counts_territory:
        return keep_territory(analysis, best) == PASS
    if not is_count_won(game):
        return False
    if has_opponent_passed(game):
        hope = best_move(analysis, "robust") or best
        return all(move.move == PASS for move in analysis.moves) or hope.winrate < LOST_WINRATE
    passing = next((move for move in analysis.moves if move.move == PASS and move.visits), None)
    if passing is None or not preset.config.win_weight:
        return False
    is_safe = passing.winrate > SAFE_WINRATE and passing.winrate >= best.winrate
    return is_safe and is_won_both_ways(game, analysis.ownership)


def rather_than_pass(game: Game, analysis: Analysis, rule: str) -> MoveStatistics | None:
    """Return a move in place of a pass that wins nothing; None if the pass is clearly better.

    It is better where any move does harm, as in a seki. It is not on a board that is lost both ways, where the
    opponent's pass would end the game. A lost game is over when the opponent has passed and no move wins.
    """
    passing = next(move for move in analysis.moves if move.move == PASS)
    other = best_but_pass(analysis, rule)
    if other is None:
        return None
    if has_opponent_passed(game) and max(passing.winrate, other.winrate) < LOST_WINRATE:
        return None
    if max(_both_scores(game, analysis.ownership)) <= 0:
        return other
    by_luck = 0.0
    if rule in LUCKY_RULES and passing.visits:  # two standard deviations of the difference of two win rates
        by_luck = math.sqrt(1 / passing.visits + 1 / other.visits)
    return other if other.winrate > passing.winrate - max(CLEARLY, by_luck) else None


def may_cost_territory(game: Game, analysis: Analysis, best: MoveStatistics) -> bool:
    """Return whether the best move is a pass, or a stone on a settled point, which costs a point of territory."""
    owners = owners_by_point(game.size, analysis.ownership)
    return best.move == PASS or abs(owners[best.move]) > SETTLED


def best_but_pass(analysis: Analysis, rule: str = "robust") -> MoveStatistics | None:
    """Return the best move that is not a pass; None if no other was tried."""
    others = replace(analysis, moves=tuple(move for move in analysis.moves if move.move != PASS))
    other = best_move(others, rule)
    return other if other is not None and other.visits else None


def gain_of_pass(passing: MoveStatistics, other: MoveStatistics) -> float:
    """Return the points by which a pass is better than a move; at most -1 if it wins less often."""
    points = passing.score - other.score
    return points if passing.winrate > other.winrate - ALIKE else min(points, -1.0)


def keep_territory(analysis: Analysis, best: MoveStatistics) -> int:
    """Return the best move, or a pass if that leaves more points.

    A pass saves a stone (see `Game.surplus`), so a move without gain by area is a point worse, and one with gain a
    point better. Simulations, in which invasions sometimes live, may find half a point: that is no gain.
    """
    if analysis.pass_gain is None:
        return best.move
    other = best if best.move != PASS else best_but_pass(analysis)
    return PASS if other is None or analysis.pass_gain > -NO_GAIN else other.move


def is_hopeless(preset: Preset, game: Game, analysis: Analysis) -> bool:
    """Return whether the best move wins less often than the preset's limit for resigning, and the count is not won.

    Only a search of the whole board by the game's komi can tell.
    """
    best = best_move(analysis, preset.choice.rule)
    if best is None or analysis.internal_komi is not None or analysis.outside is not None:
        return False
    too_low = 0 < preset.choice.resign > best.winrate and preset.config.win_weight > 0
    return too_low and (game.rules.counts_territory or not is_count_won(game))


def is_count_won(game: Game) -> bool:
    """Return whether the player to move wins if the board is counted as it stands."""
    return from_side(game.turn, game.score()) > 0


def is_won_both_ways(game: Game, ownership: Sequence[float]) -> bool:
    """Return whether the player to move wins the count of the board as it stands, and also without the dead stones.

    Servers and people take dead stones off, other programs count them: a game that is over must be won either way.
    """
    return min(_both_scores(game, ownership)) > 0


def _both_scores(game: Game, ownership: Sequence[float]) -> tuple[float, float]:
    """Return the scores of the player to move: of the board as it stands, and without the dead stones.

    Under territory rules dead stones never count as alive, so both are the second.
    """
    dead = dead_stones(game, owners_by_point(game.size, ownership))
    without = from_side(game.turn, game.score(dead))
    return without if game.rules.counts_territory else from_side(game.turn, game.score()), without


def has_opponent_passed(game: Game) -> bool:
    """Return whether the last move was a pass, so that another one ends the game."""
    return bool(game.moves) and game.moves[-1].point == PASS


def as_pass(after: Analysis) -> Analysis:
    """Convert an analysis of the position after a pass into one of the position before it, with that move only."""
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
    """Consequences of a decision for later ones of the game."""

    is_hopeless: bool = False
    extra_komi: float = 0.0
    """Points on top of the game's komi, against the player, in its next search."""
    savings: Savings = Savings()


class Decisions:
    """Decisions of a player, by game and moves, so that a move taken back or another komi forgets them."""

    def __init__(self) -> None:
        self._decided: dict[tuple[object, ...], Remembered] = {}

    def clear(self) -> None:
        self._decided.clear()

    def note(self, game: Game, move: int, remembered: Remembered) -> None:
        self._decided[(*start_of(game), *game.moves, Move(game.turn, move))] = remembered

    def hopeless_in_a_row(self, game: Game) -> int:
        """Return the number of hopeless decisions played in this game, from the last one back."""
        count, start = 0, start_of(game)
        for played in range(game.move_count, 0, -1):
            found = self._decided.get((*start, *game.moves[:played]))
            if found is not None and not found.is_hopeless:
                break
            count += found is not None
        return count

    def last(self, game: Game, color: int) -> Remembered:
        """Return the last decision for a colour that was played in this game; a blank one if there was none."""
        start = start_of(game)
        for played in range(game.move_count if self._decided else 0, 0, -1):
            found = self._decided.get((*start, *game.moves[:played]))
            if found is not None and game.moves[played - 1].color == color:
                return found
        return Remembered()


def start_of(game: Game) -> tuple[object, ...]:
    """Return a key of a game without its moves; games with the same key may share trees."""
    start = game.root()
    return (game.size, game.compensation, game.rules, start.hash, start.turn)
