"""Shares of playout moves by heuristic, in searches of the empty board (Baier 2010, §5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.experiments.design import ShareDesign, at_scale
from kikashi.experiments.local_play import Mean
from kikashi.game import Game
from kikashi.match.game_players import new_player
from kikashi.match.player_spec import Contestant, files_of_player, parse_contestant, with_other_files
from kikashi.match.runner import derived
from kikashi.playout.policy import Policy
from kikashi.workers.serialization import Packed, packs, put

REPLIES = "kikashi.playout.replies."
"""The package of the heuristics that propose replies."""
FEWEST_SIMULATIONS = 16
HEAD = ["player", "searches", "simulations", "replies", "published", "by heuristic", "entries made", "evicted"]
NOTHING = "–"


class ShareSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Searches whose moves are counted. Raises ValueError if they cannot be run."""

    players: tuple[str, ...]
    simulations: tuple[int, ...]
    """Of each player."""
    repeats: int
    size: int
    komi: float
    seed: int

    def __post_init__(self) -> None:
        if not MIN_SIZE <= self.size <= MAX_SIZE:
            raise ValueError(f"boards are from {MIN_SIZE} to {MAX_SIZE}, not {self.size}")
        if not self.players:
            raise ValueError("there is no player whose moves could be counted")
        for row in range(len(self.players)):
            self.contestant(row)

    @property
    def searches(self) -> int:
        """How many there are in all."""
        return len(self.players) * self.repeats

    def contestant(self, row: int) -> Contestant:
        """A player with its simulations. Raises ValueError if it is no preset."""
        text = self.players[row]
        player = parse_contestant(text, simulations=self.simulations[row])
        if not player.preset:
            raise ValueError(f"player {text!r} is not a preset: the moves of its playouts cannot be counted")
        return player


@packs(ShareSettings)
def _pack_settings(settings: ShareSettings) -> Packed | None:
    """Players take their files along."""
    files: dict[str, bytes] = {}
    for row, text in enumerate(settings.players):
        files |= files_of_player(text, settings.contestant(row))
    return (_unpack_settings, (msgspec.to_builtins(settings), files)) if files else None


def _unpack_settings(table: dict[str, Any], files: Mapping[str, bytes]) -> ShareSettings:
    paths = {name: put(name, data) for name, data in files.items()}
    players = [with_other_files(text, paths) for text in table["players"]]
    return msgspec.convert({**table, "players": players}, ShareSettings)


def share_settings(design: ShareDesign, scale: float) -> ShareSettings:
    """The searches that run a design. Raises ValueError."""
    simulations = [row.simulations or design.simulations for row in design.player]
    return ShareSettings(
        players=tuple(row.player for row in design.player),
        simulations=tuple(at_scale(number, scale, FEWEST_SIMULATIONS) for number in simulations),
        repeats=at_scale(design.repeats, scale, 1),
        size=design.size,
        komi=design.komi,
        seed=design.seed,
    )


# --- searching --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShareTask:
    """A search whose moves are to be counted. Players take turns, so that a run that is cut off has all of them."""

    number: int
    settings: ShareSettings


class ShareRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A search whose moves were counted."""

    number: int
    player: int
    """Its number among the players."""
    shares: dict[str, float]
    """Of all playout moves, by heuristic."""
    replies: float
    """The share of those heuristics that propose replies."""
    made: int
    """Entries made in hashed memories."""
    evicted: int
    """Those of them that had to make room for others."""


def count_moves(task: ShareTask) -> ShareRecord:
    """Search the empty board once, and count."""
    settings = task.settings
    repeat, row = divmod(task.number, len(settings.players))
    contestant = settings.contestant(row)
    with contestant.parts():
        player = new_player(contestant, settings.size, derived(settings.seed, "shares", repeat))
        found = player.analyse(Game(settings.size, komi=settings.komi))
        replies = reply_names(player.preset.at(settings.size).config.policy)
    return ShareRecord(
        number=task.number,
        player=row,
        shares={name: round(share, 6) for name, share in found.moves_by.items()},
        replies=round(sum(found.moves_by[name] for name in replies), 6),
        made=found.entries.made,
        evicted=found.entries.evicted,
    )


def reply_names(policy: Policy) -> set[str]:
    """The heuristics of a policy that propose replies, as they are called in counts of moves."""
    return {str(used) for used in policy.heuristics if used.part.function.__module__.startswith(REPLIES)}


# --- what was found ---------------------------------------------------------------------------------------------------


def share_rows(design: ShareDesign, settings: ShareSettings, records: Sequence[ShareRecord]) -> list[dict[str, Any]]:
    """For each player: the means over its searches, and what the paper has; None where there was no search yet."""
    rows = []
    for index, row in enumerate(design.player):
        own = [record for record in records if record.player == index]
        found = {
            "player": row.name,
            "searches": len(own),
            "simulations": settings.simulations[index],
            "replies": Mean.of([record.replies for record in own]) if own else None,
            "published": row.published,
            "shares": {name: Mean.of([r.shares[name] for r in own]).mean for name in own[0].shares} if own else {},
            "made": round(Mean.of([record.made for record in own]).mean) if own else None,
            "evicted": round(Mean.of([record.evicted for record in own]).mean) if own else None,
        }
        rows.append(found)
    return rows


def share_table(settings: ShareSettings, rows: Sequence[Mapping[str, Any]], elsewhere: str = "") -> list[list[str]]:
    """The rows as text, under HEAD; `elsewhere` says which settings published shares were found with, if not ours."""
    unfinished = f", unfinished, of {settings.repeats}"
    return [
        [
            row["player"],
            f"{row['searches']}" + (unfinished if row["searches"] < settings.repeats else ""),
            f"{row['simulations']:,}",
            _percent(row["replies"]),
            NOTHING if row["published"] is None else f"{row['published']:.0%} {elsewhere}".strip(),
            ", ".join(f"{name} {share:.1%}" for name, share in row["shares"].items()) or NOTHING,
            f"{row['made']:,}" if row["made"] else NOTHING,
            f"{row['evicted']:,}" if row["made"] else NOTHING,
        ]
        for row in rows
    ]


def _percent(value: Mean | None) -> str:
    if value is None:
        return NOTHING
    return f"{value.mean:.1%}" + (f" ± {value.error:.1%}" if value.error else "")
