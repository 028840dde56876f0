"""Other people's programs that tests play with, and what is said where they are missing.

``python -m helpers.tools`` prints one line that names those that are missing, and how to get them; nothing if all are
there.
"""

import os
from pathlib import Path
from typing import NoReturn

import pytest

from kikashi.protocols.gtp.controller import find_program

CLIENTS = Path(__file__).parents[1] / "clients"
SABAKI = CLIENTS / "node_modules" / "@sabaki" / "gtp"
KATRAIN = CLIENTS / "katrain"
"""An environment of its own, with a Python that knows KaTrain."""
FRONTEND = Path(__file__).parents[2] / "frontend"
AXE = FRONTEND / "node_modules" / "axe-core" / "axe.min.js"


def tool(name: str) -> str:
    """The file of a program that a test needs; see `missing`."""
    return find_program(name) or missing(f"{name} is not installed; make tools does that")


def missing(what: str) -> NoReturn:
    """Skips tests for want of a tool, but fails them where ``make test`` says that nothing may be skipped."""
    if os.environ.get("KIKASHI_REQUIRE_TOOLS"):
        pytest.fail(what)
    pytest.skip(what, allow_module_level=True)


def missing_tools() -> list[str]:
    """What some tests need and is not here, by its Debian package where it has one."""
    packages = {"gnugo": "gnugo", "chromium": "chromium", "node": "nodejs", "npm": "npm"}
    found = [package for name, package in packages.items() if find_program(name) is None]
    others = {"Sabaki's packages": SABAKI, "KaTrain": KATRAIN / "bin", "the packages of the page": AXE}
    return [*found, *(name for name, place in others.items() if not place.exists())]


if __name__ == "__main__" and (names := missing_tools()):
    print(f"skipped: the tests that need {', '.join(names)}; to have them, run make tools (as root on Debian)")
