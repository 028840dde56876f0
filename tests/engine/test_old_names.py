"""Settings of version 0.2: presets, overrides and journals with their names are read as those of today."""

import json
from pathlib import Path

import pytest

from kikashi.engine.old_names import current_override
from kikashi.engine.preset import SimulationSchedule, TimeManagement, load_preset
from kikashi.match.journal import check_same
from kikashi.match.match_player import match_player

OLD_PRESET = """
base = "kikashi"
effort = { rule = "legal_moves" }
reserve = { clear = 0.2, most = 2 }

[from_size.13]
reserve = { close = 0.25, decided = 0.1 }
"""
HEADER = """{"kind": "match", "version": "0.2.0", "settings": {"players":
["kikashi --set reserve.most=3 --set from_size.13.reserve.clear=0.5", "lgrf2 --set effort.rule=move_number"]}}"""


def test_a_preset_file_of_0_2_is_read(tmp_path: Path) -> None:
    (tmp_path / "old.toml").write_text(OLD_PRESET)
    preset = load_preset(str(tmp_path / "old.toml"))
    assert preset.simulation_schedule == SimulationSchedule("legal_moves")
    assert preset.at(9).time_management == TimeManagement(0.2, 0.05, 2, 0.5)
    assert preset.at(13).time_management == TimeManagement(0.2, 0.1, 2, 0.25)
    assert "reserve" not in str(preset.table)


def test_the_players_of_a_journal_of_0_2_are_loaded() -> None:
    first, second = map(match_player, json.loads(HEADER)["settings"]["players"])
    assert (first.name, second.name) == tuple(json.loads(HEADER)["settings"]["players"]), "results keep their names"
    preset = load_preset(first.preset, first.overrides)
    assert preset.at(9).time_management == TimeManagement(0.1, 0.05, 3)
    assert preset.at(13).time_management.early_stop == 0.5
    assert load_preset(second.preset, second.overrides).simulation_schedule.rule == "move_number"
    today = ["kikashi --set time_management.max_extension=3 --set from_size.13.time_management.early_stop=0.5"]
    today.append("lgrf2 --set simulation_schedule.rule=move_number")
    check_same(Path(), json.loads(HEADER), {"kind": "match", "settings": {"players": today}})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("reserve={ clear = 0.1, close = 0.5 }", "time_management={ early_stop = 0.1, close = 0.5 }"),
        ("from_size.9.effort.rule=even", 'from_size.9.simulation_schedule.rule="even"'),
        ("selection.p=1.2", "selection.p=1.2"),
        ("prior+={ part = 'capture' }", "prior+={ part = 'capture' }"),
    ],
)
def test_an_override_of_0_2_is_renamed(old: str, new: str) -> None:
    assert current_override(old) == new
