"""What a page is told of its boards: one structure for each event. `kikashi.web.findings` has the others."""

from __future__ import annotations

import msgspec

from kikashi.web.messages import Board, Color, Setup


class Event(msgspec.Struct, frozen=True, tag_field="type"):
    """What a page is told."""


class PresetPart(msgspec.Struct, frozen=True):
    """A part of a preset that can be switched off."""

    name: str
    """As in ``playout: escape``."""
    about: str
    source: str


class PresetInfo(msgspec.Struct, frozen=True):
    """A player there is."""

    name: str
    summary: str
    source: str
    parts: list[PresetPart]


class Welcome(Event, frozen=True, tag="welcome"):
    """The first event: what there is."""

    version: str
    presets: list[PresetInfo]
    rules: list[str]
    threads: int
    folder: str
    """The name of the folder of matches; empty if there is none."""


class Failed(Event, frozen=True, tag="failed"):
    """Why something was not done, in one line."""

    message: str


class ClockState(msgspec.Struct, frozen=True):
    """A player's time: main seconds, and what comes after them."""

    main: float
    periods: int
    """Of byo-yomi that are left."""
    more: str
    running: bool


class Position(Event, frozen=True, tag="position"):
    """What is on a board."""

    board: Board
    node: int
    size: int
    stones: str
    """``.``, ``X`` and ``O``, from the upper left, row by row."""
    turn: Color
    last: str
    """The last move; empty if there was none."""
    mover: str
    """Who made it."""
    number: int
    komi: float
    rules: str
    prisoners: tuple[int, int]
    """Of Black and of White."""
    legal: str
    """``1`` where the player to move may play."""
    black: str
    white: str
    comment: str
    marks: dict[str, str]
    """By point: a letter, or triangle, square, circle, cross."""
    over: bool
    result: str
    dead: list[str]
    handicap: int


class GameState(Event, frozen=True, tag="game_state"):
    """How a game against a preset stands."""

    setup: Setup
    thinking: bool
    counting: bool
    """Whether dead stones may be marked."""
    note: str
    """What there is to say about the result, or before a pass."""
    sgf: str
    clocks: list[ClockState]
    """Black's and White's; none without clocks."""


class TreeNode(msgspec.Struct, frozen=True, array_like=True):
    """A node of a game tree, in short: the page may get thousands of them."""

    id: int
    parent: int
    """-1 for the root."""
    color: str
    """``b``, ``w`` or nothing."""
    move: str
    comment: bool
    winrate: float | None
    score: float | None
    visits: int
    grade: str
    """Of a mistake."""


class GameTree(Event, frozen=True, tag="game_tree"):
    """All nodes of a board's game tree, parents before children, the main line first."""

    board: Board
    document: int
    """Another one than before if another game was opened."""
    nodes: list[TreeNode]
    title: str


class Evaluation(Event, frozen=True, tag="evaluation"):
    """What is now known of a node: the graph has a new value."""

    board: Board
    node: int
    winrate: float
    score: float
    visits: int
    grade: str = ""


class Candidate(msgspec.Struct, frozen=True):
    """A move of the root."""

    move: str
    visits: int
    winrate: float
    """Of who is to play, as the score."""
    score: float
    prior: float
    rave: float | None
    line: list[str]


class Opinion(Event, frozen=True, tag="opinion"):
    """What a search, or an earlier one that was kept in the record, thinks of a position."""

    board: Board
    node: int
    preset: str
    turn: Color
    running: bool
    visits: int
    winrate: float
    """Black's, as the score."""
    score: float
    deviation: float
    per_second: float
    depth: int
    nodes: int
    moves: list[Candidate]
    ownership: list[int]
    """In percent: 100 is Black's for sure."""
    shares: dict[str, float]
    """Of playout moves by heuristic."""
    without: list[str]


class Working(Event, frozen=True, tag="working"):
    """What runs for this page; nothing if the text is empty."""

    task: str
    detail: str = ""
    done: int = 0
    of: int = 0


class Mistake(msgspec.Struct, frozen=True):
    """A move that lost something."""

    node: int
    number: int
    color: Color
    move: str
    loss: float
    """The win rate that its player lost."""
    grade: str
    better: list[str]


class Mistakes(Event, frozen=True, tag="mistakes"):
    """The biggest mistakes of a game that was looked over, the biggest first."""

    found: list[Mistake]


class Saved(Event, frozen=True, tag="saved"):
    """The record of a board."""

    board: Board
    name: str
    text: str
    keep: bool


encode = msgspec.json.Encoder().encode
