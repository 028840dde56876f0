"""Shares of playout moves by heuristic, in searches of the empty board (Baier 2010, §5.3)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.experiments.claims import Observations
from kikashi.experiments.estimate import search_seconds
from kikashi.experiments.kind import (
    FEWEST_SIMULATIONS,
    NOTHING,
    AtLeastOne,
    Design,
    Findings,
    Numbers,
    PlayerRow,
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
    record_type: ClassVar[type] = ShareRecord
    decided_by = ("players", "simulations", "repeats", "size", "komi")
    least: ClassVar[Mapping[str, int]] = {"simulations": FEWEST_SIMULATIONS, "repeats": 1}

    player: list[ShareRow]
    simulations: AtLeastOne
    repeats: AtLeastOne
    """Searches by each player, with different seeds."""
    size: int = 19
    komi: float = 7.5

    def scaled(self, scale: float) -> dict[str, Any]:
        rows = [
            msgspec.structs.replace(row, simulations=at_scale(row.simulations, scale, FEWEST_SIMULATIONS))
            if row.simulations
            else row
            for row in self.player
        ]
        return super().scaled(scale) | {"player": rows}

    def check(self) -> None:
        if not MIN_SIZE <= self.size <= MAX_SIZE:
            raise ValueError(f"boards are from {MIN_SIZE} to {MAX_SIZE}, not {self.size}")
        if not self.player:
            raise ValueError("there is no player whose moves could be counted")
        for row in self.player:
            self._player(row)

    def _player(self, row: ShareRow) -> MatchPlayer:
        why = "the moves of its playouts cannot be counted"
        return preset_player(row.player, row.simulations or self.simulations, why)

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"simulations": [row.simulations or self.simulations for row in self.player]}

    @property
    def steps(self) -> int:
        return len(self.player) * self.repeats

    def work(self, number: int) -> ShareRecord:
        """Search the empty board once; players take turns, so that an interrupted run has all of them."""
        repeat, row = divmod(number, len(self.player))
        spec = self._player(self.player[row])
        with spec.parts():
            player = new_player(spec, self.size, derived(self.seed, "shares", repeat))
            found = player.analyse(Game(self.size, komi=self.komi), spec.limit)
            replies = reply_names(player.preset.at(self.size).config.policy)
        return ShareRecord(
            number=number,
            player=row,
            shares={name: round(share, 6) for name, share in found.moves_by.items()},
            replies=round(sum(found.moves_by[name] for name in replies), 6),
            made=found.entries.made,
            evicted=found.entries.evicted,
        )

    def published_with(self) -> dict[str, str]:
        return {"size": f"on {self.size}×{self.size}", "simulations": "with other simulations"}

    def rows(self) -> Iterator[dict[str, str]]:
        elsewhere = published_elsewhere(self)
        for row in self.player:
            yield {
                "row": row.name,
                "player": row.player,
                "searches": f"{self.repeats:,}",
                "simulations a search": f"{row.simulations or self.simulations:,}",
                "published": NOTHING if row.published is None else f"{row.published:.0%} {elsewhere}".strip(),
            }

    def core_seconds(self) -> float:
        searches = [(row.player, row.simulations or self.simulations, self.size) for row in self.player]
        return sum(search_seconds(*search) for search in searches) * self.repeats

    def numbers(self, records: Sequence[ShareRecord]) -> Iterator[Numbers]:
        compares = not published_elsewhere(self)
        for row in self._means(records):
            if (replies := row["replies"]) is not None:
                named = {name: row[name] for name in ("player", "searches", "simulations", "made", "evicted")}
                named["published"] = row["published"] if compares else None
                yield {**named, "replies": replies.mean, "error": replies.error, **row["shares"]}

    def observations(self, records: Sequence[ShareRecord]) -> Observations:
        return {row.name: [r.replies for r in records if r.player == index] for index, row in enumerate(self.player)}

    def published_means(self) -> dict[str, float]:
        return {row.name: row.published for row in self.player if row.published is not None}

    def findings(self, records: Sequence[ShareRecord]) -> Findings:
        rows = self._means(records)
        elsewhere = published_elsewhere(self)
        known = sorted((row for row in rows if row["replies"]), key=lambda row: -row["replies"].mean)
        ends = [f"{row['player']} {row['replies'].mean:.1%}" for row in known]
        return Findings(
            verdict=f"Replies are most of all in the playouts of {ends[0]}, and least in those of {ends[-1]}"
            if ends
            else "",
            scope=f"{counted(len(records), 'searches')} of the empty {self.size}×{self.size} board.",
            elements=[Table(HEAD, [_cells(row, self.repeats, elsewhere) for row in rows])],
            data={"searches": len(records), "of": self.steps, "rows": msgspec.to_builtins(rows)},
        )

    def _means(self, records: Sequence[ShareRecord]) -> list[dict[str, Any]]:
        """Return the means over the searches of each player, and the paper's; None without a search."""
        rows = []
        for index, row in enumerate(self.player):
            own = [record for record in records if record.player == index]
            means = {
                "player": row.name,
                "searches": len(own),
                "simulations": row.simulations or self.simulations,
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
