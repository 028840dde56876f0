"""Scoring of a finished board by simulations: owners, territory and the score."""

from collections.abc import Callable, Mapping

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, WHITE, points_of
from kikashi.engine.limits import Limit
from kikashi.engine.move_search import SCORING_SIMULATIONS
from kikashi.engine.player import Player
from kikashi.game import RESIGN, Game
from kikashi.game.ownership import DECIDED, dead_stones
from kikashi.search.analysis import Analysis

COUNTING_PRESET = "kikashi-handmade"
"""A preset that does not change, since results of games depend on it."""
COUNTING_LIMIT = Limit(simulations=500)
COUNTING_MEGABYTES = 128.0


def last_passes(game: Game) -> int:
    count = 0
    while count < game.move_count and game.moves[-1 - count].point == PASS:
        count += 1
    return count


def before_the_end(game: Game) -> Game:
    """Return a copy of a game without the resignation and the passes at its end."""
    position = game.copy()
    while position.moves and position.moves[-1].point in (PASS, RESIGN):
        position.pop()
    return position


def judge(
    player: Player,
    game: Game,
    *,
    simulations: int = SCORING_SIMULATIONS,
    interrupted: Callable[[], bool] | None = None,
) -> Analysis:
    """Search a position long enough to find the owners of points, without passes or a resignation at the end.

    >>> from kikashi.board import parse_vertex
    >>> from kikashi.game import dead_stones, owners_by_point
    >>> game = Game.from_diagram(".X.X. XXXXX XXXXX X.O.X X...X".replace(" ", "\\n"))
    >>> found = judge(Player("mogo-2006", seed=1), game, simulations=100)
    >>> dead_stones(game, owners_by_point(5, found.ownership)) == [parse_vertex("C2", 5)]
    True
    """
    position = before_the_end(game).turned_to(game.turn)
    return player.analyse(position, Limit(simulations=simulations), interrupted=interrupted, zoned=False)


def owner_of(ownership: float) -> int:
    """Return BLACK or WHITE for a decided point, else EMPTY."""
    return BLACK if ownership > DECIDED else WHITE if ownership < -DECIDED else EMPTY


def decided_score(owners: Mapping[int, float], komi: float) -> float:
    """Return Black's points less White's and komi (a game's compensation), by decided points only."""
    owned = [owner_of(ownership) for ownership in owners.values()]
    return owned.count(BLACK) - owned.count(WHITE) - komi


def territory(game: Game, owners: Mapping[int, float], color: int) -> list[int]:
    """Return the empty points and dead stones that a player owns; with EMPTY those that nobody owns."""
    dead = dead_stones(game, owners)
    free = (p for p in points_of(game.size) if game.color_at(p) == EMPTY or p in dead)
    return [p for p in free if owner_of(owners[p]) == color]


def simulated_score(game: Game) -> float:
    """Return Black's points less White's and komi; each point counts for its owner in most simulations.

    A short search runs for each side to play, since bare playouts lose groups that any player would save.
    """
    position = before_the_end(game)
    owners = np.zeros(game.size**2)
    for color in (BLACK, WHITE):
        player = Player(COUNTING_PRESET, limit=COUNTING_LIMIT, megabytes=COUNTING_MEGABYTES)
        owners += player.analyse(position.turned_to(color)).ownership
    return float(np.sign(owners).sum()) - game.compensation
