"""Equal processor time: simulations of a preset so that its moves cost as much as those of its opponent.

Seconds on a clock would measure who has the idle core, and a fixed number of simulations who has the costlier ones.
Trial games measure a move of both; simulations are changed in proportion until they cost the same. The games of the
match are then played with that number, so they can be resumed, and played again.
"""

import dataclasses
from collections.abc import Callable, Sequence
from statistics import fmean

import msgspec

from kikashi.match.one_game import GameRecord, GameTask, play_game
from kikashi.match.player_spec import DEFAULT_SIMULATIONS
from kikashi.match.preflight import CannotPlay, start_players
from kikashi.match.runner import derived, schedule
from kikashi.match.settings import MatchSettings, Pairing
from kikashi.match.summary import player_times
from kikashi.wording import plural
from kikashi.workers.executors import WorkerPool, Workers

ROUNDS, FEWEST_ROUNDS, GAMES = 5, 2, 4
"""Rounds of trial games, the fewest that count, and the fewest games of one. The first does not count: in a new process
the first moves are dearer. The cost of a simulation is the mean over the others, since games differ: a player with time
management ends its searches early in one and late in another."""
CLOSE = 0.03
"""Relative change of the simulations at which a round is the last."""
Play = Callable[[Sequence[GameTask]], list[GameRecord]]


def with_equal_cpu(settings: MatchSettings, workers: Workers, tell: Callable[[str], None]) -> MatchSettings:
    """Return the settings with simulations for every preset but the reference: the common opponent, or the last.

    Raises ValueError for players whose simulations cannot be chosen, and CannotPlay for those that cannot play.
    """
    reference = reference_of(settings)
    with WorkerPool(workers) as pool:

        def play(tasks: Sequence[GameTask]) -> list[GameRecord]:
            records: list[GameRecord] = []
            pool.run(tasks, play_game, records.append)
            return records

        start_players(settings.match_players(), settings, pool)
        for number, name in enumerate(settings.names):
            if name != reference:
                games = max(GAMES, 2 * ((workers.count + 1) // 2))
                settings = _calibrated(settings, number, reference, play, games, tell)
    return settings


def reference_of(settings: MatchSettings) -> str:
    """Return the name of the player whose processor time the others get. Raises ValueError if they cannot."""
    reference = settings.only_with or settings.names[-1]
    if settings.pairings:
        raise ValueError("equal processor time is for a match without pairings of its own")
    if settings.seconds is not None or settings.clock is not None:
        raise ValueError("equal processor time chooses simulations: leave seconds and clock out")
    for spec in settings.specs:
        if (name := spec.name) == reference:
            continue
        if not spec.preset:
            raise ValueError(f"{name} is an engine: equal processor time is for presets that meet it; name it last")
        if spec.has_limit:
            raise ValueError(f"{name} has a limit of its own, but equal processor time is to choose its simulations")
    return reference


def with_simulations(settings: MatchSettings, number: int, simulations: int) -> MatchSettings:
    """Return the settings with a number of simulations for one player, a preset; its name stays."""
    players = list(settings.specs)
    players[number] = dataclasses.replace(players[number], simulations=simulations)
    return msgspec.structs.replace(settings, players=tuple(players))


def _calibrated(
    settings: MatchSettings, number: int, reference: str, play: Play, games: int, tell: Callable[[str], None]
) -> MatchSettings:
    """Play rounds of trial games and return the settings with simulations for one player."""
    name, simulations = settings.names[number], settings.simulations or DEFAULT_SIMULATIONS
    counted: list[GameRecord] = []
    rates: list[float] = []
    for turn in range(ROUNDS):
        trial = msgspec.structs.replace(
            with_simulations(settings, number, simulations),
            only_with=None,
            sprt=None,
            pairings=(Pairing(name, reference, games, settings.openings),),
            seed=derived(settings.seed, "trial", turn),
        )
        records = play(list(schedule(trial, trial.match_players())))
        rate = processor_a_move(records, name) / simulations
        target = processor_a_move(counted + records, reference)
        if turn:  # the first round only gives a guess
            counted += records
            rates.append(rate)
            rate = fmean(rates)
        before, simulations = simulations, max(1, round(target / rate))
        if len(rates) >= FEWEST_ROUNDS and abs(simulations / before - 1) <= CLOSE:
            break
    tell(
        f"{name}: {plural(simulations, 'simulation')} a move, for the {1000 * target:.1f} ms of processor time that "
        f"{reference} took ({plural(len(counted), 'trial game')})"
    )
    return with_simulations(settings, number, simulations)


def processor_a_move(records: Sequence[GameRecord], name: str) -> float:
    """Return a player's seconds of processor time for a move. Raises CannotPlay if no game has it."""
    if not (seconds := player_times(records, name).processor_a_move):
        why = next((record.reason for record in records if record.reason), "no trial game has it")
        raise CannotPlay(f"the processor time of {name} is not known: {why}")
    return seconds
