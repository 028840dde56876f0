"""The referee of a match: the score of a finished game, and agreement about dead stones.

Where the players of a match have to agree, both are sent `final_status_list dead` after two passes. If they name
the same stones, these are taken off and the board is counted. If not, the passes are taken back and both go for dead
stones; after a few such rounds the referee counts.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from kikashi.board.points import BLACK, WHITE, color_name, vertex
from kikashi.engine.scoring import simulated_score
from kikashi.game import Game
from kikashi.game.moves import format_score
from kikashi.match.game_players import GamePlayer, begin_commands
from kikashi.match.settings import MatchSettings
from kikashi.protocols.gtp.controller import Engine, EngineError

GNUGO = "gnugo --mode gtp --chinese-rules --positional-superko"
"""The referee of the papers."""
ROUNDS = 4
"""Times that players may differ about dead stones before the referee counts."""


class Pass(msgspec.Struct, frozen=True):
    """A pass, in a match whose players have to agree."""

    after: int
    """Moves before it."""
    color: str
    count: str
    """The board as it stands."""
    estimate: str
    """By simulations, dead stones taken off."""


class Proposal(msgspec.Struct, frozen=True):
    """The stones that both players hold for dead after two passes; None for one that cannot name them."""

    after: int
    """Moves before the passes."""
    black: tuple[str, ...] | None
    white: tuple[str, ...] | None

    @property
    def is_agreed(self) -> bool:
        return self.black is not None and self.black == self.white


@dataclass(frozen=True)
class Ending:
    """The end of a game: its result, the way it ended, and all counts."""

    result: str
    how: str
    counts: dict[str, str] = field(default_factory=dict)


def note_pass(game: Game) -> Pass:
    """Return the scores before a pass of the side to play."""
    count, estimate = format_score(game.score()), format_score(simulated_score(game))
    return Pass(game.move_count, color_name(game.turn), count, estimate)


def settle(game: Game, players: Mapping[int, GamePlayer], proposals: list[Proposal]) -> bool:
    """Compare the dead stones of both players after two passes. Where they differ, take the passes back.

    Their lists are added to the proposals. Return whether the game is over: they agree, one cannot answer or cannot go
    on, or they have differed too often.
    """
    named = {color: players[color].dead_stones(game) for color in (BLACK, WHITE)}
    black, white = (None if dead is None else tuple(vertex(p) for p in sorted(dead)) for dead in named.values())
    proposals.append(Proposal(game.move_count - 2, black, white))
    if None in (black, white) or proposals[-1].is_agreed or len(proposals) >= ROUNDS:
        return True
    before = game.copy()
    for _ in range(2):
        before.pop()
    for player in players.values():
        try:
            player.undo(before, 2)
        except EngineError:
            return True
        player.cleans_up = True
    for _ in range(2):
        game.pop()
    return False


def judge(game: Game, settings: MatchSettings, proposals: Sequence[Proposal] = ()) -> Ending:
    """Return the ending of a game that is over, with all counts."""
    if (result := game.result()) is not None and result.endswith("+R"):
        return Ending(result, "resignation")
    how = "passes" if game.is_over() else "move limit"
    counts = {"board": format_score(game.score()), "playouts": format_score(simulated_score(game))}
    if settings.referee == "gnugo":
        with contextlib.suppress(EngineError, IndexError):  # no answer, or an empty one
            counts["gnugo"] = gnugo_score(game, settings.timeout)
    if how == "passes" and proposals and proposals[-1].is_agreed:
        counts["agreed"] = format_score(game.score(proposals[-1].black or ()))
    return Ending(counts.get("agreed", counts.get(settings.referee, counts["playouts"])), how, counts)


def gnugo_score(game: Game, timeout: float) -> str:
    """Return GNU Go's score of a finished game. Raises EngineError."""
    with Engine(GNUGO, timeout=timeout) as referee:
        for command in begin_commands(game):
            referee.ask(command)
        for move in game.moves:
            referee.ask(f"play {move}")
        return referee.ask("final_score").split()[0]
