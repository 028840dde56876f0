"""The map in CONTRIBUTING.md holds: every folder is on it, and every import goes up its table.

What goes against it today is listed in `KNOWN`, by name: the list may only become shorter.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import kikashi

PACKAGE = Path(kikashi.__file__).parent
MAP = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")
ROOMS = ("playout.heuristics", "playout.features", "search.rules", "protocols.gtp.commands")
"""Folders whose files register themselves and know nothing of each other."""
REGISTERING = {
    "heuristic",
    "memory",
    "feasibility",
    "feature",
    "selection",
    "region",
    "expansion",
    "evaluation",
    "backup",
    "command",
}

KNOWN: dict[str, set[tuple[str, str]]] = {
    # who imports -> what, both by the names of modules below `kikashi`
    "upwards": set(),
    "libraries": set(),
    "rooms": set(),
    "circles": {  # for type checkers alone: the interface tells which trees a search is made of
        ("search.interface", "search.tree_search"),
        ("search.tree_search", "search.interface"),
    },
}
"""What goes against the map: an entry that is no longer needed fails the test, and goes."""


class Import(NamedTuple):
    """One import of one module."""

    importer: str
    imported: str
    line: int
    by_name: bool
    """A text that is the name of a module: it is imported later, by whoever reads the text."""

    def __str__(self) -> str:
        return f"{modules()[self.importer].relative_to(PACKAGE.parent)}:{self.line} imports {self.imported}"


# --- the package ------------------------------------------------------------------------------------------------------


@cache
def modules() -> dict[str, Path]:
    """Every file of the package by its name below `kikashi`: `board.points`, `game` for its `__init__.py`."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


@cache
def imports() -> list[Import]:
    """All imports of the package: those of its own modules by their names, those of others by the library's.

    Imports inside functions and for type checkers count like others.
    """
    found = [
        Import(importer, imported, node.lineno, isinstance(node, ast.Constant))
        for importer, path in modules().items()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for imported in _imported_by(node)
        if imported != importer
    ]
    return list(dict.fromkeys(found))


def _imported_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (_short(alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "write imports in full"
        for alias in node.names:
            if (node.module, alias.name) != ("kikashi", "__version__"):
                inner = _short(f"{node.module}.{alias.name}")
                yield inner if inner in modules() else _short(str(node.module))
    elif isinstance(node, ast.Constant) and node.value in {f"kikashi.{module}" for module in modules()}:
        yield _short(str(node.value))


def _short(name: str) -> str:
    """A module's name below `kikashi`; of a module of others, its library."""
    if name == "kikashi":
        return "__init__"
    return name.removeprefix("kikashi.") if name.startswith("kikashi.") else name.partition(".")[0]


def place(module: str) -> str:
    """The folder or file of the map that a module belongs to."""
    return module.partition(".")[0]


# --- the map ----------------------------------------------------------------------------------------------------------


FOR_ALL = ("files", "wording")
"""Modules beside the packages, which all may import."""


def names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


@cache
def packages() -> list[str]:
    """The folders of the table, in the order of dependency."""
    start = MAP.index("| `src/kikashi/` | owns |")
    rows = re.findall(r"^\| ([^|]+) \|", MAP[start : MAP.index("\n\n", start)], re.MULTILINE)[1:]
    return [name for row in rows for name in re.findall(r"`(\w+)/`", row)]


def may_import(importer: str, imported: str) -> bool:
    """Whether the table allows one package, or module beside them, to import another."""
    order = [*FOR_ALL, *packages(), "__init__", "__main__"]
    return order.index(imported) < order.index(importer)


@cache
def libraries() -> dict[str, set[str]]:
    """By library: the places that may import it."""
    lines = re.findall(r"^    (.+) ◄── (.+)$", MAP, re.MULTILINE)
    return {library: set(names(places)) for library, places in lines}


# --- the tests --------------------------------------------------------------------------------------------------------


def check_known(kind: str, found: list[Import]) -> None:
    """Fail for what goes against the map and is not known, and for what is known and no longer there."""
    new = [str(one) for one in found if (one.importer, one.imported) not in KNOWN[kind]]
    gone = KNOWN[kind] - {(one.importer, one.imported) for one in found}
    assert not new, "\n".join(["against the map in CONTRIBUTING.md:", *new])
    assert not gone, f"no longer against the map: delete it from KNOWN[{kind!r}]: {sorted(gone)}"


def test_the_table_has_every_folder_and_no_other() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if any(path.glob("*.py")) or any(path.glob("*.toml"))}
    assert set(packages()) == folders | {"weights"}
    assert len(packages()) == len(set(packages()))


def test_nothing_lies_beside_the_packages_but_utilities() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} == {*FOR_ALL, "__init__", "__main__"}


def test_imports_go_up_the_table() -> None:
    crossing = [one for one in imports() if one.imported in modules() and place(one.importer) != place(one.imported)]
    assert len(crossing) > 150
    check_known("upwards", [one for one in crossing if not may_import(place(one.importer), place(one.imported))])


def test_libraries_are_imported_only_by_the_listed_packages() -> None:
    assert len(libraries()) >= 4
    users = [one for one in imports() if one.imported in libraries()]
    check_known("libraries", [one for one in users if place(one.importer) not in libraries()[one.imported]])
    for library, places in libraries().items():
        assert places <= {place(one.importer) for one in users if one.imported == library}, f"who imports {library}"


def registers_parts(module: str) -> bool:
    """Whether a file registers something by a decorator."""
    decorators = [
        decorator
        for node in ast.walk(ast.parse(modules()[module].read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
    ]
    called = [decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in decorators]
    return any(isinstance(name, ast.Name) and name.id in REGISTERING for name in called)


def test_files_that_register_parts_are_not_imported_by_their_neighbours() -> None:
    """They may share helpers, in files that register nothing."""
    found = []
    for room in ROOMS:
        inside = {module for module in modules() if module.startswith(f"{room}.")}
        registering = {module for module in inside if registers_parts(module)}
        assert len(registering) >= 3, room
        found += [one for one in imports() if one.importer in inside and one.imported in registering]
    check_known("rooms", found)


def test_no_two_files_import_each_other_even_roundabout() -> None:
    targets: dict[str, set[str]] = {module: set() for module in modules()}
    inside = [one for one in imports() if one.imported in targets and not one.by_name]
    for one in inside:
        targets[one.importer].add(one.imported)

    def leads_back(one: Import) -> bool:
        seen, waiting = {one.imported}, [one.imported]
        while waiting:
            for target in targets[waiting.pop()] - seen:
                seen.add(target)
                waiting.append(target)
        return one.importer in seen

    check_known("circles", [one for one in inside if leads_back(one)])
