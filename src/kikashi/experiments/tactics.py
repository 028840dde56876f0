"""How many tactical questions a preset answers: scripts of commands, run through the GTP engine inside a worker.

Reading order: `run_script` (one script), `Answer` (what became of a question), `Tactics` (what all of them say).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import msgspec

import kikashi.protocols.gtp.commands  # noqa: F401 (registers them)
from kikashi.board.points import MAX_SIZE
from kikashi.engine.limits import Limit
from kikashi.experiments.regression import Script, Step
from kikashi.game.moves import IllegalMove
from kikashi.match.game_players import new_player
from kikashi.match.player_spec import Contestant
from kikashi.match.runner import derived
from kikashi.protocols.gtp.protocol import COMMANDS, Failure
from kikashi.protocols.gtp.server import run
from kikashi.protocols.gtp.session import GtpSession
from kikashi.search.analysis import Analysis
from kikashi.stats.intervals import Interval, wilson

ALL = "all"


@dataclass(frozen=True)
class ScriptTask:
    """A script to be run by a player."""

    number: int
    script: Script
    player: Contestant
    seed: int
    rules: str | None = None
    """None for those of the files, positional where they say nothing."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a question."""

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
    """Of all visits, those of the right move that had the most; None where no move was thought about."""


def run_script(task: ScriptTask) -> list[Answer]:
    """Ask the questions of a script, by a player that knows nothing of other scripts.

    Raises ValueError with the line if a command fails whose answer nobody asked for.
    """
    player = task.player
    with player.parts():
        session = GtpSession(
            new_player(player, MAX_SIZE, derived(task.seed, "tactics", task.number)),
            limit=Limit(player.simulations, player.seconds),
            rules=task.rules,
        )
        found = (_ask(session, step, task) for step in task.script.steps)
        return [answer for answer in found if answer is not None]


def _ask(session: GtpSession, step: Step, task: ScriptTask) -> Answer | None:
    """Do a command; None if nothing was asked."""
    where = f"{task.script.source}, line {step.line}" if step.line else task.script.source
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
        script=task.number,
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


# --- what all of them say ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tally:
    """The questions of a theme."""

    asked: int
    solved: int
    shares: tuple[float, ...]
    """Of each question about a move that was not solved, the share of the best right move."""
    surprises: int
    """Questions that were solved though that was not expected."""

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> Tally:
        right = [answer for answer in answers if answer.is_right]
        wrong = (answer.share for answer in answers if not answer.is_right)
        shares = tuple(share for share in wrong if share is not None)
        return cls(len(answers), len(right), shares, sum(answer.may_fail for answer in right))

    @property
    def interval(self) -> Interval:
        """Wilson's, of the share that is solved."""
        return wilson(self.solved, self.asked)

    @property
    def unseen(self) -> int:
        """Unsolved questions in which no right move was visited at all."""
        return self.shares.count(0)

    @property
    def mean_share(self) -> float | None:
        """The mean share of visits that the best right move of an unsolved question had; None if there is none."""
        return fmean(self.shares) if self.shares else None

    def as_json(self) -> dict[str, Any]:
        """All numbers, rounded."""
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
        """By theme, and question by question."""
        return {
            "themes": {theme: tally.as_json() for theme, tally in self.tallies.items()},
            "unknown_commands": self.unknown,
            "questions": msgspec.to_builtins(self.answers),
        }
