"""Parser: from the bytes or the text of an SGF file to its trees, in one pass and without recursion.

Lenient with what programs really write: anything before, between and after the games, lower-case letters in
identifiers (``White[aa]`` of the older formats is W), a property named twice in a node, properties before the first
semicolon, surplus closing parentheses, and a single line of play that is never closed, as in the record of a game that
is still going on. Everything else that breaks the grammar is an :class:`SGFError` with its place.
"""

import codecs
import os
import re
from collections.abc import Iterator
from pathlib import Path

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
_BLANKS = re.compile(BLANKS_PATTERN)
_TOKEN = re.compile(rf"(?P<mark>[();])|(?P<name>{NAME_PATTERN})|\[(?P<value>{VALUE_PATTERN})\]", re.DOTALL)
_NODE = re.compile(rf"{BLANKS_PATTERN}({NODE_PATTERN})", re.DOTALL)


def parse(data: str | bytes) -> list[Node]:
    """Return the roots of all games of a file, given as its text or its bytes. Raises SGFError.

    >>> [root] = parse("(;SZ[9]C[two ways];B[ee](;W[cc])(;W[cg]))")
    >>> root.text("C"), [node.value("W") for node in root.children[0].children]
    ('two ways', ['cc', 'cg'])
    """
    return list(games(data))


def games(data: str | bytes, *, max_nodes: int | None = None) -> Iterator[Node]:
    """Yield the root of each game of a text or of bytes, as soon as it is read.

    Raises SGFError, also if a game has more than `max_nodes` nodes.
    """
    return _games(_source(data), max_nodes)


def load(path: str | os.PathLike[str]) -> list[Node]:
    """Return the roots of all games of the file at a path. Raises SGFError, and OSError if it cannot be read."""
    return list(_games(_source_of_file(path)))


def first_game(data: str | bytes | os.PathLike[str], *, max_nodes: int | None = None) -> Node:
    """Return the root of the first game of a text, bytes or a path, without reading the others.

    Raises like `load`, and SGFError if the game has more than `max_nodes` nodes.
    """
    return next(_games(_source_of_file(data) if isinstance(data, os.PathLike) else _source(data), max_nodes))


def _source(data: str | bytes) -> Source:
    if not isinstance(data, str | bytes | bytearray | memoryview):
        raise TypeError(f"a game record is a text or bytes, and load reads one from a path; this is {data!r}")
    if isinstance(data, str) and "(" not in data and data.strip().lower().endswith(".sgf"):
        raise SGFError(f"this is the name of a file, not its text; give Path({data.strip()!r})")
    return Source(data if isinstance(data, str) else decode(bytes(data)))


def _source_of_file(path: str | os.PathLike[str]) -> Source:
    if _GAME_START.match(str(path)):
        raise SGFError("this is the text of a game, not the path of a file: parse and read_game take it")
    return Source(decode(Path(path).read_bytes()), Path(path).name)


def _games(source: Source, max_nodes: int | None = None) -> Iterator[Node]:
    start = _GAME_START.search(source.text)
    if start is None:
        raise source.error(len(source.text), "no game found: a game begins with '(;'")
    while start is not None:
        reader = _GameReader(source, start, max_nodes)
        yield reader.read()
        start = _GAME_START.search(source.text, reader.position)


class _GameReader:
    """Reader of one game tree, which ends at `position`."""

    def __init__(self, source: Source, start: re.Match[str], max_nodes: int | None) -> None:
        self.source = source
        self.max_nodes = max_nodes
        self.position = start.end()
        self.nodes = int(start[0].endswith(";"))
        self.root = self.node = Node(source=source, offset=self.position - 1, unread=bool(self.nodes))
        self.forks: list[Node] = []
        self.had_variations = False
        self.previous = ";"
        self.name = ""
        self.name_offset = 0

    def read(self) -> Node:
        """Read the tree and return its root. Raises SGFError.

        Well-formed nodes are taken whole; their properties are read on demand. Only what is between them, or wrong, is
        read token by token.
        """
        text = self.source.text
        if self.nodes and (found := _NODE.match(text, self.root.offset)):
            self._skip_node(found)
        closed = False
        while not closed:
            if (found := _NODE.match(text, self.position)) and self.previous not in ("name", ")"):
                self._begin_node(found)
                continue
            if blanks := _BLANKS.match(text, self.position):
                self.position = blanks.end()
            token = _TOKEN.match(text, self.position)
            if token is None:
                self._check_end()
                break
            closed = self._take(token)
            self.position = token.end()
        if not self.nodes:
            raise self.source.error(self.root.offset, "no node in this game: a node begins with ';'")
        return self.root

    def _begin_node(self, found: re.Match[str]) -> None:
        self.node = Node(parent=self.node, source=self.source, offset=found.start(1), unread=True)
        self.nodes += 1
        if self.max_nodes is not None and self.nodes > self.max_nodes:
            raise self._error(f"a game tree has at most {self.max_nodes:,} nodes here")
        self._skip_node(found)

    def _skip_node(self, found: re.Match[str]) -> None:
        self.position, self.previous = found.end(), ";" if found.end() == found.start(1) + 1 else "value"

    def _take(self, token: re.Match[str]) -> bool:
        """Add one token to the tree; True if it closes the game."""
        kind, previous = token["mark"] or str(token.lastgroup), self.previous
        self.previous = kind
        if previous == "name" and kind != "value":
            raise self._no_value()
        if kind == "(":
            if previous == "(":
                raise self._error("a variation must begin with ';'")
            self.forks.append(self.node)
            self.had_variations = True
        elif kind == ")":
            if previous == "(":
                raise self._error("a variation without a node")
            if not self.forks:
                return True
            self.node = self.forks.pop()
        elif kind == ";":  # a well-formed node, but where none may be
            raise self._error("a node after a variation: it must stand before the variations or in one of its own")
        elif kind == "name":
            if previous in ("(", ")"):
                raise self._error(f"property {token[0][:20]} outside a node: a node begins with ';'")
            self.name, self.name_offset = property_name(token[0]), self.position
        else:
            if previous not in ("name", "value"):
                raise self._error("a value without a property")
            self.node.properties.setdefault(self.name, []).append(token["value"])
        return False

    def _check_end(self) -> None:
        """Accept the end of the text after a single line of play. Raises SGFError."""
        if self.position < len(self.source.text):
            character = self.source.text[self.position]
            if character == "[":
                raise self._error("a value that is never closed: ']' is missing")
            raise self._error(f"unexpected character {character!r}")
        if self.previous == "name":
            raise self._no_value()
        if self.had_variations or self.node is self.root:
            raise self._error("the file ends inside a game: ')' is missing")

    def _no_value(self) -> SGFError:
        return self.source.error(self.name_offset, f"property {self.name[:20]} has no value")

    def _error(self, problem: str) -> SGFError:
        return self.source.error(self.position, problem)


# --- encodings --------------------------------------------------------------------------------------------------------

_BYTE_ORDER_MARKS = [
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like UTF-16's mark, so it has to come first
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
]
_DECLARED = re.compile(rb"CA(?<=[;\]\s]CA)\s{0,9}\[\s{0,9}([\w.:-]{1,40})\s{0,9}\]")
_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"}
"""Programs name an old national standard and write characters of its later extension."""
_PROBE = rb"(;C[a+b-c~~d\\e:f .xn--4ca.])"


def decode(data: bytes) -> str:
    """Return the text of a file: never fails, at worst some characters are replaced.

    A byte order mark decides; else UTF-16 shows itself by its zeros; else the encoding that CA names, if it is one;
    else UTF-8; else Latin-1, which is SGF's default and can read anything.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    head = data[:1024]
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        # SGF is mostly ASCII, so in UTF-16 nearly every other byte is zero; in any other encoding none is.
        if head[first::2].count(0) > len(head) // 4:
            return data.decode(encoding, "replace")
    declared = _declared_encoding(data)
    for encoding in [declared, "utf-8"] if declared else ["utf-8"]:
        try:
            return data.decode(encoding)
        except UnicodeError:
            continue
    return data.decode(declared, "replace") if declared else data.decode("latin-1")


def _declared_encoding(data: bytes) -> str | None:
    """Return Python's name of the encoding that CA names; None if there is no CA or it names no usable encoding."""
    declared = _DECLARED.search(data)
    if declared is None:
        return None
    try:
        name = codecs.lookup(declared[1].decode("ascii")).name
        # Python also knows codecs that are no character sets (idna, punycode, unicode_escape): they change the probe.
        usable = _PROBE.decode(name) == _PROBE.decode("ascii")
    except (LookupError, ValueError):
        return None
    return _SUPERSETS.get(name, name) if usable else None
