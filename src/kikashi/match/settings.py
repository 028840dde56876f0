"""What is to be played in a match: its settings, spelled here and nowhere else.

They are carried as one object, to every game too. A new one is a field here, and an option of ``kikashi match`` if
people are to set it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import msgspec

from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.engine.limits import Limit
from kikashi.game import Game, Rules
from kikashi.game.time_control import parse_clock
from kikashi.match.openings import Opening
from kikashi.match.player_files import Files
from kikashi.match.player_spec import Contestant, distinct, name_of, parse_contestant

MOST_GAMES = 1_000_000
MOST_ELO = 2000
MOST_SECONDS = 1_000_000
Bounds = tuple[float, float]
"""What SPRT decides between: elo0 and elo1."""
OLD_NAMES = {"playouts": "simulations", "game_playouts": "game_simulations"}
"""What settings were called in journals and experiments of version 0.1."""


def with_todays_names(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table of settings in which none has its old name."""
    return {OLD_NAMES.get(key, key): value for key, value in table.items()}


class Pairing(msgspec.Struct, frozen=True, omit_defaults=True):
    """Two players who meet, by their names. What is as usual is not written, so that older journals are the same."""

    first: str
    second: str
    games: int
    openings: tuple[Opening, ...]
    sprt: Bounds | None = None
    """They stop when it is known whether the first is better by the one or by the other number of Elo points."""

    @property
    def pairs(self) -> int:
        """How many pairs of games: an odd number of games is rounded up."""
        return (self.games + 1) // 2


class MatchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be played. Raises ValueError if it cannot be.

    >>> match = MatchSettings(players=("lgrf2", "name=old mogo-2006"), games=99, simulations=500)
    >>> match.names, match.total_games
    (('lgrf2', 'old'), 100)
    """

    players: tuple[str, ...]
    games: int = 100
    """For each two players, rounded up to whole pairs."""
    size: int = 9
    komi: float = 7.5
    handicap: int = 0
    """Stones that Black has before White begins, whoever has Black: in a pair of games each player once."""
    rules: str = "positional"
    simulations: int | None = None
    """For a move of a preset that says nothing else."""
    seconds: float | None = None
    """For a move of a player that says nothing else."""
    clock: str | None = None
    """For a game of a player that says nothing else: ``300+3x30``, as `kikashi.game.time_control` reads it."""
    megabytes: float | None = None
    """For the tree of a preset that says nothing else; None for what its budget needs."""
    openings: tuple[Opening, ...] = ((),)
    seed: int = 1
    referee: str = "playouts"
    sprt: Bounds | None = None
    timeout: float = 120.0
    """Seconds that an engine may take for one answer, and a preset without a simulation."""
    forfeits: int = 3
    """After as many games in a row that one player forfeits or cannot begin, the match stops."""
    agree: bool = False
    """Whether the players are asked which stones are dead, and play on where they differ."""
    move_limit: int = 0
    """0 for three times the points of the board."""
    only_with: str | None = None
    """The player that everybody meets; None for a round robin."""
    pairings: tuple[Pairing, ...] = ()
    """Who meets whom, if neither everybody meets everybody nor all meet one."""

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
        """A game of the match after these moves. Raises IllegalMove, and ValueError for a wrong handicap."""
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
    def names(self) -> tuple[str, ...]:
        """What the players are called."""
        return tuple(name_of(text) for text in self.players)

    def contestants(self, files: Files | None = None) -> tuple[Contestant, ...]:
        """Read the players, with presets and plugins. Raises ValueError for one that cannot play."""
        return distinct(
            [
                parse_contestant(
                    text,
                    simulations=self.simulations,
                    seconds=self.seconds,
                    megabytes=self.megabytes,
                    clock=self.clock,
                    files=files,
                )
                for text in self.players
            ]
        )

    def meetings(self) -> tuple[Pairing, ...]:
        """Who meets whom. Raises ValueError for a name that no player has."""
        names = self.names
        asked = {name for pairing in self.pairings for name in (pairing.first, pairing.second)}
        for name in sorted(asked) if self.only_with is None else [self.only_with]:
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
        return sum(2 * pairing.pairs for pairing in self.meetings())
