"""Events: the messages from the server to a page, one structure for each."""

from __future__ import annotations

from typing import Any, Union

import msgspec

from kikashi.web.requests import Board, Color, Setup


class Event(msgspec.Struct, frozen=True, tag_field="type"):
    """The base of all events."""


class PresetPart(msgspec.Struct, frozen=True):
    """A part of a preset that can be switched off."""

    name: str
    """Group and part, as in ``playout: escape``."""
    about: str
    source: str


class PresetInfo(msgspec.Struct, frozen=True):
    """A preset that a page may choose."""

    name: str
    summary: str
    source: str
    parts: list[PresetPart]


class Welcome(Event, frozen=True, tag="welcome"):
    """The first event: presets, rules and settings of the server."""

    version: str
    presets: list[PresetInfo]
    rules: list[str]
    threads: int
    folder: str
    """The name of the folder of matches; empty if there is none."""


class Failed(Event, frozen=True, tag="failed"):
    """A request or a job that failed, with the reason in one line."""

    message: str


class ClockState(msgspec.Struct, frozen=True):
    """A player's clock: main seconds, and the time after them."""

    main: float
    periods: int
    """Byo-yomi periods left."""
    more: str
    running: bool


class Position(Event, frozen=True, tag="position"):
    """The position of a board."""

    board: Board
    node: int
    size: int
    stones: str
    """``.``, ``X`` and ``O``, from the upper left, row by row."""
    turn: Color
    last: str
    """The last move, or nothing."""
    mover: str
    """The colour of the last move, or nothing."""
    number: int
    komi: float
    rules: str
    prisoners: tuple[int, int]
    """Black's and White's."""
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
    """The state of a game against a preset."""

    setup: Setup
    thinking: bool
    counting: bool
    """Whether dead stones may be marked."""
    note: str
    """The count in words, or nothing."""
    sgf: str
    clocks: list[ClockState]
    """Black's and White's; none without clocks."""


class TreeNode(msgspec.Struct, frozen=True, array_like=True):
    """A node of a game tree, as an array: a page may get thousands of them."""

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


class TreeUpdate(Event, frozen=True, tag="game_tree"):
    """All nodes of a board's game tree, parents before children, the main line first."""

    board: Board
    document: int
    """The number of the game; a new one whenever a game is opened."""
    nodes: list[TreeNode]
    title: str


class Evaluation(Event, frozen=True, tag="evaluation"):
    """The new evaluation of a node, for the graph."""

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
    """From the mover's side, as the score."""
    score: float
    prior: float
    rave: float | None
    line: list[str]


class PositionAnalysis(Event, frozen=True, tag="analysis"):
    """The analysis of a position by a running search, or by an earlier one stored in the record."""

    board: Board
    node: int
    preset: str
    turn: Color
    running: bool
    visits: int
    winrate: float
    """Black's, as the score."""
    score: float
    moves: list[Candidate]
    deviation: float = 0.0
    per_second: float = 0.0
    depth: int = 0
    nodes: int = 0
    ownership: list[int] = []
    """In percent: 100 is surely Black's."""
    shares: dict[str, float] = {}
    """Shares of playout moves by heuristic."""
    without: list[str] = []
    """Parts of the preset that are switched off."""


class Working(Event, frozen=True, tag="working"):
    """The progress of a task of the page; the task is idle if `detail` is empty."""

    task: str
    detail: str = ""
    done: int = 0
    of: int = 0


class Mistake(msgspec.Struct, frozen=True):
    """A move that a review grades as a mistake."""

    node: int
    number: int
    color: Color
    move: str
    loss: float
    """The win rate lost by its player."""
    grade: str
    better: list[str]


class Mistakes(Event, frozen=True, tag="mistakes"):
    """The biggest mistakes of a reviewed game, the biggest first."""

    found: list[Mistake]


class Saved(Event, frozen=True, tag="saved"):
    """The record of a board."""

    board: Board
    name: str
    text: str
    keep: bool


class SearchNode(msgspec.Struct, frozen=True):
    """A node of the search tree."""

    path: list[str]
    move: str
    color: Color
    visits: int
    mean: float | None
    """The win rate from the side of `color`; None without visits."""
    score: float | None
    rave: float | None
    rave_visits: int
    prior: float | None
    prior_games: float
    variance: float | None
    children: int


class SearchTree(Event, frozen=True, tag="search_tree"):
    """The open nodes of the search tree, the most visited children first."""

    preset: str
    nodes: list[SearchNode]


class Step(msgspec.Struct, frozen=True):
    """A move of a playout."""

    color: Color
    move: str
    by: str
    """The heuristic that made it."""
    way: str
    """The kind of draw: alike, by weight, the first, or any."""
    candidates: list[str]
    weights: list[float]
    """Empty where all are alike."""
    captured: list[str]


class Playout(Event, frozen=True, tag="playout"):
    """One playout from the position of a study."""

    node: int
    preset: str
    seed: int
    size: int
    stones: str
    steps: list[Step]
    shares: dict[str, int]
    score: float
    winner: str
    learned: int
    """The simulations that the memories had learned from."""
    abouts: dict[str, str]
    """Descriptions by heuristic."""


class Reply(msgspec.Struct, frozen=True):
    """The replies of one heuristic to a move."""

    heuristic: str
    move: str
    replies: list[str]
    weights: list[float]


class Replies(Event, frozen=True, tag="replies"):
    """The replies that the memories of a search have learned."""

    preset: str
    color: Color
    """The colour of the move."""
    move: str
    replies: list[Reply]
    every: dict[str, str]
    """The first reply by point, where a heuristic has one."""
    learned: int


class StudyInfo(msgspec.Struct, frozen=True):
    """A match or an experiment of the folder."""

    id: str
    kind: str
    title: str
    games: int
    of: int
    changed: float
    """The time of the last change, in seconds since 1970."""


class Studies(Event, frozen=True, tag="studies"):
    """The matches and experiments of the folder, the latest first."""

    found: list[StudyInfo]


class Pair(msgspec.Struct, frozen=True):
    """Two players' games, from the side of the first."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int
    share: float
    low: float
    high: float
    elo: str


class Rating(msgspec.Struct, frozen=True):
    """A player's rating over all games."""

    name: str
    elo: str
    low: str
    high: str


class Test(msgspec.Struct, frozen=True):
    """The state of a sequential test."""

    llr: float
    lower: float
    upper: float
    decision: str
    elo0: float
    elo1: float


class GameRow(msgspec.Struct, frozen=True):
    """A game of a match."""

    number: int
    black: str
    white: str
    result: str
    ended: str
    moves: int


class StudyState(Event, frozen=True, tag="study_state"):
    """The state of a match or an experiment."""

    study: str
    kind: str
    title: str
    settings: str
    done: int
    of: int
    pairs: list[Pair] = []
    ratings: list[Rating] = []
    test: Test | None = None
    counts: list[int] = []
    """Numbers of games of the first two players; the next three lists belong to them."""
    shares: list[float] = []
    """The first player's share, and the bounds of its interval."""
    lows: list[float] = []
    highs: list[float] = []
    ratios: list[float] = []
    """The log-likelihood ratio after each pair; empty without a test."""
    games: list[GameRow] = []
    notes: list[str] = []
    tables: list[list[list[str]]] = []
    """Results of an experiment: tables with a head each."""


class DuelMove(Event, frozen=True, tag="duel_move"):
    """A move of a duel with its player's evaluation: Black's win rate and score."""

    number: int
    color: Color
    move: str
    winrate: float
    score: float
    visits: int
    line: list[str]


AnyEvent: Any = Union[tuple(Event.__subclasses__())]  # noqa: UP007 (made of a tuple)
encode = msgspec.json.Encoder().encode
