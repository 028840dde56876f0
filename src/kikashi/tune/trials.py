"""The trials of a tuning, played as pairs of games and kept in a journal.

The values of a trial follow from the outcomes of all trials but the last few before it (`Tuning.ahead`), in their
order. So several trials are played at a time, and neither the number of workers nor their speed changes the values.
The journal has the values of every game, so that they are read and not computed again after a crash.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from kikashi.match.failures import Failures
from kikashi.match.journal import Journal, JournalError, read_header
from kikashi.match.match_player import Files, MatchPlayer, with_more_weights
from kikashi.match.one_game import GameRecord, GameTask, play_game
from kikashi.match.preflight import Started
from kikashi.match.runner import GamesRun, derived
from kikashi.parts.models import SUFFIX
from kikashi.tune.spsa import Outcome, Spsa, Trial
from kikashi.tune.tuning import OTHER, TUNED, Tuning, Values, changes
from kikashi.wording import convert
from kikashi.workers.executors import WorkerPool, Workers

KIND = "tuning"
Listener = Callable[["TrialGame"], None]
Play = Callable[[GameTask], GameRecord]


class TrialGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game of a tuning, with the values of its trial."""

    first: Values
    second: Values
    game: GameRecord

    @property
    def trial(self) -> Trial:
        return Trial(self.game.pair, self.first, self.second)


def outcomes_of(tuning: Tuning, games: Sequence[TrialGame]) -> list[Outcome]:
    """Return the outcomes of trials in order, up to the first that is not complete."""
    trials: dict[int, list[TrialGame]] = {}
    for game in games:
        trials.setdefault(game.game.pair, []).append(game)
    found: list[Outcome] = []
    while len(played := trials.get(len(found), [])) == tuning.games_of_trial:
        found.append(Outcome(played[0].trial, _result([one.game for one in played])))
    return found


def _result(games: Sequence[GameRecord]) -> float | None:
    """Return the advantage of the first values; None if a game is void."""
    if any(game.is_void for game in games):
        return None
    points = {name: [g.points(name) for g in games if name in (g.black, g.white)] for name in (TUNED, OTHER)}
    is_direct = len(games) == len(points[TUNED])
    return (sum(points[TUNED]) - sum(points[OTHER])) / (2 if is_direct else 1)


# --- the folder -------------------------------------------------------------------------------------------------------


def tuning_in(folder: Path) -> Tuning:
    """Return the tuning of a folder. Raises ValueError if it has none."""
    before = read_header(folder)
    if before.get("kind") != KIND:
        raise JournalError(f"{folder} does not hold a {KIND}")
    return convert(before.get("settings"), Tuning, "settings")


def run_trials(
    tuning: Tuning,
    folder: Path,
    workers: Workers,
    *,
    resume: bool = False,
    listener: Listener | None = None,
    tell: Callable[[str], None] | None = None,
    play: Play = play_game,
) -> list[TrialGame]:
    """Play the games that are left and return all games in the order of the trials.

    Every game is on the disk when it has ended. The listener gets each game, those of an earlier run first; `tell` gets
    messages for people. Workers play a game by `play`. Raises ValueError if the folder has another tuning or a player
    cannot play, MatchStopped if one fails again and again, OSError.
    """
    with WorkerPool(workers) as pool, ExitStack() as stack:
        trials = _Trials(tuning, folder, pool, listener or (lambda _game: None), tell, play)
        trials.begin(stack, resume=resume)
        at_a_time = tuning.games_of_trial * (tuning.ahead + 1)
        if workers.count > at_a_time:
            trials.tell(f"of {workers.count} workers {at_a_time} have games, as ahead is {tuning.ahead}")
        return trials.run()


class _Trials(GamesRun[TrialGame]):
    noun = "tuning"

    def __init__(
        self,
        tuning: Tuning,
        folder: Path,
        pool: WorkerPool,
        listener: Listener,
        tell: Callable[[str], None] | None,
        play: Play,
    ) -> None:
        super().__init__(tuning.games_settings(), folder, pool, tell, Failures(tuning.forfeits, "--resume goes on"))
        self.tuning, self._listener, self._play = tuning, listener, play
        self._optimizer = Spsa(tuning)
        self._trials: dict[int, Trial] = {}
        """Begun trials by number."""

    def find_players(self, files: Files) -> tuple[MatchPlayer, ...]:
        """Return the players, the tuned ones with the weights of all their words. Raises ValueError."""
        first, second, *opponents = super().find_players(files)
        tried = [
            change for one in self.tuning.parameter for word in one.words for change in changes({one.setting: word})
        ]
        weights = [change for change in tried if change.endswith(SUFFIX)]
        return (*(with_more_weights(player, weights, files) for player in (first, second)), *opponents)

    def header(self, files: Files, started: Sequence[Started] = ()) -> dict[str, Any]:
        return super().header(files, started) | {"kind": KIND, "settings": msgspec.to_builtins(self.tuning)}

    def open_journal(self, line: Mapping[str, Any], *, resume: bool) -> Journal[TrialGame]:
        journal = Journal(self.folder, line, TrialGame, resume=resume)
        self._trials = {game.game.pair: game.trial for game in journal.records}
        return journal

    def run(self) -> list[TrialGame]:
        for game in self.journal.records:
            self._listener(game)
        self.play_left(self._play)
        return sorted(self.journal.records, key=lambda game: game.game.number)

    def left(self) -> list[GameTask]:
        return [*self._missing_games(), *self.more_tasks()]

    def _missing_games(self) -> Iterator[GameTask]:
        done = {game.game.number for game in self.journal.records}
        for _, trial in sorted(self._trials.items()):
            yield from (task for task in self._tasks(trial) if task.number not in done)

    def more_tasks(self) -> Iterator[GameTask]:
        """Yield the games of new trials whose values are known by now."""
        outcomes = outcomes_of(self.tuning, self.journal.records)
        last = min(self.tuning.trials, len(outcomes) + self.tuning.ahead + 1)
        for number in range(last):
            if number not in self._trials:
                self._trials[number] = self._optimizer.propose(number, outcomes[: max(0, number - self.tuning.ahead)])
                yield from self._tasks(self._trials[number])

    def _tasks(self, trial: Trial) -> Iterator[GameTask]:
        """Yield the games of a trial, all with one opening, in pairs with colours swapped."""
        seed, openings = self.tuning.seed, self.settings.openings
        first, second = (
            dataclasses.replace(player, overrides=(*player.overrides, *changes(values)))
            for player, values in zip(self.players[:2], (trial.first, trial.second), strict=True)
        )
        pairs = [(first, second)]
        if opponents := self.players[2:]:
            opponent = opponents[trial.number % len(opponents)]
            pairs = [(first, opponent), (second, opponent)]
        opening = openings[derived(seed, "opening", trial.number) % len(openings)]
        seeds = (derived(seed, trial.number, TUNED), derived(seed, trial.number, OTHER))
        number = self.tuning.games_of_trial * trial.number
        for pairing, (one, other) in enumerate(pairs):
            for black, white, swapped in ((one, other, False), (other, one, True)):
                yield GameTask(
                    number=number,
                    pairing=pairing,
                    pair=trial.number,
                    black=black,
                    white=white,
                    seeds=seeds[::-1] if swapped else seeds,
                    opening=opening,
                    settings=self.settings,
                    folder=str(self.folder.absolute()),
                )
                number += 1

    def keep(self, record: GameRecord) -> None:
        trial = self._trials[record.pair]
        game = TrialGame(first=trial.first, second=trial.second, game=record)
        self.journal.append(game)
        self._listener(game)
        self.failures.note(record)
