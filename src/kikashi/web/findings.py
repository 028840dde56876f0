"""What a page is told of searches from the inside, of matches, and of duels; and the union of all events."""

from __future__ import annotations

import msgspec

from kikashi.web.events import (
    Evaluation,
    Event,
    Failed,
    GameState,
    GameTree,
    Mistakes,
    Opinion,
    Position,
    Saved,
    Welcome,
    Working,
)
from kikashi.web.messages import Color


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
    elo: str
    low: str
    high: str


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
    counts: list[int]
    shares: list[float]
    """After so many games of the first two players: the first one's share, and the bounds of its interval."""
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
