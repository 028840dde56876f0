"""Commands that only list or tell something compile nothing, and do not even import what compiles."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from kikashi.cli import main
try:
    main({words!r})
except SystemExit:
    pass
print("|", *sorted({{"numba", "numpy", "scipy", "rich"}} & sys.modules.keys()))
"""


@pytest.mark.parametrize("words", ["--help", "--version", "presets", "match --help", "experiment --help"])
def test_nothing_is_imported_that_is_not_needed(words: str) -> None:
    program = PROGRAM.format(words=words.split())
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    told, _, imported = done.stdout.rpartition("|")
    assert told
    assert imported.split() == []
