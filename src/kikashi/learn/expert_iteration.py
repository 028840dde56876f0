"""Expert iteration: a preset plays with itself, weights are fitted to what its searches found, and it plays on so.

A folder has a folder for each round: ``games`` (a journal of self-play), ``weights.npz``, ``report``, ``player.toml``
(the preset with the new weights) and ``match`` against the round before. Whatever is there already is not done again,
so the same command goes on after Ctrl-C or worse.
"""

from __future__ import annotations

import copy
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from kikashi.engine.overrides import as_toml
from kikashi.engine.preset import load_preset, load_preset_table
from kikashi.files import write_whole
from kikashi.learn.learning import Course, Listener, learn, write_weights
from kikashi.learn.positions import DEFAULT_FEATURES
from kikashi.learn.self_play import SelfPlay, SelfPlayGame, play_self_games
from kikashi.match.journal import FILE
from kikashi.match.match_report import write_report as write_match_report
from kikashi.match.one_game import GameRecord
from kikashi.match.openings import read_openings
from kikashi.match.player_files import Files, Plugin
from kikashi.match.runner import run_match
from kikashi.match.settings import MatchSettings
from kikashi.match.summary import standing
from kikashi.playout.model.weights import read_weights
from kikashi.stats.intervals import wilson
from kikashi.wording import plural
from kikashi.workers.executors import Workers

SETTINGS = "rounds.json"
LEARNED = "learned"


class Rounds(msgspec.Struct, frozen=True, kw_only=True):
    """What each round does."""

    preset: str
    overrides: tuple[str, ...] = ()
    size: int = 9
    komi: float = 7.5
    games: int = 200
    simulations: int = 1000
    match_games: int = 40
    """Against the round before; 0 for no match."""
    window: int = 4
    """The rounds whose games are learned from: this one and the ones before it."""
    prior_games: float = 100.0
    prior_power: float = 0.5
    """Of the learned prior, where the preset has none."""
    features: str = DEFAULT_FEATURES
    seed: int = 1
    plugins: tuple[str, ...] = ()


@dataclass(frozen=True)
class RoundFound:
    """What a round came to."""

    number: int
    folder: Path
    figures: Mapping[str, Any]
    """How well its weights predict games that they were not fitted to."""
    points: float = 0.0
    """In the match against the round before."""
    games: int = 0

    def __str__(self) -> str:
        first = f"round {self.number}: {self.figures['first']:.1%} of held-out moves are the first choice"
        if not self.games:
            return first
        interval = wilson(self.points, self.games)
        return (
            f"{first}; {self.points:g} of {plural(self.games, 'game')} against the round before "
            f"({interval.low:.1%}-{interval.high:.1%})"
        )


class RoundListener(Listener):
    """Hears of games as well. This one says nothing."""

    def played(self, game: SelfPlayGame | GameRecord) -> None:
        """A game has ended."""


def with_weights(table: Mapping[str, Any], path: Path, games: float, power: float) -> dict[str, Any]:
    """The settings of a preset with other weights: in its learned prior, or with one in place of all its priors."""
    changed = copy.deepcopy(dict(table))
    priors = [dict(prior) for prior in changed.get("prior", [])]
    known = [prior for prior in priors if prior.get("part") == LEARNED]
    for prior in known:
        prior["weights"] = str(path.absolute())
    new = {"part": LEARNED, "games": games, "power": power, "weights": str(path.absolute())}
    changed["prior"] = priors if known else [new]
    return changed


def run_rounds(
    settings: Rounds,
    folder: Path,
    workers: Workers,
    *,
    rounds: int | None = None,
    listener: RoundListener | None = None,
) -> Iterator[RoundFound]:
    """Play, fit and play again, for a number of rounds or for ever; yields each round when it is done.

    Raises ValueError if the folder was begun with other settings, or something cannot be played; OSError.
    """
    _check_folder(settings, folder)
    number = 0
    while rounds is None or number < rounds:
        yield _Round(settings, folder, number, workers, listener or RoundListener()).run()
        number += 1


def _check_folder(settings: Rounds, folder: Path) -> None:
    path = folder / SETTINGS
    said = msgspec.json.encode(settings)
    if path.exists() and path.read_bytes() != said:
        raise ValueError(f"{folder} was begun with other settings: go on as it was begun, or begin in another folder")
    write_whole(path, said)


@dataclass(frozen=True)
class _Round:
    """One round."""

    settings: Rounds
    root: Path
    number: int
    workers: Workers
    listener: RoundListener

    @property
    def folder(self) -> Path:
        return self.root / f"round-{self.number:03}"

    @property
    def before(self) -> _Round | None:
        if self.number == 0:
            return None
        return _Round(self.settings, self.root, self.number - 1, self.workers, self.listener)

    def run(self) -> RoundFound:
        """Play, fit and measure what is not there yet."""
        plugins = [Plugin.named(file, Files()) for file in self.settings.plugins]
        self._play(plugins)
        figures = self._learn()
        write_whole(self._player, as_toml(self._table()))
        load_preset_table(f"round {self.number}", self._table())
        if not self.settings.match_games:
            return RoundFound(self.number, self.folder, figures)
        points, games = self._meet()
        return RoundFound(self.number, self.folder, figures, points, games)

    def _play(self, plugins: Sequence[Plugin]) -> None:
        settings = self.settings
        table = self._first_table() if self.before is None else self.before._table()
        wanted = SelfPlay(
            preset=table,
            games=settings.games,
            size=settings.size,
            simulations=settings.simulations,
            komi=settings.komi,
            seed=settings.seed + self.number,
        )
        self.listener.begin(f"round {self.number}: playing", settings.games)
        folder = self.folder / "games"
        play_self_games(wanted, folder, self.workers, plugins=plugins, listener=self.listener.played)

    def _learn(self) -> Mapping[str, Any]:
        path = self.folder / "weights.npz"
        if not path.exists():
            first = max(0, self.number + 1 - self.settings.window)
            sources = [self.root / f"round-{number:03}" / "games" for number in range(first, self.number + 1)]
            self.listener.begin(f"round {self.number}: learning", 0)
            found = learn(Course(sources, self.settings.features, self.settings.size), listener=self.listener)
            write_weights(path, found, report=self.folder / "report")
        figures: Mapping[str, Any] = read_weights(str(path), path.read_bytes()).header["figures"]["held_out"]
        return figures

    @property
    def _player(self) -> Path:
        return self.folder / "player.toml"

    def _table(self) -> dict[str, Any]:
        weights = self.folder / "weights.npz"
        return with_weights(self._first_table(), weights, self.settings.prior_games, self.settings.prior_power)

    def _first_table(self) -> dict[str, Any]:
        """The preset as it is on the boards that games are played on: weights are for these."""
        return load_preset(self.settings.preset, self.settings.overrides).at(self.settings.size).table

    def _text(self) -> str:
        """The player of this round, for a match."""
        plugins = " ".join(f"--plugin {shlex.quote(file)}" for file in self.settings.plugins)
        return f"name=round-{self.number} {shlex.quote(str(self._player.absolute()))} {plugins}".strip()

    def _opponent(self) -> str:
        if self.before is not None:
            return self.before._text()
        changed = " ".join(f"--set {shlex.quote(change)}" for change in self.settings.overrides)
        return f"name=before {shlex.quote(self.settings.preset)} {changed}".strip()

    def _meet(self) -> tuple[float, int]:
        """The points of this round in a match against the one before, and the games."""
        settings = MatchSettings(
            players=(self._text(), self._opponent()),
            games=self.settings.match_games,
            size=self.settings.size,
            komi=self.settings.komi,
            simulations=self.settings.simulations,
            openings=read_openings((), self.settings.size),
            seed=self.settings.seed + self.number,
        )
        folder = self.folder / "match"
        self.listener.begin(f"round {self.number}: match", settings.total_games)
        records = run_match(
            settings,
            folder,
            self.workers,
            resume=(folder / FILE).exists(),
            listener=self.listener.played,
            tell=self.listener.tell,
        )
        write_match_report(folder, settings, records, standing(settings, records))
        counted = [record for record in records if not record.is_void]
        return sum(record.points(settings.names[0]) for record in counted), len(counted)
