"""Positions of games with their values by a long search, to balance playouts by."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import msgspec
import numpy as np

from kikashi.board.points import vertex
from kikashi.game import RESIGN, Game, IllegalMove
from kikashi.learn.self_play import SearchSettings
from kikashi.learn.training_games import LABELLING, TrainingGame
from kikashi.match.game_players import new_player
from kikashi.match.journal import work_off
from kikashi.match.match_player import MatchPlayer
from kikashi.search.analysis import from_side
from kikashi.wording import plural
from kikashi.workers.executors import Workers

MOST_PER_GAME = 10
"""Positions of one game at most: more would be too much alike."""
Moves = tuple[tuple[int, str], ...]
"""Colours and vertices."""


class LabelSettings(SearchSettings, frozen=True, kw_only=True):
    """Searches that label positions. Raises ValueError."""

    kind: ClassVar[str] = LABELLING
    positions: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.positions < 1:
            raise ValueError(f"there must be one position at least, not {self.positions}")


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """A position and its value."""

    number: int
    game: int
    """Number of its game."""
    moves: Moves
    """The moves before it."""
    value: float
    """Black's probability to win, by the search's best move."""


@dataclass(frozen=True)
class LabelTask:
    number: int
    game: int
    moves: Moves
    settings: LabelSettings
    player: MatchPlayer


def game_after(moves: Iterable[tuple[int, str]], size: int, komi: float) -> Game:
    """Return the game after some moves. Raises IllegalMove; suicide is illegal, as in searches."""
    game = Game(size, komi, "simple")
    for color, name in moves:
        game.push(name, color)
    return game


def label_position(task: LabelTask) -> Label:
    """Search a position. Raises ValueError if a part of the preset fails."""
    settings = task.settings
    with task.player.parts():
        player = new_player(task.player, settings.size, settings.seed_of(task.number))
        analysis = player.analyse(game_after(task.moves, settings.size, settings.komi), task.player.limit)
    winrate = analysis.moves[0].winrate if analysis.moves else analysis.winrate
    value = from_side(analysis.to_play, winrate, 1.0)
    return Label(number=task.number, game=task.game, moves=task.moves, value=value)


def choose_positions(games: Sequence[TrainingGame], settings: LabelSettings) -> list[LabelTask]:
    """Draw positions of legal games that began on an empty board, not many of one. Raises ValueError if too few."""
    chance = np.random.default_rng(settings.seed)
    chosen = []
    for number, game in enumerate(games):
        moves = tuple((move.color, vertex(move.point)) for move in game.moves if move.point != RESIGN)
        if game.start["empty_count"] == game.size**2 and _is_legal(moves, settings):
            lengths = chance.permutation(np.arange(game.opening, len(moves)))[:MOST_PER_GAME]
            chosen += [(number, moves[: int(length)]) for length in lengths]
    if len(chosen) < settings.positions:
        raise ValueError(f"these games have {plural(len(chosen), 'position')} to give, not {settings.positions}")
    drawn = [chosen[at] for at in chance.permutation(len(chosen))[: settings.positions].tolist()]
    if len({game for game, _ in drawn}) < 2:
        raise ValueError("positions of two games at least are needed: some are learned from and others are held out")
    player = settings.match_player()
    return [LabelTask(number, game, moves, settings, player) for number, (game, moves) in enumerate(drawn)]


def _is_legal(moves: Moves, settings: LabelSettings) -> bool:
    try:
        game_after(moves, settings.size, settings.komi)
    except IllegalMove:
        return False
    return True


def label_positions(
    tasks: Sequence[LabelTask],
    settings: LabelSettings,
    folder: Path,
    workers: Workers,
    listener: Callable[[Label], None] = lambda _label: None,
) -> list[Label]:
    """Label the positions that a folder does not have yet, and return all labels. Each is on the disk when it is done.

    Raises ValueError if the folder has labels of other positions, OSError if it cannot be written to.
    """
    with settings.journal(folder, Label, "positions") as journal:
        known = {task.number: task.moves for task in tasks}
        if any(known.get(one.number, one.moves) != one.moves for one in journal.records):
            raise ValueError(f"{folder} has labels of positions of other games: begin in another folder")
        labels = work_off(journal, tasks, label_position, workers, listener)
        return [one for one in labels if one.number in known]
