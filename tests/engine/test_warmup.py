"""What players and parts need can be compiled ahead; then nothing is compiled when they play."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pytest

from kikashi.engine import warmup as warming
from kikashi.engine.preset import DEFAULT, preset_names
from kikashi.jit import progress
from kikashi.jit.cache import NativeCache
from kikashi.jit.kernels import Entry
from kikashi.parts.registry import KINDS, all_parts
from kikashi.terminal import demo

COMMAND = [sys.executable, "-m", "kikashi"]
GAME = "boardsize 9\ngenmove b\ngenmove w\nplay b pass\ngenmove w\nfinal_status_list dead\nquit\n"


def run(
    cache: Path, *words: str, lines: str = "", command: Sequence[str] = COMMAND
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "KIKASHI_CACHE": str(cache)}
    return subprocess.run([*command, *words], input=lines, env=environment, capture_output=True, text=True, check=False)


def kernels(cache: Path) -> dict[str, int]:
    return {str(file): file.stat().st_mtime_ns for file in cache.rglob("*") if file.is_file()}


PRESETS = """
from kikashi import Game, Player, load_preset, preset_names
from kikashi import search_request
from kikashi.engine.limits import Limit
from kikashi.search.staged import new_search
from kikashi.web.search_viewer import find_replies, run_playout

for name in preset_names():
    game, player = Game(9), Player(name, limit=Limit(simulations=100))
    for _ in range(3):
        game.push(player.choose(game).move)
preset = load_preset("lgrf2")
search = new_search(preset.config, size=9, seed=1, megabytes=16)
search.start(search_request(game))
run_playout(preset, game, 1, 1, search)
find_replies(preset, game, 0, search)
"""
"""Every player there is makes some moves, and the page shows a playout and answers."""


@pytest.mark.slow
@pytest.mark.soak
def test_nothing_is_compiled_after_a_warm_up(tmp_path: Path) -> None:
    cache, output = tmp_path / "cache", str(tmp_path / "output")
    first = run(cache, "warm")
    assert (first.returncode, first.stdout) == (0, "everything is compiled\n"), first.stderr
    there = kernels(cache)
    again = run(cache, "warm")
    assert (again.returncode, again.stdout) == (0, "nothing to do: everything is compiled already\n")
    game = run(cache, "gtp", "--simulations", "20", lines=GAME)
    assert game.stdout.count("=") == 7
    small = ["--size", "5", "--simulations", "16", "--games", "2"]
    for done in (
        game,
        run(cache, "demo", "--simulations", "5", "--size", "5", "--output", f"{output}.sgf"),
        run(cache, "match", "lgrf2", "yoshizoe-2006-ataripp", *small, "--output", f"{output}-match"),
        run(cache, "experiment", "run", "coulom2006-table1", "--scale", "0.001", "--output", f"{output}-table1"),
        run(cache, "bench", "playouts", "--playouts", "10"),
        run(cache, "bench", "bias", "--playouts", "2"),
        run(cache, "-c", PRESETS, command=[sys.executable]),
    ):
        assert done.returncode == 0, done.stderr
        assert "compiling" not in done.stderr
    assert kernels(cache) == there


def test_the_default_players_are_warmed_first() -> None:
    assert set(warming.FIRST) == {DEFAULT, *demo.PRESETS.values()}


@pytest.fixture
def warmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The presets and parts that are warmed in a new cache; nothing is compiled."""
    found: list[str] = []
    monkeypatch.setattr(warming, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(warming, "warm_up", lambda preset: found.append(preset.name))
    monkeypatch.setattr(warming, "_warm_up_beside_players", lambda: None)
    monkeypatch.setattr(warming, "address_of", lambda part, name: found.append(f"{part} {name}"))
    monkeypatch.setattr(warming.subprocess, "Popen", _Nobody)
    return found


def test_all_presets_and_parts_are_warmed(warmed: list[str]) -> None:
    assert warming.warm()
    assert warmed[:4] == ["mogo-2006", *warming.FIRST], "first the loops"
    assert set(warmed) >= set(preset_names())
    for kind in KINDS.values():
        for part in all_parts(kind):
            assert {f"{part} {name}" for name in part.functions} <= set(warmed)


def test_what_is_there_for_other_presets_is_not_enough(warmed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The stamp knows the presets: one that is new, or was changed, is warmed."""
    assert warming.warm()
    assert not warming.warm()
    monkeypatch.setattr(warming, "preset_names", lambda: ["lgrf2"])
    warmed.clear()
    assert warming.warm()
    assert "lgrf2" in warmed


@pytest.mark.thorough
def test_the_end_of_a_stage_is_compiled_before_it_is_reached() -> None:
    """It may be after thousands of simulations, when a clock runs."""
    program = """
from kikashi.engine.preset import load_preset
from kikashi.search.loop import end_stage
from kikashi.engine.warmup import warm_up

warm_up(load_preset("yoshizoe-2006-ataripp"))
print(len(end_stage.entry.overloads))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "1\n", done.stderr


class _Nobody:
    """A process that is none."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def terminate(self) -> None:
        pass


def test_what_is_announced_inside_of_something_announced_is_part_of_it() -> None:
    def one() -> None: ...

    def other() -> None: ...

    with progress.announced([one, other], "for a test"):
        total = progress._PROGRESS.total
        with progress.announced([one], "for a test"):
            assert progress._PROGRESS.total == total == 2
        assert progress._PROGRESS.total == 2
    assert progress._PROGRESS.total == 0


def _progress_of(*functions: object, purpose: str = "for mogo-2006") -> progress._Progress:
    line = progress._Progress()
    line.expect(functions, purpose)
    return line


@pytest.mark.parametrize("width", [10, 20, 39, 60, 79, 200])
def test_the_progress_of_compiling_fits_every_width(width: int) -> None:
    line = _progress_of(drawing, playing)
    assert len(line.line(1.0, width)) <= width
    del line.expected[drawing]
    assert len(line.line(100.0, width)) <= width


def test_the_progress_line_has_the_purpose_and_once_if_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PACKAGE", Path(__file__).parent)
    monkeypatch.setattr(progress, "_can_keep", lambda: True)
    assert _progress_of(drawing).line(1.0) == "kikashi: compiling kernels for mogo-2006, only once: 0 of 1"
    monkeypatch.setattr(progress, "_can_keep", lambda: False)
    assert _progress_of(drawing).line(1.0) == "kikashi: compiling kernels for mogo-2006: 0 of 1"


def test_a_plugin_is_named_and_may_be_compiled_again() -> None:
    assert _progress_of(drawing).line(1.0) == "kikashi: compiling kernels of test_warmup.py: 0 of 1"


def test_there_is_one_count_for_all_that_is_announced() -> None:
    """What was not foreseen, as kernels for other types, does not begin a count of its own."""
    with progress.announced([drawing, playing], "for a test"):
        before = progress._PROGRESS.total
        progress._PROGRESS.expected.clear()
        compiled = type("Event", (), {"data": {"dispatcher": Entry(drawing, NativeCache)}})
        progress._PROGRESS.on_start(compiled)
        progress._PROGRESS.on_end(compiled)
        assert progress._PROGRESS.total == before == 2


def drawing() -> None:
    """A function that is not compiled."""


def playing() -> None:
    """Another one."""


@pytest.mark.parametrize("is_checked", [False, True])
def test_kernels_that_check_indexes_are_named(monkeypatch: pytest.MonkeyPatch, is_checked: bool) -> None:
    """They are compiled once more, into a cache of their own."""
    monkeypatch.setattr(progress, "is_bounds_checked", lambda: is_checked)
    kernels = "kernels with checked indexes" if is_checked else "kernels"
    assert _progress_of(drawing).line(1.0) == f"kikashi: compiling {kernels} of test_warmup.py: 0 of 1"
