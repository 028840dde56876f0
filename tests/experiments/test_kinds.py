"""Kinds of experiments: one of a user's in a single file, and the reports of all with hostile text."""

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from helpers.match_tools import HOSTILE, ONE, Rendered, check_page
from kikashi.cli import main
from kikashi.experiments import Experiment, experiment_names, experiment_report, load_design
from kikashi.experiments.kinds.bias import measure, select
from kikashi.match.journal import read_header
from kikashi.workers.serialization import pack, unpack

PAGE = (Path(__file__).parents[2] / "docs" / "lab.md").read_text("utf-8")
KIND = PAGE.partition("### A kind of your own")[2].partition("```python\n")[2].partition("```")[0]
"""The kind of the page: the visited moves of searches of the empty board."""
DESIGN = """
kind = "visits"
plugins = ["my_kind.py"]
title = "Visited moves"
source = "ours, 2026"
simulations = 40
deviations = ["{simulations} simulations are few"]
player = [{ name = "A", player = "lgrf2" }, { name = "B", player = "mogo-2006-pure" }]
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "my_kind.py").write_text(KIND)
    (tmp_path / "mine.toml").write_text(DESIGN)
    return str(tmp_path / "mine.toml")


def test_a_kind_of_a_user_is_one_file(file: str, tmp_path: Path) -> None:
    design = load_design(file, ["simulations=30"])
    records = design.at(1.0).run(tmp_path / "out", ONE)
    assert all(0 < record.visited <= 82 for record in records)
    assert design.at(1.0).run(tmp_path / "out", ONE) == records
    report = experiment_report(design.at(1.0), records)
    assert report.data["deviations"] == ["30 simulations are few"]
    assert report.data["rows"][0] == ["A", str(records[0].visited)]
    text = report.document.text()
    assert text.splitlines()[2] == "who visits most"
    assert "A       " in text
    check_page(report.document.html())
    shown = CliRunner().invoke(main, ["experiment", "show", file])
    assert "ours, 2026; visits; scale 1: 2 searches, about " in shown.output
    with pytest.raises(ValueError, match="was begun with simulations 30, not 40"):
        load_design(file).at(1.0).run(tmp_path / "out", ONE)


def test_a_changed_plugin_is_another_experiment(file: str, tmp_path: Path) -> None:
    load_design(file).at(1.0).run(tmp_path / "out", ONE)
    (tmp_path / "my_kind.py").write_text(KIND.replace("Game(9)", "Game(6)"))
    with pytest.raises(ValueError, match="was begun with plugins"):
        load_design(file).at(1.0).run(tmp_path / "out", ONE)


@pytest.mark.slow
def test_a_kind_of_a_user_runs_in_processes(file: str, tmp_path: Path) -> None:
    words = ["experiment", "run", file, "--concurrency", "2", "--json", "--output", str(tmp_path / "out")]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [name for name, _ in found["rows"]] == ["A", "B"]
    again = Experiment.run(file, folder=tmp_path / "out")
    assert [[each["player"], str(each["visited"])] for each in again.design.numbers(again.records)] == found["rows"]


def test_a_plugin_travels_with_a_task(file: str, tmp_path: Path) -> None:
    task = load_design(file).at(1.0).tasks()[1]
    packed = pack(task)
    (tmp_path / "my_kind.py").unlink()
    there = unpack(packed, tmp_path / "there")
    assert Path(there.design.plugins[0]).is_file()
    assert (there.number, there.design.player) == (1, task.design.player)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('kind = "visist"', "there is no kind 'visist'; did you mean visits? there are bias, "),
        ('plugins = ["gone.py"]', "gone.py: no such file"),
        ('plugins = "my_kind.py"', "plugins must be a list, not a text"),
        ("simulatoins = 3", "there is no setting 'simulatoins'; did you mean simulations?"),
    ],
)
def test_mistakes_about_a_kind_are_one_line(line: str, message: str, file: str) -> None:
    key = line.partition(" ")[0]
    kept = [each for each in DESIGN.splitlines() if not each.startswith(f"{key} ")]
    Path(file).write_text("\n".join([*kept, line]))
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        load_design(file)
    assert message in str(caught.value)


def test_bias_and_tactics_are_run_as_experiments(tmp_path: Path) -> None:
    bias = load_design("bias", ['policies=["uniform", "mogo"]']).at(0.001)
    records = bias.run(tmp_path / "bias", ONE)
    assert len(records) == bias.steps == 4
    measured = measure("mogo", [position for name in bias.positions for position in select(name)], playouts=20)
    report = experiment_report(bias, records)
    assert report.data["policies"]["mogo"]["error"] == pytest.approx(measured.error, abs=1e-4)
    assert "has the least error" in report.document.verdict
    assert [row["position"] for row in bias.numbers(records)] == bias.positions * 2
    tactics = load_design("tactics", ['player=[{ name = "A", player = "mogo-2006-pure" }]']).at(0.001)
    records = tactics.run(tmp_path / "tactics", ONE)
    assert [record.player for record in records] == [0, 1, 0, 1], "with 2,000 and 10,000 simulations, scaled"
    report = experiment_report(tactics, records)
    assert list(report.data["players"]) == ["A, 2,000", "A, 10,000"]
    assert report.data["players"]["A, 2,000"]["themes"]["all"]["asked"] == 2
    assert {row["theme"] for row in tactics.numbers(records)} >= {"all"}
    check_page(report.document.html())


ONE_OF_EACH = {load_design(name).kind: name for name in experiment_names()}


@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_a_report_has_no_markup_of_its_file(kind: str) -> None:
    """Also without any record."""
    design = load_design(ONE_OF_EACH[kind])
    plain = experiment_report(design.at(0.01), []).document
    for text in HOSTILE[::5]:
        changed = msgspec.structs.replace(
            design, title=text, about=text, source=text, deviations=[text], remarks=[text]
        )
        document = experiment_report(changed.at(0.01), []).document
        assert check_page(document.html()).seen.keys() == check_page(plain.html()).seen.keys() | {"ul", "li"}
        assert Rendered(document.markdown()).tags == Rendered(plain.markdown()).tags | {"ul", "li"}


# --- journals of version 0.2 ------------------------------------------------------------------------------------------

JOURNALS = Path(__file__).parents[1] / "data" / "journals"
"""Experiments, and the journals that version 0.2.0 wrote of them: without checksums."""


@pytest.mark.parametrize("kind", ["local", "match", "positions", "quality"])
def test_an_old_journal_is_read_and_complete(kind: str, tmp_path: Path) -> None:
    design = load_design(str(JOURNALS / f"{kind}.toml")).at(1.0)
    old = (JOURNALS / f"{kind}.jsonl").read_bytes()
    (tmp_path / "journal.jsonl").write_bytes(old)
    records = design.run(tmp_path, ONE)
    assert len(records) == design.steps
    assert (tmp_path / "journal.jsonl").read_bytes() == old, "nothing is run again"
    assert design.done(read_header(tmp_path), records)[2]
    assert experiment_report(design, records).document.verdict
