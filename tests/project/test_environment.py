"""``release/environment.py`` installs with uv where that works, else with pip; fakes of both note their arguments."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKS, FAILS = 0, 1


def fake(program: Path, notes: Path, code: int, more: str = "") -> None:
    """Write a program that notes its arguments and ends with a code."""
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f'#!/bin/sh\necho "{program.name} $*" >> {notes}\n{more}\nexit {code}\n')
    program.chmod(0o755)


def install(tmp_path: Path, *words: str) -> tuple[int, list[str]]:
    """Install into an environment with a fake Python; return the exit code and the calls."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "release" / "environment.py"), str(tmp_path / "env"), *words],
        env={**os.environ, "PATH": f"{tmp_path / 'path'}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, (tmp_path / "notes").read_text().splitlines()


@pytest.mark.parametrize("wanted", [["--editable", "."], ["--no-deps", "--requirement", "some.txt"]])
def test_uv_of_the_path_installs(tmp_path: Path, wanted: list[str]) -> None:
    fake(tmp_path / "env" / "bin" / "python", tmp_path / "notes", WORKS)
    fake(tmp_path / "path" / "uv", tmp_path / "notes", WORKS, 'test -f "$UV_CONSTRAINT" || exit 3')
    code, (call,) = install(tmp_path, *wanted)
    assert code == 0
    assert call.startswith(f"uv pip install --quiet --python {tmp_path / 'env' / 'bin' / 'python'} ")
    assert call.endswith(f" {' '.join(wanted)}")


def test_uv_is_fetched_as_a_wheel_where_there_is_none(tmp_path: Path) -> None:
    programs, notes = tmp_path / "env" / "bin", tmp_path / "notes"
    fake(tmp_path / "new-uv", notes, WORKS)
    fake(programs / "python", notes, WORKS, f"mv {tmp_path / 'new-uv'} {programs / 'uv'}")
    code, (fetched, installed) = install(tmp_path, "--editable", ".")
    assert code == 0
    assert fetched.startswith("python -m pip install ")
    assert fetched.endswith("--only-binary :all: uv")
    assert installed.startswith("new-uv pip install ")


def test_where_uv_fails_pip_installs(tmp_path: Path) -> None:
    fake(tmp_path / "env" / "bin" / "python", tmp_path / "notes", WORKS, 'test -f "$PIP_CONSTRAINT" || exit 3')
    fake(tmp_path / "path" / "uv", tmp_path / "notes", FAILS)
    code, (first, second) = install(tmp_path, "--editable", ".")
    assert code == 0
    assert first.startswith("uv ")
    assert second == "python -m pip install --quiet --disable-pip-version-check --editable ."


def test_what_nobody_can_install_ends_with_the_code_of_pip(tmp_path: Path) -> None:
    fake(tmp_path / "env" / "bin" / "python", tmp_path / "notes", FAILS)
    code, calls = install(tmp_path, "--editable", ".")
    assert code == FAILS
    assert [call.split()[0] for call in calls] == ["python", "python"]


def test_the_demo_needs_less_than_the_tests() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert "\ndemo: $(RUNTIME) " in makefile
    assert "\t@$(INSTALL) .venv --editable .\n" in makefile
    assert "\t@$(INSTALL) .venv --editable '.[test,check]'\n" in makefile


def test_half_an_environment_is_removed(tmp_path: Path) -> None:
    """Debian's Python without the package python3-venv makes the folder, says what to install, and fails."""
    (tmp_path / "modules").mkdir()
    made = "from pathlib import Path\nfolder = Path(__import__('sys').argv[1], 'bin')\nfolder.mkdir(parents=True)\n"
    (tmp_path / "modules" / "venv.py").write_text(f"{made}raise SystemExit('install python3-venv')\n")
    done = subprocess.run(
        [sys.executable, str(ROOT / "release" / "environment.py"), str(tmp_path / "env"), "--editable", "."],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "modules")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "install python3-venv\n")
    assert not (tmp_path / "env").exists()
