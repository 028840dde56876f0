"""From trees to the text of an SGF file, without recursion."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from kikashi.files import write_whole
from kikashi.sgf.nodes import VALUE_PATTERN, Node, SGFError

_NAME = re.compile(r"[A-Z]+[0-9]*")
_VALUE = re.compile(VALUE_PATTERN, re.DOTALL)
_WIDTH = 80


def dump(roots: Iterable[Node]) -> str:
    """The text of a file with these games, to be saved as UTF-8, which its CA says.

    Everything in the trees is written, known or not. Raises SGFError if a property has an impossible name or a value
    that is not escaped as SGF demands; :meth:`Node.set_text` escapes.

    >>> from kikashi.sgf import parse
    >>> [root] = parse("(;SZ[9];B[ee])")
    >>> root.children[0].set_text("C", "a [good] move")
    >>> print(dump([root]), end="")
    (;FF[4]GM[1]CA[UTF-8]SZ[9];B[ee]C[a [good\\] move])
    """
    return "".join(_game(root) for root in roots)


def save(roots: Iterable[Node], path: str | os.PathLike[str]) -> None:
    """Write these games to a file, whole or not at all. Raises SGFError like `dump`, and OSError."""
    write_whole(path, dump(roots), make_folders=False)


def _game(root: Node) -> str:
    lines = _Lines()
    waiting: list[Node | str] = [")", root, "("]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            lines.mark(item)
            continue
        lines.node(_properties(_with_file_properties(item) if item is root else item.look()))
        if len(item.children) == 1:
            waiting.append(item.children[0])
        else:
            for child in reversed(item.children):
                waiting += [")", child, "("]
    return lines.text()


def _with_file_properties(root: Node) -> dict[str, list[str]]:
    properties = {"FF": ["4"], "GM": ["1"], **root.look(), "CA": ["UTF-8"]}
    first = ("FF", "GM", "CA")
    return {name: properties[name] for name in first} | properties


def _properties(properties: dict[str, list[str]]) -> str:
    pieces = []
    for name, values in properties.items():
        if not _NAME.fullmatch(name):
            raise SGFError(f"{name!r} is no name for a property: capital letters are needed")
        for value in values:
            if not _VALUE.fullmatch(value):
                raise SGFError(f"property {name} has a value with an unescaped ']' or a lone '\\' at its end")
        if values:
            pieces.append(name + "".join(f"[{value}]" for value in values))
    return "".join(pieces)


class _Lines:
    """Collects the text and breaks its lines where SGF allows it: between nodes and before variations."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._width = 0

    def mark(self, parenthesis: str) -> None:
        if parenthesis == "(" and self._pieces:
            self._break()
        self._add(parenthesis)

    def node(self, properties: str) -> None:
        if self._width + len(properties) >= _WIDTH and self._pieces[-1] != "(":
            self._break()
        self._add(";" + properties)

    def text(self) -> str:
        return "".join(self._pieces) + "\n"

    def _add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._width += len(piece)

    def _break(self) -> None:
        self._pieces.append("\n")
        self._width = 0
