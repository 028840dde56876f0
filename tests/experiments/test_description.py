"""Experiments before they are run: ``kikashi experiment show`` and ``list``, and the estimate of their time."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from helpers import match_tools
from kikashi.cli import main
from kikashi.experiments.design_files import experiment_names, load_design
from kikashi.experiments.experiment import describe, seconds_of
from kikashi.match.progress import duration
from kikashi.parts import compiling
from kikashi.workers.executors import Workers


def kikashi(*words: str) -> Any:
    return CliRunner().invoke(main, ["experiment", *words])


def test_show_tells_rows_published_values_deviations_and_time() -> None:
    done = kikashi("show", "gelly2006-table3", "--scale", "0.1")
    assert done.exit_code == 0, done.output
    for told in (
        "Gelly et al. 2006, table 3; match; scale 0.1: 130 games, about ",
        "mogo-2006 --simulations 7000 --set selection.first_play_urgency=inf",
        "gnugo --mode gtp --level 10",
        "80.0% ± 2.8%, 77.0% as Black, 82.0% as White at 70,000 simulations",
        "- 7,000 simulations a move for 70,000",
        "estimated by nominal speeds",
    ):
        assert told in done.stdout
    table = json.loads(kikashi("show", "gelly2006-table3", "--set", "games=2", "--json").stdout)
    assert (table["kind"], table["steps"]) == ("match", 4)
    assert [row["row"] for row in table["rows"]] == ["pure random", "sequence-like"]
    assert kikashi("show", "gelly2007").exit_code != 0


@pytest.mark.parametrize("name", experiment_names())
def test_every_experiment_can_be_shown_and_compiles_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "native_address", lambda *_, **__: pytest.fail("something is compiled"))
    told = describe(load_design(name).at(1.0)).data
    assert told["rows"]
    assert told["deviations"]
    assert load_design(name).at(1.0).core_seconds() > 60, "of one core: this machine may have many"
    assert describe(load_design(name).at(0.01)).data["seconds"] < told["seconds"] / 50


def test_list_tells_kind_size_time_and_what_was_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = {line.split()[0]: line for line in kikashi("list").stdout.splitlines()}
    assert list(lines) == experiment_names()
    assert "match     1,300 games, about " in lines["gelly2006-table3"]
    assert "positions 1,500 positions, about " in lines["coulom2006-table1"]
    assert "local     200 searches, about " in lines["baier2010-local-play"]
    assert "scale" not in lines["coulom2006-table1"]
    design = load_design("coulom2006-table1", ["positions=3", "simulations=32", "first=16", "size=5"])
    one = Workers(match_tools.ONE.make, 1)
    design.at(1.0).run(Path("experiments/coulom2006-table1-1"), one)
    journal = Path("experiments/coulom2006-table1-1/journal.jsonl")
    assert kikashi("list").stdout.count("; scale 1: finished") == 1
    done = kikashi("run", "gelly2006-table3", "--output", "experiments/coulom2006-table1-1", "--concurrency", "1")
    assert "this is the journal of a study, not of a match" in str(done.exception) + done.output
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    assert kikashi("list").stdout.count("; scale 1: 2 of 3\n") == 1
    table = json.loads(kikashi("list", "--json").stdout)
    assert table["coulom2006-table1"]["begun"] == [{"scale": "1", "set": [], "done": 2, "total": 3, "finished": False}]
    assert table["gelly2006-table3"]["games"] == 1300


def test_the_estimate_follows_simulations_games_seconds_and_cores() -> None:
    def seconds(name: str, *overrides: str) -> float:
        return load_design(name, overrides).at(1.0).core_seconds()

    small, large = (seconds("gelly2006-table3", f"simulations={count}") for count in (10**6, 2 * 10**6))
    assert large == pytest.approx(2 * small, rel=0.02)
    assert seconds("gelly2006-table5", "games=10", "seconds=100") == pytest.approx(30 * 100 * 97.2 / 2, rel=0.02)
    design = load_design("coulom2006-table1")
    assert seconds_of(design.at(1.0), 4) == design.at(1.0).core_seconds() / 4


def test_a_duration_is_one_number() -> None:
    assert [duration(seconds) for seconds in (0.1, 80, 100, 7200, 86400 * 3)] == [
        "about 1 s",
        "about 80 s",
        "about 2 min",
        "about 2 h",
        "about 3 days",
    ]
