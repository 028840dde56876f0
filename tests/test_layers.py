"""The map of CONTRIBUTING.md: imports point one way, those for type checkers and those inside functions included."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"


def module_name(file: Path) -> str:
    """``kikashi.gtp.lines``; ``kikashi.gtp`` for its ``__init__.py``."""
    return ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(file): file for file in sorted(SOURCE.glob("kikashi/**/*.py"))}


def imported(name: str) -> set[str]:
    """The modules of the package that a module names in its import statements."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: imports are written out in full"
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {path if path in MODULES else str(node.module) for path in whole}
    return (found & MODULES.keys()) - {name}


def test_no_module_imports_itself_by_a_detour() -> None:
    try:
        TopologicalSorter({name: imported(name) for name in MODULES}).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


NEIGHBOURS = {
    "kikashi.gtp.session": {"kikashi.gtp.lines", "kikashi.gtp.protocol"},
    "kikashi.gtp.registry": {"kikashi.gtp.arguments", "kikashi.gtp.session"},
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_commands_know_the_session_and_not_the_other_way(name: str) -> None:
    assert {module for module in imported(name) if module.startswith("kikashi.gtp")} == NEIGHBOURS[name]
