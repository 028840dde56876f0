"""Messages between a page and the server: the types of a request's fields, with their bounds, and all events.

A request is a method of a task with `handles`. The page's TypeScript types are made from them all. Moves and points
have their names (``"D4"``, ``"pass"``). Lists over the points of a board begin at the upper left and go row by row.
Win rates and scores are Black's, but those of candidate moves are their player's.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_type_hints

import msgspec
from msgspec import Meta

from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.engine.levels import MOST as MAX_LEVEL
from kikashi.engine.trace import Trace
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
LABEL_CHARACTERS = 40
PLY_LIMIT = 2_000
"""Moves from the root of a game tree to its deepest node, at most."""
Board = Literal["play", "study", "duel"]
SearchBoard = Literal["play", "study", "duel", "first", "second"]
"""Boards with analyses; the last two are those of a comparison."""
TaskName = Literal["play", "study", "aside", "reader", "duel", "class", "compare", "laboratory"]
Color = Literal["black", "white"]
Name = Annotated[str, Meta(max_length=80)]
MoveName = Annotated[str, Meta(max_length=8)]
Text = Annotated[str, Meta(max_length=SGF_CHARACTERS)]
Data = Annotated[bytes, Meta(max_length=SGF_CHARACTERS)]
Size = Annotated[int, Meta(ge=MIN_SIZE, le=MAX_SIZE)]
Komi = Annotated[float, Meta(ge=-400, le=400)]
NodeId = Annotated[int, Meta(ge=0, le=1 << 31)]
Parts = Annotated[tuple[Name, ...], Meta(max_length=64)]
TreePath = Annotated[tuple[MoveName, ...], Meta(max_length=100)]
Paths = Annotated[tuple[TreePath, ...], Meta(max_length=TREE_ROWS)]
ShownNodes = Annotated[int, Meta(ge=0, le=TREE_ROWS)]
Playouts = Annotated[int, Meta(ge=1, le=5_000)]
TracedCount = Annotated[int, Meta(ge=1, le=10_000)]
Comment = Annotated[str, Meta(max_length=COMMENT_CHARACTERS)]
Simulations = Annotated[int, Meta(ge=1, le=REVIEW_SIMULATIONS)]
Seed = Annotated[int, Meta(ge=0, le=1 << 31)]
LongName = Annotated[str, Meta(max_length=200)]
Handler = TypeVar("Handler", bound=Callable[..., None])
Names = Annotated[tuple[Name, ...], Meta(min_length=2, max_length=6)]
Games = Annotated[int, Meta(ge=2, le=10_000)]
Elo = Annotated[float, Meta(ge=-1000, le=1000)]
Scale = Annotated[float, Meta(ge=1e-6, le=1)]
Override = Annotated[str, Meta(max_length=80, pattern=r"^[a-z_0-9.]+ *= *(-?[0-9.]+(e-?[0-9]+)?|true|false)$")]
"""A setting of a preset with a number or a truth value: a page names no file."""
ItemId = Annotated[str, Meta(max_length=40)]
ChildPath = Annotated[list[NodeId], Meta(max_length=PLY_LIMIT)]


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
    level: Annotated[int, Meta(ge=0, le=MAX_LEVEL)] = 0
    """The level that preset and simulations come from; 0 for a preset of its own."""
    name: Name = ""
    """The person's name."""


class Side(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A preset of a comparison, without some parts and with other settings."""

    preset: Name
    without: Parts = ()
    overrides: Annotated[tuple[Override, ...], Meta(max_length=8)] = ()


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """The base of all requests."""


class Hello(Request, frozen=True, tag="hello"):
    """Open the page: the first message of a socket."""

    token: Annotated[str, Meta(max_length=100)]
    tab: ItemId = ""
    """The browser tab, which keeps its game and study when it is loaded again."""
    game: ItemId = ""
    study: ItemId = ""
    path: ChildPath = []
    """The current node of the study: the place of each node among the children of the one before."""


def handles(tag: str) -> Callable[[Handler], Handler]:
    """Make a method the handler of a request with this tag. Its parameters are the fields of the request."""

    def mark(method: Handler) -> Handler:
        method.tag = tag  # type: ignore[attr-defined]
        return method

    return mark


def request_type(method: Callable[..., None]) -> type[Request]:
    """Return the structure of the request that a method handles."""
    tag: str = method.tag  # type: ignore[attr-defined]
    types = get_type_hints(method, include_extras=True)
    fields: list[Any] = [
        (name, types[name]) if parameter.default is parameter.empty else (name, types[name], parameter.default)
        for name, parameter in list(signature(method).parameters.items())[1:]
    ]
    name = tag.title().replace("_", "")
    made = msgspec.defstruct(name, fields, bases=(Request,), frozen=True, forbid_unknown_fields=True, tag=tag)
    return cast("type[Request]", made)


# --- events ---------------------------------------------------------------------------------------------------------


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


class LevelInfo(msgspec.Struct, frozen=True):
    """A level of strength."""

    number: int
    preset: str
    simulations: int


class Welcome(Event, frozen=True, tag="welcome"):
    """The first event: presets, rules and settings of the server."""

    version: str
    presets: list[PresetInfo]
    levels: list[LevelInfo]
    rules: list[str]
    folder: str
    """The name of the folder of matches; empty if there is none."""


class Failed(Event, frozen=True, tag="failed"):
    """A request or a job that failed, with the reason in one line."""

    message: str


class Notice(Event, frozen=True, tag="notice"):
    """A line about a change, with the request that takes it back, if there is one."""

    message: str
    undo: Literal["", "undo_edit", "undo"] = ""


class ClockState(msgspec.Struct, frozen=True):
    """A player's clock: main seconds, and the time after them."""

    main: float
    period: float
    """Seconds of a byo-yomi period, or left in a Canadian one."""
    periods: int
    """Byo-yomi periods left."""
    stones: int
    """Moves left in a Canadian period."""
    increment: float
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
    """By point: a label, or triangle, square, circle, cross."""
    arrows: list[tuple[str, str]]
    lines: list[tuple[str, str]]
    dimmed: list[str]
    numbers: dict[str, int]
    """The numbers of the moves whose stones are on the board."""
    ko: str
    """The point that the ko rule forbids, or nothing."""
    over: bool
    result: str
    dead: list[str]
    handicap: int


class CountRow(msgspec.Struct, frozen=True):
    """A part of the count, such as territory or komi."""

    part: str
    black: float
    white: float


class GameState(Event, frozen=True, tag="game_state"):
    """The state of a game against a preset."""

    setup: Setup
    thinking: bool
    paused: bool
    """Whether it is the preset's turn and its search was stopped."""
    counting: bool
    """Whether dead stones may be marked."""
    accepted: bool
    """Whether the count has been accepted."""
    count: list[CountRow]
    territory: str
    """``X``, ``O`` and ``.`` by point: its owner in the count; empty before."""
    clocks: list[ClockState]
    """Black's and White's; none without clocks."""


class ItemInfo(msgspec.Struct, frozen=True):
    """A game or a study of the shelf."""

    id: str
    kind: Literal["game", "study"]
    title: str
    changed: float
    """In seconds since 1970."""
    moves: int
    size: int
    stones: str
    is_open: bool
    """Whether a page has it open."""


class Shelf(Event, frozen=True, tag="shelf"):
    """The recent games and studies, the latest first."""

    items: list[ItemInfo]


class Kept(Event, frozen=True, tag="kept"):
    """The place of the game or the study on the shelf."""

    board: Board
    item: str


class Opened(Event, frozen=True, tag="opened"):
    """The file of the study, and the games of its collection."""

    name: str
    games: list[str]
    number: int


class History(Event, frozen=True, tag="history"):
    """The edits of the study that can be taken back and made again; empty if there is none."""

    undo: str
    redo: str


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


class NodeAdded(Event, frozen=True, tag="node_added"):
    """A new node of a game tree, the last child of its parent."""

    board: Board
    document: int
    node: TreeNode


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
    prior: float | None
    rave: float | None
    line: list[str]


class Histogram(msgspec.Struct, frozen=True):
    """Numbers of simulations by Black's score, in bars of some points; 0 lies between two bars."""

    low: int
    """The lower end of the first bar."""
    width: int
    counts: list[int]


class PositionAnalysis(Event, frozen=True, tag="analysis"):
    """The analysis of a position by a running search, or by an earlier one stored in the record."""

    board: SearchBoard
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
    histogram: Histogram = Histogram(0, 1, [])
    per_second: float = 0.0
    depth: int = 0
    nodes: int = 0
    ownership: list[int] = []
    """In percent: 100 is surely Black's."""
    shares: dict[str, float] = {}
    """Shares of playout moves by heuristic."""
    without: list[str] = []
    """Parts of the preset that are switched off."""
    full: bool = False
    """Whether the tree was full and dropped rarely visited lines."""


class Working(Event, frozen=True, tag="working"):
    """The progress of a task of the page; the task is idle if `detail` is empty."""

    task: str
    detail: str = ""
    done: int = 0
    of: int = 0
    live: bool = False
    """Whether it is a search that a page may start again after a lost connection."""


class Mistake(msgspec.Struct, frozen=True):
    """A move that a review grades as a mistake."""

    node: int
    number: int
    color: Color
    move: str
    loss: float
    """The win rate lost by its player."""
    points: float
    """The score lost by its player."""
    grade: str
    better: list[str]


class PhaseSummary(msgspec.Struct, frozen=True):
    """The moves of a player in a phase of a reviewed game."""

    color: Color
    phase: str
    moves: int
    mistakes: int
    loss: float
    """The mean win rate that a move lost."""
    points: float
    """The mean score that a move lost."""


class Mistakes(Event, frozen=True, tag="mistakes"):
    """A reviewed game: its biggest mistakes, the biggest first, and a summary."""

    found: list[Mistake]
    summary: list[PhaseSummary]
    simulations: int
    """The fewest simulations of a position."""


class Judged(Event, frozen=True, tag="judged"):
    """The judgement of a move that was tried instead of the one played after a node."""

    node: int
    move: str
    loss: float
    points: float
    best: bool
    """Whether no better move is known."""


class Saved(Event, frozen=True, tag="saved"):
    """The record of a board."""

    name: str
    text: str


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


class TreeStep(msgspec.Struct, frozen=True):
    """The most visited nodes of the search tree after a number of simulations."""

    simulations: int
    nodes: list[SearchNode]


class Timeline(Event, frozen=True, tag="timeline"):
    """New steps of the growing search tree of a node of the study."""

    node: int
    preset: str
    first: int
    """The number of the first of them; with 0 the timeline begins."""
    steps: list[TreeStep]


class Owners(Event, frozen=True, tag="owners"):
    """Owners and criticality of points, in percent, after playouts from a node of the search tree or a lesson."""

    place: str
    """The position of a lesson, as in ``uct/start``; empty for the study, also below."""
    preset: str
    path: list[str]
    playouts: int
    ownership: list[int]
    """100 is surely Black's."""
    criticality: list[int]
    winrate: float
    """Black's."""
    scores: list[tuple[int, int]]
    """Area scores, komi not counted, and the numbers of playouts that ended so."""
    komi: float


class Traced(Event, frozen=True, tag="traced"):
    """A traced simulation, with the most visited nodes of its tree before and after."""

    place: str
    preset: str
    without: list[str]
    seed: int
    trace: Trace
    before: list[SearchNode]
    after: list[SearchNode]
    abouts: dict[str, str]
    """Descriptions by part."""


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
    """One playout from the position of a study, from a node of the search tree below it, or of a lesson."""

    place: str
    node: int
    preset: str
    path: list[str]
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


class LessonInfo(msgspec.Struct, frozen=True):
    """A chapter of the lessons."""

    name: str
    title: str
    summary: str


class Lessons(Event, frozen=True, tag="lessons"):
    """All chapters in their order."""

    found: list[LessonInfo]


class Lesson(Event, frozen=True, tag="lesson"):
    """A chapter."""

    name: str
    title: str
    preset: str
    overrides: list[str]
    """Changes of the preset."""
    paper: str
    section: str
    experiment: str
    positions: dict[str, Position]
    text: str
    """In Markdown, with controls."""


RunState = Literal["waiting", "running", "stopping", "stopped", "failed", "finished", "decided"]


class RunInfo(msgspec.Struct, frozen=True):
    """A match or an experiment of the queue."""

    id: str
    title: str
    state: RunState
    detail: str
    """Its extent and time, its progress, or the reason of its failure."""
    done: int
    of: int
    can: Literal["", "start", "resume", "stop"]
    """The request that this page may make."""
    is_papers: bool
    """Whether it is of the queue that reproduces the papers."""


class Runs(Event, frozen=True, tag="runs"):
    """The queue: what reproduces the papers in its order, and the runs of the folder, the latest first."""

    found: list[RunInfo]


class ExperimentInfo(msgspec.Struct, frozen=True):
    """An experiment of the papers at a scale."""

    name: str
    title: str
    source: str
    about: str
    size: str
    """``1,300 games``."""
    time: str
    """``about 3 h``, estimated."""


class Experiments(Event, frozen=True, tag="experiments"):
    """The papers' experiments at a scale."""

    scale: float
    found: list[ExperimentInfo]


class ReportPart(msgspec.Struct, frozen=True):
    """A part of a report."""

    kind: Literal["heading", "words", "items", "table", "plot"]
    words: str = ""
    """Its text, or a table's title, or a plot in words."""
    lines: list[str] = []
    rows: list[list[str]] = []
    """A table's head and its rows."""
    svg: str = ""


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
    """Statistics of a match, by pairing and by player, or records of an unknown experiment: tables with a head each."""
    verdict: str = ""
    report: list[ReportPart] = []
    """The report of an experiment, beside the paper's values; its plan before it has begun."""


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
