"""Tactics: how many tactical questions presets answer, by scripts of GTP commands with the right answers.

The questions are our own problems, the moves that our searches overlooked, or regression files.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar, Literal, NamedTuple

import msgspec

import kikashi.protocols.gtp.commands  # noqa: F401 (registers them)
from kikashi.board.points import MAX_SIZE
from kikashi.engine.limits import Limit
from kikashi.experiments.estimate import search_seconds
from kikashi.experiments.kind import (
    FEWEST_SIMULATIONS,
    NOTHING,
    AtLeastOne,
    Design,
    Findings,
    Numbers,
    PlayerRow,
    at_scale,
    experiment_kind,
)
from kikashi.experiments.problems import load_overlooked, load_problems, script_of
from kikashi.experiments.regression import Script, Step, parse_scripts
from kikashi.game.moves import IllegalMove
from kikashi.match.game_players import new_player
from kikashi.match.match_player import MatchPlayer, match_player
from kikashi.match.runner import derived
from kikashi.protocols.gtp.protocol import COMMANDS, Failure
from kikashi.protocols.gtp.server import run
from kikashi.protocols.gtp.session import GtpSession
from kikashi.report import Element, Items, Paragraph, Section, Table
from kikashi.search.analysis import Analysis
from kikashi.stats.intervals import Interval, wilson
from kikashi.wording import plural

ALL = "all"
FEWEST_QUESTIONS = 2
SIZE = 9
"""Of most problems, for the estimate of the time."""
QuestionSet = Literal["problems", "overlooked"]


@cache
def _scripts(sets: Sequence[QuestionSet], files: Sequence[tuple[str, str]]) -> list[Script]:
    found = [script_of(problem) for problem in load_problems()] if "problems" in sets else []
    found += load_overlooked() if "overlooked" in sets else []
    return found + [script for path, text in files for script in parse_scripts(text, path)]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    script: int
    where: str
    """The file and the line, or the name of a problem of ours."""
    theme: str
    question: str
    expected: str
    answer: str
    is_right: bool
    may_fail: bool
    """Whether a wrong answer was expected."""
    is_known: bool
    """Whether the engine has such a command."""
    share: float | None = None
    """Share of all visits of the most visited right move; None without a search."""


class TacticsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A script that a player has run."""

    number: int
    player: int
    """Its number among the players."""
    answers: tuple[Answer, ...]


class Cell(NamedTuple):
    """A player with a number of simulations."""

    label: str
    player: str
    simulations: int | None


class TacticsRow(PlayerRow, frozen=True, kw_only=True):
    simulations: AtLeastOne | list[AtLeastOne] | None = None


@experiment_kind("tactics", unit="positions")
class TacticsDesign(Design, frozen=True, kw_only=True):
    record_type: ClassVar[type] = TacticsRecord
    decided_by = ("seconds", "sets", "rules", "scripts")
    sentences: ClassVar[Mapping[str, str]] = {
        "simulations": "{now} simulations a move for {before}",
        "scripts": "{now} positions for {before}",
        "files": "questions of other files",
    }

    player: list[TacticsRow]
    simulations: AtLeastOne | list[AtLeastOne] = []
    seconds: float | None = None
    """For each move, besides simulations."""
    sets: list[QuestionSet] = []
    """Our own questions; the problems if there are no files either."""
    files: list[str] = []
    """Regression files."""
    rules: str | None = None
    """By default those of the files, positional where they have none."""
    texts: dict[str, str] = {}
    """The texts of the files, at a scale."""

    def scaled(self, scale: float) -> dict[str, Any]:
        texts = {path: Path(path).read_text("latin-1") for path in self.files}
        return {"texts": texts, "sets": self.sets if self.sets or texts else ["problems"]}

    def check(self) -> None:
        if not self.player:
            raise ValueError("there is no player to answer the questions")
        for cell in self.cells:
            self.match_player(cell)

    @property
    def cells(self) -> list[Cell]:
        found = []
        for row in self.player:
            given = row.simulations or self.simulations
            counts: Sequence[int | None] = [given] if isinstance(given, int) else given or [None]
            for count in counts:
                label = f"{row.name}, {count:,}" if count and len(counts) > 1 else row.name
                found.append(Cell(label, row.player, count and at_scale(count, self.scale, FEWEST_SIMULATIONS)))
        return found

    def match_player(self, cell: Cell) -> MatchPlayer:
        return match_player(cell.player, simulations=cell.simulations, seconds=self.seconds)

    @property
    def all_scripts(self) -> list[Script]:
        return _scripts(tuple(self.sets), tuple(self.texts.items()))

    @property
    def scripts(self) -> int:
        """Number of scripts, spread evenly over all."""
        return at_scale(len(self.all_scripts), self.scale, FEWEST_QUESTIONS)

    @property
    def steps(self) -> int:
        return len(self.cells) * self.scripts

    def settings(self) -> dict[str, Any]:
        rows = {"players": [cell.player for cell in self.cells], "simulations": [c.simulations for c in self.cells]}
        return {**super().settings(), **rows, "files": self.texts}

    def work(self, number: int) -> TacticsRecord:
        """Run a script by a player that knows nothing of other scripts; players take turns.

        Raises ValueError with the line if a command fails that is not a question.
        """
        place, row = divmod(number, len(self.cells))
        index = place * len(self.all_scripts) // self.scripts
        player = self.match_player(self.cells[row])
        answers = run_script(self.all_scripts[index], index, player, self.seed, self.rules)
        return TacticsRecord(number=number, player=row, answers=tuple(answers))

    def rows(self) -> Iterator[dict[str, str]]:
        for cell in self.cells:
            yield {
                "row": cell.label,
                "player": cell.player,
                "simulations a move": NOTHING if cell.simulations is None else f"{cell.simulations:,}",
                "positions": f"{self.scripts:,}",
            }

    def core_seconds(self) -> float:
        if self.seconds:
            return self.seconds * self.steps
        return sum(search_seconds(cell.player, cell.simulations or 0, SIZE) for cell in self.cells) * self.scripts

    def tactics(self, records: Sequence[TacticsRecord]) -> dict[str, Tactics]:
        return {
            cell.label: Tactics([answer for record in records if record.player == row for answer in record.answers])
            for row, cell in enumerate(self.cells)
        }

    def numbers(self, records: Sequence[TacticsRecord]) -> Iterator[Numbers]:
        for label, tactics in self.tactics(records).items():
            for theme, tally in tactics.tallies.items():
                yield {"player": label, "theme": theme, **tally.as_json()}

    def findings(self, records: Sequence[TacticsRecord]) -> Findings:
        found = self.tactics(records)
        totals = {label: tactics.tallies[ALL] for label, tactics in found.items()}
        best = max(totals, key=lambda label: totals[label].solved)
        asked, bounds = totals[best].asked, totals[best].interval
        return Findings(
            verdict=f"{best} solves {totals[best].solved} of {asked}: {bounds.low:.0%}–{bounds.high:.0%}"
            if asked
            else "",
            scope=f"{len(records)} of {plural(self.steps, 'position')}.",
            elements=elements(found),
            data={
                "positions": len(records),
                "of": self.steps,
                "players": {label: tactics.as_json() for label, tactics in found.items()},
            },
        )


def player_text(preset: str, overrides: Sequence[str], plugins: Sequence[str]) -> str:
    """Return a preset with settings and plugins as the text of a player."""
    return shlex.join([preset, *(f"--set={text}" for text in overrides), *(f"--plugin={file}" for file in plugins)])


# --- a script ---------------------------------------------------------------------------------------------------------


def run_script(script: Script, number: int, player: MatchPlayer, seed: int, rules: str | None = None) -> list[Answer]:
    """Return the answers to the questions of a script, the `number`-th. Raises ValueError as `TacticsDesign.work`."""
    with player.parts():
        session = GtpSession(
            new_player(player, MAX_SIZE, derived(seed, "tactics", number)),
            limit=Limit(player.simulations, player.seconds),
            rules=rules,
        )
        answers = (_answer(session, step, script, number) for step in script.steps)
        return [answer for answer in answers if answer is not None]


def _answer(session: GtpSession, step: Step, script: Script, number: int) -> Answer | None:
    """Run a command; return None if it is not a question."""
    where = f"{script.source}, line {step.line}" if step.line else script.source
    session.last = None
    try:
        result = run(session, step.command)
        text, failed = (result if isinstance(result, str) else "\n".join(result)), False
    except (Failure, IllegalMove) as problem:
        if step.expected is None:
            raise ValueError(f"{where}: {step}: {problem}") from None
        text, failed = str(problem), True
    except (ValueError, OSError) as problem:  # of a part, or of memory: no answer to any question
        raise ValueError(f"{where}: {step}: {problem}") from None
    if step.expected is None:
        return None
    return Answer(
        script=number,
        where=where,
        theme=step.theme,
        question=str(step),
        expected=str(step.expected),
        answer=f"? {text}" if failed else text,
        is_right=not failed and step.expected.fits(text),
        may_fail=step.expected.may_fail,
        is_known=step.command.name in COMMANDS,
        share=None if session.last is None else _best_share(step, session.last.analysis),
    )


def _best_share(step: Step, analysis: Analysis) -> float:
    right = [move.visits for move in analysis.moves if step.expected is not None and step.expected.fits(move.name)]
    return max(right, default=0) / max(1, sum(move.visits for move in analysis.moves))


# --- all answers ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tally:
    """The questions of a theme."""

    asked: int
    solved: int
    shares: tuple[float, ...]
    """Of each unsolved question about a move, the share of the best right move."""
    surprises: int
    """Solved questions that were marked as not to be solved yet."""

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> Tally:
        right = [answer for answer in answers if answer.is_right]
        wrong = (answer.share for answer in answers if not answer.is_right)
        shares = tuple(share for share in wrong if share is not None)
        return cls(len(answers), len(right), shares, sum(answer.may_fail for answer in right))

    @property
    def interval(self) -> Interval:
        """Wilson's, of the share of solved questions."""
        return wilson(self.solved, self.asked)

    @property
    def unseen(self) -> int:
        """Unsolved questions in which no right move was visited at all."""
        return self.shares.count(0)

    @property
    def mean_share(self) -> float | None:
        """Mean share of visits of the best right move of an unsolved question; None if there is none."""
        return fmean(self.shares) if self.shares else None

    def as_json(self) -> dict[str, Any]:
        return {
            "asked": self.asked,
            "solved": self.solved,
            "interval": [round(self.interval.low, 4), round(self.interval.high, 4)],
            "share": None if self.mean_share is None else round(self.mean_share, 4),
            "unseen": self.unseen,
            "surprises": self.surprises,
        }


class Tactics:
    """The answers of one player, in the order of the questions."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        ordered = sorted(answers, key=lambda answer: answer.script)
        self.answers = [answer for answer in ordered if answer.is_known]
        self.unknown = list(dict.fromkeys(answer.question.split()[0] for answer in ordered if not answer.is_known))
        """Commands that the engine does not have; questions about them count for nothing."""
        self.left_out = len(ordered) - len(self.answers)

    @property
    def tallies(self) -> dict[str, Tally]:
        """By theme, and of all together at the end."""
        themes: dict[str, list[Answer]] = {}
        for answer in self.answers:
            themes.setdefault(answer.theme, []).append(answer)
        return {theme: Tally.of(answers) for theme, answers in themes.items()} | {ALL: Tally.of(self.answers)}

    def as_json(self) -> dict[str, Any]:
        return {
            "themes": {theme: tally.as_json() for theme, tally in self.tallies.items()},
            "unknown_commands": self.unknown,
            "questions": msgspec.to_builtins(self.answers),
        }

    def failures(self) -> list[str]:
        """Return a line for each question that was not solved."""
        return [
            f"{answer.where}: {answer.question}: {answer.answer} instead of {answer.expected}"
            + ("" if answer.share is None else f" (right move {answer.share:.1%})")
            + (", as expected" if answer.may_fail else "")
            for answer in self.answers
            if not answer.is_right
        ]

    def remarks(self) -> list[str]:
        """Return lines about solved questions that were marked as too hard, and about unknown commands."""
        lines = []
        if surprises := self.tallies[ALL].surprises:
            lines.append(f"{surprises} of the solved questions were marked as not to be solved yet (*)")
        if self.left_out:
            count = "counts" if self.left_out == 1 else "count"
            names = ", ".join(self.unknown)
            lines.append(f"{plural(self.left_out, 'question')} {count} for nothing: there is no command {names}")
        return lines


HEAD = ["theme", "solved", "asked", "share", "95 %", "visits of the right", "not visited"]


def elements(found: Mapping[str, Tactics]) -> list[Element]:
    """Return the results of players: unsolved questions, a table by theme, remarks."""
    parts: list[Element] = []
    for label, tactics in found.items():
        rows = []
        for theme, tally in tactics.tallies.items():
            share = f"{tally.solved / tally.asked:.0%}" if tally.asked else NOTHING
            bounds = f"{tally.interval.low:.0%}–{tally.interval.high:.0%}"
            visits = NOTHING if tally.mean_share is None else f"{tally.mean_share:.1%}"
            rows.append([theme, str(tally.solved), str(tally.asked), share, bounds, visits, str(tally.unseen)])
        failures = Items(tactics.failures(), "not solved:")
        own: list[Element] = [failures, Table(HEAD, rows), *(Paragraph(line) for line in tactics.remarks())]
        parts += own if len(found) == 1 else [Section(label, own)]
    return [*parts, Paragraph("visits of the right, not visited: of the best right move of an unsolved question")]
