"""Answers from analyses, with all values from the side of the query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kikashi.board.points import BLACK, PASS, WHITE, points_of
from kikashi.game import Game
from kikashi.protocols.formatting import from_the_top, lower_bound, visited_moves
from kikashi.protocols.kata.messages import Answer, MoveInfo, Query, RootInfo, Side
from kikashi.protocols.kata.queries import Position
from kikashi.search.analysis import Analysis, MoveStatistics

DIGITS = 6
OWNER_DIGITS = 4


@dataclass(frozen=True)
class View:
    """A conversion of the mover's values, and of Black's ownership, to those of a side."""

    is_turned: bool
    is_white: bool

    @classmethod
    def of(cls, side: Side, to_play: int) -> View:
        color = {"BLACK": BLACK, "WHITE": WHITE, "SIDETOMOVE": to_play}[side]
        return cls(color != to_play, color == WHITE)

    def rate(self, value: float) -> float:
        return round(1.0 - value if self.is_turned else value, DIGITS)

    def points(self, value: float) -> float:
        return round(-value if self.is_turned else value, DIGITS)

    def values(self, found: Analysis | MoveStatistics, deviation: float) -> dict[str, Any]:
        score = self.points(found.score)
        return {
            "visits": found.visits,
            "winrate": self.rate(found.winrate),
            "score_lead": score,
            "score_selfplay": score,
            "score_stdev": round(deviation, DIGITS),
            "utility": self.points(2 * found.winrate - 1),
            "lcb": self.rate(lower_bound(found.winrate, found.visits)),
        }

    def owners(self, black: Sequence[float]) -> list[float]:
        return [round(-owner if self.is_white else owner, OWNER_DIGITS) + 0.0 for owner in from_the_top(black)]


def answer(
    position: Position,
    game: Game,
    analysis: Analysis,
    *,
    side: Side,
    is_during_search: bool,
    allowed: set[int] | None = None,
    owners: Mapping[int, Sequence[float]] | None = None,
) -> Answer:
    """Return the answer for a position, with the `allowed` moves and the ownership (`owners`) after each move."""
    query, view = position.query, View.of(side, analysis.to_play)
    shown = [move for move in visited_moves(analysis) if allowed is None or move.move in allowed]
    deviation = analysis.score_deviation
    return Answer(
        id=query.id,
        turn_number=position.turn,
        is_during_search=is_during_search,
        root_info=RootInfo(
            current_player="B" if analysis.to_play == BLACK else "W", **view.values(analysis, deviation)
        ),
        move_infos=[
            _move_info(query, view, move, order, deviation, (owners or {}).get(move.move))
            for order, move in enumerate(shown)
        ],
        ownership=view.owners(analysis.ownership) if query.include_ownership else None,
        ownership_stdev=_spread(analysis.ownership) if query.include_ownership_stdev else None,
        policy=_policy(game, analysis) if query.include_policy else None,
    )


def _move_info(
    query: Query, view: View, move: MoveStatistics, order: int, deviation: float, owners: Sequence[float] | None
) -> MoveInfo:
    visits = list(move.variation_visits[: query.analysis_pv_len + 1]) if query.include_pv_visits else None
    wants_owners, wants_spread = query.include_moves_ownership, query.include_moves_ownership_stdev
    return MoveInfo(
        move=move.name,
        order=order,
        edge_visits=move.visits,
        score_mean=view.points(move.score),
        prior=round(move.prior, DIGITS),
        utility_lcb=view.points(2 * lower_bound(move.winrate, move.visits) - 1),
        pv=list(move.names[: query.analysis_pv_len + 1]),
        pv_visits=visits,
        pv_edge_visits=visits,
        ownership=view.owners(owners) if owners is not None and wants_owners else None,
        ownership_stdev=_spread(owners) if owners is not None and wants_spread else None,
        **view.values(move, deviation),
    )


def _spread(owners: Sequence[float]) -> list[float]:
    """Return the standard deviation of ownership between simulations."""
    return [round(max(0.0, 1.0 - owner * owner) ** 0.5, OWNER_DIGITS) for owner in from_the_top(owners)]


def _policy(game: Game, analysis: Analysis) -> list[float]:
    """Return the priors of all moves from the top left, the pass last, with sum 1; -1 for illegal moves.

    Without priors all moves have the same. Moves that the search leaves out, such as own eyes, have 0.
    """
    total = sum(move.prior for move in analysis.moves)
    shares = {move.move: move.prior / total if total else 1 / len(analysis.moves) for move in analysis.moves}

    def share(p: int) -> float:
        return shares[p] if p in shares else 0.0 if game.is_legal(p) else -1.0

    points = [round(share(p), DIGITS) for p in points_of(game.size)]
    return [*from_the_top(points), round(share(PASS), DIGITS)]
