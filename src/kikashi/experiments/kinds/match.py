"""Matches: players, each with one number of simulations or several, against opponents."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec

from kikashi.experiments.cells import (
    OPPONENT,
    Cell,
    Players,
    Published,
    cells,
    opponent_of,
    opponents_simulations,
    published_for,
)
from kikashi.experiments.claims import Observations
from kikashi.experiments.design_files import PER_ROW
from kikashi.experiments.estimate import game_seconds
from kikashi.experiments.kind import (
    NOTHING,
    Findings,
    Numbers,
    Values,
    experiment_kind,
    player_key,
)
from kikashi.match.journal import FILE, is_begun, read_header, read_records
from kikashi.match.one_game import GameRecord
from kikashi.match.progress import Progress
from kikashi.match.provenance import settings_of
from kikashi.match.runner import run_match
from kikashi.match.settings import MatchSettings, Pairing, own_openings
from kikashi.match.statistics import as_json, compute, notes, percent
from kikashi.match.summary import PairingScore, is_over, latest, p_different_or_alike, scored_games, summarize
from kikashi.report import Element, Figure, Items, Table, plots
from kikashi.wording import plural
from kikashi.workers.executors import Workers

DIRECT = {"openings": "own", "referee": "playouts", "options": "--set choice.resign=0.05", "decided_at": 0.0005}
"""Settings of games between the players of a claim; the p-value is below 5 % of a paper's claims."""
MOST_ELO = 1000.0
"""Of a plot: bounds beyond it are drawn there."""
MOST_OPPONENTS = 6
"""From this many on they are not listed in the first paragraph."""


@experiment_kind("match", unit="games")
class MatchDesign(Players, frozen=True, kw_only=True):
    """Players against an opponent."""

    record_type: ClassVar[type] = GameRecord
    alternatives: ClassVar[Mapping[str, str]] = {"simulations": "seconds", "seconds": "simulations"}
    sentences: ClassVar[Mapping[str, str]] = {
        "simulations": "{now} simulations a move for {before}",
        "seconds": "{now} seconds a move for {before}",
        "games": "{now} games for {before}",
        "openings=none": "no openings",
        "openings": "openings of our own",
        "referee=playouts": "a referee of our own",
        "direct": "the two players of each claim meet each other, not both a third one",
        "decided_at": "two players stop when they are known to differ, or to be alike, at p < {now}",
        "options": "options of the players: {now}",
    }

    def match(self) -> MatchSettings:
        """Return the match; rows may have settings of their own. Raises ValueError."""
        found = cells(self)
        openings = {"own": tuple(own_openings(self.size)), "none": ((),)}
        shared = (set(self.__struct_fields__) & set(MatchSettings.__struct_fields__)) - set(PER_ROW)
        return MatchSettings(
            players=(*(cell.player for cell in found), *dict.fromkeys(cell.opponent for cell in found)),
            pairings=tuple(
                Pairing(cell.label, cell.opponent.name, cell.games, openings[cell.openings], cell.sprt, cell.decided_at)
                for cell in found
            ),
            simulations=opponents_simulations(self),
            **{name: getattr(self, name) for name in shared},
        )

    def scaled(self, scale: float) -> dict[str, Any]:
        return super().scaled(scale) | (DIRECT if self.direct else {})

    def check(self) -> None:
        self.match()

    @property
    def steps(self) -> int:
        return self.match().total_games

    def run(self, folder: Path, workers: Workers, listener: Any = None, tell: Any = None) -> list[Any]:
        resume = (folder / FILE).exists()
        return run_match(self.match(), folder, workers, resume=resume, listener=listener, tell=tell)

    def complete(self, records: Sequence[GameRecord]) -> Sequence[GameRecord]:
        return scored_games(self.match(), records)

    def renamed(self, records: Sequence[GameRecord], header: Mapping[str, Any]) -> Sequence[GameRecord]:
        specs = {spec.name: spec.unnamed_text for spec in settings_of(header).specs}
        found = cells(self)
        known = {(cell.label, cell.opponent.name) for cell in found}
        names = {(c.player.unnamed_text, c.opponent.unnamed_text): (c.label, c.opponent.name) for c in found}

        def with_names(record: GameRecord) -> GameRecord:
            black, white = record.black, record.white
            if (black, white) in known or (white, black) in known:
                return record
            first, second = specs.get(black, black), specs.get(white, white)
            if (first, second) in names:
                black, white = names[first, second]
            elif (second, first) in names:
                white, black = names[second, first]
            return msgspec.structs.replace(record, black=black, white=white)

        return [with_names(record) for record in records]

    @property
    def is_even(self) -> bool:
        return self.direct or all(row.opponent_share or self.opponent_share for row in self.player)

    def whole(self) -> Self:
        return msgspec.structs.replace(self, only=[])

    def same_as(self) -> Any:
        settings = {
            name: value for name, value in self.whole().values().items() if name not in ("games", "decided_at", "sprt")
        }
        return msgspec.json.encode(settings)

    def identity(self, record: GameRecord) -> Any:
        return record.black, record.white, record.seeds, record.opening

    @property
    def players(self) -> list[str]:
        specs = [spec for cell in cells(self) for spec in (cell.player, cell.opponent) if spec.preset]
        return [spec.unnamed_text for spec in specs]

    def signatures(self, headers: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        return super().signatures([{"signatures": _signatures(header)} for header in headers])

    def done(self, folder: Path, header: Mapping[str, Any]) -> tuple[int, int, bool]:
        settings, games = settings_of(header), _games(folder)
        for number, pairing in enumerate(settings.all_pairings()):
            played = [record for record in games if record.pairing == number]
            if len(played) < 2 * pairing.pairs and not is_over(pairing, played):
                return len(games), settings.total_games, False
        return len(games), settings.total_games, True

    def progress(self, folder: Path, seconds: float) -> Progress:
        is_match = is_begun(folder) and read_header(folder).get("kind") == "match"  # else `run` raises an error
        before = len(_games(folder)) if is_match else 0
        return Progress(self.steps, self.unit, size=self.size, folder=folder, estimate=seconds, before=before)

    def values(self) -> Values:
        rows = [
            {
                "simulations": cell.player.simulations,
                "seconds": cell.player.seconds,
                "games": cell.games,
                "opponent": cell.opponent.preset if self.direct else opponent_of(self, cell.row),
                "opponent_share": cell.row.opponent_share or self.opponent_share,
                "openings": cell.openings,
                "megabytes": cell.row.megabytes or self.megabytes,
                "sprt": cell.sprt,
            }
            for cell in cells(self)
        ]
        own = {name: list(dict.fromkeys(row[name] for row in rows if row[name] is not None)) for name in rows[0]}
        own["player"] = list(dict.fromkeys(row.player for row in self.player))
        shared = ("size", "komi", "handicap", "rules", "referee", "options", "decided_at", "direct")
        return {name: [getattr(self, name)] for name in shared} | own

    def rows(self) -> Iterator[dict[str, str]]:
        default = opponents_simulations(self)
        for cell in cells(self):
            paper = published_for(self, cell)
            share = cell.row.opponent_share or self.opponent_share
            yield {
                "row": cell.label,
                "player": cell.player.unnamed_text,
                "opponent": cell.opponent.unnamed_text if share or self.direct else opponent_of(self, cell.row),
                "games": f"{cell.games:,}",
                "published": NOTHING if paper is None else str(paper),
            } | ({"opponent's simulations": f"{default:,}"} if default is not None and not share else {})

    def core_seconds(self) -> float:
        default = opponents_simulations(self)
        return sum(c.games * game_seconds(self.size, c.player, c.opponent, default=default) for c in cells(self))

    def numbers(self, records: Sequence[GameRecord]) -> Iterator[Numbers]:
        result = summarize(self.match(), records)
        scores = {score.first: score for score in result.pairings}
        statistics = {row.players[0]: row.values for row in compute(result) if row.subject == "pairing"}
        for cell in cells(self):
            if (score := scores.get(cell.label)) is not None:
                paper = published_for(self, cell)
                yield {
                    "player": cell.row.name,
                    "simulations": cell.player.simulations,
                    "opponent": cell.opponent.name,
                    "games": score.games,
                    "wins": score.wins,
                    "draws": score.draws,
                    "share": score.share,
                    "low": score.interval.low,
                    "high": score.interval.high,
                    **{title: one.value for title, one in statistics[cell.label].items()},
                    "published": paper.share if paper is not None and not paper.elsewhere else None,
                }

    def observations(self, records: Sequence[GameRecord]) -> Observations:
        """Return the points of each row's games."""
        counted = [record for record in records if not record.is_void]
        labels = [cell.label for cell in cells(self)]
        return {name: [r.points(name) for r in counted if name in (r.black, r.white)] for name in labels}

    def published_means(self) -> dict[str, float]:
        known = {cell.label: published_for(self, cell) for cell in cells(self)}
        return {label: paper.share for label, paper in known.items() if paper is not None}

    def hours_spent(self, records: Sequence[GameRecord]) -> float:
        return sum(used or 0.0 for record in records for used in record.processor) / 3600

    def findings(self, records: Sequence[GameRecord]) -> Findings:
        settings = self.match()
        result = summarize(settings, records)
        scores = {score.first: score for score in result.pairings}
        planned = cells(self)
        played = [(cell, scores[cell.label]) for cell in planned if cell.label in scores]
        papers = {cell.label: published_for(self, cell) for cell in planned}
        times = {time.name: time.per_move for time in result.times}
        rows = [_table_row(cell, papers[cell.label], scores.get(cell.label), times[cell.label]) for cell in planned]
        by_color = any(paper is not None and paper.black is not None for paper in papers.values())
        head = [name for name in rows[0] if by_color or name not in PUBLISHED_BY_COLOR]
        tests = [[c.first, c.second, c.opponent, f"{c.z:+.2f}", f"{c.p:.3f}"] for c in result.comparisons]
        known = {label: 100 * paper.share for label, paper in papers.items() if paper and not paper.elsewhere}
        others = [str(player) for player in settings.specs[len(planned) :]]
        opponents = " and ".join(others) if len(others) < MOST_OPPONENTS else f"{len(others)} opponents"
        test_table = Table(["first", "second", "opponent", "z", "p"], tests, "Two-proportion z-tests:")
        return Findings(
            verdict=_verdict(played, papers),
            scope=f"{plural(len(records), 'game')} on {self.size}×{self.size} against {opponents}.",
            elements=[
                Table(head, [[row[name] for name in head] for row in rows]),
                *_plots(played, known),
                *_cost_of_strength(played, {time.name: time.processor_a_move for time in result.times}),
                *([test_table] if tests else []),
                Items(notes(compute(result))),
            ],
            data={"rows": [{name: row[name] for name in head} for row in rows], "summary": as_json(result)},
        )


# --- journals ---------------------------------------------------------------------------------------------------------


def _signatures(header: Mapping[str, Any]) -> dict[str, str]:
    """Return the signatures of a match's header by `player_key`."""
    settings = settings_of(header)
    specs = {spec.name: spec for spec in settings.specs if spec.preset}
    known = [one for one in header.get("players", []) if one["name"] in specs]
    return {player_key(specs[one["name"]], settings.size)[0]: one.get("signature", "") for one in known}


def _games(folder: Path) -> list[GameRecord]:
    """Return the games in a folder that count."""
    return [record for record in latest(read_records(folder, GameRecord)) if not record.is_void]


# --- the report -------------------------------------------------------------------------------------------------------

PUBLISHED_BY_COLOR = ("published as Black", "published as White")
Played = Sequence[tuple[Cell, PairingScore]]


def _verdict(played: Played, papers: Mapping[str, Published | None]) -> str:
    if not played:
        return "No game was played."
    cell, best = max(played, key=lambda each: each[1].share)
    bounds = f"[{best.interval.low:.1%}, {best.interval.high:.1%}]"
    text = f"{cell.label} won most: {best.share:.1%} {bounds} of {plural(best.games, 'game')}"
    known = [(s, p) for c, s in played if (p := papers[c.label]) is not None and not p.elsewhere]
    agree = sum(score.interval.low <= paper.share <= score.interval.high for score, paper in known)
    return text + (f"; {agree} of {len(known)} published shares are within our intervals" if known else "")


def _table_row(cell: Cell, paper: Published | None, score: PairingScore | None, seconds: float) -> dict[str, str]:
    """Return a row of the table; one without a score has not been begun."""
    text = cell.player.unnamed_text
    return {
        "player": cell.label,
        "setting": text if cell.opponent.name == OPPONENT else f"{text} against {cell.opponent.name}",
        "games": str(score.games if score else 0),
        "won": f"{score.share:.1%}" if score else NOTHING,
        "95 %": f"{score.interval.low:.1%} … {score.interval.high:.1%}" if score else NOTHING,
        "published": NOTHING if paper is None else paper.total,
        "as Black": percent(score.as_black) if score else NOTHING,
        "published as Black": paper.of(paper.black) if paper else NOTHING,
        "as White": percent(score.as_white) if score else NOTHING,
        "published as White": paper.of(paper.white) if paper else NOTHING,
        "ms a move": f"{1000 * seconds:.1f}",
        "ended by": _end(cell, score),
    }


def _end(cell: Cell, score: PairingScore | None) -> str:
    """Return the reason why a row has no more games."""
    if score is not None and score.sprt is not None and score.sprt.decision != "continue":
        elo = score.sprt.elo0 if score.sprt.decision == "H0" else score.sprt.elo1
        return f"SPRT: {score.sprt.decision}, {elo:+g} Elo"
    if score is not None and score.games >= cell.games:
        return "all games played"
    if score is not None and cell.decided_at and min(p_different_or_alike(score.points, score.games)) < cell.decided_at:
        return f"decided, p < {cell.decided_at:g}"
    return f"unfinished, of {plural(cell.games, 'game')}"


def _plots(played: Played, paper: Mapping[str, float]) -> Iterator[Element]:
    """Yield the shares of all rows, and curves over simulations if a player has several numbers of them."""
    bars = {}
    lines: dict[str, list[tuple[float, float]]] = {}
    bounds: dict[str, list[tuple[float, float]]] = {}
    for cell, score in played:
        low, share, high = 100 * score.interval.low, 100 * score.share, 100 * score.interval.high
        bars[cell.label] = (low, share, high)
        lines.setdefault(cell.row.name, []).append((cell.player.simulations or 0, share))
        bounds.setdefault(cell.row.name, []).append((low, high))
    shown = {label: share for label, share in paper.items() if label in bars}
    label = "% won" + (" (squares: the paper)" if shown else "")
    yield Figure(plots.intervals(bars, label, shown, title="Games won, with 95 % intervals"), "won")
    if any(len(line) > 1 for line in lines.values()):
        labels = {"title": "Games won by simulations", "x_label": "simulations of the player", "y_label": "% won"}
        yield Figure(plots.trends(lines, bounds=bounds, middle=50.0, doubling=True, **labels), "won-by-simulations")


def _cost_of_strength(played: Played, seconds: Mapping[str, float | None]) -> Iterator[Element]:
    """Yield Elo over the processor time of a move, if players with several numbers of simulations meet one opponent."""
    lines: dict[str, list[tuple[float, float]]] = {}
    bounds: dict[str, list[tuple[float, float]]] = {}
    for cell, score in played:
        if (used := seconds.get(cell.label)) and abs(score.elo.elo) < MOST_ELO:
            lines.setdefault(cell.row.name, []).append((1000 * used, score.elo.elo))
            ends = (max(-MOST_ELO, score.elo.low), min(MOST_ELO, score.elo.high))
            bounds.setdefault(cell.row.name, []).append(ends)
    if len({cell.opponent.name for cell, _ in played}) == 1 and any(len(line) > 1 for line in lines.values()):
        title = f"Elo against {played[0][0].opponent.name} by processor time"
        labels = {"title": title, "x_label": "milliseconds of a processor for a move", "y_label": "Elo"}
        yield Figure(plots.trends(lines, bounds=bounds, middle=0.0, doubling=True, **labels), "cost-of-strength")
