"""What a library user may rely on: the names in `__all__` of these packages are there, documented, and run as shown."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import kikashi
from kikashi.board import Board, MutableBoard
from kikashi.board.position import BOARD
from kikashi.parts.blocks import BLOCK
from kikashi.playout import Block, Candidates, Simulation
from kikashi.playout.candidates import CANDIDATES
from kikashi.playout.simulation import SIMULATION
from kikashi.search import Node, Terms, TreeRecord
from kikashi.search.terms import TERMS
from kikashi.search.tree import NODE, TREE

ROOT = Path(__file__).parents[2]
PACKAGE = Path(kikashi.__file__).parent
PACKAGES = [
    "board",
    "experiments",
    "game",
    "jit",
    "learn",
    "match",
    "playout",
    "protocols",
    "report",
    "search",
    "sgf",
    "stats",
    "workers",
]
PUBLIC = (
    "kikashi",
    *(f"kikashi.{name}" for name in PACKAGES),
)
"""The list of docs/architecture.md."""
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.*")])


def exported(package: str) -> dict[str, object]:
    """The public objects of a package by name."""
    module = importlib.import_module(package)
    return {name: getattr(module, name) for name in module.__all__}


def submodules(package: str) -> set[str]:
    return {found.name for found in pkgutil.iter_modules(importlib.import_module(package).__path__)}


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("package", PUBLIC)
def test_names_are_there_once_and_are_no_modules(package: str) -> None:
    """A module of the same name would take its place as soon as somebody imports it."""
    module = importlib.import_module(package)
    assert len(set(module.__all__)) == len(module.__all__) > 0
    assert set(module.__all__) <= set(dir(module))
    assert not {name for name, found in exported(package).items() if isinstance(found, ModuleType)}
    assert not set(module.__all__) & submodules(package)


def test_the_public_packages_are_those_of_the_page() -> None:
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    paragraph = page[page.index("## What is public") :].split("\n## ")[0]
    assert tuple(sorted(set(re.findall(r"`(kikashi(?:\.\w+)?)`", paragraph)))) == PUBLIC


def test_names_are_imported_when_they_are_used() -> None:
    """``kikashi --help`` and a statistic need not wait for Numba, nor the names of lessons for SciPy."""
    code = (
        "import sys, kikashi, kikashi.match, kikashi.learn\n"
        "from kikashi.stats import bradley_terry, sprt, wilson\n"
        "assert 'run_match' in dir(kikashi.match)\n"
        "print([name for name in ('numba', 'scipy', 'kikashi.engine.player') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"^No kikashi\.stats attribute wilsons$"):
        _ = importlib.import_module("kikashi.stats").wilsons


# --- pages and examples -----------------------------------------------------------------------------------------------


def imports_in(text: str) -> Iterator[tuple[str, list[str]]]:
    """Modules of ours, and what a text imports from them: a page, a file of Python or a notebook."""
    for module, names in re.findall(r"from (kikashi[\w.]*) import (\([^)]*\)|[\w, ]+)", text):
        yield module, re.findall(r"\w+", re.sub(r" as \w+|\\n", " ", names))
    for module in re.findall(r"^[>. ]*import (kikashi[\w.]*)", text, re.MULTILINE):
        yield module, []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_import_only_public_names(page: Path) -> None:
    for module, names in imports_in(page.read_text("utf-8", errors="replace")):
        assert module in PUBLIC, f"{page.name} imports from {module}"
        known = {*importlib.import_module(module).__all__, *(name.rpartition(".")[2] for name in PUBLIC[1:])}
        assert set(names) <= known, f"{page.name} imports from {module}"


def test_imports_of_pages_are_found() -> None:
    text = ">>> from kikashi import Game, sgf\nfrom kikashi.stats import (\n    elo as points,\n    wilson,\n)\n"
    text += "import kikashi.web"
    assert list(imports_in(text)) == [
        ("kikashi", ["Game", "sgf"]),
        ("kikashi.stats", ["elo", "wilson"]),
        ("kikashi.web", []),
    ]


# --- documentation ----------------------------------------------------------------------------------------------------


@cache
def documented_constants() -> frozenset[str]:
    """The names in the package that are assigned a value with a docstring after it, each in a statement of its own: a
    reference made from sources sees no others."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for statement, after in pairwise(ast.parse(path.read_text("utf-8")).body):
            is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if is_text and isinstance(statement, ast.Assign | ast.AnnAssign):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(found)


def has_docstring(found: object) -> bool:
    """Whether there is a docstring, perhaps that of the method that this one overrides."""
    return bool((inspect.getdoc(found) or "").strip())


def undocumented(package: str) -> Iterator[str]:
    """Public names without a docstring, and such members of public classes. Kernels are wrapped functions.

    What a public protocol of the package says of a method holds for the classes that have it.
    """
    protocols = [found for found in exported(package).values() if getattr(found, "_is_protocol", False)]
    known = {member for protocol in protocols for member in vars(protocol)}
    for name, found in exported(package).items():
        if inspect.isclass(found):
            yield from (f"{name}.{member}" for member in members_without_docstring(found) if member not in known)
        if inspect.isclass(found) or inspect.isroutine(inspect.unwrap(found)):
            is_told = has_docstring(found)
        else:
            is_told = name in documented_constants() or name == "__version__"
        if not is_told:
            yield name


def members_without_docstring(found: type) -> Iterator[str]:
    for member, value in vars(found).items():
        is_default = getattr(value, "__name__", member) != member  # of a field, which is a function
        is_public = (inspect.isroutine(value) or isinstance(value, property)) and not member.startswith("_")
        if is_public and not is_default and not has_docstring(value):
            yield member


@pytest.mark.parametrize("package", PUBLIC)
def test_every_public_name_is_documented(package: str) -> None:
    assert importlib.import_module(package).__doc__
    assert list(undocumented(package)) == []


def owner(module: str) -> str:
    """The public package that a module of ours belongs to."""
    top = ".".join(module.split(".")[:2])
    return top if top in PUBLIC else "kikashi"


@cache
def homes() -> frozenset[str]:
    """The public packages, and the modules that public names are defined in."""
    modules = {str(getattr(found, "__module__", "")) for package in PUBLIC for found in exported(package).values()}
    return frozenset({*PUBLIC, *(module for module in modules if module.startswith("kikashi."))})


@pytest.mark.thorough
@pytest.mark.parametrize("package", PUBLIC)
def test_the_examples_of_docstrings_run(package: str) -> None:
    tried = 0
    for home in sorted(home for home in homes() if owner(home) == package):
        result = doctest.testmod(importlib.import_module(home))
        assert result.failed == 0, home
        tried += result.attempted
    assert tried > 1


# --- types ------------------------------------------------------------------------------------------------------------


def fields_of(protocol: type) -> set[str]:
    """The fields that a protocol names, those of its bases among them."""
    own = [vars(base) for base in protocol.__mro__ if base.__module__.startswith("kikashi.")]
    named = {name for each in own for name in each.get("__annotations__", {})}
    return named | {name for each in own for name, value in each.items() if isinstance(value, property)}


@pytest.mark.parametrize(
    ("protocol", "record", "private"),
    [
        (Board, BOARD, set()),
        (MutableBoard, BOARD, set()),
        (Simulation, SIMULATION, {"called"}),
        (Candidates, CANDIDATES, {"weighted", "overfull", "barred", "barred_count"}),
        (Block, BLOCK, set()),
        (Node, NODE, set()),
        (TreeRecord, TREE, {"least_visits", "columns", "column", "slots"}),
        (Terms, TERMS, set()),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_protocols_name_the_fields_of_records(protocol: type, record: np.dtype[np.void], private: set[str]) -> None:
    assert fields_of(protocol) == set(record.names or ()) - private


@pytest.mark.thorough
def test_a_typed_plugin_is_checked(tmp_path: Path) -> None:
    """Each line of the plugin that is wrong says the error that it expects; there are no others, and none in the page's
    heuristic."""
    plugin, of_page = Path(__file__).parents[1] / "data/typed_plugin.py", tmp_path / "eastward.py"
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    of_page.write_text(page.partition("```python\n")[2].partition("```")[0])
    lines = plugin.read_text("utf-8").splitlines()
    wrong = {number: line.partition("# wrong: ")[2] for number, line in enumerate(lines, 1)}
    expected = {("typed_plugin", str(number)): code for number, code in wrong.items() if code}
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path}"]
    done = subprocess.run([*command, str(plugin), str(of_page)], capture_output=True, text=True, check=False)
    found = re.findall(r"^\S+?(\w+)\.py:(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
    assert {(file, line): code for file, line, code in found} == expected, done.stdout + done.stderr
    assert len(expected) > 5
