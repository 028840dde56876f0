"""Games of a preset with itself to learn from, with the visits of the root's moves at every move."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import msgspec

from kikashi import __version__
from kikashi.board.points import BLACK, WHITE
from kikashi.engine.limits import Limit
from kikashi.experiments.kind import preset_player
from kikashi.game import Game
from kikashi.match.game_players import new_player
from kikashi.match.journal import FILE, Journal, work_off
from kikashi.match.match_player import MatchPlayer
from kikashi.match.runner import derived
from kikashi.match.settings import Opening, read_openings
from kikashi.search.analysis import Analysis
from kikashi.workers.executors import Workers

KIND = "self-play"
LEAST_SHARE = 1 / 200
"""Share of the visits below which a move is not kept."""
LOST_WINRATE, LOST_TURNS = 0.05, 2
"""A side resigns with a lower winrate at so many of its turns in a row: the rest of the game teaches nothing."""


class SearchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Searches by one preset, whose results a journal keeps. Raises ValueError."""

    kind: ClassVar[str]
    player: str
    """The preset with its options, as in a match."""
    size: int
    simulations: int
    komi: float = 7.5
    seed: int = 1

    def __post_init__(self) -> None:
        Game(self.size, self.komi)
        Limit(self.simulations)

    def match_player(self) -> MatchPlayer:
        """Return the player with its files. Raises ValueError if it is no preset."""
        return preset_player(self.player, self.simulations, "it has no visits of moves")

    def seed_of(self, number: int) -> int:
        return derived(self.seed, self.kind, number)

    def journal(self, folder: Path, record: type[Any], free: str) -> Journal[Any]:
        """Open or begin the journal of a folder, in which only the setting `free` may differ."""
        header = {"kind": self.kind, "settings": msgspec.to_builtins(self), "versions": {"kikashi": __version__}}
        if identity := self.match_player().identity:
            header["files"] = {self.player: identity}
        return Journal(folder, header, record, resume=(folder / FILE).exists(), free=(free,))


class SelfPlaySettings(SearchSettings, frozen=True, kw_only=True):
    """Games of self-play. Raises ValueError."""

    kind: ClassVar[str] = KIND
    games: int
    varied: int = 8
    """Moves after the opening that are drawn by their visits; then the player's own choice is made."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.games < 1:
            raise ValueError(f"there must be one game at least, not {self.games}")
        if self.varied < 0:
            raise ValueError(f"the moves that are drawn are 0 or more, not {self.varied}")


class SelfPlayGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game of a preset with itself."""

    number: int
    size: int
    komi: float
    result: str
    opening: tuple[str, ...]
    moves: tuple[str, ...]
    """All moves, with the opening."""
    visits: tuple[dict[str, int], ...]
    """For each move after the opening the visits of the root's moves."""


@dataclass(frozen=True)
class SelfPlayTask:
    number: int
    opening: Opening
    settings: SelfPlaySettings
    player: MatchPlayer


def play_self_game(task: SelfPlayTask) -> SelfPlayGame:
    """Play a game. Raises ValueError if a part of the preset fails."""
    settings = task.settings
    chance = Random(settings.seed_of(task.number))
    game = Game(settings.size, settings.komi)
    for name in task.opening:
        game.push(name)
    visits: list[dict[str, int]] = []
    with task.player.parts():
        player = new_player(task.player, settings.size, settings.seed_of(task.number))
        lost_turns = {BLACK: 0, WHITE: 0}
        while not game.is_over() and game.move_count < 3 * settings.size**2:
            decision = player.choose(game, task.player.limit)
            seen = _visits(decision.analysis)
            visits.append(seen)
            lost_turns[game.turn] = lost_turns[game.turn] + 1 if decision.analysis.winrate < LOST_WINRATE else 0
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
    kept = [move for move in analysis.moves if move.visits > LEAST_SHARE * total] or list(analysis.moves[:1])
    return {move.name: move.visits for move in kept}


def play_self_games(
    settings: SelfPlaySettings,
    folder: Path,
    workers: Workers,
    listener: Callable[[SelfPlayGame], None] = lambda _game: None,
) -> list[SelfPlayGame]:
    """Play the games that a folder does not have yet, and return all. Every game is on the disk when it has ended.

    Raises ValueError if the folder has other games, OSError if it cannot be written to.
    """
    openings, player = read_openings((), settings.size), settings.match_player()
    tasks = [
        SelfPlayTask(number, openings[derived(settings.seed, number) % len(openings)], settings, player)
        for number in range(settings.games)
    ]
    with settings.journal(folder, SelfPlayGame, "games") as journal:
        return work_off(journal, tasks, play_self_game, workers, listener)
