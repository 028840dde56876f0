"""The count at the end: dead stones are proposed, a person may change them, and both counts are shown."""

from kikashi.board.points import EMPTY, vertex
from kikashi.engine.player import Player
from kikashi.engine.scoring import decided_score, judge
from kikashi.game import Game
from kikashi.game.moves import format_score
from kikashi.game.ownership import dead_stones, owners_by_point
from kikashi.game.territory import chains
from kikashi.search.analysis import from_side
from kikashi.terminal.board_view import NAMES, result_in_words


class Count:
    """A game and its dead stones: none before the end."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.dead: set[int] = set()

    @property
    def is_due(self) -> bool:
        """Whether both have passed."""
        result = self.game.result()
        return result is not None and not result.endswith("+R")

    def propose(self, judge_player: Player) -> None:
        """Let a player judge which stones are dead, if both have passed."""
        self.dead = set(_judged(judge_player, self.game)[1]) if self.is_due else set()

    def change(self, p: int) -> None:
        """Turn a dead chain into a living one, or the other way round. Raises ValueError for an empty point."""
        if self.game.color_at(p) == EMPTY:
            raise ValueError(f"there is no stone at {vertex(p)}")
        self.dead ^= set(next(chain for chain in chains(self.game.board) if p in chain))

    def result(self) -> str | None:
        """Return the result without the dead stones; None before the end."""
        return format_score(self.game.score(self.dead)) if self.is_due else self.game.result()

    def in_words(self) -> str:
        """Return the result, and the count of the board as it stands if that is another."""
        result, board = self.result() or "", self.game.result() or ""
        text = f"{result_in_words(result)} ({result})"
        if not self.dead or self.game.rules.counts_territory:  # then nobody counts dead stones as alive
            return text
        return f"{text}\nAs the board stands: {result_in_words(board)} ({board})"

    def dead_in_words(self) -> str:
        """Return the dead stones by colour: ``"Black G4; White B6"``."""
        named = {color: [vertex(p) for p in sorted(self.dead) if self.game.color_at(p) == color] for color in NAMES}
        return "; ".join(f"{NAMES[color]} {' '.join(points)}" for color, points in named.items() if points)


def warning_before_pass(judge_player: Player, game: Game) -> str | None:
    """Return a warning before a pass that ends the game and loses a count that could be won; else None."""
    if game.rules.counts_territory:  # dead stones are agreed on, and need not be taken
        return None
    owners, dead = _judged(judge_player, game)
    scores = estimate, board, without = decided_score(owners, game.compensation), game.score(), game.score(dead)
    mine = [from_side(game.turn, score) for score in scores]
    if mine[0] <= 0 or min(mine[1:]) > 0:
        return None
    return (
        f"You are ahead ({format_score(estimate)} by the estimate), but as the board stands it is "
        f"{format_score(board)}, and {format_score(without)} without the dead stones. Your pass ends the game."
    )


def _judged(judge_player: Player, game: Game) -> tuple[dict[int, float], list[int]]:
    """Return ownership by point, and the dead stones."""
    owners = owners_by_point(game.size, judge(judge_player, game).ownership)
    return owners, dead_stones(game, owners)
