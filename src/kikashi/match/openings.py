"""Openings for matches: a small set of our own for each size, or the first moves of SGF files."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from kikashi import sgf
from kikashi.game import Game

Opening = tuple[str, ...]
OPENING_MOVES = 8
"""The number of moves that are taken from a file."""


def own_openings(size: int) -> list[Opening]:
    """Our set for a size; only the empty board where we have none.

    >>> own_openings(4)
    [()]
    """
    tables = tomllib.loads((resources.files("kikashi.match") / "openings.toml").read_text("utf-8"))
    return [tuple(line.split()) for line in tables.get(str(size), {"plain": [""]})["plain"]]


def read_openings(names: Sequence[str], size: int) -> tuple[Opening, ...]:
    """Our own set if nothing is named, only the empty board for ``none``, else files. Raises ValueError and OSError."""
    if not names:
        return tuple(own_openings(size))
    if list(names) == ["none"]:
        return ((),)
    return tuple(file_openings([Path(name) for name in names], size))


def file_openings(paths: Sequence[Path], size: int, moves: int = OPENING_MOVES) -> list[Opening]:
    """The first moves of games. Raises ValueError if one is of another size or begins with stones set up."""
    return [_file_opening(path, size, moves) for path in paths]


def _file_opening(path: Path, size: int, moves: int) -> Opening:
    game = sgf.read_game(path, moves=moves)
    if game.size != size:
        raise ValueError(f"{path} is a game on {game.size}x{game.size}, not {size}x{size}")
    if str(game.root()) != str(Game(size)):
        raise ValueError(f"{path} begins with stones on the board")
    if any(move.color != 1 + number % 2 for number, move in enumerate(game.moves)):
        raise ValueError(f"{path}: the players do not take turns in the first {moves} moves")
    return tuple(move.name for move in game.moves)
