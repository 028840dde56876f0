"""What a page may ask for at most: all bounds in one place."""

from __future__ import annotations

from dataclasses import dataclass

MESSAGE_BYTES = 4 << 20
"""The longest message from a page; a game record is the longest of them."""
SGF_CHARACTERS = 2 << 20
NODES = 20_000
"""Nodes of a game tree."""
DEPTH = 2_000
"""Moves from the root of a game tree to its deepest node."""
COMMENT_CHARACTERS = 20_000
VISITS = 10_000_000
"""Simulations that one move may be asked to take."""
SECONDS = 3_600.0
REVIEW_SIMULATIONS = 100_000
"""For each position of a game that is looked over."""
TOLD_MOVES = 20
"""Moves of the root that an update tells of."""
TREE_ROWS = 400
"""Nodes of the search tree that are shown at once."""
PLAYOUT_MOVES = 1_200
CANDIDATES = 80
"""Points of a heuristic's list that are shown."""
QUEUED_EVENTS = 400
"""What may wait for a page that reads slowly; then it is closed. Of updates only the newest waits."""
QUEUED_BYTES = 64 << 20
"""The same in bytes: the tree of a large game is long."""
STUDIES = 500
"""Journals of a folder that are listed."""
GAMES = 2_000
"""Games of a match that are listed, the latest."""
JOURNAL_BYTES = 256 << 20
UPDATES = 0.1
"""Seconds between two updates of a live search."""


@dataclass(frozen=True)
class Limits:
    """What all pages together may use."""

    pages: int = 24
    threads: int = 1
    """Of searches that run at the same time."""
    megabytes: float = 256.0
    """For each search tree; a page has at most four: of a game, a study, its review and a duel."""
