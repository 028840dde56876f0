"""Shares of playout moves by heuristic, in searches of the empty board (Baier 2010, §5.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.experiments.estimate import search_seconds
from kikashi.experiments.kind import (
    FEWEST_SIMULATIONS,
    NOTHING,
    AtLeastOne,
    Design,
    Findings,
    Numbers,
    PlayerRow,
    Settings,
    Share,
    at_scale,
    experiment_kind,
    preset_player,
)
from kikashi.experiments.kinds.local import Mean
from kikashi.experiments.paper import published_elsewhere
from kikashi.game import Game
from kikashi.match.game_players import new_player
from kikashi.match.match_player import MatchPlayer
from kikashi.match.runner import derived
from kikashi.playout.policy import Policy
from kikashi.report import Table
from kikashi.wording import counted

REPLIES = "kikashi.playout.replies."
"""The package of the heuristics that propose replies."""
HEAD = ["player", "searches", "simulations", "replies", "published", "by heuristic", "entries made", "evicted"]


class ShareSettings(Settings, frozen=True, kw_only=True):
    """Searches whose moves are counted."""

    players: tuple[str, ...]
    simulations: tuple[int, ...]
    """Of each player."""
    repeats: int
    size: int
    komi: float

    def __post_init__(self) -> None:
        if not MIN_SIZE <= self.size <= MAX_SIZE:
            raise ValueError(f"boards are from {MIN_SIZE} to {MAX_SIZE}, not {self.size}")
        if not self.players:
            raise ValueError("there is no player whose moves could be counted")
        self.players_by_text()

    @property
    def steps(self) -> int:
        return len(self.players) * self.repeats

    def player_of(self, row: int) -> MatchPlayer:
        """Return a player with its simulations. Raises ValueError if it is no preset."""
        return preset_player(self.players[row], self.simulations[row], "the moves of its playouts cannot be counted")

    def players_by_text(self) -> dict[str, MatchPlayer]:
        return {text: self.player_of(row) for row, text in enumerate(self.players)}


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


class ShareRow(PlayerRow, frozen=True, kw_only=True):
    """A player whose playout moves are counted."""

    simulations: AtLeastOne | None = None
    published: Share | None = None
    """The share of playout moves by heuristics that propose replies."""


@experiment_kind("shares", unit="searches")
class ShareDesign(Design, frozen=True, kw_only=True):
    """Searches of the empty board."""

    settings_type: ClassVar[type] = ShareSettings
    record_type: ClassVar[type] = ShareRecord

    player: list[ShareRow]
    simulations: AtLeastOne
    repeats: AtLeastOne
    """Searches by each player, with different seeds."""
    size: int = 19
    komi: float = 7.5

    def settings(self, scale: float) -> ShareSettings:
        simulations = [row.simulations or self.simulations for row in self.player]
        return ShareSettings(
            players=tuple(row.player for row in self.player),
            simulations=tuple(at_scale(number, scale, FEWEST_SIMULATIONS) for number in simulations),
            repeats=at_scale(self.repeats, scale, 1),
            size=self.size,
            komi=self.komi,
            seed=self.seed,
        )

    @staticmethod
    def work(settings: ShareSettings, number: int) -> ShareRecord:
        """Search the empty board once; players take turns, so that an interrupted run has all of them."""
        repeat, row = divmod(number, len(settings.players))
        spec = settings.player_of(row)
        with spec.parts():
            player = new_player(spec, settings.size, derived(settings.seed, "shares", repeat))
            found = player.analyse(Game(settings.size, komi=settings.komi), spec.limit)
            replies = reply_names(player.preset.at(settings.size).config.policy)
        return ShareRecord(
            number=number,
            player=row,
            shares={name: round(share, 6) for name, share in found.moves_by.items()},
            replies=round(sum(found.moves_by[name] for name in replies), 6),
            made=found.entries.made,
            evicted=found.entries.evicted,
        )

    def published_with(self, theirs: ShareSettings) -> dict[str, str]:
        return {"size": f"on {theirs.size}×{theirs.size}", "simulations": "with other simulations"}

    def rows(self, scale: float) -> Iterator[dict[str, str]]:
        settings, elsewhere = self.settings(scale), published_elsewhere(self, scale)
        for row, simulations in zip(self.player, settings.simulations, strict=True):
            yield {
                "row": row.name,
                "player": row.player,
                "searches": f"{settings.repeats:,}",
                "simulations a search": f"{simulations:,}",
                "published": NOTHING if row.published is None else f"{row.published:.0%} {elsewhere}".strip(),
            }

    def core_seconds(self, scale: float) -> float:
        settings = self.settings(scale)
        searches = zip(settings.players, settings.simulations, strict=True)
        return sum(search_seconds(text, count, settings.size) for text, count in searches) * settings.repeats

    def numbers(self, scale: float, records: Sequence[ShareRecord]) -> Iterator[Numbers]:
        compares = not published_elsewhere(self, scale)
        for row in self._means(scale, records):
            if (replies := row["replies"]) is not None:
                named = {name: row[name] for name in ("player", "searches", "simulations", "made", "evicted")}
                named["published"] = row["published"] if compares else None
                yield {**named, "replies": replies.mean, "error": replies.error, **row["shares"]}

    def findings(self, scale: float, records: Sequence[ShareRecord]) -> Findings:
        settings, rows = self.settings(scale), self._means(scale, records)
        elsewhere = published_elsewhere(self, scale)
        known = sorted((row for row in rows if row["replies"]), key=lambda row: -row["replies"].mean)
        ends = [f"{row['player']} {row['replies'].mean:.1%}" for row in known]
        return Findings(
            verdict=f"Replies are most of all in the playouts of {ends[0]}, and least in those of {ends[-1]}"
            if ends
            else "",
            scope=f"{counted(len(records), 'searches')} of the empty {self.size}×{self.size} board.",
            elements=[Table(HEAD, [_cells(row, settings.repeats, elsewhere) for row in rows])],
            data={"searches": len(records), "of": settings.steps, "rows": msgspec.to_builtins(rows)},
        )

    def _means(self, scale: float, records: Sequence[ShareRecord]) -> list[dict[str, Any]]:
        """Return the means over the searches of each player, and the paper's; None without a search."""
        rows, simulations = [], self.settings(scale).simulations
        for index, row in enumerate(self.player):
            own = [record for record in records if record.player == index]
            means = {
                "player": row.name,
                "searches": len(own),
                "simulations": simulations[index],
                "replies": Mean.of([record.replies for record in own]) if own else None,
                "published": row.published,
                "shares": {name: Mean.of([r.shares[name] for r in own]).mean for name in own[0].shares} if own else {},
                "made": round(Mean.of([record.made for record in own]).mean) if own else None,
                "evicted": round(Mean.of([record.evicted for record in own]).mean) if own else None,
            }
            rows.append(means)
        return rows


def reply_names(policy: Policy) -> set[str]:
    """Return the heuristics of a policy that propose replies, as counts of moves name them."""
    return {str(used) for used in policy.heuristics if used.part.function.__module__.startswith(REPLIES)}


def _cells(row: Mapping[str, Any], repeats: int, elsewhere: str) -> list[str]:
    unfinished = f", unfinished, of {repeats}" if row["searches"] < repeats else ""
    replies = row["replies"]
    return [
        row["player"],
        f"{row['searches']}{unfinished}",
        f"{row['simulations']:,}",
        NOTHING if replies is None else f"{replies.mean:.1%}" + (f" ± {replies.error:.1%}" if replies.error else ""),
        NOTHING if row["published"] is None else f"{row['published']:.0%} {elsewhere}".strip(),
        ", ".join(f"{name} {share:.1%}" for name, share in row["shares"].items()) or NOTHING,
        f"{row['made']:,}" if row["made"] else NOTHING,
        f"{row['evicted']:,}" if row["made"] else NOTHING,
    ]
