"""What a page is told: one structure for each event."""

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


class SearchNode(msgspec.Struct, frozen=True):
    """A node of the search tree."""

    path: list[str]
    move: str
    color: Color
    visits: int
    mean: float | None
    """The win rate of who moved here; None if it was not visited."""
    score: float | None
    rave: float | None
    rave_visits: int
    prior: float | None
    prior_games: float
    variance: float | None
    children: int


class SearchTree(Event, frozen=True, tag="search_tree"):
    """The nodes of the search tree that are looked at, the most visited children first."""

    preset: str
    nodes: list[SearchNode]


class Step(msgspec.Struct, frozen=True):
    """A move of a playout."""

    color: Color
    move: str
    by: str
    """The heuristic that made it."""
    way: str
    """How it was drawn: alike, by weight, the first, or any."""
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
    """The simulations that the memories had learned from; 0 for none."""
    abouts: dict[str, str]
    """What each heuristic does."""


class Reply(msgspec.Struct, frozen=True):
    """What one heuristic would answer to a move."""

    heuristic: str
    move: str
    replies: list[str]
    weights: list[float]


class Replies(Event, frozen=True, tag="replies"):
    """What the memories hold."""

    preset: str
    color: Color
    """Whose move is answered."""
    move: str
    replies: list[Reply]
    """To this move."""
    every: dict[str, str]
    """For each point of the board that some heuristic has an answer to: the first answer."""
    learned: int


class StudyInfo(msgspec.Struct, frozen=True):
    """A match or an experiment of the folder."""

    id: str
    kind: str
    title: str
    games: int
    of: int
    changed: float
    """When it was last written, in seconds since 1970."""


class Studies(Event, frozen=True, tag="studies"):
    """What the folder holds, the latest first."""

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
    elo: float | None
    low: float | None
    high: float | None


class Test(msgspec.Struct, frozen=True):
    """Where a sequential test stands."""

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
    """How a match or an experiment stands."""

    study: str
    kind: str
    title: str
    settings: str
    done: int
    of: int
    pairs: list[Pair]
    ratings: list[Rating]
    test: Test | None
    shares: list[float]
    """After each game of the first two players: the first one's share, and the bounds of its interval."""
    lows: list[float]
    highs: list[float]
    ratios: list[float]
    """The log-likelihood ratio after each pair; empty without a test."""
    games: list[GameRow]
    notes: list[str]
    tables: list[list[list[str]]]
    """What a study that is no match found: tables with a head each."""


class DuelMove(Event, frozen=True, tag="duel_move"):
    """A move of a duel, with what its player thought: Black's win rate and score."""

    number: int
    color: Color
    move: str
    winrate: float
    score: float
    visits: int
    line: list[str]


AnyEvent = (
    Welcome
    | Failed
    | Position
    | GameState
    | GameTree
    | Evaluation
    | Opinion
    | Working
    | Mistakes
    | Saved
    | SearchTree
    | Playout
    | Replies
    | Studies
    | StudyState
    | DuelMove
)

encode = msgspec.json.Encoder().encode
