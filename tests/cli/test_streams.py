"""Standard streams and packages that are missing: one line or silence, and never a traceback."""

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
def test_unusable_streams_are_one_line_or_silence(case: str, tmp_path: Path) -> None:
    code, said = CASES[case]
    done = subprocess.run(
        f"{KIKASHI} {case}", shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    told = [line for line in done.stderr.splitlines() if not line.startswith("kikashi: compiling")]
    assert done.returncode == code
    assert len(told) == (1 if said else 0), done.stderr
    assert said in "".join(told)
    assert "Traceback" not in done.stdout


# --- packages of extras -----------------------------------------------------------------------------------------------

WITHOUT = """
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Without())
from kikashi.cli import main
main({words!r})
"""
MATCH = ["match", "lgrf2", "lgr1", "--executor"]
NEEDED = {
    ("web", "starlette"): ["web", "--no-browser"],
    ("web", "uvicorn"): ["web", "--no-browser"],
    ("web", "websockets"): ["web", "--no-browser"],
    ("dask", "distributed"): [*MATCH, "dask"],
    ("mpi", "mpi4py"): [*MATCH, "mpi"],
    ("mpi", "mpi4py "): ["gtp", "--ranks"],
    ("learn", "scipy"): ["learn", "games"],
    ("learn", "scipy "): ["self-play", "rounds"],
    ("learn", "scipy  "): ["balance", "games", "--output", "weights"],
}


@pytest.mark.thorough
@pytest.mark.parametrize(("extra", "package"), NEEDED)
def test_a_missing_package_is_named_with_the_command_that_installs_it(extra: str, package: str) -> None:
    program = WITHOUT.format(package=package.strip(), words=NEEDED[extra, package])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    said = f" needs {package.strip()}, which is not installed: pip install 'kikashi[{extra}]'\n"
    assert done.stderr.startswith("Error: ")
    assert done.stderr.endswith(said)
    assert done.stderr.count("\n") == 1
