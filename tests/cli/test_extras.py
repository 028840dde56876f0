"""Packages of extras that are not installed: one line, with the command that installs them."""

import subprocess
import sys

import pytest

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
def test_what_is_missing_is_told_with_the_command_that_installs_it(extra: str, package: str) -> None:
    program = WITHOUT.format(package=package.strip(), words=NEEDED[extra, package])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    said = f" needs {package.strip()}, which is not installed: pip install 'kikashi[{extra}]'\n"
    assert done.stderr.startswith("Error: ")
    assert done.stderr.endswith(said)
    assert done.stderr.count("\n") == 1
