"""What is special here: why a move was played, who owns what, and which heuristics speak."""

from __future__ import annotations

import json

import numpy as np

from kikashi.board.points import point, vertex
from kikashi.engine.preset import load_preset
from kikashi.engine.preset_files import preset_names
from kikashi.engine.tree_reuse import root_of
from kikashi.parts.binding import bind
from kikashi.protocols.gtp.arguments import Arguments
from kikashi.protocols.gtp.protocol import Failure
from kikashi.protocols.gtp.registry import Result, command
from kikashi.protocols.gtp.session import Session
from kikashi.search.analysis import Analysis, MoveStatistics
from kikashi.search.kinds import region
from kikashi.search.zones import ZoneRule

EXPLAINED = 5


def _last(session: Session) -> Analysis:
    if session.last is None:
        raise Failure("nothing has been thought about in this game yet")
    return session.last.analysis


@command("kikashi-explain")
def explain(session: Session, arguments: Arguments) -> Result:
    """Why the last move was played: the moves that were looked at most, their win rates and lines."""
    analysis = _last(session)
    lines = [session.last_words()]
    by_points = not session.player.preset.at(session.game.size).config.win_weight
    for move in analysis.moves[:EXPLAINED]:
        lines.append(
            f"{move.name:4} {move.visits:7,} visits, {move.winrate:.1%}, {move.score:+.1f} points, "
            f"prior {move.prior:.1%}{_further(move, by_points)}: {' '.join(move.names)}"
        )
    return "\n".join(lines)


def _further(move: MoveStatistics, by_points: bool) -> str:
    """What only some searches know of a move, in points where these are all that counts."""
    known = {"rave": move.rave, "first put": move.first_put}
    told = [
        f", {name} {value:+.1f}" if by_points else f", {name} {value:.1%}"
        for name, value in known.items()
        if value is not None
    ]
    return "".join(told) + (", pruned" if move.pruned else "")


@command("kikashi-policy_statistics")
def policy_statistics(session: Session, arguments: Arguments) -> Result:
    """The share of moves that each heuristic made, of all moves of playouts in the last search."""
    shares = _last(session).moves_by
    return "\n".join(f"{name} {share:.2%}" for name, share in shares.items())


@command("kikashi-ownership")
def ownership(session: Session, arguments: Arguments) -> Result:
    """By point, row by row from the top: 1 is Black's for sure, -1 White's."""
    owners = session.owners()
    size = session.game.size
    rows = ([owners[point(column, row)] for column in range(1, size + 1)] for row in range(size, 0, -1))
    return "\n" + "\n".join(" ".join(f"{owner:.2f}" for owner in row) for row in rows)


@command("kikashi-group")
def group(session: Session, arguments: Arguments) -> Result:
    """The points of the groups of the last moves, by the region rule of the preset's region or zone, else by
    ``common_fate``; all points where nothing is left out."""
    player, game = session.player, session.game
    rule = player.preset.at(game.size).config.rules.get("region") or _zone_rule(session).groups
    return _listed(player.search_for(game.size).trees[0].marked(rule, root_of(game)))


@command("kikashi-zone")
def zone(session: Session, arguments: Arguments) -> Result:
    """The points of the zone that a search of this position keeps to, by the preset or, where it has no zones, as in
    ``mogo-2006-zone``; all points where nothing is left out."""
    search = session.player.search_for(session.game.size)
    return _listed(search.trees[0].zone_at(root_of(session.game), _zone_rule(session)))


def _zone_rule(session: Session) -> ZoneRule:
    return session.player.preset.at(session.game.size).config.zone or ZoneRule(bind(region, "common_fate"))


def _listed(points: np.ndarray) -> str:
    return " ".join(vertex(p) for p in np.flatnonzero(points).tolist())


@command("kikashi-analysis")
def analysis_of_last(session: Session, arguments: Arguments) -> Result:
    """The last search as JSON."""
    return json.dumps(_last(session).as_json())


@command("kikashi-ranks")
def ranks(session: Session, arguments: Arguments) -> Result:
    """What each rank of ``--ranks`` has done itself, as JSON: in its last search the simulations and the visits of its
    root and moves; since it was started the seconds of work, those of exchanging among them, and the messages with
    their bytes. Empty where there is one process."""
    return json.dumps(session.player.search_for(session.game.size).process_report())


@command("kikashi-preset [NAME [KEY=VALUE ...]]")
def preset(session: Session, arguments: Arguments) -> Result:
    """Names the preset, or changes it, with settings as in ``kikashi show --set``."""
    if arguments:
        name = arguments.text()
        session.player = session.player.copy(load_preset(name, arguments.rest()))
        if any(session.clocks.values()):
            session.warm_up()
    return f"{session.player.preset.name}: {session.player.preset.summary}"


@command("kikashi-presets")
def presets(session: Session, arguments: Arguments) -> Result:
    """The presets there are."""
    return "\n".join(preset_names())
