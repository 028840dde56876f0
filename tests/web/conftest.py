"""A browser and a server for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.tools import AXE, missing, tool
from helpers.web import serving
from kikashi.engine.preset import load_preset
from kikashi.engine.warmup import warm_up
from kikashi.web.server import FOLDER, Server
from kikashi.web.tasks import Limits, ServerState


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright; nothing is downloaded."""
    program = tool("chromium")
    if not AXE.is_file() or not FOLDER.is_dir():
        missing("the page is not built; make page does that")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        opened = playwright.chromium.launch(executable_path=program, args=flags)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("matches")


@pytest.fixture(scope="module")
def shown(folder: Path) -> Iterator[Server]:
    """A server of the built page; no test waits for its presets to compile."""
    for name in ("kikashi", "lgrf2", "mogo-2006"):
        warm_up(load_preset(name))
    with serving(ServerState(limits=Limits(megabytes=32), folder=folder), assets=None) as started:
        yield started
