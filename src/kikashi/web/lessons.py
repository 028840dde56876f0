"""Lessons: chapters about Monte-Carlo tree search. `lessons/README.md` has the format of their files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec

from kikashi.engine.preset import Preset, load_preset
from kikashi.game import Game
from kikashi.web.game_tree import GameTree
from kikashi.web.messages import Lesson, LessonInfo
from kikashi.web.presets import Presets
from kikashi.wording import explain, nearest, read_toml

FOLDER = Path(__file__).parent / "lessons"
_HEAD = re.compile(r"\+\+\+\n(.*?)\n\+\+\+\n(.*)", re.DOTALL)
_NAME = re.compile(r"(\d+)-([a-z0-9-]+)\.md")


class Head(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The head of a chapter."""

    title: str
    summary: str
    preset: str
    overrides: list[str] = []
    """Changes of the preset, as `--set` has them."""
    paper: str
    section: str
    experiment: str = ""
    positions: dict[str, str]
    """SGF by name."""


@cache
def lesson_files(folder: Path = FOLDER) -> dict[str, Path]:
    """Return the files of all chapters by name, in their order."""
    return {found[2]: file for file in sorted(folder.iterdir()) if (found := _NAME.fullmatch(file.name))}


@cache
def read_chapter(name: str) -> tuple[Head, str]:
    """Return the head and the text of a chapter. Raises ValueError if there is none, or its head is wrong."""
    files = lesson_files()
    if name not in files:
        raise ValueError(f"no lesson is called {name[:40]!r}; {nearest(name[:40], list(files))}")
    found = _HEAD.fullmatch(files[name].read_text("utf-8"))
    if found is None:
        raise ValueError(f"lesson {name}: a head in TOML between two lines of +++ is missing")
    try:
        return msgspec.convert(read_toml(found[1]), Head), found[2]
    except msgspec.ValidationError as error:
        raise ValueError(f"lesson {name}: {explain(error, Head)}") from None
    except ValueError as error:
        raise ValueError(f"lesson {name}: {error}") from None


def lesson_infos() -> list[LessonInfo]:
    """Return all chapters for the list of them."""
    heads = [(name, read_chapter(name)[0]) for name in lesson_files()]
    return [LessonInfo(name, head.title, head.summary) for name, head in heads]


def load_lesson(name: str) -> Lesson:
    """Return a chapter for a page. Raises ValueError if there is none."""
    head, text = read_chapter(name)
    about = msgspec.structs.asdict(head)
    del about["summary"]
    about["positions"] = {each: _tree(sgf).position() for each, sgf in head.positions.items()}
    return Lesson(name=name, text=text, **about)


def lesson_game(place: str) -> Game:
    """Return the game of a position, named as in ``"uct/start"``. Raises ValueError if there is none."""
    return lesson_tree(place).game().copy()


def lesson_tree(place: str) -> GameTree:
    """Return the game tree of a position, at the end of its main line. Raises ValueError if there is none."""
    name, _, position = place.partition("/")
    head, _ = read_chapter(name)
    if position not in head.positions:
        raise ValueError(f"lesson {name} has no position {position[:40]!r}; {nearest(position, list(head.positions))}")
    return _tree(head.positions[position])


def lesson_preset(place: str, name: str, presets: Presets) -> Preset:
    """Return a preset, with the changes of the chapter if it is the chapter's. Raises ValueError if there is none."""
    head, _ = read_chapter(place.partition("/")[0])
    preset = presets.get(name)
    return load_preset(preset, head.overrides) if name == head.preset and head.overrides else preset


def controls(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the controls of a text with their options. Raises ValueError for an option without a value."""
    for line in re.findall(r"^:::(\S.*)$", text, re.MULTILINE):
        name, *options = shlex.split(line)
        pairs = [option.partition("=") for option in options]
        if bare := [key for key, sign, _ in pairs if not sign]:
            raise ValueError(f"an option of :::{name} has no value: {bare[0]}")
        yield name, {key: value for key, _, value in pairs}


def _tree(sgf: str) -> GameTree:
    tree = GameTree.from_sgf("study", sgf)
    tree.go_to(tree.line(0)[-1])
    return tree
