"""``make test`` where other people's programs cannot be installed: nobody is root, and there is no node."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.tools import missing_tools

ROOT = Path(__file__).parents[2]
NEEDED = ("sh", "make", "touch", "test", "env", "mkdir")
TELL = 'echo "pytest requires:$KIKASHI_REQUIRE_TOOLS"'
FAKES = {"id": "echo 1000", "python": f'case "$*" in *pytest*) {TELL};; *warm) ;; *) exec {sys.executable} "$@";; esac'}
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def make_test(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the target with a Python that only says it was asked to test, and without node or root."""
    for name in NEEDED:
        (folder / name).symlink_to(str(shutil.which(name)))
    for name, script in FAKES.items():
        (folder / name).write_text(f"#!{shutil.which('sh')}\n{script}\n")
        (folder / name).chmod(0o755)
    for name in ("package", "web", "stamp", "katrain"):
        (folder / name).touch()
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "MAKEFLAGS", "MAKELEVEL")}
    made = {"RUNTIME": "package", "WEB": "web", "STAMP": "stamp", "CLIENTS": "node_modules", "KATRAIN": "katrain"}
    words = [f"BIN={folder}", *(f"{variable}={folder / name}" for variable, name in made.items())]
    return subprocess.run(
        ["make", "--directory", str(ROOT), "test", *words],
        env={**kept, "PATH": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_rest_is_tested_and_one_line_names_the_skipped_tools(tmp_path: Path) -> None:
    done = make_test(tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if not line.startswith("make")]
    assert lines.count("pytest requires:") == 2, "with and without bounds checked, and tests may be skipped"
    assert [number for number, line in enumerate(lines) if "skipped" in line] == [len(lines) - 1]
    assert "nodejs, npm" in lines[-1]
    assert "make tools" in lines[-1]
    assert done.stderr == ""


def test_nothing_is_skipped_under_ci(tmp_path: Path) -> None:
    done = make_test(tmp_path, CI="true")
    assert done.returncode != 0
    assert "the tests need nodejs npm: install it, or run make tools as root" in done.stderr
    assert "pytest requires" not in done.stdout


def test_without_a_missing_tool_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gnugo", "chromium", "node", "npm"):
        (tmp_path / name).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert set(missing_tools()) <= {"Sabaki's packages", "KaTrain", "the packages of the page"}


def test_the_page_needs_nothing_of_tests_and_compiles_nothing_ahead() -> None:
    done = subprocess.run(
        ["make", "--directory", str(ROOT), "--dry-run", "--always-make", "web"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--editable '.[web]'" in done.stdout
    assert "bin/kikashi web" in done.stdout
    assert "[test" not in done.stdout
    assert "kikashi warm" not in done.stdout
