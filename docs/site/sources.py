"""What Griffe, which reads the sources for the API reference, does not see by itself.

Those are constants of ``A, B = 1, 2``, and in docstrings the examples and the words that are for Sphinx.
"""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
FENCE = "```pycon"
ROLE = re.compile(r":(?:class|func|meth|mod):(?=`)")


class Sources(griffe.Extension):
    """Called by Griffe while it reads."""

    def on_module_members(self, *, node: Any, mod: griffe.Module, **_: Any) -> None:
        """Make constants that are assigned together attributes of the module; all have the docstring behind them."""
        if not isinstance(node, ast.Module):
            return
        for statement, following in pairwise([*node.body, ast.Pass()]):
            for name, value in constants(statement):
                mod.set_member(name, griffe.Attribute(name, value=ast.unparse(value), docstring=said_by(following)))

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Make code blocks of the examples in a docstring, as Markdown has them, and leave out Sphinx's roles."""
        if obj.docstring is not None and not obj.docstring.value.count(FENCE):
            text = EXAMPLE.sub(lambda example: f"{FENCE}\n{example[0]}\n```", obj.docstring.value)
            obj.docstring.value = ROLE.sub("", text)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Do the same for the package at the top, which is no member of any other."""
        self.on_object(obj=pkg)


def constants(statement: ast.stmt) -> list[tuple[str, ast.expr]]:
    """Names and values of an assignment of as many values to names; nothing for another statement."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            return [(name.id, value) for name, value in zip(names, values, strict=True) if isinstance(name, ast.Name)]
    return []


def said_by(statement: ast.stmt) -> griffe.Docstring | None:
    """The docstring that a statement is, if it is one."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return griffe.Docstring(text)
    return None
