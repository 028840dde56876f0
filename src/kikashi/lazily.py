"""Public names of a package that are imported when they are first used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any


def found_in(package: str, homes: Mapping[str, Iterable[str]]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package whose public names are in these modules: names by module."""
    modules = {name: module for module, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(modules[name]), name)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return get, names
