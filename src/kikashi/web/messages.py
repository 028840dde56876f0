"""What requests and events are made of. Every message between a page and the server is written once, in
`kikashi.web.requests` and `kikashi.web.events`: the page's TypeScript types are made from them.

Moves and points have their names (``"D4"``, ``"pass"``); lists over the points of a board begin at the upper left and
go row by row. Win rates and scores are Black's, but for the moves of an `Opinion`, which are their player's.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.game.time_control import MAX_PERIODS, MAX_SECONDS
from kikashi.web.limits import SECONDS, SGF_CHARACTERS, VISITS

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
    """What a player has left: main time, and periods of byo-yomi."""

    main: Annotated[float, Meta(ge=0, le=MAX_SECONDS)]
    periods: Annotated[int, Meta(ge=0, le=MAX_PERIODS)] = 0


class Thought(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a player may think about a move; a clock is written as in ``300+5``."""

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
