"""What a page may ask for: one structure for each request, with its bounds."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from kikashi.web.limits import COMMENT_CHARACTERS, REVIEW_SIMULATIONS, TREE_ROWS
from kikashi.web.messages import (
    Board,
    Data,
    KeptClock,
    Komi,
    MoveName,
    Name,
    NodeId,
    Parts,
    Path,
    Setup,
    Size,
    Text,
    Thought,
)


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """What a page asks for."""


class NewGame(Request, frozen=True, tag="new_game"):
    """Begin a game against a preset."""

    setup: Setup


class ResumeGame(Request, frozen=True, tag="resume_game"):
    """Go on with a game that the page has kept."""

    setup: Setup
    sgf: Text
    clocks: tuple[KeptClock, KeptClock] | None = None
    """What Black and White had left."""


class PlayMove(Request, frozen=True, tag="play_move"):
    """Make a move, a pass too: of the person, or of whoever has the turn in a study."""

    board: Board
    move: MoveName


class Resign(Request, frozen=True, tag="resign"):
    """Give up."""


class Undo(Request, frozen=True, tag="undo"):
    """Take the person's last move back, and the answer to it."""


class Hint(Request, frozen=True, tag="hint"):
    """Ask what the preset would look at in the person's place."""


class MarkDead(Request, frozen=True, tag="mark_dead"):
    """Turn a dead chain into a living one, or the other way round, when the game is over."""

    point: MoveName


class OpenSgf(Request, frozen=True, tag="open_sgf"):
    """Study a game record."""

    text: Text


class OpenFile(Request, frozen=True, tag="open_file"):
    """Study a game record as it was in its file, whatever its encoding: the bytes as Base64."""

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
    """Ask for the record of a board, with all that was found."""

    board: Board
    keep: bool = False
    """Whether the page only wants to remember it."""


class GoTo(Request, frozen=True, tag="go_to"):
    """Look at a node of a game tree."""

    board: Board
    node: NodeId


class DeleteNode(Request, frozen=True, tag="delete_node"):
    """Take a node and all below it out of the study."""

    node: NodeId


class MakeMain(Request, frozen=True, tag="make_main"):
    """Make the line of a node the main line of the study."""

    node: NodeId


class SetComment(Request, frozen=True, tag="set_comment"):
    """Write about a node of the study."""

    node: NodeId
    text: Annotated[str, Meta(max_length=COMMENT_CHARACTERS)]


class StartSearch(Request, frozen=True, tag="start_search"):
    """Search the position of the study, and those that are gone to, until told to stop."""

    preset: Name
    without: Parts = []
    """Parts of the preset that are switched off."""


class StopWork(Request, frozen=True, tag="stop_work"):
    """Stop what runs for a study, or a duel."""

    board: Board = "study"


class ReviewGame(Request, frozen=True, tag="review_game"):
    """Search every position of the line of the study that is looked at."""

    preset: Name
    simulations: Annotated[int, Meta(ge=1, le=REVIEW_SIMULATIONS)] = 400


class LookAt(Request, frozen=True, tag="look_at"):
    """Have these nodes of the search tree shown with their children."""

    paths: Annotated[list[Path], Meta(max_length=TREE_ROWS)]


class StagePlayout(Request, frozen=True, tag="stage_playout"):
    """One playout from the position of the study, move by move."""

    preset: Name
    without: Parts = []
    seed: Annotated[int, Meta(ge=0, le=1 << 31)] = 1


class AskReplies(Request, frozen=True, tag="ask_replies"):
    """What the memories of the search would answer to a move."""

    move: MoveName


class ListStudies(Request, frozen=True, tag="list_studies"):
    """Ask for the matches and experiments of the folder."""


class WatchStudy(Request, frozen=True, tag="watch_study"):
    """Be told of a match or an experiment, and of what changes; of none with an empty name."""

    study: Annotated[str, Meta(max_length=200)]


class OpenGame(Request, frozen=True, tag="open_game"):
    """Study a game of a match."""

    study: Annotated[str, Meta(max_length=200)]
    number: Annotated[int, Meta(ge=0, le=1 << 31)]


class StartDuel(Request, frozen=True, tag="start_duel"):
    """Two presets against each other."""

    black: Name
    white: Name
    size: Size = 9
    komi: Komi = 7.5
    thought: Thought = Thought(simulations=1000)


AnyRequest = (
    NewGame
    | ResumeGame
    | PlayMove
    | Resign
    | Undo
    | Hint
    | MarkDead
    | OpenSgf
    | OpenFile
    | OpenEmpty
    | StudyGame
    | SaveSgf
    | GoTo
    | DeleteNode
    | MakeMain
    | SetComment
    | StartSearch
    | StopWork
    | ReviewGame
    | LookAt
    | StagePlayout
    | AskReplies
    | ListStudies
    | WatchStudy
    | OpenGame
    | StartDuel
)

decoder = msgspec.json.Decoder(AnyRequest)
