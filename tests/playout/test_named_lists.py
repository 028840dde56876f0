"""Named lists: each is what its paper says, and a name works wherever a list does."""

import pytest

from kikashi.engine.preset import preset_names
from kikashi.playout import PartError, make_policy
from kikashi.playout.policy import named_lists

MOGO = ["escape", "pattern3", "capture"]
REPLIES = {
    (context, forgetting): f"last_good_reply({arguments})" if arguments else "last_good_reply"
    for (context, forgetting), arguments in {
        (1, True): "",
        (2, True): "context=2",
        (1, False): "forgetting=False",
        (2, False): "context=2, forgetting=False",
    }.items()
}
EXPECTED = {
    "uniform": [],
    "crazystone": ["urgency", "useless_moves"],
    "mogo-pure": ["capture"],
    "mogo": MOGO,
    "atari50": ["atari50"],
    "mogo-2009": ["escape", "nakade", "fill_board", "approach_move", "pattern3", "capture"],
    "mat": ["tree_answer", *MOGO],
    "bmr": ["best_reply", *MOGO],
    "bmr2": [*MOGO, "best_reply"],
    "bmr-p": ["best_reply(certain=False)", *MOGO],
    "bmr-p2": [*MOGO, "best_reply(certain=False)"],
    "lgr1": [REPLIES[1, False], *MOGO],
    "lgr2": [REPLIES[2, False], REPLIES[1, False], *MOGO],
    "lgrf1": [REPLIES[1, True], *MOGO],
    "lgrf2": [REPLIES[2, True], REPLIES[1, True], *MOGO],
    "lgf": [REPLIES[1, True], "last_good_reply(back=2)", *MOGO],
    "lbr2": ["last_bad_reply(context=2)", "last_bad_reply", REPLIES[2, True], REPLIES[1, True], *MOGO],
    "lgm2-a": [REPLIES[2, True], REPLIES[1, True], "last_good_move", *MOGO],
    "lgm2-b": [REPLIES[2, True], REPLIES[1, True], *MOGO, "last_good_move"],
    "elgrf2": ["escape", REPLIES[2, True], REPLIES[1, True], "pattern3", "capture"],
    "kikashi-heavy": [
        "escape",
        "nakade(largest=6)",
        "two_liberties",
        "pattern3(last=2)",
        "capture",
        "false_eyes",
    ],
    "kikashi": ["escape", "pattern3", "capture(kos=False)"],
    "lgrf2-pm": [REPLIES[2, True], REPLIES[1, True], "escape", "pattern_collector", "capture", "pattern_retriever"],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_name_stands_for_its_list(name: str) -> None:
    assert make_policy(name).names == [*EXPECTED[name], "uniform", "pass"]


def test_all_lists_are_expected_or_that_of_a_preset() -> None:
    assert named_lists().keys() <= EXPECTED.keys() | set(preset_names())
    assert all(listed.source for listed in named_lists().values())


def test_a_name_works_inside_a_list() -> None:
    assert make_policy("nakade,mogo,uniform").names[:4] == ["nakade", *MOGO]
    assert make_policy(["nakade", "mogo"]) == make_policy("nakade,mogo")


@pytest.mark.parametrize(
    ("playout", "said", "rule"),
    [
        ("crazystone", None, "coulom"),
        ("mogo", None, "eyelike"),
        ("crazystone", "orego", "orego"),
        ("kikashi-heavy", None, "careful"),
        ("kikashi", None, "wary"),
    ],
)
def test_a_list_may_bring_its_feasibility(playout: str, said: str | None, rule: str) -> None:
    assert make_policy(playout, feasibility=said).feasibility.part.name == rule


def test_a_misspelt_list_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(
        PartError,
        match=r"'mogoo'; did you mean mogo\? python -m .* lists all \d+; or is it in a plugin\? \(--plugin FILE\)$",
    ):
        make_policy("mogoo")
