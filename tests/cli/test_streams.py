"""Standard streams that are closed, full or no longer read: one line or silence, and never a traceback."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
KIKASHI = shlex.join([sys.executable, "-m", "kikashi"])
CASES = {
    "experiment list | head -1": (0, ""),
    "demo --size 3 --simulations 5 | head -1": (0, ""),
    "presets >&-": (1, "standard output is closed"),
    "gtp </dev/null >&-": (1, "standard output is closed"),
    "presets >/dev/full": (1, "No space left on device"),
    "--help >/dev/full": (1, "No space left on device"),
    "demo --size 3 --simulations 5 >/dev/full": (1, "No space left on device"),
    "play --simulations 5 </dev/null >/dev/full": (1, "No space left on device"),
    "--help >/dev/full 2>&-": (1, ""),
    "gtp <&-": (1, "standard input is closed"),
    "play --simulations 5 <&-": (0, ""),
    "gtp --megabytes 900000000 </dev/null": (1, "900000000 megabytes are more than this machine has"),
    "play --megabytes 900000000 </dev/null": (1, "more than this machine has"),
}


@pytest.mark.parametrize("case", CASES)
def test_streams_that_are_no_use(case: str, tmp_path: Path) -> None:
    code, said = CASES[case]
    done = subprocess.run(
        f"{KIKASHI} {case}", shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    told = [line for line in done.stderr.splitlines() if not line.startswith("kikashi: compiling")]
    assert done.returncode == code
    assert len(told) == (1 if said else 0), done.stderr
    assert said in "".join(told)
    assert "Traceback" not in done.stdout
