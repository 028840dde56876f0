"""What a search found, as pages are told."""

from __future__ import annotations

from collections.abc import Sequence

from kikashi.search.analysis import Analysis
from kikashi.web.events import Candidate, Opinion
from kikashi.web.game_tree import color_name
from kikashi.web.limits import TOLD_MOVES
from kikashi.web.messages import Board


def opinion_of(
    found: Analysis, *, board: Board, node: int, preset: str, running: bool, without: Sequence[str] = ()
) -> Opinion:
    """An analysis of the position at a node."""
    return Opinion(
        board=board,
        node=node,
        preset=preset,
        turn=color_name(found.to_play),
        running=running,
        visits=found.visits,
        winrate=found.black_winrate,
        score=found.black_score,
        deviation=found.score_deviation,
        per_second=found.simulations_per_second,
        depth=found.depth,
        nodes=found.nodes,
        moves=[
            Candidate(
                move=move.name,
                visits=move.visits,
                winrate=move.winrate,
                score=move.score,
                prior=move.prior,
                rave=move.rave,
                line=list(move.names),
            )
            for move in found.moves[:TOLD_MOVES]
        ],
        ownership=from_the_top(found.ownership),
        shares=found.moves_by,
        without=list(without),
    )


def from_the_top(ownership: Sequence[float]) -> list[int]:
    """Who owns what, in percent, from the upper left, row by row."""
    size = round(len(ownership) ** 0.5)
    return [
        round(100 * owner) for start in range(size * (size - 1), -1, -size) for owner in ownership[start : start + size]
    ]
