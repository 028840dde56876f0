"""The tree of an SGF file: nodes with their properties, and the text inside property values.

Property values are kept exactly as they stand in the file, escapes included, so that whatever was read can be written
again; :meth:`Node.text` and :meth:`Node.set_text` translate from and to plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from kikashi.wording import plural

VALUE_PATTERN = r"[^\\\]]*+(?:\\.[^\\\]]*+)*+"
"""The text between the brackets of a value, with a closing bracket only behind a backslash."""

NAME_PATTERN = r"[A-Za-z]++[0-9]*+"
BLANKS_PATTERN = r"[\s\0\ufeff]*+"
_VALUES_PATTERN = rf"(?:{BLANKS_PATTERN}\[{VALUE_PATTERN}\])++"
NODE_PATTERN = rf";(?:{BLANKS_PATTERN}{NAME_PATTERN}{_VALUES_PATTERN})*+"
"""A node with all its properties, as far as they are well formed."""

_PROPERTY = re.compile(rf"{BLANKS_PATTERN}({NAME_PATTERN})({_VALUES_PATTERN})", re.DOTALL)
_VALUE = re.compile(rf"\[({VALUE_PATTERN})\]", re.DOTALL)
_LINE_BREAK = re.compile(r"\r\n|\n\r|\r|\n")
_OTHER_BLANKS = "".join(c for c in map(chr, range(0x10000)) if c.isspace() and c not in "\r\n ")
_STAND_INS = "".join(map(chr, [*range(1, 9), 0xD800, 0xD801]))
"""Placeholder characters: texts hardly have the first, and cannot have the last two."""


class SGFError(ValueError):
    """An error in an SGF file, in one line that begins with its place."""


class RecordedMoveError(SGFError):
    """An illegal move of a record, after `played` legal ones."""

    def __init__(self, problem: str, played: int) -> None:
        super().__init__(problem)
        self.played = played


class Source:
    """The text that nodes were read from, with the places of errors."""

    def __init__(self, text: str, name: str = "") -> None:
        self.text = text
        self.name = name

    def place(self, offset: int) -> str:
        """Return line and column, both counted from 1, as in ``"game.sgf, line 3, column 14"``."""
        line, line_start = 1, 0
        for line_break in _LINE_BREAK.finditer(self.text, 0, offset):
            line, line_start = line + 1, line_break.end()
        place = f"line {line}, column {offset - line_start + 1}"
        return f"{self.name}, {place}" if self.name else place

    def error(self, offset: int, problem: str) -> SGFError:
        """Return the exception for a problem at an offset of the text."""
        return SGFError(f"{self.place(offset)}: {problem}")


class Node:
    """One node of a game tree.

    ``properties`` maps names (``"B"``, ``"AB"``) to their values as written in the file. The first child continues the
    main line, the others are variations. ``parent`` is None at the root.

    A node that was read from a text holds only its place in it until its properties are read: a file of many nodes
    would take a hundred times its size otherwise.
    """

    __slots__ = ("_children", "_properties", "offset", "parent", "source")

    def __init__(
        self, parent: Node | None = None, source: Source | None = None, offset: int = 0, *, unread: bool = False
    ) -> None:
        """Make a node; the properties of an `unread` one stand in the text, after the semicolon at the offset."""
        self._properties: dict[str, list[str]] | None = None if unread else {}
        self._children: list[Node] | None = None
        self.parent = parent
        self.source = source
        self.offset = offset
        if parent is not None:
            parent.children.append(self)

    @property
    def properties(self) -> dict[str, list[str]]:
        """Values by name, as they are written in the file: escaped. They may be changed."""
        if self._properties is None:
            self._properties = self.peek()
        return self._properties

    def peek(self) -> dict[str, list[str]]:
        """Return the properties for reading only, without keeping them in memory."""
        if self._properties is not None or self.source is None:
            return self._properties or {}
        properties: dict[str, list[str]] = {}
        position = self.offset + 1
        while found := _PROPERTY.match(self.source.text, position):
            values = properties.setdefault(property_name(found[1]), [])
            values += (value[1] for value in _VALUE.finditer(self.source.text, found.start(2), found.end(2)))
            position = found.end()
        return properties

    @property
    def children(self) -> list[Node]:
        """The nodes that follow, the main line first. They may be changed."""
        if self._children is None:
            self._children = []
        return self._children

    def __repr__(self) -> str:
        properties = "".join(
            name + "".join(f"[{value}]" for value in values) for name, values in self.properties.items()
        )
        return f"<Node ;{properties}, {plural(len(self.children), 'child', 'children')}>"

    def add_child(self) -> Node:
        """Add a node after this one, behind the variations that are there already, and return it."""
        return Node(parent=self)

    def main_line(self) -> Iterator[Node]:
        """Yield this node, its first child, the first child of that, and so on."""
        node = self
        yield node
        while node.children:
            node = node.children[0]
            yield node

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it, each before its children, the main line first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def value(self, name: str) -> str | None:
        """Return the first value of a property, without the blanks around it; None if it is missing or blank."""
        values = self.properties.get(name)
        return (values[0].strip() or None) if values else None

    def text(self, name: str) -> str | None:
        """Return the first value of a property as plain text with line breaks (SGF's Text); None if it is missing."""
        values = self.properties.get(name)
        return unescape(values[0]) if values else None

    def simple_text(self, name: str) -> str | None:
        """Return the first value of a property as plain text on one line (SGF's SimpleText); None if it is missing."""
        text = self.text(name)
        return None if text is None else text.replace("\n", " ").strip()

    def set_text(self, name: str, text: str) -> None:
        """Give a property one value: this plain text, escaped."""
        self.properties[name] = [escape(text)]

    def error(self, problem: str) -> SGFError:
        """Return the exception for a problem with this node."""
        return self.source.error(self.offset, problem) if self.source else SGFError(problem)


def property_name(written: str) -> str:
    """Return a name without lower-case letters, which did not count before FF[4], as in ``White[aa]``."""
    if written.isupper():
        return written
    return re.sub("[a-z]", "", written) if not written.islower() else written.upper()


def escape(text: str) -> str:
    """Return plain text as it must stand between brackets."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def unescape(value: str) -> str:
    """Return the plain text of a property value.

    An escaped line break is no line break at all (programs wrap long lines that way), every other one becomes ``\\n``,
    and all other white space becomes a blank.
    """
    if "\\" not in value:
        return _with_plain_breaks(value)
    # By replacing texts, not character by character: a comment may be longer than its game by far.
    backslash, nothing = islice((c for c in _STAND_INS if c not in value), 2)
    text = value.replace("\\\\", backslash)
    for line_break in ("\r\n", "\n\r", "\r", "\n"):
        text = text.replace("\\" + line_break, nothing)
    text = text[:-1].replace("\\", "") + text[-1:]  # a lone one at the end stays
    return _with_plain_breaks(text).replace(nothing, "").replace(backslash, "\\")


def _with_plain_breaks(text: str) -> str:
    """Return the text with every line break as ``\\n``, and all other white space as blanks."""
    if "\r" in text:
        simple = text.replace("\r\n", "\n")
        text = _LINE_BREAK.sub("\n", text) if "\n\r" in simple else simple.replace("\r", "\n")
    for blank in _OTHER_BLANKS:
        text = text.replace(blank, " ")  # the same text if there is none
    return text
