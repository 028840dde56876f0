"""One game of a match: two players, an opening, a referee. A player that does something wrong loses the game."""

from __future__ import annotations

import contextlib
import tempfile
import time
from dataclasses import dataclass, field

import msgspec

from kikashi.board.points import BLACK, PASS, WHITE, color_name, opponent
from kikashi.game import Game, IllegalMove
from kikashi.game.time_control import Clock
from kikashi.match.game_players import Seat, log_folder, take_seat
from kikashi.match.openings import Opening
from kikashi.match.player_files import FileChanged
from kikashi.match.player_spec import Contestant
from kikashi.match.referee import Ending, Pass, Proposal, judge, note_pass, settle
from kikashi.match.settings import MatchSettings
from kikashi.protocols.gtp.controller import EngineError
from kikashi.wording import plural
from kikashi.workers.pauses import pauses
from kikashi.workers.watchdog import Watchdog, note_path

FORFEIT, NOT_BEGUN = "forfeit", "not begun"
LONGEST_REASON = 500


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
    folder: str = ""
    """Where logs are kept; empty for nowhere."""

    def player(self, color: int) -> Contestant:
        """Who has a colour."""
        return self.black if color == BLACK else self.white


class GameRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A game that was played."""

    number: int
    pairing: int
    pair: int
    black: str
    white: str
    result: str
    """``B+3.5``, ``W+R``, ``B+F`` for a forfeit, ``0`` for a draw, ``Void`` for a game that counts for nobody."""
    ended: str
    """``passes``, ``resignation``, ``move limit``, ``forfeit`` or ``not begun``."""
    reason: str = ""
    """Of a forfeit, or why the game could not begin."""
    opening: tuple[str, ...]
    moves: tuple[str, ...]
    """With the opening."""
    seconds: tuple[float, float]
    """Thinking time of Black and White."""
    processor: tuple[float | None, float | None] = (None, None)
    """User and system time of Black and White; None where it is not known."""
    thought: tuple[int, int]
    """Moves that Black and White made themselves."""
    full: tuple[int, int] = (0, 0)
    """Those of them that were thought about with a full tree: more memory might have found others."""
    evicted: tuple[int, int] = (0, 0)
    """Entries of memories that had to make room for others, of searches in which they were more than a few."""
    counts: dict[str, str] = {}
    """The result by every way of counting that was tried: ``board``, ``playouts``, ``gnugo``, ``agreed``."""
    seeds: tuple[int, int]
    passes: tuple[Pass, ...] = ()
    """Where the players have to agree about dead stones: every pass, those that were taken back among them."""
    proposals: tuple[Proposal, ...] = ()
    """What they said about dead stones, in turn."""

    @property
    def winner(self) -> str | None:
        """A player's name, None for a draw and for a game that counts for nobody."""
        return {"B": self.black, "W": self.white}.get(self.result[0])

    def points(self, name: str) -> float:
        """1, 1/2 or 0 for a player of the game."""
        return 0.5 if self.winner is None else float(self.winner == name)

    @property
    def is_void(self) -> bool:
        """Whether the game counts for nobody: a player could not begin."""
        return self.ended == NOT_BEGUN

    @property
    def failed(self) -> str | None:
        """The player that could not begin or go on, if one could not."""
        if self.ended not in (FORFEIT, NOT_BEGUN):
            return None
        return self.black if self.reason.startswith(color_name(BLACK)) else self.white

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
class _Side:
    """What one side did in a game."""

    seconds: float = 0.0
    processor: float | None = None
    thought: int = 0
    full: int = 0
    evicted: int = 0
    clock: Clock | None = None
    answered: bool = False
    """Whether it has answered at all when it was asked for a move."""


@dataclass
class _Board:
    """A game under way."""

    task: GameTask
    game: Game
    sides: dict[int, _Side]
    watch: Watchdog
    seats: dict[int, Seat] = field(default_factory=dict)
    passes: list[Pass] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)

    def record(self, ending: Ending, reason: str = "") -> GameRecord:
        """The game as it stands, ended so."""
        task, (black, white) = self.task, (self.sides[color] for color in (BLACK, WHITE))
        return GameRecord(
            number=task.number,
            pairing=task.pairing,
            pair=task.pair,
            black=task.black.name,
            white=task.white.name,
            result=ending.result,
            ended=ending.how,
            reason=reason,
            opening=task.opening,
            moves=tuple(move.name for move in self.game.moves),
            seconds=(round(black.seconds, 3), round(white.seconds, 3)),
            processor=(_rounded(black.processor), _rounded(white.processor)),
            thought=(black.thought, white.thought),
            full=(black.full, white.full),
            evicted=(black.evicted, white.evicted),
            counts=ending.counts,
            seeds=task.seeds,
            passes=tuple(self.passes),
            proposals=tuple(self.proposals),
        )

    def failure(self, color: int, reason: str) -> GameRecord:
        """The game if a player fails now: nobody's if it has not answered even once, else its loss."""
        told = f"{color_name(color)}: {' '.join(reason.split())}"[:LONGEST_REASON]
        if not self.sides[color].answered:
            return self.record(Ending("Void", NOT_BEGUN), told)
        return self.record(Ending(("W" if color == BLACK else "B") + "+F", FORFEIT), told)

    def watch_over(self, color: int) -> None:
        """Let a player think: if a part of a preset loops for ever, that ends the process, and the game so."""
        player, seconds = self.task.player(color), self.task.settings.timeout
        if not player.preset:
            self.watch.disarm()
            return
        reason = f"{player.name}: no simulation was finished in {seconds:g} seconds"
        if player.plugins:
            reason += f"; its plugins: {', '.join(plugin.file for plugin in player.plugins)}"
        self.watch.arm(lambda: msgspec.json.encode(self.failure(color, reason)))


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def play_game(task: GameTask) -> GameRecord:
    """Play a game to its end. Raises only what is nobody's fault but ours: every OSError is, such as a full disk.

    What an engine's process does wrong is an EngineError.
    """
    sides = {color: _Side(clock=task.player(color).new_clock()) for color in (BLACK, WHITE)}
    watch = Watchdog(note_path(task.folder or tempfile.gettempdir(), task.number), task.settings.timeout)
    board = _Board(task, task.settings.after(task.opening), sides, watch)
    try:
        with watch, contextlib.ExitStack() as stack:
            for color in (BLACK, WHITE):
                _sit_down(stack, board, color)
            _play_to_the_end(board)
            for color, seat in board.seats.items():
                sides[color].processor = seat.processor_seconds()
            watch.disarm()
            ending = judge(board.game, task.settings, board.proposals)
        return board.record(ending)
    except _Forfeit as forfeit:
        return board.failure(forfeit.color, str(forfeit))


def _sit_down(stack: contextlib.ExitStack, board: _Board, color: int) -> None:
    task = board.task
    player, seed = task.player(color), task.seeds[color != BLACK]
    log = log_folder(task.folder, player.name) / f"{task.number:06}.txt" if task.folder else None
    try:
        board.watch_over(color)
        seat = take_seat(player, board.game, seed, task.settings.timeout, log)
    except FileChanged:
        raise
    except (EngineError, ValueError) as error:
        raise _Forfeit(color, _told(error, getattr(error, "__notes__", []))) from error
    stack.callback(seat.close)
    board.seats[color] = seat


def _told(error: Exception, last_words: list[str]) -> str:
    """What went wrong, and the last line that an engine said about it."""
    lines = [line for words in last_words for line in words.splitlines() if line.strip()]
    return f"{error} ({lines[-1].strip()})" if lines else str(error)


def _play_to_the_end(board: _Board) -> None:
    """Play until the game is over and, if they have to, the players agree about dead stones or never will."""
    game, settings = board.game, board.task.settings
    while True:
        while not game.is_over() and game.move_count < settings.most_moves:
            _make_move(board)
        board.watch.disarm()
        ended_by_passes = game.is_over() and game.moves[-1].point == PASS
        if not (settings.agree and ended_by_passes) or settle(game, board.seats, board.proposals):
            return


def _make_move(board: _Board) -> None:
    """Let the player whose turn it is move, note what it took, and tell the other."""
    game, color = board.game, board.game.turn
    seat, side = board.seats[color], board.sides[color]
    try:
        if side.clock is not None:
            seat.show(side.clock, color)
        board.watch_over(color)
        stops, started = pauses(), time.perf_counter()
        name = seat.genmove(game, side.clock, board.watch.keep_alive)
        seconds = time.perf_counter() - started - stops.since(started)
        side.answered = True
        _take_time(side, color, seconds)
        if board.task.settings.agree and name.strip().lower() == "pass":
            board.passes.append(note_pass(game))
        move = game.push(name, color)
        side.thought += 1
        side.full += seat.was_full
        side.evicted += seat.evicted
    except IllegalMove as error:
        raise _Forfeit(color, f"illegal move: {error}") from error
    except FileChanged:
        raise
    except (EngineError, ValueError) as error:
        raise _Forfeit(color, _told(error, seat.last_words())) from error
    if game.is_over() and not (board.task.settings.agree and move.point == PASS):
        return
    other = opponent(color)
    try:
        board.seats[other].see(move)
    except EngineError as error:
        raise _Forfeit(other, _told(error, board.seats[other].last_words())) from error


def _take_time(side: _Side, color: int, seconds: float) -> None:
    side.seconds += seconds
    if side.clock is None:
        return
    before, side.clock = side.clock, side.clock.after_move(seconds)
    if side.clock.is_flagged:
        raise _Forfeit(color, f"lost on time: {seconds:.1f} s for a move with {_shown(before)} on the clock")


def _shown(clock: Clock) -> str:
    more = f" and {clock.periods} × {clock.period:g} s" if clock.periods else ""
    if clock.stones:
        more = f" and {plural(clock.stones - clock.made, 'move')} in {clock.period - clock.used:.1f} s"
    return f"{max(clock.main, 0.0):.1f} s{more}"
