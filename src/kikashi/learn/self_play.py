"""Games that a preset plays with itself to learn from: of every move the visits of the root's moves are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from kikashi import __version__
from kikashi.board.points import BLACK, WHITE
from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset_table
from kikashi.engine.tree_memory import megabytes_for
from kikashi.game import Game
from kikashi.match.journal import FILE, Journal, work_off
from kikashi.match.openings import Opening, read_openings
from kikashi.match.player_files import Plugin, in_use
from kikashi.match.runner import derived
from kikashi.search.analysis import Analysis
from kikashi.workers.executors import Workers
from kikashi.workers.serialization import packs_table

KIND = "self-play"
FEWEST_OF_ALL = 1 / 200
"""The share of the visits below which a move is not kept."""
LOST, LOST_TURNS = 0.05, 2
"""A side resigns that wins fewer simulations at so many of its turns in a row: what comes then teaches nothing."""


class SelfPlayGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game of a preset with itself."""

    number: int
    size: int
    komi: float
    result: str
    opening: tuple[str, ...]
    moves: tuple[str, ...]
    """With the opening."""
    visits: tuple[dict[str, int], ...]
    """For each move after the opening: by move, how often the search has looked at it."""


class SelfPlay(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be played. Raises ValueError if it cannot be."""

    preset: dict[str, Any]
    """Its settings."""
    games: int
    size: int
    simulations: int
    komi: float = 7.5
    varied: int = 8
    """Moves after the opening that are drawn by their visits; then the player's own choice is made."""
    seed: int = 1

    def __post_init__(self) -> None:
        Game(self.size, self.komi)
        Limit(self.simulations)
        if self.games < 1:
            raise ValueError(f"there must be one game at least, not {self.games}")
        if self.varied < 0:
            raise ValueError(f"the moves that are drawn are 0 or more, not {self.varied}")


packs_table(SelfPlay)


@dataclass(frozen=True)
class SelfPlayTask:
    """One game to be played."""

    number: int
    opening: Opening
    settings: SelfPlay
    plugins: tuple[Plugin, ...] = ()


def play_self_game(task: SelfPlayTask) -> SelfPlayGame:
    """Play a game. Raises ValueError if a part of the preset fails."""
    settings = task.settings
    seed = derived(settings.seed, KIND, task.number)
    chance = Random(seed)
    game = Game(settings.size, settings.komi)
    for name in task.opening:
        game.push(name)
    visits: list[dict[str, int]] = []
    with in_use(task.plugins) if task.plugins else nullcontext():
        player = Player(
            load_preset_table("self-play", settings.preset),
            limit=Limit(settings.simulations),
            seed=seed,
            megabytes=megabytes_for(settings.size, settings.simulations, None),
        )
        lost_turns = {BLACK: 0, WHITE: 0}
        while not game.is_over() and game.move_count < 3 * settings.size**2:
            decision = player.choose(game)
            seen = _visits(decision.analysis)
            visits.append(seen)
            lost_turns[game.turn] = lost_turns[game.turn] + 1 if decision.analysis.winrate < LOST else 0
            if lost_turns[game.turn] == LOST_TURNS:
                game.push("resign")
                break
            is_drawn = len(visits) <= settings.varied and decision.name not in ("pass", "resign")
            game.push(chance.choices(list(seen), list(seen.values()))[0] if is_drawn else decision.name)
    return SelfPlayGame(
        number=task.number,
        size=settings.size,
        komi=settings.komi,
        result=game.result() or "",
        opening=task.opening,
        moves=tuple(move.name for move in game.moves),
        visits=tuple(visits),
    )


def _visits(analysis: Analysis) -> dict[str, int]:
    total = sum(move.visits for move in analysis.moves)
    kept = [move for move in analysis.moves if move.visits > FEWEST_OF_ALL * total] or list(analysis.moves[:1])
    return {move.name: move.visits for move in kept}


# --- many games -------------------------------------------------------------------------------------------------------


def play_self_games(
    settings: SelfPlay,
    folder: Path,
    workers: Workers,
    *,
    plugins: Sequence[Plugin] = (),
    listener: Callable[[SelfPlayGame], None] = lambda _game: None,
) -> list[SelfPlayGame]:
    """Play what is left to play of some games, and return all of them. Every game is on the disk when it has ended.

    Raises ValueError if the folder holds other games, OSError if it cannot be written to.
    """
    openings = read_openings((), settings.size)
    tasks = [
        SelfPlayTask(number, openings[derived(settings.seed, number) % len(openings)], settings, tuple(plugins))
        for number in range(settings.games)
    ]
    begun = (folder / FILE).exists()
    with Journal(folder, _header(settings), SelfPlayGame, resume=begun, free=("games",)) as journal:
        return work_off(journal, tasks, play_self_game, workers, listener)


def _header(settings: SelfPlay) -> Mapping[str, Any]:
    return {"kind": KIND, "settings": msgspec.to_builtins(settings), "versions": {"kikashi": __version__}}
