"""The settings of a match, and its openings.

A new setting is a field of `MatchSettings`, and an option of ``kikashi match`` if people are to set it.
"""

import tomllib
from collections.abc import Sequence
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec

from kikashi import sgf
from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.engine.limits import Limit
from kikashi.game import Game, Rules
from kikashi.game.time_control import parse_clock
from kikashi.match.match_player import Files, MatchPlayer, match_player
from kikashi.match.player_spec import Player, PlayerSpec, as_spec

MOST_GAMES = 1_000_000
MOST_ELO = 2000
MOST_SECONDS = 1_000_000
OPENING_MOVES = 8
"""Moves that are taken from a file."""
Opening = tuple[str, ...]
Bounds = tuple[float, float]
"""Hypotheses of SPRT: elo0 and elo1."""


class Pairing(msgspec.Struct, frozen=True, omit_defaults=True):
    """Two players of a match, by their names. Defaults are not written, so that older journals are the same."""

    first: str
    second: str
    games: int
    openings: tuple[Opening, ...]
    sprt: Bounds | None = None
    """They stop when it is known which hypothesis holds about the first."""
    decided_at: float | None = None
    """They stop when a p-value that is valid at any time is below this: they differ, or are alike."""

    @property
    def pairs(self) -> int:
        """Pairs of games: an odd number of games is rounded up."""
        return (self.games + 1) // 2


class MatchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a match. Raises ValueError for a match that cannot be played.

    >>> match = MatchSettings(players=("lgrf2", "name=old mogo-2006"), games=99, simulations=500)
    >>> match.names, match.total_games
    (('lgrf2', 'old'), 100)
    """

    players: tuple[Player, ...]
    """Values, or texts as on the command line."""
    games: int = 100
    """For each two players, rounded up to whole pairs."""
    size: int = 9
    komi: float = 7.5
    handicap: int = 0
    """Black's stones before White begins; in a pair of games each player has them once."""
    rules: str = "positional"
    simulations: int | None = None
    """For a move of a preset without a limit of its own."""
    seconds: float | None = None
    """For a move of a player without a limit of its own."""
    clock: str | None = None
    """For a game of a player without a clock of its own: ``300+3x30``, as `kikashi.game.time_control` reads it."""
    megabytes: float | None = None
    """For the tree of a preset without a size of its own; None for what its limit needs."""
    openings: tuple[Opening, ...] = ((),)
    seed: int = 1
    referee: str = "playouts"
    sprt: Bounds | None = None
    timeout: float = 120.0
    """Seconds for one answer of an engine, and for a preset without a simulation."""
    forfeits: int = 3
    """Games in a row that one player forfeits or cannot begin, after which the match stops."""
    agree: bool = False
    """Whether the players compare dead stones, and play on where they differ."""
    move_limit: int = 0
    """0 for three times the points of the board."""
    only_with: str | None = None
    """Name of the one opponent of all others; None for a round robin."""
    pairings: tuple[Pairing, ...] = ()
    """Pairings of a match that is neither a round robin nor against one opponent."""

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            raise ValueError("a match needs two players at least")
        if not MIN_SIZE <= self.size <= MAX_SIZE:
            raise ValueError(f"boards are from {MIN_SIZE} to {MAX_SIZE}, not {self.size}")
        if Game(self.size, self.komi, Rules.named(self.rules)).rules.counts_territory:
            raise ValueError(f"matches are counted by area, which {self.rules} rules are not")
        if self.sprt is not None and len(self.players) != 2:
            raise ValueError(f"SPRT is for two players, not {len(self.players)}")
        for bounds in (self.sprt, *(pairing.sprt for pairing in self.pairings)):
            if bounds is not None and not -MOST_ELO <= bounds[0] < bounds[1] <= MOST_ELO:
                raise ValueError(f"SPRT needs elo0 below elo1, as in 0,50, both from -{MOST_ELO} to {MOST_ELO}")
        if not 0 < self.timeout < MOST_SECONDS:
            raise ValueError(f"the time-out is above 0 and below {MOST_SECONDS:,} seconds, not {self.timeout}")
        if self.simulations is not None or self.seconds is not None:
            Limit(simulations=self.simulations, seconds=self.seconds)
        if self.clock is not None:
            parse_clock(self.clock)
        if self.forfeits < 1:
            raise ValueError(f"a match stops after one forfeit or more, not after {self.forfeits}")
        if self.referee not in ("playouts", "gnugo"):
            raise ValueError(f"the referee is playouts or gnugo, not {self.referee!r}")
        if self.pairings and self.only_with is not None:
            raise ValueError("a match has pairings or one player that everybody meets, not both")
        self._check_games(self.games, self.openings)
        for pairing in self.pairings:
            self._check_games(pairing.games, pairing.openings)
        paired = (opening for pairing in self.pairings for opening in pairing.openings)
        for opening in dict.fromkeys([*self.openings, *paired]):  # each once: pairings often have the same
            self.after(opening)

    def _check_games(self, games: int, openings: tuple[Opening, ...]) -> None:
        if not 1 <= games <= MOST_GAMES:
            raise ValueError(f"games are from 1 to {MOST_GAMES:,}, not {games}")
        if not openings:
            raise ValueError("a match needs one opening at least, if only the empty board")
        if self.handicap and any(openings):
            raise ValueError("a game with a handicap has no opening")

    def after(self, moves: Opening) -> Game:
        """Return a game of the match after these moves. Raises IllegalMove, and ValueError for a wrong handicap."""
        game = Game(self.size, self.komi, self.rules)
        if self.handicap:
            game.place_free_handicap(self.handicap)
        for name in moves:
            game.push(name)
        return game

    @property
    def most_moves(self) -> int:
        """The number of moves after which a game ends in any case."""
        return self.move_limit or 3 * self.size**2

    @property
    def specs(self) -> tuple[PlayerSpec, ...]:
        """The players as values. Raises ValueError for a text that cannot be read."""
        return tuple(map(as_spec, self.players))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players."""
        return tuple(spec.name for spec in self.specs)

    def match_players(self, files: Files | None = None) -> tuple[MatchPlayer, ...]:
        """Return the players with presets and plugins. Raises ValueError for one that cannot play, or a name used
        twice: results could not be told apart."""
        limits = {key: getattr(self, key) for key in ("simulations", "seconds", "megabytes", "clock")}
        found = tuple(match_player(spec, files=files, **limits) for spec in self.specs)
        for name in self.names:
            if self.names.count(name) > 1:
                raise ValueError(f"two players are called {name!r}; begin one with name=NAME")
        return found

    def all_pairings(self) -> tuple[Pairing, ...]:
        """Return the pairings. Raises ValueError for a name that no player has."""
        names = self.names
        paired = {name for pairing in self.pairings for name in (pairing.first, pairing.second)}
        for name in sorted(paired) if self.only_with is None else [self.only_with]:
            if name not in names:
                raise ValueError(f"no player is called {name!r}; there are {', '.join(names)}")
        return self.pairings or tuple(
            Pairing(first, second, self.games, self.openings, self.sprt)
            for first, second in combinations(names, 2)
            if self.only_with in (None, first, second)
        )

    @property
    def total_games(self) -> int:
        """The number of games of the whole match."""
        return sum(2 * pairing.pairs for pairing in self.all_pairings())

    def as_table(self) -> dict[str, Any]:
        """Return the settings as plain data, with players as texts: for journals."""
        players = [str(spec) for spec in self.specs]
        table: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(self, players=tuple(players)))
        return table


# --- openings ---------------------------------------------------------------------------------------------------------


def own_openings(size: int) -> list[Opening]:
    """Return the openings of the package for a size; only the empty board if it has none.

    >>> own_openings(4)
    [()]
    """
    tables = tomllib.loads((resources.files("kikashi.match") / "openings.toml").read_text("utf-8"))
    return [tuple(line.split()) for line in tables.get(str(size), {"plain": [""]})["plain"]]


def read_openings(names: Sequence[str], size: int) -> tuple[Opening, ...]:
    """Return the openings of files, only the empty board for ``none``, else those of the package.

    Raises ValueError and OSError.
    """
    if not names:
        return tuple(own_openings(size))
    if list(names) == ["none"]:
        return ((),)
    return tuple(file_openings([Path(name) for name in names], size))


def file_openings(paths: Sequence[Path], size: int, moves: int = OPENING_MOVES) -> list[Opening]:
    """Return the first moves of games. Raises ValueError if one is of another size or begins with stones set up."""
    found = []
    for path in paths:
        game = sgf.read_game(path, moves=moves)
        if game.size != size:
            raise ValueError(f"{path} is a game on {game.size}x{game.size}, not {size}x{size}")
        if str(game.root()) != str(Game(size)):
            raise ValueError(f"{path} begins with stones on the board")
        if any(move.color != 1 + number % 2 for number, move in enumerate(game.moves)):
            raise ValueError(f"{path}: the players do not take turns in the first {moves} moves")
        found.append(tuple(move.name for move in game.moves))
    return found
