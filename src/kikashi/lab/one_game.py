"""One game of a match: two players, an opening, a referee. A player that does something wrong loses the game."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass

import msgspec

from kikashi.board.points import BLACK, WHITE, color_name, opponent
from kikashi.game import Game, IllegalMove
from kikashi.game.moves import format_score
from kikashi.gtp.controller import Engine, EngineError
from kikashi.judging import simulated_score
from kikashi.lab.contestants import Contestant, PluginChanged, Seat, take_seat
from kikashi.lab.match_settings import MatchSettings
from kikashi.lab.openings import Opening

GNUGO = "gnugo --mode gtp --chinese-rules --positional-superko"
"""The referee of the papers."""


@dataclass(frozen=True)
class GameTask:
    """A game to be played."""

    number: int
    """In the schedule of the match."""
    pairing: int
    pair: int
    """Two games of one pair have the same opening and seeds, and colours swapped."""
    black: Contestant
    white: Contestant
    seeds: tuple[int, int]
    """Black's and White's."""
    opening: Opening
    settings: MatchSettings


class GameRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A game that was played."""

    number: int
    pairing: int
    pair: int
    black: str
    white: str
    result: str
    """``B+3.5``, ``W+R``, ``B+F`` for a forfeit, ``0`` for a draw."""
    ended: str
    """``passes``, ``resignation``, ``move limit`` or ``forfeit``."""
    reason: str = ""
    """Of a forfeit."""
    opening: tuple[str, ...]
    moves: tuple[str, ...]
    """With the opening."""
    seconds: tuple[float, float]
    """Thinking time of Black and White."""
    thought: tuple[int, int]
    """Moves that Black and White made themselves."""
    full: tuple[int, int] = (0, 0)
    """Those of them that were thought about with a full tree: more memory might have found others."""
    counts: dict[str, str] = {}
    """The result by every way of counting that was tried: ``board``, ``playouts``, ``gnugo``."""
    seeds: tuple[int, int]

    @property
    def winner(self) -> str | None:
        """A player's name, None for a draw."""
        return {"B": self.black, "W": self.white}.get(self.result[0])

    def points(self, name: str) -> float:
        """1, 1/2 or 0 for a player of the game."""
        return 0.5 if self.winner is None else float(self.winner == name)

    @property
    def disputed(self) -> bool:
        """Whether the ways of counting name different winners."""
        return len({count[0] for count in self.counts.values()}) > 1


class _Forfeit(Exception):
    """A player did something that costs the game."""

    def __init__(self, color: int, reason: str) -> None:
        super().__init__(reason)
        self.color = color


@dataclass
class _Tally:
    """What one side did in a game."""

    seconds: float = 0.0
    thought: int = 0
    full: int = 0


def play_game(task: GameTask) -> GameRecord:
    """Play a game to its end. Raises only what is nobody's fault but ours."""
    game = task.settings.after(task.opening)
    tallies = {BLACK: _Tally(), WHITE: _Tally()}
    result, ended, reason = "", "", ""
    counts: dict[str, str] = {}
    try:
        with contextlib.ExitStack() as stack:
            seats = {color: _sit_down(stack, task, game, color) for color in (BLACK, WHITE)}
            while not game.is_over() and game.move_count < task.settings.most_moves:
                _make_move(game, seats, tallies[game.turn])
        result, ended, counts = _judge(task, game)
    except _Forfeit as forfeit:
        result = ("W" if forfeit.color == BLACK else "B") + "+F"
        ended, reason = "forfeit", f"{color_name(forfeit.color)}: {' '.join(str(forfeit).split())}"[:500]
    black, white = tallies.values()
    return GameRecord(
        number=task.number,
        pairing=task.pairing,
        pair=task.pair,
        black=task.black.name,
        white=task.white.name,
        result=result,
        ended=ended,
        reason=reason,
        opening=task.opening,
        moves=tuple(move.name for move in game.moves),
        seconds=(round(black.seconds, 3), round(white.seconds, 3)),
        thought=(black.thought, white.thought),
        full=(black.full, white.full),
        counts=counts,
        seeds=task.seeds,
    )


def _sit_down(stack: contextlib.ExitStack, task: GameTask, game: Game, color: int) -> Seat:
    contestant, seed = (task.black, task.seeds[0]) if color == BLACK else (task.white, task.seeds[1])
    try:
        seat = take_seat(contestant, game, seed, task.settings.timeout)
    except PluginChanged:
        raise
    except (EngineError, ValueError, OSError) as error:
        raise _Forfeit(color, str(error)) from error
    stack.callback(seat.close)
    return seat


def _make_move(game: Game, seats: dict[int, Seat], tally: _Tally) -> None:
    """Let the player whose turn it is move, note that in its tally, and tell the other."""
    color = game.turn
    started = time.perf_counter()
    try:
        name = seats[color].genmove(game)
        tally.seconds += time.perf_counter() - started
        move = game.push(name, color)
        tally.thought += 1
        tally.full += seats[color].was_full
    except IllegalMove as error:
        raise _Forfeit(color, f"illegal move: {error}") from error
    except (EngineError, ValueError, OSError) as error:
        raise _Forfeit(color, str(error)) from error
    if game.is_over():
        return
    other = opponent(color)
    try:
        seats[other].see(move)
    except (EngineError, OSError) as error:
        raise _Forfeit(other, str(error)) from error


# --- the result -------------------------------------------------------------------------------------------------------


def _judge(task: GameTask, game: Game) -> tuple[str, str, dict[str, str]]:
    """The result, how the game ended and the counts."""
    if (said := game.result()) is not None and said.endswith("+R"):
        return said, "resignation", {}
    ended = "passes" if game.is_over() else "move limit"
    counts = {"board": format_score(game.score()), "playouts": format_score(simulated_score(game))}
    if task.settings.referee == "gnugo":
        with contextlib.suppress(EngineError, IndexError):  # no answer, or an empty one
            counts["gnugo"] = gnugo_score(game, task.settings.timeout)
    return counts.get("gnugo", counts["playouts"]), ended, counts


def gnugo_score(game: Game, timeout: float) -> str:
    """What GNU Go says about a finished game. Raises EngineError."""
    with Engine(GNUGO, timeout=timeout) as referee:
        for command in (f"boardsize {game.size}", "clear_board", f"komi {game.komi:g}"):
            referee.ask(command)
        for move in game.moves:
            referee.ask(f"play {move}")
        return referee.ask("final_score").split()[0]
