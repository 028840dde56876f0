"""Requests: the messages from a page to the server, one structure for each, with their bounds.

The page's TypeScript types are made from these structures and from `kikashi.web.events`. Moves and points have their
names (``"D4"``, ``"pass"``). Lists over the points of a board begin at the upper left and go row by row. Win rates and
scores are Black's, but those of candidate moves are their player's.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

import msgspec
from msgspec import Meta

from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.game.time_control import MAX_PERIODS, MAX_SECONDS

MESSAGE_BYTES = 4 << 20
"""The longest message from a page; a game record is the longest of them."""
SGF_CHARACTERS = 2 << 20
COMMENT_CHARACTERS = 20_000
VISITS = 10_000_000
"""Simulations of one move, at most."""
SECONDS = 3_600.0
REVIEW_SIMULATIONS = 100_000
"""Simulations of each position of a review, at most."""
TREE_ROWS = 400
"""Nodes of the search tree that are shown at once."""
Board = Literal["play", "study", "duel"]
Color = Literal["black", "white"]
Name = Annotated[str, Meta(max_length=80)]
MoveName = Annotated[str, Meta(max_length=8)]
Text = Annotated[str, Meta(max_length=SGF_CHARACTERS)]
Data = Annotated[bytes, Meta(max_length=SGF_CHARACTERS)]
Size = Annotated[int, Meta(ge=MIN_SIZE, le=MAX_SIZE)]
Komi = Annotated[float, Meta(ge=-400, le=400)]
NodeId = Annotated[int, Meta(ge=0, le=1 << 31)]
Parts = Annotated[list[Name], Meta(max_length=64)]
Path = Annotated[list[MoveName], Meta(max_length=100)]


class KeptClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The time that a player has left: main time, and periods of byo-yomi."""

    main: Annotated[float, Meta(ge=0, le=MAX_SECONDS)]
    periods: Annotated[int, Meta(ge=0, le=MAX_PERIODS)] = 0


class Thought(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limit of a move; a clock is written as in ``300+5``."""

    simulations: Annotated[int, Meta(ge=1, le=VISITS)] | None = None
    seconds: Annotated[float, Meta(gt=0, le=SECONDS)] | None = None
    clock: Annotated[str, Meta(max_length=40)] | None = None


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game against a preset."""

    preset: Name
    size: Size = 9
    komi: Komi = 7.5
    rules: Name = "positional"
    handicap: Annotated[int, Meta(ge=0, le=MAX_SIZE * MAX_SIZE)] = 0
    color: Color = "black"
    thought: Thought = Thought(seconds=3.0)


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """The base of all requests."""


class NewGame(Request, frozen=True, tag="new_game"):
    """Begin a game against a preset."""

    setup: Setup


class ResumeGame(Request, frozen=True, tag="resume_game"):
    """Resume a game that the page has stored."""

    setup: Setup
    sgf: Text
    clocks: tuple[KeptClock, KeptClock] | None = None
    """Black's and White's."""


class PlayMove(Request, frozen=True, tag="play_move"):
    """Make a move or pass, in the game or in the study."""

    board: Board
    move: MoveName


class Resign(Request, frozen=True, tag="resign"):
    """Resign the game."""


class Undo(Request, frozen=True, tag="undo"):
    """Take back the person's last move and the reply to it."""


class Hint(Request, frozen=True, tag="hint"):
    """Analyse the position for the person."""


class MarkDead(Request, frozen=True, tag="mark_dead"):
    """Mark a chain as dead, or as alive again, after both have passed."""

    point: MoveName


class OpenSgf(Request, frozen=True, tag="open_sgf"):
    """Study a game record."""

    text: Text


class OpenFile(Request, frozen=True, tag="open_file"):
    """Study the bytes of a game record, in any encoding; JSON has them as Base64."""

    data: Data


class OpenEmpty(Request, frozen=True, tag="open_empty"):
    """Study an empty board."""

    size: Size = 19
    komi: Komi = 7.5
    rules: Name = "positional"


class StudyGame(Request, frozen=True, tag="study_game"):
    """Study the game of another board."""

    board: Board


class SaveSgf(Request, frozen=True, tag="save_sgf"):
    """Request the record of a board, with its stored analyses."""

    board: Board
    keep: bool = False
    """Whether the page only stores it."""


class GoTo(Request, frozen=True, tag="go_to"):
    """Move to a node of a game tree."""

    board: Board
    node: NodeId


class DeleteNode(Request, frozen=True, tag="delete_node"):
    """Delete a node of the study and all below it."""

    node: NodeId


class MakeMain(Request, frozen=True, tag="make_main"):
    """Make the line of a node the main line of the study."""

    node: NodeId


class SetComment(Request, frozen=True, tag="set_comment"):
    """Set the comment of a node of the study."""

    node: NodeId
    text: Annotated[str, Meta(max_length=COMMENT_CHARACTERS)]


class StartSearch(Request, frozen=True, tag="start_search"):
    """Search the current position of the study, also after moves, until `StopWork`."""

    preset: Name
    without: Parts = []
    """Parts of the preset that are switched off."""


class StopWork(Request, frozen=True, tag="stop_work"):
    """Stop the job of a study or a duel."""

    board: Board = "study"


class ReviewGame(Request, frozen=True, tag="review_game"):
    """Search every position of the current line of the study."""

    preset: Name
    simulations: Annotated[int, Meta(ge=1, le=REVIEW_SIMULATIONS)] = 400


class LookAt(Request, frozen=True, tag="look_at"):
    """Show these nodes of the search tree with their children."""

    paths: Annotated[list[Path], Meta(max_length=TREE_ROWS)]


class StagePlayout(Request, frozen=True, tag="stage_playout"):
    """Show one playout from the position of the study, move by move."""

    preset: Name
    without: Parts = []
    seed: Annotated[int, Meta(ge=0, le=1 << 31)] = 1


class AskReplies(Request, frozen=True, tag="ask_replies"):
    """Show the learned replies to a move."""

    move: MoveName


class ListStudies(Request, frozen=True, tag="list_studies"):
    """List the matches and experiments of the folder."""


class WatchStudy(Request, frozen=True, tag="watch_study"):
    """Follow a match or an experiment; an empty name ends this."""

    study: Annotated[str, Meta(max_length=200)]


class OpenGame(Request, frozen=True, tag="open_game"):
    """Study a game of a match."""

    study: Annotated[str, Meta(max_length=200)]
    number: Annotated[int, Meta(ge=0, le=1 << 31)]


class StartDuel(Request, frozen=True, tag="start_duel"):
    """Start a game between two presets."""

    black: Name
    white: Name
    size: Size = 9
    komi: Komi = 7.5
    thought: Thought = Thought(simulations=1000)


AnyRequest: Any = Union[tuple(Request.__subclasses__())]  # noqa: UP007 (made of a tuple)
decoder = msgspec.json.Decoder(AnyRequest)
