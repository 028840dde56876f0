"""Boards whose value is known: the search finds value and move. Positional superko, every legal move feasible.

2x2 is solved here, by exhaustive search; 3x3 (Black +9, at the centre) and 4x4 (Black +2) are of J. Tromp and others.
"""

from __future__ import annotations

import pytest
from naive import NaiveBoard
from naive import Rules as NaiveRules

from kikashi import Game
from kikashi.board.points import BLACK, PASS, opponent, vertex
from kikashi.playout import feasibility, make_policy
from kikashi.playout.parts import use
from kikashi.player import root_of
from kikashi.search.analysis import Analysis, analyse
from kikashi.search.rules import Backup, Expansion, Selection
from kikashi.search.search import Rules, Search

POSITIONAL = NaiveRules("positional")


@feasibility()
def toy_every_move(sim, point, my):
    """Every legal move."""
    return True


def think(game: Game, simulations: int, *, p: float = 0.7, megabytes: float = 256) -> Analysis:
    """Search the position of a game by UCT, in wins."""
    rules = Rules(
        policy=make_policy("uniform", feasibility="toy_every_move", move_limit=60 * game.size),
        selection=use(Selection, "ucb1", {"p": p, "first_play_urgency": 10.0}),
        expansion=use(Expansion, "after_visits", {"visits": 1}),
        backup=use(Backup, "mean"),
    )
    search = Search(rules, size=game.size, megabytes=megabytes)
    search.start(root_of(game), game.legal_moves, (position for position, _ in game.positions()))
    search.run(simulations)
    return analyse(search, simulations=simulations, seconds=1.0)


# --- our own solver ---------------------------------------------------------------------------------------------------


def reaches(board: NaiveBoard, passes: int, goal: int) -> bool:
    """Whether the player to move can get at least `goal` points more than the opponent, by any number of moves."""
    moves = sorted(board.legal_under(POSITIONAL), key=lambda move: move == PASS)
    for move in moves:
        if move == PASS and passes == 1:
            area = board.area_score()
            won = (area if board.to_play == BLACK else -area) >= goal
        else:
            after = board.copy()
            after.play(move)
            won = not reaches(after, passes + 1 if move == PASS else 0, 1 - goal)
        if won:
            return True
    return False


def value_of(board: NaiveBoard, passes: int = 0) -> int:
    """The score of best play for the player to move."""
    points = board.size**2
    return max(goal for goal in range(-points, points + 1) if reaches(board, passes, goal))
