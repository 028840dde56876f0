"""The experiment about shares of playout moves: what it counts, what it tells, and who is in it."""

from pathlib import Path

import pytest

from helpers.match_tools import ONE
from kikashi.engine.preset import load_preset, preset_names
from kikashi.experiments.design_files import load_design
from kikashi.experiments.experiment import write_experiment_report
from kikashi.experiments.kinds.shares import ShareDesign, ShareRecord, reply_names

TEXT = """
kind = "shares"
title = "Some shares"
source = "ours, 2026"
simulations = 200
repeats = 2
size = 7
deviations = ["all of it"]
player = [
    { name = "LGRF-2", player = "lgrf2", published = 0.5 },
    { name = "MoGo", player = "mogo-2006", simulations = 50 },
    { name = "small", player = '''lgrf3 --set 'playout=["last_good_reply(context=3,entries=100)", "mogo"]' ''' },
]
"""


def mine(folder: Path, text: str = TEXT, *overrides: str) -> ShareDesign:
    (folder / "mine.toml").write_text(text)
    return load_design(str(folder / "mine.toml"), overrides)


def test_the_table_has_the_shares_of_replies_beside_the_published_ones(tmp_path: Path) -> None:
    design = mine(tmp_path)
    records = design.at(1.0).run(tmp_path / "run", ONE)
    assert [record.player for record in records] == [0, 1, 2, 0, 1, 2]
    for record in records:
        assert sum(record.shares.values()) == pytest.approx(1, abs=1e-4)
    lgrf2, mogo, small = records[:3]
    assert lgrf2.replies == pytest.approx(
        lgrf2.shares["last_good_reply(context=2)"] + lgrf2.shares["last_good_reply"], abs=1e-5
    )
    assert (mogo.replies, mogo.made, lgrf2.made) == (0, 0, 0)
    assert small.made > small.evicted > 1000
    few = mine(tmp_path, TEXT, "simulations=20").at(1.0).work(2)
    assert few.made < small.made / 4, "searches have the simulations of the design"
    assert lgrf2.shares != records[3].shares, "another seed"
    told = write_experiment_report(tmp_path / "run", design.at(1.0), records).data
    text = (tmp_path / "run" / "report.md").read_text()
    mean = (lgrf2.replies + records[3].replies) / 2
    (row,) = (line for line in text.splitlines() if line.startswith("| LGRF-2 "))
    assert row.startswith(f"| LGRF-2 | 2 | 200 | {mean:.1%}")
    assert " | 50% | last_good_reply(context=2) " in row
    (row,) = (line for line in text.splitlines() if line.startswith("| small "))
    assert row.endswith(f" {round((small.evicted + records[5].evicted) / 2):,} |")
    assert told["rows"][0]["replies"]["mean"] == pytest.approx(mean)
    numbers = list(design.at(1.0).numbers(records))
    assert [(each["player"], each["simulations"], each["published"]) for each in numbers] == [
        ("LGRF-2", 200, 0.5),
        ("MoGo", 50, None),
        ("small", 200, None),
    ]


def test_a_run_that_was_cut_off_says_so(tmp_path: Path) -> None:
    design = mine(tmp_path)
    one = ShareRecord(number=0, player=0, shares={"capture": 1.0}, replies=0.0, made=0, evicted=0)
    write_experiment_report(tmp_path, design.at(1.0), [one])
    text = (tmp_path / "report.md").read_text()
    assert "| LGRF-2 | 1, unfinished, of 2 | 200 | 0.0% | 50% | capture 100.0% | – | – |" in text
    assert "| MoGo | 0, unfinished, of 2 | 50 | – | – | – | – | – |" in text
    assert len(list(design.at(1.0).numbers([one]))) == 1


@pytest.mark.parametrize(("overrides", "scale"), [((), 0.5), (("simulations=100",), 1.0), (("size=5",), 1.0)])
def test_published_shares_of_other_settings_are_not_among_the_numbers(
    tmp_path: Path, overrides: tuple[str, ...], scale: float
) -> None:
    one = ShareRecord(number=0, player=0, shares={"capture": 1.0}, replies=0.0, made=0, evicted=0)
    (row,) = list(mine(tmp_path).at(1.0).numbers([one]))
    assert row["published"] == 0.5
    (row,) = list(mine(tmp_path, TEXT, *overrides).at(scale).numbers([one]))
    assert row["published"] is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("size = 99", "boards are from 2 to 19"),
        ("player = []", "no player"),
        ('player = [{ name = "x", player = "gnugo" }]', "is not a preset"),
    ],
)
def test_what_cannot_be_counted_is_refused(tmp_path: Path, change: str, said: str) -> None:
    key = change.split()[0]
    kept = TEXT[: TEXT.index("player = [")] + ("" if key == "player" else TEXT[TEXT.index("player = [") :])
    text = "\n".join(line for line in kept.splitlines() if not line.startswith(f"{key} ="))
    with pytest.raises(ValueError, match=said):
        mine(tmp_path, f"{text}\n{change}\n").at(1.0)


def test_every_player_of_chapters_5_to_7_is_in_the_experiment() -> None:
    """Their presets are those with a heuristic that proposes replies, but for those of our own."""
    design = load_design("baier2010-shares")
    answering = {name for name in preset_names() if reply_names(load_preset(name).config.policy)}
    assert {row.player for row in design.player} == {name for name in answering if not name.startswith("kikashi")}
    settings = design.at(1.0).settings()
    sizes = dict(zip(settings["players"], settings["simulations"], strict=True))
    assert {name for name, simulations in sizes.items() if simulations != 25_000} == {"lgr-mat-a", "lgr-mat-b"}
    assert {row.player: row.published for row in design.player if row.published} == {
        "bmr": 0.76,  # §5.3.1
        "bmr2": 0.21,  # §5.3.2
        "bmr-p": 0.27,  # §5.3.3
    }
