"""Analyses as lines of Leela Zero, KataGo and CGOS. Values are from the mover's side."""

from __future__ import annotations

import json
import string
from dataclasses import dataclass
from typing import Any

from kikashi.protocols.formatting import from_the_top, lower_bound, visited_moves
from kikashi.search.analysis import Analysis, MoveStatistics, from_side

_OWNERSHIP_SIGNS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"


@dataclass
class Extras:
    """Optional fields of KataGo's lines."""

    root_info: bool = False
    ownership: bool = False
    pv_visits: bool = False


def lz(analysis: Analysis, most_moves: int) -> str:
    """Return ``info move E4 visits 10 winrate 5012 …``: rates in ten thousandths, the variation last in each group."""
    return " ".join(
        f"info move {move.name} visits {move.visits} winrate {_parts(move.winrate)} prior {_parts(move.prior)} "
        f"lcb {_parts(lower_bound(move.winrate, move.visits))} order {order} pv {_line(move)}"
        for order, move in enumerate(visited_moves(analysis, most_moves))
    )


def kata(analysis: Analysis, most_moves: int, extras: Extras) -> str:
    """Return KataGo's line: rates from 0 to 1, utilities from -1 to 1, scores in points."""
    groups = [
        " ".join(
            [
                *_kata_values(move, order, analysis.score_deviation),
                f"pv {_line(move)}",
                *([f"pvVisits {' '.join(map(str, move.variation_visits))}"] if extras.pv_visits else []),
            ]
        )
        for order, move in enumerate(visited_moves(analysis, most_moves))
    ]
    if extras.root_info:
        groups.append(
            f"rootInfo visits {analysis.visits} utility {2 * analysis.winrate - 1:.6f} winrate {analysis.winrate:.6f} "
            f"scoreMean {analysis.score:.3f} scoreStdev {analysis.score_deviation:.3f} scoreLead {analysis.score:.3f} "
            f"scoreSelfplay {analysis.score:.3f}"
        )
    if extras.ownership:
        groups.append("ownership " + " ".join(f"{owner:.3f}" for owner in _from_the_top(analysis)))
    return " ".join(groups)


def _kata_values(move: MoveStatistics, order: int, deviation: float) -> list[str]:
    bound = lower_bound(move.winrate, move.visits)
    return [
        f"info move {move.name} visits {move.visits} utility {2 * move.winrate - 1:.6f} winrate {move.winrate:.6f}",
        f"scoreMean {move.score:.3f} scoreStdev {deviation:.3f} scoreLead {move.score:.3f}",
        f"scoreSelfplay {move.score:.3f} prior {move.prior:.6f} lcb {bound:.6f} utilityLcb {2 * bound - 1:.6f}",
        f"order {order}",
    ]


def cgos(analysis: Analysis) -> str:
    """Return a JSON object; ownership is a character a point, from ``A``, the opponent's, to ``+``, the mover's."""
    moves: list[dict[str, Any]] = [
        {
            "move": move.name,
            "winrate": round(move.winrate, 4),
            "visits": move.visits,
            "prior": round(move.prior, 4),
            "score": round(move.score, 2),
            "pv": _line(move),
        }
        for move in visited_moves(analysis, 20)
    ]
    signs = "".join(_OWNERSHIP_SIGNS[round(62 * (owner + 1) / 2)] for owner in _from_the_top(analysis))
    return json.dumps(
        {
            "winrate": round(analysis.winrate, 4),
            "visits": analysis.visits,
            "score": round(analysis.score, 2),
            "moves": moves,
            "ownership": signs,
        },
        separators=(",", ":"),
    )


def _from_the_top(analysis: Analysis) -> list[float]:
    """Return the ownership row by row from the top left, from the mover's side."""
    return [from_side(analysis.to_play, owner) for owner in from_the_top(analysis.ownership)]


def _parts(share: float) -> int:
    return round(10_000 * min(1.0, max(0.0, share)))


def _line(move: MoveStatistics) -> str:
    return " ".join(move.names)
