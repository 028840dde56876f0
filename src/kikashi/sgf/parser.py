"""From the text of an SGF file to its trees, in one pass and without recursion.

Read leniently what programs really write: anything before, between and after the games, lower-case letters in
identifiers (``White[aa]`` of the older formats is W), a property named twice in a node, properties before the first
semicolon, surplus closing parentheses, and a single line of play that is never closed, as in the record of a game that
is still going on. Everything else that breaks the grammar is an :class:`SGFError` with its place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from kikashi.sgf.encoding import decode
from kikashi.sgf.nodes import (
    BLANKS_PATTERN,
    NAME_PATTERN,
    NODE_PATTERN,
    VALUE_PATTERN,
    Node,
    SGFError,
    Source,
    property_name,
)

_GAME_START = re.compile(r"\(\s*+(?:;|(?=[A-Z]{1,2}\[))")
_NOT_SPACE = re.compile(r"[^\s\0\ufeff]")
_TOKEN = re.compile(
    rf"(?P<mark>[();])|(?P<name>{NAME_PATTERN})|\[(?P<value>{VALUE_PATTERN})\]",
    re.DOTALL,
)
_NODE = re.compile(rf"{BLANKS_PATTERN}({NODE_PATTERN})", re.DOTALL)


def parse(data: str | bytes) -> list[Node]:
    """The roots of all games of a file, given as its text or its bytes. Raises SGFError.

    >>> [root] = parse("(;SZ[9]C[two ways];B[ee](;W[cc])(;W[cg]))")
    >>> root.text("C"), [node.value("W") for node in root.children[0].children]
    ('two ways', ['cc', 'cg'])
    """
    return list(games(_source(data)))


def load(path: str | os.PathLike[str]) -> list[Node]:
    """The roots of all games of the file at a path. Raises SGFError, and OSError if the file cannot be read."""
    return list(games(source_of_file(path)))


def first_game(data: str | bytes | os.PathLike[str], *, most: int | None = None) -> Node:
    """The root of the first game of a text, bytes or a path; the rest is not even looked at. Raises like `load`, and
    SGFError at the first node too many if there may be at most `most`."""
    return next(games(source_of_file(data) if isinstance(data, os.PathLike) else _source(data), most))


def _source(data: str | bytes) -> Source:
    if not isinstance(data, str | bytes | bytearray | memoryview):
        raise TypeError(f"a game record is a text or bytes, and load reads one from a path; this is {data!r}")
    if isinstance(data, str) and "(" not in data and data.strip().lower().endswith(".sgf"):
        raise SGFError(f"this is the name of a file, not its text; give Path({data.strip()!r})")
    return Source(data if isinstance(data, str) else decode(bytes(data)))


def source_of_file(path: str | os.PathLike[str]) -> Source:
    """The text of a file, with the file's name for messages. Raises OSError, and SGFError for the text of a game."""
    if _GAME_START.match(str(path)):
        raise SGFError("this is the text of a game, not the path of a file: parse and read_game take it")
    return Source(decode(Path(path).read_bytes()), Path(path).name)


def games(source: Source, most: int | None = None) -> Iterator[Node]:
    """The roots of the games in a text, read one by one. Raises SGFError, also if there is none, or if one has more
    than `most` nodes."""
    start = _GAME_START.search(source.text)
    if start is None:
        raise source.error(len(source.text), "no game found: a game begins with '(;'")
    while start is not None:
        reader = _GameReader(source, start, most)
        yield reader.read()
        start = _GAME_START.search(source.text, reader.position)


class _GameReader:
    """Reads one game tree; `position` is where it ends."""

    def __init__(self, source: Source, start: re.Match[str], most: int | None = None) -> None:
        self.source = source
        self.most = most
        self.position = start.end()
        self.semicolons = int(start[0].endswith(";"))
        self.root = Node(source=source, offset=self.position - 1, unread=bool(self.semicolons))
        self.node = self.root
        self.forks: list[Node] = []
        self.had_variations = False
        self.previous = ";"
        self.name = ""
        self.name_offset = 0

    def read(self) -> Node:
        """The root. Raises SGFError.

        Nodes that are well formed are taken whole, and looked into when somebody asks for their properties; token by
        token only what is between them, or wrong.
        """
        if self.semicolons:
            self._skip_properties(self.root.offset)
        closed = False
        while not closed:
            if (node := _NODE.match(self.source.text, self.position)) and self.previous not in ("name", ")"):
                self._begin_node(node.start(1), node.end())
                continue
            self._skip_space()
            token = _TOKEN.match(self.source.text, self.position)
            if token is None:
                self._stop()
                break
            closed = self._take(token)
            self.position = token.end()
        if not self.semicolons:
            raise self.source.error(self.root.offset, "no node in this game: a node begins with ';'")
        return self.root

    def _skip_space(self) -> None:
        found = _NOT_SPACE.search(self.source.text, self.position)
        self.position = found.start() if found else len(self.source.text)

    def _take(self, token: re.Match[str]) -> bool:
        """Add one token to the tree; True if it closes the game."""
        kind = str(token.lastgroup)
        if self.previous == "name" and kind != "value":
            raise self.source.error(self.name_offset, f"property {self.name[:20]} has no value")
        if kind == "mark":
            kind = token[0]
        closed = False
        if kind == "(":
            self._open()
        elif kind == ")":
            closed = self._close()
        elif kind == ";":  # a well-formed one is where no node may be
            raise self._error("a node after a variation: it must stand before the variations or in one of its own")
        elif kind == "name":
            self._name(token[0])
        else:
            self._value(token["value"])
        self.previous = kind
        return closed

    def _open(self) -> None:
        if self.previous == "(":
            raise self._error("a variation must begin with ';'")
        self.forks.append(self.node)
        self.had_variations = True

    def _close(self) -> bool:
        if self.previous == "(":
            raise self._error("a variation without a node")
        if not self.forks:
            return True
        self.node = self.forks.pop()
        return False

    def _begin_node(self, start: int, end: int) -> None:
        self.node = Node(parent=self.node, source=self.source, offset=start, unread=True)
        self.semicolons += 1
        if self.most is not None and self.semicolons > self.most:
            raise self._error(f"a game tree has at most {self.most:,} nodes here")
        self.position, self.previous = end, ";" if end == start + 1 else "value"

    def _skip_properties(self, start: int) -> None:
        """Go behind the well-formed properties of the root, whose semicolon is at `start`."""
        found = _NODE.match(self.source.text, start)
        end = found.end() if found else start + 1
        self.position, self.previous = end, ";" if end == start + 1 else "value"

    def _name(self, written: str) -> None:
        if self.previous in ("(", ")"):
            raise self._error(f"property {written[:20]} outside a node: a node begins with ';'")
        self.name = property_name(written)
        self.name_offset = self.position

    def _value(self, written: str) -> None:
        if self.previous not in ("name", "value"):
            raise self._error("a value without a property")
        self.node.properties.setdefault(self.name, []).append(written)

    def _stop(self) -> None:
        """Accept the end of the text after a single line of play, or raise what is wrong here."""
        if self.position < len(self.source.text):
            character = self.source.text[self.position]
            if character == "[":
                raise self._error("a value that is never closed: ']' is missing")
            raise self._error(f"unexpected character {character!r}")
        if self.previous == "name":
            raise self.source.error(self.name_offset, f"property {self.name[:20]} has no value")
        if self.had_variations or self.node is self.root:
            raise self._error("the file ends inside a game: ')' is missing")

    def _error(self, problem: str) -> SGFError:
        return self.source.error(self.position, problem)
