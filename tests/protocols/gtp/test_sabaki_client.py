"""Sabaki's own GTP and SGF packages drive the engine: a whole game, browsing through it, and an analysis."""

import json
import subprocess

import pytest

from helpers.gtp_text import COMMAND, noise
from helpers.tools import CLIENTS, SABAKI, missing, tool

pytestmark = pytest.mark.slow


def test_sabaki_plays_and_analyses() -> None:
    node = tool("node")
    if not SABAKI.is_dir():
        missing("Sabaki's packages are not in tests/clients/node_modules; make tools puts them there")
    done = subprocess.run(
        [node, str(CLIENTS / "play.mjs"), *COMMAND, "--playouts", "30"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["name"] == "kikashi"
    assert said["command"] == "kata-analyze", "the first of those that Sabaki looks for"
    assert said["moves"] > 10
    assert noise("\n".join(said["stderr"])) == ""
