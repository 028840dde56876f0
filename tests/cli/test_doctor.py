"""``kikashi doctor`` and ``kikashi bench search``: facts and speeds, as lines and as JSON."""

import json
import platform
import re
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numba
import pytest
from click.testing import CliRunner, Result

import kikashi
from kikashi.cli import main
from kikashi.engine import installation, search_speed
from kikashi.engine.installation import CacheState
from kikashi.engine.search_speed import SearchSpeed
from kikashi.jit import cache_folder
from kikashi.playout.yardstick import NORM, MachineSpeed, collatz_steps, measure_machine


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


# --- doctor -----------------------------------------------------------------------------------------------------------


def test_the_doctor_names_versions_machine_cache_and_extras() -> None:
    result = run("doctor", "--no-speed")
    assert result.exit_code == 0, result.stderr
    lines = {line[:15].strip(): line[16:] for line in result.stdout.splitlines()}
    assert lines["kikashi"].startswith(kikashi.__version__)
    assert f"{platform.python_version()}, numba {numba.__version__}, llvmlite" in lines["Python"]
    assert re.search(r"\d+ of \d+ cores$", lines["processor"])
    assert lines["compiled"].startswith(str(cache_folder()))
    assert {"extra web", "extra learn", "extra dask", "extra mpi"} <= lines.keys()
    assert "speed" not in lines


def test_the_facts_as_json_have_the_speed_and_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIKASHI_COMPILE_SECONDS", "45")
    facts = json.loads(run("doctor", "--json").stdout)
    assert facts["environment"]["KIKASHI_COMPILE_SECONDS"] == "45"
    assert facts["extras"]["web"]["starlette"] == version("starlette")
    assert facts["cache"]["kernels"] > 0
    assert facts["cache"]["megabytes"] > 0
    speed = facts["speed"]
    expected = speed["playouts_per_s"] / speed["loop_steps_per_s"] / NORM
    assert speed["share_of_norm"] == pytest.approx(expected, abs=0.01)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(package: str) -> str:
        if package == "scipy":
            raise PackageNotFoundError(package)
        return version(package)

    monkeypatch.setattr(installation.importlib.metadata, "version", find)
    assert re.search(r"^extra learn +scipy missing$", run("doctor", "--no-speed").stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("is_complete", "words"), [(True, "all presets and parts"), (False, "kikashi warm compiles the rest")]
)
def test_the_cache_is_one_line(is_complete: bool, words: str) -> None:
    assert str(CacheState("/cache", 7.25, 42, is_complete)).startswith("/cache, 7.2 MB, 42 kernels: ")
    assert words in str(CacheState("/cache", 7.25, 42, is_complete))


@pytest.mark.parametrize(("share", "hint"), [(0.5, True), (1.0, False)])
def test_a_slow_machine_is_asked_about(share: float, hint: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    speed = MachineSpeed(share * 1000 * NORM, 1000)
    monkeypatch.setattr(installation, "measure_machine", lambda: speed)
    line = run("doctor").stdout.splitlines()[-1]
    assert f"{share:.0%} of what is usual for this processor" in line
    assert ("is the machine busy?" in line) == hint


def test_the_loop_counts_collatz_steps() -> None:
    lengths = {1: 0, 2: 1, 3: 7, 4: 2, 5: 5, 6: 8}
    assert [collatz_steps(end) for end in range(2, 8)] == [sum(list(lengths.values())[:end]) for end in range(1, 7)]


def test_both_speeds_are_measured() -> None:
    speed = measure_machine()
    assert speed.playouts_per_second > 0
    assert speed.share_of_norm == pytest.approx(speed.playouts_per_second / speed.steps_per_second / NORM)


def test_the_issue_form_wants_the_doctor() -> None:
    form = Path(__file__).parents[2] / ".github" / "ISSUE_TEMPLATE" / "bug.yml"
    assert "kikashi doctor" in form.read_text("utf-8")


# --- bench search -----------------------------------------------------------------------------------------------------


def test_searches_are_measured_by_preset_size_and_threads() -> None:
    words = ["--preset", "mogo-2006", "--preset", "lgrf2", "--size", "5", "--threads", "1", "--threads", "2"]
    found = json.loads(run("bench", "search", *words, "--simulations", "300", "--json").stdout)["searches"]
    assert [(row["preset"], row["size"], row["threads"]) for row in found] == [
        *(("mogo-2006", 5, threads) for threads in (1, 2)),
        *(("lgrf2", 5, threads) for threads in (1, 2)),
    ]
    for row in found:
        assert row["simulations"] >= 300
        assert row["simulations_per_s"] == pytest.approx(row["simulations"] / row["seconds"], rel=0.01)
        assert row["cpu_seconds"] > 0


def test_the_table_has_a_line_for_each_search(monkeypatch: pytest.MonkeyPatch) -> None:
    speed = SearchSpeed("mogo-2006", 9, 1, 5000, 0.25, 0.26)
    assert speed.per_second == 20_000
    found = [speed, replace(speed, size=19, seconds=2.5)]
    monkeypatch.setattr(search_speed, "measure_searches", lambda *_, **__: found)
    head, _, *rows = [re.split(r"  +", line.strip()) for line in run("bench", "search").stdout.splitlines()]
    assert head == ["preset", "board", "threads", "simulations/s", "simulations", "seconds", "CPU seconds"]
    assert rows == [
        ["mogo-2006", "9x9", "1", "20,000", "5,000", "0.25", "0.26"],
        ["mogo-2006", "19x19", "1", "2,000", "5,000", "2.50", "0.26"],
    ]


def test_an_unknown_preset_is_one_line_before_anything_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_speed, "Player", None)
    result = run("bench", "search", "--preset", "lgrf2", "--preset", "lgrf9")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no preset is called 'lgrf9'" in result.stderr
