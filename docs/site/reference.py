"""The API reference of the site: a page for each import that the table of docs/api.md names.

A package's page describes what its ``__all__`` names. A name that several packages export is described in one of them,
the one that lies deepest, and led to from the others.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import griffe

ROOT = Path(__file__).parents[2]
CONTENTS = "api.md"
IMPORT = re.compile(r"^\| `(kikashi[\w.]*)` \|", re.MULTILINE)


def pages() -> dict[str, str]:
    """The table with its links, and a page for each import."""
    names = imports()
    extensions = griffe.load_extensions(str(Path(__file__).with_name("sources.py")))
    package = griffe.load("kikashi", search_paths=[ROOT / "src"], extensions=extensions)
    found = {name: package if name == "kikashi" else package[name.removeprefix("kikashi.")] for name in names}
    homes: dict[str, str] = {}
    for name in sorted(names, key=lambda name: name.count("."), reverse=True):
        for exported in exports(found[name]):
            homes.setdefault(found[name][exported].canonical_path, name)
    table = (ROOT / "docs" / CONTENTS).read_text("utf-8").replace("../README.md", "index.md")
    linked = IMPORT.sub(r"| [`\1`](\1.md) |", table)
    return {CONTENTS: linked, **{f"{name}.md": described(found[name], name, homes) for name in names}}


def imports() -> list[str]:
    """The packages, and the functions that are described alone."""
    return IMPORT.findall((ROOT / "docs" / CONTENTS).read_text("utf-8"))


def exports(package: griffe.Object) -> list[str]:
    """Public names of a package, those of its stub; nothing for a function."""
    return list(importlib.import_module(package.path).__all__) if isinstance(package, griffe.Module) else []


def described(package: griffe.Object, path: str, homes: dict[str, str]) -> str:
    """The page of a package, with the members that have their home here, or of a function."""
    if not isinstance(package, griffe.Module):
        return f"# {path}\n\n::: {path}\n"
    own, other = [], []
    for name in exports(package):
        home = homes[package[name].canonical_path]
        if home == path:
            own.append(name)
        else:
            other.append(f'<span id="{path}.{name}"></span>[`{name}`][{home}.{name}]')
    said = f"# {path}\n\n::: {path}\n    options:\n      members: {own}\n"
    return f"{said}\nExported here, too: {', '.join(other)}.\n" if other else said
