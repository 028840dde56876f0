"""The speed of playouts as an experiment."""

from pathlib import Path

from helpers.match_tools import ONE
from kikashi.experiments.design_files import load_design


def test_policies_take_turns_and_their_speeds_decide_the_claim(tmp_path: Path) -> None:
    design = load_design("coulom2006-speed", ["rounds=2", "seconds=0.05"]).at(1.0)
    records = design.run(tmp_path, ONE)
    assert [record.policy for record in records] == [0, 1, 0, 1]
    speeds = design.observations(records)
    assert list(speeds) == ["Crazy Stone", "uniform (ours)"]
    assert speeds["Crazy Stone"] == [record.playouts / record.seconds for record in records[::2]]
    (claim,) = design.claim
    effect = claim.effect(speeds)
    assert effect is not None
    assert effect.value + 17_000 == sum(speeds["Crazy Stone"]) / 2
    assert "Crazy Stone: " in design.findings(records).verdict
