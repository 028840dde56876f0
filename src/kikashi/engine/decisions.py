"""What a player remembers of its decisions: only those count that were then played in the game at hand."""

from __future__ import annotations

from typing import NamedTuple

from kikashi.engine.limits import Spare
from kikashi.game import Game, Move


class Remembered(NamedTuple):
    """What a decision means for later ones."""

    is_hopeless: bool = False
    extra_komi: float = 0.0
    """The points on top of the game's komi, against the player, that its next search is to have."""
    spare: Spare = Spare()
    """What the player's moves have left over of what they were allowed."""


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
        """Keep in mind a decision in the position of this game."""
        self._decided[(*start_of(game), *game.moves, Move(game.turn, move))] = remembered

    def hopeless_in_a_row(self, game: Game) -> int:
        """How many of the decisions that were played in this game, from the last one back, were hopeless."""
        count, start = 0, start_of(game)
        for played in range(game.move_count, 0, -1):
            found = self._decided.get((*start, *game.moves[:played]))
            if found is not None and not found.is_hopeless:
                break
            count += found is not None
        return count

    def last(self, game: Game, color: int) -> Remembered:
        """The last decision for a colour that was played in this game; one that means nothing if there was none."""
        start = start_of(game)
        for played in range(game.move_count if self._decided else 0, 0, -1):
            found = self._decided.get((*start, *game.moves[:played]))
            if found is not None and game.moves[played - 1].color == color:
                return found
        return Remembered()


def start_of(game: Game) -> tuple[object, ...]:
    """What two games must have in common, besides the moves, for what was found in one to hold in the other."""
    start = game.root()
    return (game.size, game.compensation, game.rules, start.hash, start.turn)
