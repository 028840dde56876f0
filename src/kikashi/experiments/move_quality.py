"""How good the moves are that players choose with few samples, by the word of an oracle with many (Yoshizoe et al.
2006, figures 5 and 6).

Positions come from moves 10 to 50 of games: games of self-play, or files. In each of them an oracle, by default the
player itself with many samples, gives every move an expected score. The quality of a move is its score less that of the
oracle's best: 0 for that one, below 0 for all others. The random player's is the mean over all moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from math import gcd, sqrt
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from kikashi import sgf
from kikashi.board.points import MAX_SIZE, MIN_SIZE, PASS
from kikashi.engine.limits import Limit
from kikashi.engine.move_choice import best_move
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_memory import megabytes_for
from kikashi.experiments.design import QualityDesign, at_scale
from kikashi.game import Game
from kikashi.match.player_spec import Contestant, files_of_player, parse_contestant, with_other_files
from kikashi.match.runner import derived
from kikashi.search.analysis import Analysis
from kikashi.wording import plural
from kikashi.workers.serialization import Packed, packs, put

FEWEST_POSITIONS = 2
FEWEST_SAMPLES = 16
GOLDEN = 0.618
"""Steps of this share of a range fill it evenly, however many there are."""


class Judged(msgspec.Struct, frozen=True):
    """A player of the settings, and who judges its moves."""

    player: str
    oracle: str


class QualitySettings(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be asked. Raises ValueError if it cannot be."""

    rows: tuple[Judged, ...]
    samples: tuple[int, ...]
    """Of the players, for a move; none where only the random player is asked about."""
    oracle: int
    """Samples of an oracle."""
    positions: int
    first: int
    last: int
    """The first and the last position of a game that may be taken, by the moves before it."""
    games: int
    """That positions are taken from."""
    records: tuple[str, ...]
    """The texts of files; games of self-play where there are none."""
    preset: str
    """That plays those, with its options."""
    game_simulations: int
    size: int
    seed: int

    def __post_init__(self) -> None:
        if not MIN_SIZE <= self.size <= MAX_SIZE:
            raise ValueError(f"boards are from {MIN_SIZE} to {MAX_SIZE}, not {self.size}")
        if not 0 <= self.first <= self.last:
            raise ValueError(f"positions are from move {self.first} to move {self.last}: that is none")
        if not 1 <= self.positions <= (most := self.games * self.stages):
            raise ValueError(
                f"{plural(self.games, 'game')} can have {plural(most, 'position')} to ask about, not {self.positions}"
            )
        if not self.rows:
            raise ValueError("there is no player to ask about")
        for text in [self.preset, *self.texts]:
            self.contestant(text, 1)

    @property
    def texts(self) -> list[str]:
        """All players and oracles, each once."""
        return list(dict.fromkeys(text for row in self.rows for text in (row.player, row.oracle)))

    @property
    def oracles(self) -> list[str]:
        """Each once: several players may have one."""
        return list(dict.fromkeys(row.oracle for row in self.rows))

    @property
    def stages(self) -> int:
        """How many positions a game has that may be taken."""
        return self.last - self.first + 1

    def contestant(self, text: str, simulations: int) -> Contestant:
        """A player of the settings, with a number of samples. Raises ValueError if it is no preset."""
        player = parse_contestant(text, simulations=simulations)
        if not player.preset:
            raise ValueError(f"player {text!r} is not a preset: nobody could ask what it thinks of all moves")
        if player.simulations != simulations or player.seconds is not None or player.clock:
            raise ValueError(f"player {text!r} has a budget, but samples are those of the experiment")
        return player

    def place(self, number: int) -> tuple[int, int]:
        """The game of a position, and how many of its moves come before it.

        All games take turns; in each, positions are far from the last one, and none comes twice. So any number of them
        is spread over the games, and over the moves.
        """
        turn, game = divmod(number, self.games)
        step = next(k for k in count(max(1, round(GOLDEN * self.stages))) if gcd(k, self.stages) == 1)
        return game, self.first + (turn + game) * step % self.stages


@packs(QualitySettings)
def _pack_settings(settings: QualitySettings) -> Packed | None:
    """Players take their files along."""
    files: dict[str, bytes] = {}
    for text in [settings.preset, *settings.texts]:
        files |= files_of_player(text, settings.contestant(text, 1))
    return (_unpack_settings, (msgspec.to_builtins(settings), files)) if files else None


def _unpack_settings(table: dict[str, Any], files: Mapping[str, bytes]) -> QualitySettings:
    paths = {name: put(name, data) for name, data in files.items()}
    rows = [{name: with_other_files(text, paths) for name, text in row.items()} for row in table["rows"]]
    changed = {"rows": rows, "preset": with_other_files(table["preset"], paths)}
    return msgspec.convert({**table, **changed}, QualitySettings)


def quality_settings(design: QualityDesign, scale: float) -> QualitySettings:
    """What runs a design. Raises ValueError and OSError."""
    records = tuple(_records(design)) if design.sgf else ()
    games = len(records) or design.games
    every = games * max(0, design.last - design.first + 1)
    return QualitySettings(
        rows=tuple(Judged(row.player, row.oracle or row.player) for row in design.player),
        samples=tuple(dict.fromkeys(at_scale(n, scale, FEWEST_SAMPLES) for n in design.simulations)),
        oracle=at_scale(design.oracle, scale, FEWEST_SAMPLES),
        positions=min(every, at_scale(design.positions or every, scale, FEWEST_POSITIONS)),
        first=design.first,
        last=design.last,
        games=games,
        records=records,
        preset=design.preset,
        game_simulations=design.game_simulations,
        size=design.size,
        seed=design.seed,
    )


def _records(design: QualityDesign) -> Iterator[str]:
    """The texts of the games in a file or a folder, in the order of their names. Raises ValueError and OSError."""
    where = Path(design.sgf)
    files = sorted(where.glob("**/*.sgf")) if where.is_dir() else [where]
    if not files:
        raise ValueError(f"{where} has no file whose name ends with .sgf")
    for file in files[: design.games]:
        game = sgf.read_game(file)
        if game.size != design.size:
            raise ValueError(f"{file} is a game on {game.size}x{game.size}, not {design.size}x{design.size}")
        yield sgf.write_game(game)


# --- asking -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QualityTask:
    """A position to be asked about."""

    number: int
    settings: QualitySettings


class RowRecord(msgspec.Struct, frozen=True):
    """What an oracle says about the moves of a position, and about those that its player chose."""

    moves: int
    """That the oracle has a score for, a pass included."""
    error: float
    """The standard error of these scores, if all have the same number of samples."""
    random: float
    """The quality of a move that is chosen at random from these."""
    chosen: tuple[float | None, ...]
    """The quality of the player's move, by its number of samples; None if the oracle never sampled it."""


class QualityRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A position that was asked about; one that its game never came to has no rows."""

    number: int
    game: int
    move: int
    """How many moves come before it."""
    legal: int = 0
    """How many moves the rules allow, a pass included."""
    rows: tuple[RowRecord, ...] = ()


def judge_position(task: QualityTask) -> QualityRecord:
    """Find the position, have the oracles judge all its moves, and the players choose."""
    settings = task.settings
    number, move = settings.place(task.number)
    game = position_of(settings, number, move)
    if game is None:
        return QualityRecord(number=task.number, game=number, move=move)
    oracles = {text: _thought(settings, text, settings.oracle, game, task.number)[0] for text in settings.oracles}
    rows = tuple(_row(settings, row, oracles[row.oracle], game, task.number) for row in settings.rows)
    return QualityRecord(number=task.number, game=number, move=move, legal=len(game.legal_moves), rows=rows)


def position_of(settings: QualitySettings, number: int, moves: int) -> Game | None:
    """A game after some moves; None if it ended before."""
    if settings.records:
        game = sgf.read_game(settings.records[number], moves=moves)
    else:
        game = Game(settings.size)
        seed = derived(settings.seed, "game", number)
        with _playing(settings, settings.preset, settings.game_simulations, seed, "choice.resign=0") as player:
            while game.move_count < moves and not game.is_over():
                game.push(player.choose(game).move)
    return game if game.move_count == moves and not game.is_over() else None


def _row(settings: QualitySettings, row: Judged, oracle: Analysis, game: Game, number: int) -> RowRecord:
    scores = {move.move: move.score for move in oracle.moves if move.visits}
    best = max(scores.values())
    chosen = [_thought(settings, row.player, samples, game, number)[1] for samples in settings.samples]
    return RowRecord(
        moves=len(scores),
        error=oracle.score_deviation / sqrt(oracle.visits / len(scores)),
        random=fmean(scores.values()) - best,
        chosen=tuple(scores[move] - best if move in scores else None for move in chosen),
    )


def _thought(settings: QualitySettings, text: str, samples: int, game: Game, number: int) -> tuple[Analysis, int]:
    """What a player thinks of a position, and the move it prefers. Each number of samples has random numbers of its
    own."""
    with _playing(settings, text, samples, derived(settings.seed, text, samples, number)) as player:
        found = player.analyse(game)
        best = best_move(found, player.preset.at(game.size).choice.rule)
    return found, PASS if best is None else best.move


@contextmanager
def _playing(settings: QualitySettings, text: str, samples: int, seed: int, *changes: str) -> Iterator[Player]:
    """A player of the settings, with its parts."""
    said = settings.contestant(text, samples)
    with said.parts():
        yield Player(
            load_preset(said.preset, said.overrides),  # of all sizes; the changes hold on every board
            limit=Limit(simulations=samples),
            threads=said.threads,
            seed=seed,
            megabytes=said.megabytes or megabytes_for(settings.size, samples),
            overrides=changes,
        )
