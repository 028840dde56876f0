"""The cells of a match experiment: players with a number of simulations, their opponents and published values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from kikashi.experiments.claims import AGAINST, Alike, Greater
from kikashi.experiments.kind import FEWEST_SIMULATIONS, NOTHING, AtLeastOne, Design, PlayerRow, Share, at_scale
from kikashi.match.player_spec import PlayerSpec
from kikashi.match.settings import Bounds
from kikashi.wording import nearest, plural

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


class Players(Design, frozen=True, kw_only=True):
    """The fields of a match: players against an opponent."""

    player: list[Row]
    opponent: str | None = None
    opponent_share: Portion | None = None
    """Simulations of an opponent that is a preset without a limit, for each simulation of the player."""
    games: AtLeastOne | None = None
    simulations: AtLeastOne | list[AtLeastOne] = []  # noqa: RUF012
    seconds: Portion | None = None
    openings: Openings = "none"
    megabytes: AtLeastOne | None = None
    sprt: Bounds | None = None
    only: list[str] = []  # noqa: RUF012
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


class Cell(msgspec.Struct, frozen=True):
    """A player of the design with one number of simulations; players and games are scaled."""

    row: Row
    simulations: int
    """As in the paper; 0 for a time."""
    player: PlayerSpec
    opponent: PlayerSpec
    games: int
    openings: Openings
    sprt: Bounds | None
    decided_at: float | None

    @property
    def label(self) -> str:
        return self.player.name

    @property
    def limit(self) -> str:
        """The limit of a move, in words."""
        seconds = self.player.seconds
        return plural(self.player.simulations or 0, "simulation") if seconds is None else f"{seconds:g} seconds"


def cells(design: Players) -> list[Cell]:
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


def _cells_of_rows(design: Players) -> list[Cell]:
    found = []
    opponents, scale = _opponents(design), design.scale
    if unknown := set(design.only) - {row.name for row in design.player}:
        names = [row.name for row in design.player]
        raise ValueError(f"{design.title}: there is no row {min(unknown)!r}; {nearest(min(unknown), names)}")
    for row in design.player:
        if design.only and row.name not in design.only:
            continue
        counts, seconds = _limits(design, row)
        games = row.games or design.games
        if games is None:
            raise ValueError(f"{design.title}: {row.name} has no number of games")
        player = PlayerSpec.parse(f"{row.player} {design.options}")
        if memory := row.megabytes or design.megabytes:
            player = replace(player, megabytes=memory)
        for count in counts:
            name = f"{row.name}, {count:,}" if len(counts) > 1 else row.name
            found.append(
                Cell(
                    row=row,
                    simulations=count,
                    player=replace(player, name=name, **_scaled(count, seconds, scale)),
                    opponent=_opponent(design, row, opponents, (count, seconds)),
                    games=at_scale(games, scale, FEWEST_GAMES),
                    openings=row.openings or design.openings,
                    sprt=row.sprt or design.sprt,
                    decided_at=design.decided_at,
                )
            )
    return found


def _limits(design: Players, row: Row) -> tuple[list[int], float]:
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
    """Return the limit of a player at a scale."""
    if not simulations:
        return {"simulations": None, "seconds": min(seconds, max(LEAST_SECONDS, seconds * scale))}
    return {"simulations": at_scale(simulations, scale, FEWEST_SIMULATIONS), "seconds": None}


def opponents_simulations(design: Players) -> int | None:
    """Return the simulations of opponents that are presets without a limit: the design's, if that is one number."""
    if not isinstance(design.simulations, int) or not any(spec.preset for spec in _opponents(design).values()):
        return None
    return at_scale(design.simulations, design.scale, FEWEST_SIMULATIONS)


def _opponents(design: Players) -> dict[str, PlayerSpec]:
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


def _opponent(design: Players, row: Row, opponents: Mapping[str, PlayerSpec], limit: tuple[int, float]) -> PlayerSpec:
    """Return the opponent of a row; with a share of the player's limit it is another for each number of them."""
    spec, share = opponents[row.opponent or design.opponent or ""], row.opponent_share or design.opponent_share
    if share is None or not spec.preset or spec.has_limit:
        return spec
    count, seconds = (max(1, round(share * limit[0])) if limit[0] else 0), share * limit[1]
    name = f"{spec.name} with {f'{count:,}' if count else f'{seconds:g} s'}"
    return replace(spec, name=name, **_scaled(count, seconds, design.scale))


def opponent_of(design: Players, row: Row) -> str:
    """Return the opponent of a row as the design has it, without its name."""
    return PlayerSpec.parse(row.opponent or design.opponent or "").unnamed_text


# --- published values -------------------------------------------------------------------------------------------------


class Published(NamedTuple):
    """The paper's result of a row."""

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


def published_for(design: Players, cell: Cell) -> Published | None:
    """Return the paper's result for a cell of a design, if it has one."""
    row, share = cell.row, cell.row.published
    if isinstance(share, dict):
        share = share.get(str(cell.simulations))
    if share is None or design.direct:
        return None
    return Published(share, row.published_black, row.published_white, row.margin, _elsewhere(design, cell))


def _elsewhere(design: Players, cell: Cell) -> str:
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
        f"against {opponent_of(paper, other.row)}": opponent_of(design, cell.row) != opponent_of(paper, other.row),
        f"with {paper.options or 'no options'}": design.options != paper.options,
    }
    return ", ".join(text for text, is_so in differs.items() if is_so)
