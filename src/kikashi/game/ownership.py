"""Which stones are dead, judged by who owns their points in the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kikashi.board.points import BLACK, WHITE, points_of
from kikashi.game.game import Game
from kikashi.game.territory import connected

DECIDED = 0.5
"""Points that are a player's in this share of simulations more than they are the other's count as decided."""


def owners_by_point(size: int, ownership: Sequence[float]) -> dict[int, float]:
    """The ownership of an analysis by point: 1 is Black's for sure, -1 White's."""
    return dict(zip(points_of(size), ownership, strict=True))


def chains(game: Game) -> Iterator[list[int]]:
    """The chains of stones, each A1 first."""
    return connected(game.board, (BLACK, WHITE))


def statuses(game: Game, owners: Mapping[int, float]) -> dict[int, str]:
    """Every stone as ``"alive"``, ``"dead"``, or ``"seki"`` where it is neither.

    `owners` says who owns a point, from 1 for Black to -1 for White. A chain is judged by the mean of its points.
    """
    judged: dict[int, str] = {}
    for chain in chains(game):
        mean = sum(owners[p] for p in chain) / len(chain)
        kept = mean if game.color_at(chain[0]) == BLACK else -mean
        judged |= dict.fromkeys(chain, "alive" if kept > DECIDED else "dead" if kept < -DECIDED else "seki")
    return judged


def dead_stones(game: Game, owners: Mapping[int, float]) -> list[int]:
    """The points of all stones that `statuses` calls dead, A1 first.

    >>> game = Game(5)
    >>> for move in ("C3", "A1"):
    ...     _ = game.push(move)
    >>> from kikashi.board import vertex
    >>> [vertex(p) for p in dead_stones(game, dict.fromkeys(points_of(5), 0.9))]
    ['A1']
    """
    return sorted(p for p, status in statuses(game, owners).items() if status == "dead")
