"""What the default players need can be compiled ahead; then nothing is compiled when they play."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kikashi.engine import warmup as warming
from kikashi.engine.preset import DEFAULT
from kikashi.jit import progress
from kikashi.terminal import demo

COMMAND = [sys.executable, "-m", "kikashi"]
GAME = "boardsize 9\ngenmove b\ngenmove w\nplay b pass\ngenmove w\nfinal_status_list dead\nquit\n"


def run(cache: Path, *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "KIKASHI_CACHE": str(cache)}
    return subprocess.run([*COMMAND, *words], input=said, env=environment, capture_output=True, text=True, check=False)


def kernels(cache: Path) -> dict[str, int]:
    return {str(file): file.stat().st_mtime_ns for file in cache.rglob("*") if file.is_file()}


@pytest.mark.slow
@pytest.mark.soak
def test_nothing_is_compiled_after_a_warm_up(tmp_path: Path) -> None:
    first = run(tmp_path, "warm")
    assert (first.returncode, first.stdout) == (0, "everything is compiled\n"), first.stderr
    there = kernels(tmp_path)
    again = run(tmp_path, "warm")
    assert (again.returncode, again.stdout) == (0, "nothing to do: everything is compiled already\n")
    game = run(tmp_path, "gtp", "--simulations", "20", said=GAME)
    assert game.stdout.count("=") == 7
    watched = run(tmp_path, "demo", "--simulations", "5", "--size", "5", "--output", str(tmp_path / "demo.sgf"))
    for done in (game, watched):
        assert done.returncode == 0
        assert "getting ready" not in done.stderr
    (tmp_path / "demo.sgf").unlink()
    assert kernels(tmp_path) == there


def test_the_default_players_are_warmed() -> None:
    assert set(warming.PRESETS) == {DEFAULT, *demo.PRESETS.values()}


def test_what_is_there_for_other_parts_is_not_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stamp names the parts: a preset that has another one is warmed anew."""
    warmed: list[str] = []
    monkeypatch.setattr(warming, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(warming, "warm_up", lambda preset: warmed.append(preset.name))
    monkeypatch.setattr(warming.subprocess, "Popen", _Nobody)
    assert warming.warm()
    assert warmed == ["mogo-2006", *warming.PRESETS], "first the loops"
    assert not warming.warm()
    monkeypatch.setattr(warming, "PRESETS", ("lgrf2",))
    assert warming.warm()
    assert warmed[-1] == "lgrf2"


class _Nobody:
    """A process that is none."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __enter__(self) -> _Nobody:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def terminate(self) -> None:
        pass


def test_what_is_announced_inside_of_something_announced_is_part_of_it() -> None:
    def one() -> None: ...

    def other() -> None: ...

    with progress.announced([one, other]):
        total = progress._PROGRESS.total
        with progress.announced([one]):
            assert progress._PROGRESS.total == total == 2
        assert progress._PROGRESS.total == 2
    assert progress._PROGRESS.total == 0
