"""Writer: from trees to the text of an SGF file, without recursion."""

import os
import re
from collections.abc import Iterable

from kikashi.files import write_whole
from kikashi.sgf.nodes import VALUE_PATTERN, Node, SGFError

_NAME = re.compile(r"[A-Z]+[0-9]*")
_VALUE = re.compile(VALUE_PATTERN, re.DOTALL)
_WIDTH = 80


def dump(roots: Iterable[Node]) -> str:
    """Return the text of a file with these games, to be saved as UTF-8.

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
    """Return the text of a game, its lines broken between nodes and before variations."""
    pieces: list[str] = []
    width = 0
    waiting: list[Node | str] = [")", root, "("]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            piece, breaks = item, item == "(" and bool(pieces)
        else:
            properties = item.peek()
            if item is root:
                properties = {"FF": ["4"], "GM": ["1"], "CA": []} | properties | {"CA": ["UTF-8"]}
            piece = ";" + _properties(properties)
            breaks = width + len(piece) > _WIDTH and pieces[-1] != "("
            if len(item.children) == 1:
                waiting.append(item.children[0])
            else:
                waiting += [each for child in reversed(item.children) for each in (")", child, "(")]
        if breaks:
            pieces.append("\n")
            width = 0
        pieces.append(piece)
        width += len(piece)
    return "".join(pieces) + "\n"


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
