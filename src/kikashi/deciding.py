"""What to do about an analysis: the move that a preset's rule prefers, and when to pass or to give up."""

from __future__ import annotations

from dataclasses import dataclass

from kikashi.board.points import PASS, vertex
from kikashi.game import RESIGN, Game
from kikashi.preset import Preset
from kikashi.search.analysis import Analysis, MoveStatistics, from_side

ROBUST_SHARE = 0.5
"""A move may be preferred for its value if it has this share of the visits of the most visited."""
SAFE_WINRATE = 0.9
"""A player whose count is won passes if passing wins more often than this, and as often as any other move."""


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


def best_move(analysis: Analysis, rule: str) -> MoveStatistics | None:
    """The move that a rule of `kikashi.preset.Choice` prefers; None if there is no move at all."""
    tried = [move for move in analysis.moves if move.visits]
    if not tried:
        return analysis.moves[0] if analysis.moves else None
    if rule == "value":
        return max(tried, key=lambda move: move.winrate)
    if rule == "wins":
        return max(tried, key=lambda move: move.wins)
    if rule == "robust":
        enough = [move for move in tried if move.visits >= ROBUST_SHARE * tried[0].visits]
        return max(enough, key=lambda move: move.winrate)
    return tried[0]


def should_pass(preset: Preset, game: Game, analysis: Analysis, best: MoveStatistics) -> bool:
    """Whether passing wins: the count is won, and the opponent has passed or nothing is left to gain."""
    if not is_count_won(game):
        return False
    if game.moves and game.moves[-1].point == PASS:
        return True
    passing = next((move for move in analysis.moves if move.move == PASS and move.visits), None)
    if passing is None or not preset.recipe.win_weight:
        return False
    return passing.winrate > SAFE_WINRATE and passing.winrate >= best.winrate


def is_hopeless(preset: Preset, game: Game, best: MoveStatistics) -> bool:
    """Whether the best move wins less often than the preset asks for, and the count is not won either."""
    too_low = 0 < preset.choice.resign > best.winrate and preset.recipe.win_weight > 0
    return too_low and not is_count_won(game)


def is_count_won(game: Game) -> bool:
    """Whether the player to move wins if the board is counted as it stands."""
    return from_side(game.turn, game.score()) > 0
