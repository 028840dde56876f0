"""The steps of a simulation as records: selection, expansion, evaluation, backup, and what was learned.

Moves have their names (``"D4"``, ``"pass"``). Values and scores are Black's, but those of a node's children, and the
terms that they are selected by, are of the player to move there. Texts over the points of a board begin at the upper
left and go row by row, with ``.``, ``X`` (Black) and ``O`` (White).
"""

from __future__ import annotations

from typing import Literal

import msgspec

Color = Literal["black", "white"]
Way = Literal["largest", "drawn", "playout", "chosen"]
"""How a child was selected: the largest total, a draw by the totals, the playout policy, or a rule that tells nothing
of its reasons."""


class NodeNumbers(msgspec.Struct, frozen=True):
    """The numbers of a node, for Black."""

    visits: int
    value: float
    """Sum of the values of its simulations."""
    score: int
    """Sum of their area scores."""
    mean: float
    """Value by the backup rule; 0 before the first visit."""


class TracedChild(msgspec.Struct, frozen=True):
    """A child of a node when the selection rule was called."""

    move: str
    visits: int
    mean: float | None
    """Value by the backup rule; None before the first visit."""
    prior_games: float
    """Virtual games from priors."""
    prior_value: float | None
    """Mean value of the virtual games; None without any."""
    share: float
    """Probability of the move by a prior that gives one; else 0."""
    banned: bool
    """Whether it cannot be selected: it would repeat a position, was pruned, or is not legal."""
    terms: list[float | None]
    """Terms of its selection value, in the order of their names; None for one that it does not have."""
    total: float | None
    """Its selection value, which `way` speaks of; None if the rule gives none."""
    probability: float | None
    """Its probability, of a rule that draws."""


class TracedSelection(msgspec.Struct, frozen=True):
    """The selection of a child."""

    way: Way
    terms: list[str]
    """Names of the terms."""
    children: list[TracedChild]
    """All children, in the order of the tree."""
    chosen: str
    """The selected move; empty if there was none, so that the descent ended here."""
    by: str
    """The selection rule, or the heuristic that made the move for the playout policy."""
    refused: list[str]
    """Moves that were selected before it, but would repeat a position."""


class TracedPrior(msgspec.Struct, frozen=True):
    """Virtual games that one prior gave the children of a new node."""

    prior: str
    value: float
    """Value of each of its games, for the player to move."""
    games: dict[str, float]
    """Number of games by move."""


class TracedExpansion(msgspec.Struct, frozen=True):
    """The children that a leaf got."""

    moves: list[str]
    even_games: float
    """Virtual games of every move, half of them won."""
    priors: list[TracedPrior]
    is_shared: bool = False
    """Whether the children are those of the same position on another path, by a transposition."""


class TracedNode(msgspec.Struct, frozen=True):
    """A node of the path."""

    move: str
    """Move that led here; empty at the root."""
    to_play: Color
    """The player to move here."""
    index: int
    """Its place in the tree's array, until the tree is pruned or its root advances."""
    is_new: bool
    """Whether it is the first simulation that comes here."""
    before: NodeNumbers
    after: NodeNumbers
    expansion: TracedExpansion | None
    """The children that it got in this simulation, if it did."""
    selection: TracedSelection | None
    """None at the leaf, where the evaluation begins."""


class TracedMove(msgspec.Struct, frozen=True):
    """A move of the playout."""

    color: Color
    move: str
    by: str
    """The heuristic that made it, ``"uniform"`` or ``"pass"``."""
    captured: list[str]


class TracedResult(msgspec.Struct, frozen=True):
    """The result of a simulation, for Black."""

    evaluation: str
    """The evaluation, or ``"two passes"`` if the game ended in the tree."""
    value: float
    """Black's chance to win: 1 or 0 after a playout, a half for a draw."""
    score: float
    """Area score, without komi."""
    komi: float
    """Komi of the simulation."""
    winner: Literal["black", "white", ""]
    """The likelier winner; empty for a draw."""
    backed_up: float
    """What is added to the value of each node of the path."""
    stones: str
    """The board at the end."""
    owners: str
    """The owners of its points."""


class TracedChange(msgspec.Struct, frozen=True):
    """Numbers that a memory or a statistic changed at one place."""

    place: str
    """A cell of a memory, ``"cell 12"``, or a node by the moves to it, ``"E5 D4"``."""
    before: list[float]
    after: list[float]
    words: str
    """The change in words, if the part can say them; else empty."""


class TracedMemory(msgspec.Struct, frozen=True):
    """Changes of a memory of playouts or of a statistic of nodes."""

    part: str
    """``"last_replies(context=2)"``, or ``"rave"``."""
    kind: Literal["memory", "statistic"]
    fields: list[str]
    """Names of the numbers at a place; none if there is one."""
    changes: list[TracedChange]
