"""Matches: players, each with one number of simulations or several, against opponents.

A cell is a player with one of its numbers, its opponent and the published value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

import msgspec

from kikashi.experiments.claims import AGAINST, Alike, Greater, Observations
from kikashi.experiments.design_files import PER_ROW
from kikashi.experiments.estimate import game_seconds
from kikashi.experiments.kind import (
    FEWEST_SIMULATIONS,
    NOTHING,
    AtLeastOne,
    Design,
    Findings,
    Numbers,
    PlayerRow,
    Share,
    Values,
    at_scale,
    experiment_kind,
    player_key,
)
from kikashi.match.journal import is_begun, read_header, read_records
from kikashi.match.one_game import GameRecord
from kikashi.match.player_spec import PlayerSpec
from kikashi.match.progress import Progress
from kikashi.match.provenance import settings_of
from kikashi.match.runner import run_match
from kikashi.match.settings import Bounds, MatchSettings, Pairing, own_openings
from kikashi.match.statistics import as_json, compute, notes, percent
from kikashi.match.summary import PairingScore, is_complete, latest, p_different_or_alike, scored_games, summarize
from kikashi.report import Element, Figure, Items, Table, plots
from kikashi.wording import nearest, plural
from kikashi.workers.executors import Workers

Portion = Annotated[float, msgspec.Meta(gt=0)]
Openings = Literal["own", "none"]
OPPONENT = "opponent"
FEWEST_GAMES = 2
LEAST_SECONDS = 0.01


class Row(PlayerRow, frozen=True, kw_only=True):
    """A player, with its published result. Other settings are those of the design."""

    seconds: Portion | None = None
    """For each move, instead of simulations."""
    simulations: AtLeastOne | list[AtLeastOne] | None = None
    games: AtLeastOne | None = None
    opponent: str | None = None
    opponent_share: Portion | None = None
    openings: Openings | None = None
    megabytes: AtLeastOne | None = None
    sprt: Bounds | None = None
    """The row stops when its sequential test accepts one of these Elo differences to the opponent."""
    published: Share | dict[str, Share] | None = None
    """Share of games won; by number of simulations if there are several."""
    published_black: Share | None = None
    """Share of games won with Black, and with White."""
    published_white: Share | None = None
    margin: Share | None = None
    """The paper's error."""


DIRECT = {"openings": "own", "referee": "playouts", "options": "--set choice.resign=0.05", "decided_at": 0.0005}
"""Settings of games between the players of a claim; the p-value is below 5 % of a paper's claims."""
MOST_ELO = 1000.0
"""Of a plot: bounds beyond it are drawn there."""
SHARED = tuple(name for name in PER_ROW if name not in ("simulations", "seconds"))
"""Settings that a row has from its design, each where it has none."""
MOST_OPPONENTS = 6
"""From this many on they are not listed in the first paragraph."""


@experiment_kind("match", unit="games")
class MatchDesign(Design, frozen=True, kw_only=True):
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

    player: list[Row]
    opponent: str | None = None
    opponent_share: Portion | None = None
    """Simulations of an opponent that is a preset without a limit, for each simulation of the player."""
    games: AtLeastOne | None = None
    simulations: AtLeastOne | list[AtLeastOne] = []
    seconds: Portion | None = None
    openings: Openings = "none"
    megabytes: AtLeastOne | None = None
    sprt: Bounds | None = None
    only: list[str] = []
    """The names of rows that are played; empty for all."""
    direct: bool = False
    """Whether the two players of each claim meet each other, with openings, referee and a stopping rule of our own."""
    decided_at: Share | None = None
    """Two players stop when a p-value that is valid at any time is below this."""
    simulations_per_second: AtLeastOne | None = None
    """Simulations that presets have in place of each second."""
    options: str = ""
    """Options of every preset, opponents too, as in ``--set choice.resign=0.05``."""
    size: int = 9
    komi: float = 7.5
    handicap: int = 0
    rules: str = "positional"
    referee: str = "gnugo"

    def match(self) -> MatchSettings:
        """Return the match; rows may have settings of their own. Raises ValueError."""
        found = cells(self)
        openings = {"own": tuple(own_openings(self.size)), "none": ((),)}
        shared = (set(self.__struct_fields__) & set(MatchSettings.__struct_fields__)) - set(PER_ROW)
        return MatchSettings(
            players=(*(cell.player for cell in found), *dict.fromkeys(cell.opponent for cell in found)),
            pairings=tuple(
                Pairing(c.label, c.opponent.name, c.games, openings[c.row.openings or "none"], c.row.sprt, c.decided_at)
                for c in found
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
        return run_match(self.match(), folder, workers, resume=is_begun(folder), listener=listener, tell=tell)

    def complete(self, records: Sequence[GameRecord]) -> Sequence[GameRecord]:
        return scored_games(self.match(), records)

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

    def done(self, header: Mapping[str, Any], records: Sequence[GameRecord]) -> tuple[int, int, bool]:
        settings, games = settings_of(header), _counting(records)
        return len(games), settings.total_games, is_complete(settings, games)

    def progress(self, folder: Path, seconds: float) -> Progress:
        is_match = is_begun(folder) and read_header(folder).get("kind") == "match"  # else `run` raises an error
        before = len(_counting(read_records(folder, GameRecord))) if is_match else 0
        return Progress(self.steps, self.unit, size=self.size, folder=folder, estimate=seconds, before=before)

    def values(self) -> Values:
        rows = [
            {
                "simulations": cell.player.simulations,
                "seconds": cell.player.seconds,
                "games": cell.games,
                "opponent": cell.opponent.preset if self.direct else opponent_of(cell),
                **{name: getattr(cell.row, name) for name in ("opponent_share", "openings", "megabytes", "sprt")},
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
            share = cell.row.opponent_share
            yield {
                "row": cell.label,
                "player": cell.player.unnamed_text,
                "opponent": cell.opponent.unnamed_text if share or self.direct else opponent_of(cell),
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


# --- cells: a player with a number of simulations ---------------------------------------------------------------------


class Cell(msgspec.Struct, frozen=True):
    """A player of the design with one number of simulations; players and games are scaled."""

    row: Row
    """With the settings of the design where it has none of its own."""
    simulations: int
    """As in the paper; 0 for a time."""
    player: PlayerSpec
    opponent: PlayerSpec
    games: int
    decided_at: float | None

    @property
    def label(self) -> str:
        return self.player.name

    @property
    def limit(self) -> str:
        """The limit of a move, in words."""
        seconds = self.player.seconds
        return plural(self.player.simulations or 0, "simulation") if seconds is None else f"{seconds:g} seconds"


def cells(design: MatchDesign) -> list[Cell]:
    """Return the players of a design with all their numbers of simulations; of a direct one the pairs of its claims.

    Raises ValueError for an incomplete row.
    """
    rows = _cells_of_rows(design)
    if not design.direct:
        return rows
    players = {cell.label: cell for cell in rows}
    named = [(claim.first, claim.second) for claim in design.claim if isinstance(claim, Greater | Alike)]
    pairs = [pair for pair in dict.fromkeys(named) if players.keys() >= set(pair)]
    if not pairs:
        raise ValueError(f"{design.title}: no claim is about two of its players")
    found = []
    for first, second in pairs:
        one, other = players[str(first)], players[str(second)].player
        player = replace(one.player, name=f"{first}{AGAINST}{second}")
        found.append(msgspec.structs.replace(one, player=player, opponent=other))
    return found


def _cells_of_rows(design: MatchDesign) -> list[Cell]:
    found = []
    opponents, scale = _opponents(design), design.scale
    if unknown := set(design.only) - {row.name for row in design.player}:
        names = [row.name for row in design.player]
        raise ValueError(f"{design.title}: there is no row {min(unknown)!r}; {nearest(min(unknown), names)}")
    for row in design.player:
        if design.only and row.name not in design.only:
            continue
        counts, seconds = _limits(design, row)
        row = msgspec.structs.replace(row, **{name: getattr(row, name) or getattr(design, name) for name in SHARED})
        if row.games is None:
            raise ValueError(f"{design.title}: {row.name} has no number of games")
        player = PlayerSpec.parse(f"{row.player} {design.options}")
        if row.megabytes:
            player = replace(player, megabytes=row.megabytes)
        for count in counts:
            name = f"{row.name}, {count:,}" if len(counts) > 1 else row.name
            found.append(
                Cell(
                    row=row,
                    simulations=count,
                    player=replace(player, name=name, **_scaled(count, seconds, scale)),
                    opponent=_opponent(design, row, opponents, (count, seconds)),
                    games=at_scale(row.games, scale, FEWEST_GAMES),
                    decided_at=design.decided_at,
                )
            )
    return found


def _limits(design: MatchDesign, row: Row) -> tuple[list[int], float]:
    """Return the numbers of simulations of a row and its seconds, of which the others are 0."""
    seconds = row.seconds if row.seconds is not None or row.simulations else design.seconds
    counts = row.simulations or design.simulations
    if seconds is not None and design.simulations_per_second is not None:
        return [max(1, round(seconds * design.simulations_per_second))], 0.0
    if seconds is not None:
        return [0], seconds
    if not counts:
        raise ValueError(f"{design.title}: {row.name} has neither simulations nor seconds")
    return ([counts] if isinstance(counts, int) else counts), 0.0


def _scaled(simulations: int, seconds: float, scale: float) -> dict[str, Any]:
    if not simulations:
        return {"simulations": None, "seconds": min(seconds, max(LEAST_SECONDS, seconds * scale))}
    return {"simulations": at_scale(simulations, scale, FEWEST_SIMULATIONS), "seconds": None}


def opponents_simulations(design: MatchDesign) -> int | None:
    """Return the simulations of opponents that are presets without a limit: the design's, if that is one number."""
    if not isinstance(design.simulations, int) or not any(spec.preset for spec in _opponents(design).values()):
        return None
    return at_scale(design.simulations, design.scale, FEWEST_SIMULATIONS)


def _opponents(design: MatchDesign) -> dict[str, PlayerSpec]:
    """Return all opponents by their texts; their names are ``opponent``, ``opponent 2`` … where they have none."""
    found: dict[str, PlayerSpec] = {}
    for row in design.player:
        text = row.opponent or design.opponent
        if not text:
            raise ValueError(f"{design.title}: {row.name} has no opponent")
        usual = f"{OPPONENT} {len(found) + 1}" if found else OPPONENT
        spec = PlayerSpec.parse(text)
        if spec.preset:
            spec = PlayerSpec.parse(f"{text} {design.options}")
        found.setdefault(text, spec if text.startswith("name=") else replace(spec, name=usual))
    return found


def _opponent(
    design: MatchDesign, row: Row, opponents: Mapping[str, PlayerSpec], limit: tuple[int, float]
) -> PlayerSpec:
    """Return the opponent of a row; with a share of the player's limit it is another for each number of them."""
    spec, share = opponents[row.opponent or ""], row.opponent_share
    if share is None or not spec.preset or spec.has_limit:
        return spec
    count, seconds = (max(1, round(share * limit[0])) if limit[0] else 0), share * limit[1]
    name = f"{spec.name} with {f'{count:,}' if count else f'{seconds:g} s'}"
    return replace(spec, name=name, **_scaled(count, seconds, design.scale))


def opponent_of(cell: Cell) -> str:
    """Return the opponent of a cell as the design has it, without its name."""
    return PlayerSpec.parse(cell.row.opponent or "").unnamed_text


# --- published values -------------------------------------------------------------------------------------------------


class Published(NamedTuple):
    share: float
    black: float | None
    white: float | None
    margin: float | None
    elsewhere: str
    """The paper's settings, if they are not ours: ``at 70,000 simulations``; the values do not compare then."""

    def of(self, share: float | None) -> str:
        """Return a share with the settings that are not ours."""
        return NOTHING if share is None else f"{share:.1%} {self.elsewhere}".rstrip()

    @property
    def total(self) -> str:
        """The share of all games, with its error."""
        margin = f" ± {self.margin:.1%}" if self.margin is not None else ""
        return f"{self.share:.1%}{margin} {self.elsewhere}".rstrip()

    def __str__(self) -> str:
        colors = {"as Black": self.black, "as White": self.white}
        by_color = "".join(f", {share:.1%} {name}" for name, share in colors.items() if share is not None)
        return f"{self._replace(elsewhere='').total}{by_color} {self.elsewhere}".rstrip()


def published_for(design: MatchDesign, cell: Cell) -> Published | None:
    """Return the paper's result for a cell of a design, if it has one."""
    row, share = cell.row, cell.row.published
    if isinstance(share, dict):
        share = share.get(str(cell.simulations))
    if share is None or design.direct:
        return None
    return Published(share, row.published_black, row.published_white, row.margin, _elsewhere(design, cell))


def _elsewhere(design: MatchDesign, cell: Cell) -> str:
    paper = design.paper
    theirs = [other for other in cells(paper) if other.row.name == cell.row.name]
    if len(theirs) > 1:
        theirs = [other for other in theirs if other.simulations == cell.simulations]
    if not theirs:  # the row is from the command line: its published value is for its own settings
        paper = msgspec.structs.replace(design, scale=1.0)
        theirs = [other for other in cells(paper) if other.label == cell.label]
    other = theirs[0]
    differs = {
        f"at {other.limit}": cell.limit != other.limit,
        f"on {paper.size}×{paper.size}": design.size != paper.size,
        f"with komi {paper.komi:g}": design.komi != paper.komi,
        f"with {paper.handicap or 'no'} handicap stones": design.handicap != paper.handicap,
        f"by {other.row.player}": cell.row.player != other.row.player,
        f"against {opponent_of(other)}": opponent_of(cell) != opponent_of(other),
        f"with {paper.options or 'no options'}": design.options != paper.options,
    }
    return ", ".join(text for text, is_so in differs.items() if is_so)


# --- journals ---------------------------------------------------------------------------------------------------------


def _signatures(header: Mapping[str, Any]) -> dict[str, str]:
    settings = settings_of(header)
    specs = {spec.name: spec for spec in settings.specs if spec.preset}
    known = [one for one in header.get("players", []) if one["name"] in specs]
    return {player_key(specs[one["name"]], settings.size)[0]: one.get("signature", "") for one in known}


def _counting(records: Sequence[GameRecord]) -> list[GameRecord]:
    """Return the games that count."""
    return [record for record in latest(records) if not record.is_void]


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
