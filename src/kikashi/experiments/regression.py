"""Regression files: GTP commands, and the answers that are expected, in the format of GNU Go's suites.

    # theme: ladder
    loadsgf games/ladder.sgf 12
    10 reg_genmove black
    #? [C3|D4]

A comment ``#? [PATTERN]`` is about the answer to the command before it, with or without a number. The pattern is a
regular expression for the whole answer, in any case; ``!`` in front of it turns it round, and ``*`` after the brackets
says that no right answer is expected yet. A theme holds until the next one or the end of the file; without one it is
the name of the file. What loadsgf reads is beside the file.

A file is cut into scripts that do not depend on each other, so that they can be run anywhere and in any order: each
starts where a board is set up, with the settings of the file so far in front of it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kikashi.protocols.gtp.protocol import Command, parse_line

ANSWER = re.compile(r"#\?\s*\[(?P<not>!?)(?P<pattern>.*)\](?P<fails>\*?)&?\s*")
THEME = re.compile(r"#.*\btheme\s*[:=]\s*(?P<theme>\S.*?)\s*")
POINT = re.compile(r"[A-HJ-T][0-9]+")
FRESH = ("boardsize", "loadsgf")
"""Commands after which nothing of the game before counts."""
KEPT: tuple[str, ...] = ("komi", "loadsgf", "kgs-rules", "kata-set-rules", "kata-set-param", "kikashi-preset")
KEPT += ("time_settings", "kgs-time_settings", "kata-time_settings", "time_left")
"""Commands whose effect outlasts a new board; a game in a file brings its komi and its rules."""
ENDLESS = ("lz-analyze", "kata-analyze")


@dataclass(frozen=True)
class Expected:
    pattern: str
    is_negated: bool = False
    may_fail: bool = False
    """Whether a wrong answer is known of."""

    def fits(self, answer: str) -> bool:
        """Return whether an answer is right; a list of points may be in any order."""
        words, wanted = answer.upper().split(), self.pattern.upper().split()
        is_like = re.fullmatch(self.pattern, " ".join(words), re.IGNORECASE) is not None
        is_same_list = all(map(POINT.fullmatch, wanted)) and sorted(words) == sorted(wanted)
        return (is_like or is_same_list) != self.is_negated

    def __str__(self) -> str:
        return f"{'!' if self.is_negated else ''}{self.pattern}"


@dataclass(frozen=True)
class Step:
    line: int
    command: Command
    theme: str
    expected: Expected | None = None
    """None if any answer will do, but no failure."""

    def __str__(self) -> str:
        return " ".join([self.command.name, *self.command.arguments])


@dataclass(frozen=True)
class Script:
    """Commands from the setup of a board to the last question about it."""

    source: str
    """The name of the file."""
    steps: tuple[Step, ...]


def parse_scripts(text: str, source: str) -> list[Script]:
    """Return the scripts of a file's text. Raises ValueError, with the line, if one cannot be run."""
    steps = _parse(text.splitlines(), source)
    if not any(step.expected for step in steps):
        raise ValueError(f"{source}: there is no question in it: a line such as #? [C3|D4] after a command")
    return [Script(source, tuple(part)) for part in _cut(steps) if part[-1].expected]


def _parse(lines: Sequence[str], source: str) -> list[Step]:
    steps: list[Step] = []
    theme = Path(source).stem
    for number, line in enumerate(lines, start=1):
        where, text = f"{source}, line {number}", line.strip()
        if text.startswith("#?"):
            if not steps or steps[-1].expected:
                raise ValueError(f"{where}: no command stands before this answer")
            steps[-1] = replace(steps[-1], expected=_expected(text, where))
        elif found := THEME.fullmatch(text):
            theme = found["theme"]
        elif command := parse_line(line):
            steps.append(Step(number, _located(command, Path(source).parent, where), theme))
    return steps


def _expected(text: str, where: str) -> Expected:
    found = ANSWER.fullmatch(text)
    if found is None:
        raise ValueError(f"{where}: an answer is written as #? [C3|D4], #? [!C3] or #? [C3]*, not {text!r}")
    try:
        re.compile(found["pattern"])
    except re.error as error:
        raise ValueError(f"{where}: {found['pattern']!r} is not a pattern: {error}") from None
    return Expected(found["pattern"], bool(found["not"]), bool(found["fails"]))


def _located(command: Command, folder: Path, where: str) -> Command:
    """The command with the path of the file that it reads. Raises ValueError if it cannot be run from a script."""
    if command.name in ENDLESS:
        raise ValueError(f"{where}: {command.name} never ends by itself")
    if command.name != "loadsgf" or not command.arguments:
        return command
    path = folder / command.arguments[0]
    if not path.is_file():
        raise ValueError(f"{where}: there is no file {path}")
    return replace(command, arguments=(str(path), *command.arguments[1:]))


def _cut(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """The parts of a file, each with the settings before it, and without what follows its last question."""
    part: list[Step] = []
    kept: list[Step] = []
    for step in steps:
        if step.command.name in FRESH and any(before.expected for before in part):
            yield _until_last_question(part)
            part = list(kept)
        part.append(step)
        if step.command.name in KEPT:
            kept = [*_still_of_use(kept, step), replace(step, expected=None)]
    if part:
        yield _until_last_question(part)


def _still_of_use(kept: list[Step], step: Step) -> list[Step]:
    """Return the settings before a step, less those that it sets anew."""
    gone = {"komi": ["komi"], "loadsgf": ["komi", "loadsgf"]}.get(step.command.name, [])
    return [before for before in kept if before.command.name not in gone]


def _until_last_question(part: list[Step]) -> list[Step]:
    last = max((index for index, step in enumerate(part) if step.expected), default=len(part) - 1)
    return part[: last + 1]
