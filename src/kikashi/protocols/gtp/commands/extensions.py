"""Commands of kikashi and GoGui: explanations, ownership, presets, menu."""

import json

import numpy as np

from kikashi.board.points import point, vertex
from kikashi.engine.named_files import preset_names
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import root_of
from kikashi.parts.binding import bind
from kikashi.protocols.gtp.protocol import Arguments, Failure, Result, command, question
from kikashi.protocols.gtp.session import GtpSession
from kikashi.search.analysis import Analysis, MoveStatistics
from kikashi.search.kinds import region
from kikashi.search.zones import ZoneRule

EXPLAINED = 5
MENU = (
    "dboard/Ownership/kikashi-ownership",
    "string/Explain the last move/kikashi-explain",
    "string/Moves by heuristic/kikashi-policy_statistics",
    "string/Estimate the score/kikashi-estimate_score",
    "string/Final score/final_score",
    "plist/Dead stones/final_status_list dead",
    "plist/Stones in seki/final_status_list seki",
    "plist/Legal moves/all_legal %c",
    "plist/Group of the last moves/kikashi-group",
    "plist/Zone of the last moves/kikashi-zone",
    "string/Preset/kikashi-preset",
)


def _last(session: GtpSession) -> Analysis:
    if session.last is None:
        raise Failure("no move has been searched in this game yet")
    return session.last.analysis


@command("kikashi-explain")
def explain(session: GtpSession, arguments: Arguments) -> Result:
    """Explain the last move: the most visited moves, their win rates and principal variations."""
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
    """Return the statistics of a move that only some searches have, in points for a search by score."""
    known = {"rave": move.rave, "first put": move.first_put}
    statistics = [
        f", {name} {value:+.1f}" if by_points else f", {name} {value:.1%}"
        for name, value in known.items()
        if value is not None
    ]
    return "".join(statistics) + (", pruned" if move.pruned else "")


question(
    "kikashi-policy_statistics",
    "List each heuristic's share of all playout moves in the last search.",
    lambda session: "\n".join(f"{name} {share:.2%}" for name, share in _last(session).moves_by.items()),
)


@command("kikashi-ownership")
def ownership(session: GtpSession, arguments: Arguments) -> Result:
    """Answer the ownership row by row from the top: 1 is Black's for sure, -1 White's."""
    owners = session.owners()
    size = session.game.size
    rows = ([owners[point(column, row)] for column in range(1, size + 1)] for row in range(size, 0, -1))
    return "\n" + "\n".join(" ".join(f"{owner:.2f}" for owner in row) for row in rows)


@command("kikashi-group")
def group(session: GtpSession, arguments: Arguments) -> Result:
    """List the points of the groups of the last moves, by the region rule of the preset's region or zone, else by
    ``common_fate``; all points if nothing is left out."""
    player, game = session.player, session.game
    rule = player.preset.at(game.size).config.rules.get("region") or _zone_rule(session).groups
    return _listed(player.search_for(game.size).trees[0].marked(rule, root_of(game)))


@command("kikashi-zone")
def zone(session: GtpSession, arguments: Arguments) -> Result:
    """List the points of the zone of a search here, by the preset or, if it has no zones, as in ``mogo-2006-zone``; all
    points if nothing is left out."""
    search = session.player.search_for(session.game.size)
    return _listed(search.trees[0].zone_at(root_of(session.game), _zone_rule(session)))


def _zone_rule(session: GtpSession) -> ZoneRule:
    return session.player.preset.at(session.game.size).config.zone or ZoneRule(bind(region, "common_fate"))


def _listed(points: np.ndarray) -> str:
    return " ".join(vertex(p) for p in np.flatnonzero(points).tolist())


@command("kikashi-ranks")
def ranks(session: GtpSession, arguments: Arguments) -> Result:
    """Answer the work of each rank of ``--ranks`` as JSON: simulations and visits of its root and moves in its last
    search; seconds of work and of exchange, messages and their bytes since its start. Empty for one process."""
    return json.dumps(session.player.search_for(session.game.size).process_report())


@command("kikashi-preset [NAME [KEY=VALUE ...]]")
def preset(session: GtpSession, arguments: Arguments) -> Result:
    """Answer the preset, or change it, with settings as in ``kikashi show --set``."""
    if arguments:
        name = arguments.text()
        session.player = session.player.copy(load_preset(name, arguments.remaining()))
        if any(session.clocks.values()):
            session.warm_up()
    return f"{session.player.preset.name}: {session.player.preset.summary}"


question("kikashi-presets", "List the presets.", lambda session: "\n".join(preset_names()))
question(
    "kikashi-analysis",
    "Answer the analysis of the last search as JSON.",
    lambda session: json.dumps(_last(session).as_json()),
)
question(
    "gogui-analyze_commands",
    "List the entries of GoGui's analyze menu: type, label and command.",
    lambda session: "\n".join(MENU),
)
question(
    "gogui-interrupt",
    "Confirm that ``# interrupt`` works: it ends a search or an analysis at once.",
    lambda session: "",
)
