"""The chapters of the lessons: heads, positions and controls; and how the page shows them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kikashi.web.lessons import FOLDER, controls, lesson_files, lesson_game, lesson_infos, lesson_preset, load_lesson
from kikashi.web.presets import Presets

NUMBER, DECIMALS = r"\d+", r"\d+(\.\d+)?(,\d+(\.\d+)?)*"
VIEWS = r"analyse|tree|steps|table|theatre|replies|parts|laboratory"
OPTIONS: dict[str, dict[str, str]] = {
    "board": {"position": r"\w+"},
    "simulate": {"position": r"\w+", "preset": r"[\w-]+", "seed": NUMBER},
    "playouts": {"position": r"\w+", "preset": r"[\w-]+", "count": NUMBER, "seed": NUMBER},
    "bandit": {"arms": DECIMALS, "constant": DECIMALS},
    "open": {"view": VIEWS, "position": r"\w+", "preset": r"[\w-]+"},
    "question": {},
    "answer": {},
}
NAMES = list(lesson_files())


def test_chapters_are_in_order_and_each_has_its_line() -> None:
    infos = lesson_infos()
    assert [info.name for info in infos] == NAMES
    assert {"random-games", "uct"} <= set(NAMES)
    assert all(info.title and info.summary.endswith(".") for info in infos)
    assert len({file.name.partition("-")[0] for file in FOLDER.glob("[0-9]*.md")}) == len(NAMES), "numbers differ"


@pytest.mark.parametrize("name", NAMES)
def test_a_chapter_can_be_shown(name: str) -> None:
    lesson, presets = load_lesson(name), Presets()
    assert lesson.preset in presets.names
    assert lesson.positions
    assert re.search(r"(19|20)\d\d", lesson.paper), "the year of the paper"
    assert lesson.section
    for position in lesson.positions:
        game = lesson_game(f"{name}/{position}")
        assert game.size == lesson.positions[position].size
        assert not game.is_over()
    assert lesson_preset(f"{name}/", lesson.preset, presets).config.policy.heuristics is not None
    depth = 0
    for control, options in controls(lesson.text):
        assert control in OPTIONS, control
        for key, value in options.items():
            assert key in OPTIONS[control], f"{control} has no option {key}"
            assert re.fullmatch(OPTIONS[control][key], value), f"{control} {key}={value}"
        assert options.get("position", next(iter(lesson.positions))) in lesson.positions
        assert options.get("preset", lesson.preset) in presets.names
        depth += control in ("question", "answer")
    assert lesson.text.count("\n:::question\n") == lesson.text.count("\n:::answer\n") == depth // 2
    assert len(re.findall(r"^:::$", lesson.text, re.MULTILINE)) == depth // 2
    for other in re.findall(r"\(#lesson/([\w-]+)\)", lesson.text):
        assert other in NAMES


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: load_lesson("utc"), "no lesson is called 'utc'; did you mean uct"),
        (lambda: lesson_game("uct/end"), "lesson uct has no position 'end'"),
        (lambda: list(controls(":::bandit arms")), "an option of :::bandit has no value: arms"),
    ],
)
def test_what_a_lesson_lacks_is_named(ask: Any, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        ask()
