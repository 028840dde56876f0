"""Dead stones: chains judged by the owners of their points at the end of simulations."""

from collections.abc import Mapping, Sequence

from kikashi.board.points import BLACK, points_of
from kikashi.game.game import Game
from kikashi.game.territory import chains

DECIDED = 0.5
"""Ownership from which on a point counts as decided."""


def owners_by_point(size: int, ownership: Sequence[float]) -> dict[int, float]:
    """Return the ownership of an analysis by point: 1 is Black's for sure, -1 White's."""
    return dict(zip(points_of(size), ownership, strict=True))


def statuses(game: Game, owners: Mapping[int, float]) -> dict[int, str]:
    """Return each stone's status by the mean ownership of its chain: ``"alive"``, ``"dead"``, or else ``"seki"``."""
    found: dict[int, str] = {}
    for chain in chains(game.board):
        mean = sum(owners[p] for p in chain) / len(chain)
        own = mean if game.color_at(chain[0]) == BLACK else -mean
        found |= dict.fromkeys(chain, "alive" if own > DECIDED else "dead" if own < -DECIDED else "seki")
    return found


def dead_stones(game: Game, owners: Mapping[int, float]) -> list[int]:
    """Return the points of all stones that `statuses` calls dead, A1 first.

    >>> from kikashi.board import vertex
    >>> game = Game(5)
    >>> for move in ("C3", "A1"):
    ...     _ = game.push(move)
    >>> [vertex(p) for p in dead_stones(game, dict.fromkeys(points_of(5), 0.9))]
    ['A1']
    """
    return sorted(p for p, status in statuses(game, owners).items() if status == "dead")
