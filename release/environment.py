"""Make a virtual environment and install into it: ``python3 release/environment.py FOLDER REQUIREMENTS…``.

The requirements are words of ``pip install``. uv installs them if it is on the path or can be had as a wheel, in a few
seconds. Where it cannot, behind a company's mirror that only pip knows for example, pip does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from shutil import which

CONSTRAINTS = str(Path(__file__).parents[1] / "constraints.txt")
"""Versions for what is installed and, by uv and pip alike, for what builds it."""
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")


def main() -> None:
    folder, *requirements = sys.argv[1:]
    if sys.version_info < (3, 11):  # noqa: UP036 - any Python may run this
        sys.exit("kikashi needs Python 3.11 or newer")
    programs = Path(folder, "bin")
    python = str(programs / "python")
    if not os.access(python, os.X_OK):
        make_environment(folder)
    if not install_with_uv(programs, requirements):
        words = [python, *PIP, *requirements]
        sys.exit(subprocess.run(words, env=os.environ | {"PIP_CONSTRAINT": CONSTRAINTS}, check=False).returncode)


def make_environment(folder: str) -> None:
    """Make an environment, or nothing: half of one would be taken for a whole one by the next run."""
    code = subprocess.run([sys.executable, "-m", "venv", folder], check=False).returncode
    if code != 0:
        shutil.rmtree(folder, ignore_errors=True)
        sys.exit(code)


def install_with_uv(programs: Path, requirements: list[str]) -> bool:
    """Install with uv; return whether it could."""
    uv = which("uv") or fetch_uv(programs)
    if uv is None:
        return False
    words = [uv, "pip", "install", "--quiet", "--python", str(programs / "python"), "--build-constraint", CONSTRAINTS]
    more = {"UV_CONSTRAINT": CONSTRAINTS, "UV_PYTHON_DOWNLOADS": "never"}
    return _succeeds([*words, *requirements], more)


def fetch_uv(programs: Path) -> str | None:
    """Install uv into the environment, unless it is there; return its path, or None if there is no wheel of it."""
    uv = programs / "uv"
    if not uv.is_file():
        words = [str(programs / "python"), *PIP, "--retries", "1", "--only-binary", ":all:", "uv"]
        if not _succeeds(words, {"PIP_CONSTRAINT": CONSTRAINTS}):
            return None
    return str(uv)


def _succeeds(words: list[str], more: dict[str, str]) -> bool:
    return subprocess.run(words, env=os.environ | more, capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    main()
