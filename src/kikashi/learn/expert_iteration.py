"""Expert iteration: a preset plays with itself, weights are fitted to its searches, and it plays on with them.

Every round has a folder with ``games`` (a journal of self-play), ``weights.npz``, ``report``, ``player.toml`` (the
preset with the new weights) and ``match`` against the round before. Finished work is not repeated, so the same command
goes on after Ctrl-C or a crash.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Self

import msgspec

from kikashi.engine.overrides import as_toml
from kikashi.engine.preset import load_preset, load_preset_table
from kikashi.files import write_whole
from kikashi.learn.dataset import DEFAULT_FEATURES
from kikashi.learn.learning import LearningListener, LearningSettings, learn, write_weights
from kikashi.learn.self_play import SelfPlaySettings, play_self_games
from kikashi.match.player_spec import PlayerSpec
from kikashi.match.results import Match
from kikashi.match.settings import MatchSettings, read_openings
from kikashi.playout.weights import read_weights
from kikashi.stats.intervals import wilson
from kikashi.wording import plural
from kikashi.workers.executors import Workers

SETTINGS, PLAYER = "rounds.json", "player.toml"
LEARNED = "learned"


class IterationSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of every round."""

    preset: str
    overrides: tuple[str, ...] = ()
    size: int = 9
    komi: float = 7.5
    games: int = 200
    simulations: int = 1000
    match_games: int = 40
    """Games against the round before; 0 for no match."""
    window: int = 4
    """Number of the last rounds whose games are learned from."""
    prior_games: float = 100.0
    prior_power: float = 0.5
    """Of the learned prior, if the preset has none."""
    features: str = DEFAULT_FEATURES
    seed: int = 1
    plugins: tuple[str, ...] = ()


@dataclass(frozen=True)
class RoundResult:
    """The result of a round."""

    number: int
    folder: Path
    accuracy: Mapping[str, Any]
    """Accuracy of its weights on held-out games, as `Accuracy.as_json`."""
    points: float = 0.0
    """Points in the match against the round before."""
    games: int = 0

    def __str__(self) -> str:
        first = f"round {self.number}: {self.accuracy['first']:.1%} of held-out moves are the first choice"
        if not self.games:
            return first
        interval = wilson(self.points, self.games)
        return (
            f"{first}; {self.points:g} of {plural(self.games, 'game')} against the round before "
            f"({interval.low:.1%}-{interval.high:.1%})"
        )


def with_weights(table: Mapping[str, Any], path: Path, games: float, power: float) -> dict[str, Any]:
    """Return the settings of a preset with other weights: in its learned prior, or in one instead of all its priors."""
    weights = {"weights": str(path.absolute())}
    priors = [{**prior, **(weights if prior.get("part") == LEARNED else {})} for prior in table.get("prior", [])]
    if not any(prior.get("part") == LEARNED for prior in priors):
        priors = [{"part": LEARNED, "games": games, "power": power, **weights}]
    return {**table, "prior": priors}


def run_rounds(
    settings: IterationSettings,
    folder: Path,
    workers: Workers,
    *,
    rounds: int | None = None,
    listener: LearningListener | None = None,
) -> Iterator[RoundResult]:
    """Play and fit in turn, for a number of rounds or for ever; yield each round when it is done.

    Raises ValueError if the folder was begun with other settings or a game cannot be played, and OSError.
    """
    _check_folder(settings, folder)
    for number in count() if rounds is None else range(rounds):
        yield _Round(settings, folder, number, workers, listener or LearningListener()).run()


def _check_folder(settings: IterationSettings, folder: Path) -> None:
    path = folder / SETTINGS
    encoded = msgspec.json.encode(settings)
    if path.exists() and path.read_bytes() != encoded:
        raise ValueError(f"{folder} was begun with other settings: go on as it was begun, or begin in another folder")
    write_whole(path, encoded)


@dataclass(frozen=True)
class _Round:
    settings: IterationSettings
    root: Path
    number: int
    workers: Workers
    listener: LearningListener

    @property
    def folder(self) -> Path:
        return self.root / f"round-{self.number:03}"

    @property
    def before(self) -> Self | None:
        return replace(self, number=self.number - 1) if self.number else None

    def run(self) -> RoundResult:
        """Play, fit and measure, each unless it is done."""
        self._play()
        accuracy = self._learn()
        write_whole(self.folder / PLAYER, as_toml(self._table()))
        load_preset_table(f"round {self.number}", self._table())
        points, games = self._play_match() if self.settings.match_games else (0.0, 0)
        return RoundResult(self.number, self.folder, accuracy, points, games)

    def _play(self) -> None:
        settings = self.settings
        games = SelfPlaySettings(
            player=(self.before._spec() if self.before else self._first_spec()).unnamed_text,
            games=settings.games,
            size=settings.size,
            simulations=settings.simulations,
            komi=settings.komi,
            seed=settings.seed + self.number,
        )
        self.listener.begin(f"round {self.number}: playing", settings.games)
        play_self_games(games, self.folder / "games", self.workers, self.listener.advance)

    def _learn(self) -> Mapping[str, Any]:
        path = self.folder / "weights.npz"
        if not path.exists():
            first = max(0, self.number + 1 - self.settings.window)
            sources = [self.root / f"round-{number:03}" / "games" for number in range(first, self.number + 1)]
            self.listener.begin(f"round {self.number}: learning", 0)
            settings = LearningSettings(sources, self.settings.features, self.settings.size)
            write_weights(path, learn(settings, listener=self.listener), report=self.folder / "report")
        accuracy: Mapping[str, Any] = read_weights(str(path), path.read_bytes()).header["figures"]["held_out"]
        return accuracy

    def _table(self) -> dict[str, Any]:
        settings = self.settings
        first = load_preset(settings.preset, settings.overrides).at(settings.size).table
        return with_weights(first, self.folder / "weights.npz", settings.prior_games, settings.prior_power)

    def _spec(self) -> PlayerSpec:
        preset = str((self.folder / PLAYER).absolute())
        return PlayerSpec(f"round-{self.number}", preset, plugins=self.settings.plugins)

    def _first_spec(self) -> PlayerSpec:
        settings = self.settings
        return PlayerSpec("before", settings.preset, tuple(settings.overrides), settings.plugins)

    def _play_match(self) -> tuple[float, int]:
        """Play a match against the round before; return the points of this round and the games."""
        settings = MatchSettings(
            players=(self._spec(), self.before._spec() if self.before else self._first_spec()),
            games=self.settings.match_games,
            size=self.settings.size,
            komi=self.settings.komi,
            simulations=self.settings.simulations,
            openings=read_openings((), self.settings.size),
            seed=self.settings.seed + self.number,
        )
        folder = self.folder / "match"
        self.listener.begin(f"round {self.number}: match", settings.total_games)
        match = Match.run(settings, folder, self.workers, self.listener.advance, self.listener.tell)
        counted = match.summary.records
        return sum(record.points(settings.names[0]) for record in counted), len(counted)
