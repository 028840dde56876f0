"""One game of a match: two players, an opening, a referee. A player that does something wrong loses the game."""

import contextlib
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from kikashi import sgf
from kikashi.board.points import BLACK, PASS, WHITE, color_name, opponent
from kikashi.game import Game, IllegalMove
from kikashi.game.time_control import Clock
from kikashi.match.game_players import GamePlayer, join_game, log_folder
from kikashi.match.match_player import FileChanged, MatchPlayer
from kikashi.match.referee import Ending, Pass, Proposal, judge, note_pass, settle
from kikashi.match.settings import MatchSettings, Opening
from kikashi.protocols.gtp.controller import EngineError
from kikashi.wording import plural
from kikashi.workers.watchdog import Watchdog, note_path, pauses

FORFEIT, NOT_BEGUN = "forfeit", "not begun"
MAX_REASON = 500
COUNTS_OF_SIDES = ("processor", "thought", "full", "evicted")
"""Fields of a record that have a value for Black and one for White."""


@dataclass(frozen=True)
class GameTask:
    """A game to be played."""

    number: int
    """In the schedule of the match."""
    pairing: int
    pair: int
    """Two games of one pair have the same opening and seeds, and colours swapped."""
    black: MatchPlayer
    white: MatchPlayer
    seeds: tuple[int, int]
    """Black's and White's."""
    opening: Opening
    settings: MatchSettings
    folder: str = ""
    """Folder of the match, for logs; empty for none."""

    def player(self, color: int) -> MatchPlayer:
        """Return the player of a colour."""
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
    """Reason of a forfeit, or of a game that could not begin."""
    opening: tuple[str, ...]
    moves: tuple[str, ...]
    """All moves, the opening included."""
    seconds: tuple[float, float]
    """Thinking time of Black and White."""
    processor: tuple[float | None, float | None] = (None, None)
    """User and system time of Black and White; None where it is not known."""
    thought: tuple[int, int]
    """Moves that Black and White made themselves."""
    full: tuple[int, int] = (0, 0)
    """Moves that were found with a full tree: more memory might have found others."""
    evicted: tuple[int, int] = (0, 0)
    """Entries of memories that had to make room for others, of searches in which they were more than a few."""
    counts: dict[str, str] = {}
    """The result by every way of counting that was tried: ``board``, ``playouts``, ``gnugo``, ``agreed``."""
    seeds: tuple[int, int]
    passes: tuple[Pass, ...] = ()
    """Every pass, even one that was taken back, if the players have to agree about dead stones."""
    proposals: tuple[Proposal, ...] = ()
    """Their lists of dead stones, in turn."""

    @property
    def winner(self) -> str | None:
        """Name of the winner; None for a draw and for a game that counts for nobody."""
        return {"B": self.black, "W": self.white}.get(self.result[0])

    def points(self, name: str) -> float:
        """Return 1, 1/2 or 0 for a player of the game."""
        return 0.5 if self.winner is None else float(self.winner == name)

    @property
    def is_void(self) -> bool:
        """Return whether the game counts for nobody: a player could not begin."""
        return self.ended == NOT_BEGUN

    @property
    def failed(self) -> str | None:
        """The player that could not begin or go on, if one could not."""
        if self.ended not in (FORFEIT, NOT_BEGUN):
            return None
        return self.black if self.reason.startswith(color_name(BLACK)) else self.white

    @property
    def disputed(self) -> bool:
        """Return whether the ways of counting name different winners."""
        return len({count[0] for count in self.counts.values()}) > 1


class _Forfeit(Exception):
    """A player did something that costs the game."""

    def __init__(self, color: int, reason: str) -> None:
        super().__init__(reason)
        self.color = color


@dataclass
class _Side:
    """One side of a game: its player, its clock and its counts."""

    player: GamePlayer | None = None
    clock: Clock | None = None
    seconds: float = 0.0
    processor: float | None = None
    thought: int = 0
    full: int = 0
    evicted: int = 0
    answered: bool = False
    """Whether it has answered to a genmove."""


@dataclass
class _RunningGame:
    task: GameTask
    game: Game
    sides: dict[int, _Side]
    watch: Watchdog
    passes: list[Pass] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)

    def record(self, ending: Ending, reason: str = "") -> GameRecord:
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
            **{name: (getattr(black, name), getattr(white, name)) for name in COUNTS_OF_SIDES},
            counts=ending.counts,
            seeds=task.seeds,
            passes=tuple(self.passes),
            proposals=tuple(self.proposals),
        )

    def failure(self, color: int, reason: str) -> GameRecord:
        """Return the record if a player fails now: nobody's game if it has never answered, else its loss."""
        line = f"{color_name(color)}: {' '.join(reason.split())}"[:MAX_REASON]
        if not self.sides[color].answered:
            return self.record(Ending("Void", NOT_BEGUN), line)
        return self.record(Ending(("W" if color == BLACK else "B") + "+F", FORFEIT), line)

    def watch_over(self, color: int) -> None:
        """Set the timer for a preset: if a part of it loops for ever, that ends the process and the game."""
        player, seconds = self.task.player(color), self.task.settings.timeout
        if not player.preset:
            self.watch.disarm()
            return
        reason = f"{player.name}: no simulation was finished in {seconds:g} seconds"
        if player.plugin_files:
            reason += f"; its plugins: {', '.join(plugin.file for plugin in player.plugin_files)}"
        self.watch.arm(lambda: msgspec.json.encode(self.failure(color, reason)))

    @contextlib.contextmanager
    def blame(self, color: int) -> Iterator[None]:
        """Make what a player does wrong in the body of the ``with`` its forfeit, with its last line of stderr."""
        try:
            yield
        except (_Forfeit, FileChanged):
            raise
        except IllegalMove as error:
            raise _Forfeit(color, f"illegal move: {error}") from error
        except (EngineError, ValueError) as error:
            player = self.sides[color].player
            tail = getattr(error, "__notes__", []) if player is None else player.stderr_tail()
            lines = [line for text in tail for line in text.splitlines() if line.strip()]
            raise _Forfeit(color, f"{error} ({lines[-1].strip()})" if lines else str(error)) from error


def play_game(task: GameTask) -> GameRecord:
    """Play a game to its end. Raises only what is nobody's fault but ours: every OSError is, such as a full disk.

    What an engine's process does wrong is an EngineError.
    """
    sides = {color: _Side(clock=task.player(color).new_clock()) for color in (BLACK, WHITE)}
    watch = Watchdog(note_path(task.folder or tempfile.gettempdir(), task.number), task.settings.timeout)
    running = _RunningGame(task, task.settings.after(task.opening), sides, watch)
    try:
        with watch, contextlib.ExitStack() as stack:
            players = {color: _join(running, color, stack) for color in (BLACK, WHITE)}
            _play_to_the_end(running, players)
            for color, player in players.items():
                used = player.processor_seconds()
                sides[color].processor = None if used is None else round(used, 3)
            watch.disarm()
            ending = judge(running.game, task.settings, running.proposals)
        return running.record(ending)
    except _Forfeit as forfeit:
        return running.failure(forfeit.color, str(forfeit))


def _join(running: _RunningGame, color: int, stack: contextlib.ExitStack) -> GamePlayer:
    task, spec = running.task, running.task.player(color)
    log = log_folder(task.folder, spec.name) / f"{task.number:06}.txt" if task.folder else None
    with running.blame(color):
        running.watch_over(color)
        player = join_game(spec, running.game, task.seeds[color != BLACK], task.settings.timeout, log)
    stack.callback(player.close)
    running.sides[color].player = player
    return player


def _play_to_the_end(running: _RunningGame, players: Mapping[int, GamePlayer]) -> None:
    """Play until the game is over and, if they have to, the players agree about dead stones or never will."""
    game, settings = running.game, running.task.settings
    while True:
        while not game.is_over() and game.move_count < settings.most_moves:
            _make_move(running, players[game.turn], players[opponent(game.turn)])
        running.watch.disarm()
        ended_by_passes = game.is_over() and game.moves[-1].point == PASS
        if not (settings.agree and ended_by_passes) or settle(game, players, running.proposals):
            return


def _make_move(running: _RunningGame, player: GamePlayer, other: GamePlayer) -> None:
    """Let a player move, note the time and the state of its tree, and send the move to the other player."""
    game, color, agree = running.game, running.game.turn, running.task.settings.agree
    side = running.sides[color]
    with running.blame(color):
        if side.clock is not None:
            player.show_clock(side.clock, color)
        running.watch_over(color)
        stops, started = pauses(), time.perf_counter()
        name = player.genmove(game, side.clock, running.watch.keep_alive)
        seconds = time.perf_counter() - started - stops.since(started)
        side.answered = True
        _stop_clock(side, color, seconds)
        if agree and name.strip().lower() == "pass":
            running.passes.append(note_pass(game))
        move = game.push(name, color)
        side.thought += 1
        side.full += player.tree_full
        side.evicted += player.evicted
    if game.is_over() and not (agree and move.point == PASS):
        return
    with running.blame(opponent(color)):
        other.observe(move)


def _stop_clock(side: _Side, color: int, seconds: float) -> None:
    side.seconds += seconds
    if side.clock is None:
        return
    clock, side.clock = side.clock, side.clock.after_move(seconds)
    if side.clock.is_flagged:
        more = f" and {clock.periods} × {clock.period:g} s" if clock.periods else ""
        if clock.stones:
            more = f" and {plural(clock.stones - clock.made, 'move')} in {clock.period - clock.used:.1f} s"
        left = f"{max(clock.main, 0.0):.1f} s{more}"
        raise _Forfeit(color, f"lost on time: {seconds:.1f} s for a move with {left} on the clock")


# --- as SGF -----------------------------------------------------------------------------------------------------------


def as_sgf(record: GameRecord, settings: MatchSettings) -> str:
    """Return a game as SGF, with what a replay needs to know."""
    game = settings.after(record.moves)
    game.headers |= {"PB": record.black, "PW": record.white, "RO": str(record.number)}
    about = [f"seeds {record.seeds[0]} and {record.seeds[1]}", f"opening of {plural(len(record.opening), 'move')}"]
    about += [record.reason] if record.reason else []
    about += [f"{way}: {count}" for way, count in record.counts.items()]
    game.headers["GC"] = "; ".join(about)
    game.comments |= {number: "\n".join(lines) for number, lines in _comments(record).items()}
    root = sgf.game_tree(game)
    root.set_text("RE", record.result)  # the referee's; the board as it stands may say something else
    return sgf.dump([root])


def _comments(record: GameRecord) -> dict[int, list[str]]:
    """Return lines about passes and dead stones, by the number of moves before them."""
    found: dict[int, list[str]] = {}
    for one in record.passes:
        line = f"{one.color} passes: {one.count} on the board, {one.estimate} without dead stones"
        found.setdefault(min(one.after, len(record.moves)), []).append(line)
    for proposal in record.proposals:
        sides = {"black": proposal.black, "white": proposal.white}
        lists = [
            f"{name} cannot say" if dead is None else f"{name} {' '.join(dead) or 'none'}"
            for name, dead in sides.items()
        ]
        line = f"dead: {', '.join(lists)}" + ("" if proposal.is_agreed else "; they differ")
        found.setdefault(min(proposal.after, len(record.moves)), []).append(line)
    return found
