"""Tries a wheel where nothing else of ours is: ``python release/trial.py WHEEL``, as ``make dist`` does.

For each Python that kikashi is for, where it can be had: a clean environment, neither compiler nor make on the path, an
empty home; then what people do first. The last lines tell which Pythons were tried. Any failure ends it with 1.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from steps import WITH_EXTRAS, WITHOUT_EXTRAS, Place, Steps

ROOT = Path(__file__).parents[1]
TOOLS = ROOT / ".venv-dist" / "bin"
FOR_PYTHON = "Programming Language :: Python :: 3."
NEXT_PYTHON = "3.14"
"""A version that all dependencies have wheels for. It gets its classifier once it was tried."""
NOT_THERE = ("cc", "gcc", "clang", "c++", "g++", "make", "cmake", "ld")


def versions() -> list[str]:
    """The Pythons that kikashi says it is for, such as 3.11, and the next one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [name.rpartition(" ")[2] for name in project["classifiers"] if name.startswith(FOR_PYTHON)]
    return list(dict.fromkeys([*named, NEXT_PYTHON]))


def find_python(version: str) -> str | None:
    """A Python of this version from the path or from pyenv's folder, that really starts."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = [which(f"python{version}"), *sorted(map(str, pyenv.glob(f"versions/{version}.*/bin/python")), reverse=True)]
    asked = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    for program in filter(None, found):  # what pyenv puts on the path may be there and not start
        done = subprocess.run([program, "-c", asked], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip() == version:
            return program
    return None


def try_on(python: str, wheel: Path, folder: Path) -> None:
    """The whole trial on one Python. Raises AssertionError or CalledProcessError."""
    subprocess.run([python, "-m", "venv", str(folder / "env")], check=True)
    home = folder / "home"
    home.mkdir()
    place = Place(folder / "env" / "bin", home)
    there = [name for name in NOT_THERE if which(name, path=place.environment["PATH"])]
    assert not there, f"{there} should not be on the path"
    install(place, str(wheel))
    take(WITHOUT_EXTRAS, place)
    install(place, f"{wheel}[web,learn]")
    take(WITH_EXTRAS, place)
    install(place, f"{wheel}[web,learn,dask,mpi]", "--dry-run")


def take(steps: Steps, place: Place) -> None:
    """Takes steps one after the other."""
    for step in steps:
        with timed(str(step.__doc__)):
            step(place)


def install(place: Place, what: str, *options: str) -> None:
    """Installs as a user would, but never by compiling."""
    pip = [str(place.bin / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *options]
    with timed(" ".join(["pip install", what.rpartition("/")[2], *options])):
        subprocess.run([*pip, "--only-binary", ":all:", what], check=True)


def try_runners(wheel: Path, folder: Path) -> None:
    """The README's lines with pipx and uvx, each with caches of its own."""
    runners = {
        "pipx": [str(TOOLS / "pipx"), "run", "--spec", str(wheel), "kikashi", "--version"],
        "uvx": [str(TOOLS / "uvx"), "--from", str(wheel), "kikashi", "--version"],
    }
    own = {"PIPX_HOME": str(folder / "pipx"), "UV_CACHE_DIR": str(folder / "uv"), "UV_PYTHON_DOWNLOADS": "never"}
    for name, words in runners.items():
        with timed(f"{name} runs kikashi from the wheel"):
            done = subprocess.run(words, env=os.environ | own, check=True, stdout=subprocess.PIPE, text=True)
            assert done.stdout == f"kikashi, version {wheel.name.split('-')[1]}\n", done.stdout


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Prints what is done, and when it is done how long it took."""
    begun = time.monotonic()
    print(f"  {name}", end="", flush=True)
    yield
    print(f" ({time.monotonic() - begun:.0f} s)", flush=True)


def main() -> None:
    wheel = Path(sys.argv[1]).resolve()
    pythons = {version: find_python(version) for version in versions()}
    tried = {version: python for version, python in pythons.items() if python}
    for version, python in tried.items():
        print(f"Python {version} ({python})", flush=True)
        with TemporaryDirectory(prefix="kikashi-trial-") as folder:
            try_on(python, wheel, Path(folder))
    print("runners", flush=True)
    with TemporaryDirectory(prefix="kikashi-trial-") as folder:
        try_runners(wheel, Path(folder))
    print(f"{wheel.name} was tried on Python {', '.join(tried)}")
    if absent := [version for version in pythons if version not in tried]:
        print(f"not tried, as it is neither on the path nor with pyenv: Python {', '.join(absent)}")
    if not tried:
        sys.exit(1)


if __name__ == "__main__":
    main()
