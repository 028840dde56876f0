"""Positions of games with what a long search thinks of them, for playouts to agree with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kikashi import __version__
from kikashi.board.points import vertex
from kikashi.board.position import Board
from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset_table
from kikashi.engine.tree_memory import megabytes_for
from kikashi.game import RESIGN, Game, IllegalMove
from kikashi.learn.games import LABELLING, Lesson
from kikashi.match.journal import FILE, Journal, work_off
from kikashi.match.player_files import Plugin, in_use
from kikashi.match.runner import derived
from kikashi.search.analysis import from_side
from kikashi.wording import plural
from kikashi.workers.executors import Workers
from kikashi.workers.serialization import packs_table

MOST_PER_GAME = 10
"""Positions of one game, which are too much alike to teach more."""


class Labelling(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be labelled, and by whom. Raises ValueError if that cannot be."""

    preset: dict[str, Any]
    """The settings of who searches."""
    positions: int
    size: int
    simulations: int
    komi: float = 7.5
    seed: int = 1

    def __post_init__(self) -> None:
        Game(self.size, self.komi)
        Limit(self.simulations)
        if self.positions < 1:
            raise ValueError(f"there must be one position at least, not {self.positions}")


packs_table(Labelling)


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """A position and its value."""

    number: int
    game: int
    """From which game it is."""
    moves: tuple[tuple[int, str], ...]
    """What led to it: colours and points."""
    value: float
    """How likely Black wins, by the search's best move."""


@dataclass(frozen=True)
class LabelTask:
    """A position to be labelled."""

    number: int
    game: int
    moves: tuple[tuple[int, str], ...]
    settings: Labelling
    plugins: tuple[Plugin, ...] = ()


def game_at(moves: Iterable[tuple[int, str]], size: int, komi: float) -> Game:
    """The game that has come to a position."""
    game = Game(size, komi, "simple")
    for color, name in moves:
        game.push(name, color)
    return game


def label(task: LabelTask) -> Label:
    """Search a position. Raises ValueError if a part of the preset fails."""
    settings = task.settings
    with in_use(task.plugins) if task.plugins else nullcontext():
        player = Player(
            load_preset_table("labelling", settings.preset),
            limit=Limit(settings.simulations),
            seed=derived(settings.seed, LABELLING, task.number),
            megabytes=megabytes_for(settings.size, settings.simulations, None),
        )
        found = player.analyse(game_at(task.moves, settings.size, settings.komi))
    winrate = found.moves[0].winrate if found.moves else found.winrate
    value = from_side(found.to_play, winrate, 1.0)
    return Label(number=task.number, game=task.game, moves=task.moves, value=value)


def choose_positions(lessons: Sequence[Lesson], settings: Labelling, plugins: Sequence[Plugin] = ()) -> list[LabelTask]:
    """Positions of games that began on an empty board and have no suicide: drawn from all, and not many of one.

    Raises ValueError if there are too few.
    """
    chance = np.random.default_rng(settings.seed)
    chosen = []
    for number, lesson in enumerate(lessons):
        moves = tuple((move.color, vertex(move.point)) for move in lesson.moves if move.point != RESIGN)
        if _is_empty(lesson.start) and _is_legal(moves, settings):
            lengths = chance.permutation(np.arange(lesson.skipped, len(moves)))[:MOST_PER_GAME]
            chosen += [(number, moves[: int(length)]) for length in lengths]
    if len(chosen) < settings.positions:
        raise ValueError(f"these games have {plural(len(chosen), 'position')} to give, not {settings.positions}")
    picked = chance.permutation(len(chosen))[: settings.positions]
    tasks = [chosen[at] for at in picked.tolist()]
    if len({game for game, _ in tasks}) < 2:
        raise ValueError("positions of two games at least are needed: some are learned from and others are held out")
    return [LabelTask(number, game, moves, settings, tuple(plugins)) for number, (game, moves) in enumerate(tasks)]


def _is_legal(moves: Iterable[tuple[int, str]], settings: Labelling) -> bool:
    """Whether a game can be played by the rules of searches, which know no suicide."""
    try:
        game_at(moves, settings.size, settings.komi)
    except IllegalMove:
        return False
    return True


def _is_empty(board: Board) -> bool:
    return int(board["empty_count"]) == int(board["size"]) ** 2


def label_positions(
    tasks: Sequence[LabelTask],
    settings: Labelling,
    folder: Path,
    workers: Workers,
    listener: Callable[[Label], None] = lambda _label: None,
) -> list[Label]:
    """Label what is left to label, and return all labels. Every one is on the disk when it is there.

    Raises ValueError if the folder holds labels of other positions, OSError if it cannot be written to.
    """
    begun = (folder / FILE).exists()
    with Journal(folder, _header(settings), Label, resume=begun, free=("positions",)) as journal:
        known = {task.number: task.moves for task in tasks}
        if any(known.get(one.number, one.moves) != one.moves for one in journal.records):
            raise ValueError(f"{folder} has labels of positions of other games: begin in another folder")
        found = work_off(journal, tasks, label, workers, listener)
        return [one for one in found if one.number in known]


def _header(settings: Labelling) -> Mapping[str, Any]:
    return {"kind": LABELLING, "settings": msgspec.to_builtins(settings), "versions": {"kikashi": __version__}}
