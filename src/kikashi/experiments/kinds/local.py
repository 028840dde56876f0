"""Local play: what happens at one place of a position, in the simulations of searches (Baier 2010, §5.3.1).

There are two kinds of questions: how often points belong to a colour in the end, and how often a move is answered
rightly. The memory `local_play` counts over whole simulations, tree and playout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar

import msgspec

from kikashi import sgf
from kikashi.board.points import PASS, color_name, parse_vertex
from kikashi.engine.limits import megabytes_for
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import search_request
from kikashi.experiments.claims import Observations
from kikashi.experiments.estimate import search_seconds
from kikashi.experiments.kind import (
    FEWEST_SIMULATIONS,
    NOTHING,
    AtLeastOne,
    Color,
    Design,
    Findings,
    Numbers,
    PlayerRow,
    Values,
    experiment_kind,
    preset_player,
)
from kikashi.experiments.paper import published_elsewhere
from kikashi.game import Game
from kikashi.game.moves import parse_color
from kikashi.match.match_player import MatchPlayer
from kikashi.match.runner import derived
from kikashi.playout.heuristics.instruments import MAX_QUESTIONS, LocalQuestion, read_counts, write_questions
from kikashi.report import Board, Figure, Table, plots
from kikashi.search.staged import new_search
from kikashi.wording import counted, plural

MEMORY = "local_play"
Counts = tuple[int, int, int]
"""The numbers of `kikashi.playout.heuristics.instruments.LocalCounts`."""


@dataclass(frozen=True)
class Mean:
    """A mean over searches, and the mean distance from it: the thesis's "mean absolute error"."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        middle = fmean(values)
        return cls(middle, fmean(abs(value - middle) for value in values))

    @property
    def percent(self) -> str:
        return f"{self.mean:.1%} ± {self.error:.1%}"

    @property
    def count(self) -> str:
        return f"{self.mean:,.1f} ± {self.error:,.1f}"


# --- questions --------------------------------------------------------------------------------------------------------


class OwnerQuestion(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A question about points: their share that belongs to a colour when a simulation ends."""

    numbers: ClassVar[int] = 2
    """Published: mean and error of the share."""
    head: ClassVar[Sequence[str]] = ("share of the points", "published", "all points at once")

    name: str
    color: Color
    points: list[str]

    @property
    def title(self) -> str:
        return f"{self.name}: how much of {' '.join(self.points)} belongs to {self.color.title()} in the end."

    def watched(self, size: int) -> LocalQuestion:
        """Return the question as the memory takes it. Raises ValueError."""
        if not self.points:
            raise ValueError(f"{self.name}: there are no points")
        return LocalQuestion(parse_color(self.color), _points(self.points, size))

    def means(self, counts: Sequence[Counts]) -> dict[str, Mean]:
        """Return the share of the points that ended as the colour's, and of simulations in which all of them did."""
        points = len(set(self.points))
        return {
            "share": Mean.of([hits / (max(1, times) * points) for times, hits, _ in counts]),
            "together": Mean.of([together / max(1, times) for times, _, together in counts]),
        }

    def cells(self, means: Mapping[str, Mean], paper: Sequence[float]) -> list[str]:
        return [means["share"].percent, Mean(*paper).percent if paper else NOTHING, means["together"].percent]

    def published_share(self, paper: Sequence[float]) -> float:
        return paper[0]


class ReplyQuestion(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A question about a colour's move: the share answered at once by the right one, before a point of `unless`."""

    numbers: ClassVar[int] = 4
    """Published: mean and error of the times that the move was made, and that it was answered rightly."""
    head: ClassVar[Sequence[str]] = ("played", "published", "right", "published", "share", "published")

    name: str
    color: Color
    move: str
    answer: str
    unless: list[str] = []

    @property
    def title(self) -> str:
        unless = f", unless {' or '.join(self.unless)} was played before" if self.unless else ""
        return f"{self.name}: how often {self.color.title()}'s {self.move} is answered by {self.answer}{unless}."

    def watched(self, size: int) -> LocalQuestion:
        """Return the question as the memory takes it. Raises ValueError."""
        (move,), (answer,) = _points([self.move], size), _points([self.answer], size)
        return LocalQuestion(parse_color(self.color), _points(self.unless, size), move, answer)

    def means(self, counts: Sequence[Counts]) -> dict[str, Mean]:
        """Return how often the move was made and answered rightly, and the share of right answers.

        The mean share is over all moves of all searches, as in the thesis; its error is that of the searches' shares.
        """
        times, right = [times for times, _, _ in counts], [hits for _, hits, _ in counts]
        shares = [hits / made for made, hits, _ in counts if made]
        share = Mean(sum(right) / max(1, sum(times)), Mean.of(shares).error if shares else 0.0)
        return {"times": Mean.of(times), "right": Mean.of(right), "share": share}

    def cells(self, means: Mapping[str, Mean], paper: Sequence[float]) -> list[str]:
        theirs = [NOTHING] * 3
        if paper:
            theirs = [Mean(*paper[:2]).count, Mean(*paper[2:]).count, f"{self.published_share(paper):.1%}"]
        ours = [means["times"].count, means["right"].count, means["share"].percent]
        return [cell for pair in zip(ours, theirs, strict=True) for cell in pair]

    def published_share(self, paper: Sequence[float]) -> float:
        return paper[2] / paper[0]


Question = OwnerQuestion | ReplyQuestion


def _points(names: Sequence[str], size: int) -> tuple[int, ...]:
    found = tuple(parse_vertex(name, size) for name in names)
    if PASS in found:
        raise ValueError("a question is about points, not about passing")
    return found


# --- the kind ---------------------------------------------------------------------------------------------------------


class LocalRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A search that was watched."""

    number: int
    player: int
    """Its number among the players."""
    counts: tuple[Counts, ...]
    """By question."""


class LocalRow(PlayerRow, frozen=True, kw_only=True):
    published: dict[str, list[float]] = {}
    """By the name of a question, means with their errors."""


@experiment_kind("local", unit="searches")
class LocalDesign(Design, frozen=True, kw_only=True):
    record_type: ClassVar[type] = LocalRecord
    decided_by = ("players", "simulations", "repeats", "owner", "reply", "board", "sgf", "turn", "komi")
    least: ClassVar[Mapping[str, int]] = {"simulations": FEWEST_SIMULATIONS, "repeats": 2}
    sentences: ClassVar[Mapping[str, str]] = {"board": "another position", "sgf": "another position"}

    player: list[LocalRow]
    simulations: AtLeastOne
    repeats: AtLeastOne
    """Searches by each player, with different seeds."""
    owner: list[OwnerQuestion] = []
    reply: list[ReplyQuestion] = []
    board: str = ""
    """A diagram, instead of `sgf`."""
    sgf: str = ""
    """A game that leads to the position: a file, or at a scale its text."""
    turn: Color | None = None
    """The side to play; by default that of the file, or Black."""
    komi: float | None = None
    """By default that of the file, or 7.5."""

    def scaled(self, scale: float) -> dict[str, Any]:
        text = Path(self.sgf).read_text("latin-1") if self.sgf else ""
        return super().scaled(scale) | {"sgf": text}

    def check(self) -> None:
        self.watched()
        for text in self.players:
            self._player(text)
        known = {question.name: question.numbers for question in self.questions}
        for row in self.player:
            for name, numbers in row.published.items():
                if known.get(name) != len(numbers):
                    raise ValueError(f"{row.name}: no question {name!r} has {len(numbers)} published numbers")

    def _player(self, text: str) -> MatchPlayer:
        return preset_player(text, self.simulations, "its simulations cannot be watched")

    @property
    def questions(self) -> list[Question]:
        return [*self.owner, *self.reply]

    @property
    def steps(self) -> int:
        return len(self.player) * self.repeats

    def game(self) -> Game:
        """Return the position. Raises ValueError."""
        if bool(self.board) == bool(self.sgf):
            raise ValueError("a position is a board or an sgf, one of them")
        game = sgf.read_game(self.sgf) if self.sgf else Game.from_diagram(self.board)
        if self.komi is not None:
            game.komi = self.komi
        return game if self.turn is None else game.turned_to(self.turn)

    def watched(self) -> list[LocalQuestion]:
        """Return the questions as the memory takes them. Raises ValueError."""
        size = self.game().size
        if not 1 <= len(self.questions) <= MAX_QUESTIONS:
            raise ValueError(f"a position is asked 1 to {MAX_QUESTIONS} questions, not {len(self.questions)}")
        return [question.watched(size) for question in self.questions]

    def work(self, number: int) -> LocalRecord:
        """Search the position once; players take turns, so that an interrupted run has all of them."""
        repeat, row = divmod(number, len(self.player))
        player, game, watched = self._player(self.player[row].player), self.game(), self.watched()
        switched_on = f'memories+="{MEMORY}(questions={len(watched)})"'
        with player.parts():
            preset = load_preset(player.preset, player.overrides)  # of all sizes: the memory is for every board
            search = new_search(
                load_preset(preset, [switched_on]).at(game.size).config,
                size=game.size,
                threads=player.threads,
                seed=derived(self.seed, "local", repeat),
                megabytes=player.megabytes or megabytes_for(game.size, self.simulations),
            )
            search.start(search_request(game))
            (block,) = search.memories.named(MEMORY)
            write_questions(block, watched)
            search.run(self.simulations)
        counts = tuple((found.times, found.hits, found.all) for found in read_counts(block))
        return LocalRecord(number=number, player=row, counts=counts)

    def published_with(self) -> dict[str, str]:
        return {
            "simulations": f"at {plural(self.simulations, 'simulation')}",
            "turn": f"with {self.turn} to play",
            "board": "in another position",
            "sgf": "in another position",
            "komi": "with another komi",
        }

    def values(self) -> Values:
        questions = ("owner", "reply")  # the report has them
        return {name: values for name, values in super().values().items() if name not in questions}

    def rows(self) -> Iterator[dict[str, str]]:
        elsewhere = published_elsewhere(self)
        for row in self.player:
            paper = (f"{name}: {', '.join(f'{n:g}' for n in numbers)}" for name, numbers in row.published.items())
            yield {
                "row": row.name,
                "player": row.player,
                "searches": f"{self.repeats:,}",
                "simulations a search": f"{self.simulations:,}",
                "published": f"{'; '.join(paper)} {elsewhere}".strip() or NOTHING,
            }

    def core_seconds(self) -> float:
        size = self.game().size
        return sum(search_seconds(text, self.simulations, size) for text in self.players) * self.repeats

    def _means(self, question: int, records: Sequence[LocalRecord]) -> dict[str, tuple[int, dict[str, Mean]]]:
        """Return by player the number of searches, and the answers to a question; none without a search."""
        found = {}
        for index, row in enumerate(self.player):
            counts = [record.counts[question] for record in records if record.player == index]
            found[row.name] = len(counts), self.questions[question].means(counts) if counts else {}
        return found

    def numbers(self, records: Sequence[LocalRecord]) -> Iterator[Numbers]:
        for number, question in enumerate(self.questions):
            for player, (_, found) in self._means(number, records).items():
                if found:
                    means = {name: value.mean for name, value in found.items()}
                    errors = {f"{name} error": value.error for name, value in found.items()}
                    yield {"question": question.name, "player": player, **means, **errors}

    def observations(self, records: Sequence[LocalRecord]) -> Observations:
        """Return the shares of each player's searches, by question."""
        return {
            f"{row.name}: {question.name}": [
                question.means([record.counts[number]])["share"].mean for record in records if record.player == index
            ]
            for number, question in enumerate(self.questions)
            for index, row in enumerate(self.player)
        }

    def published_means(self) -> dict[str, float]:
        return {
            f"{row.name}: {question.name}": question.published_share(row.published[question.name])
            for row in self.player
            for question in self.questions
            if question.name in row.published
        }

    def findings(self, records: Sequence[LocalRecord]) -> Findings:
        elsewhere, game = published_elsewhere(self), self.game()
        bars: dict[str, tuple[float, float, float]] = {}
        paper, tables, verdict, data = {}, [], [], {}
        for number, question in enumerate(self.questions):
            found = self._means(number, records)
            rows = []
            for row in self.player:
                (count, means), published = found[row.name], row.published.get(question.name, [])
                searches = f"{count}" + (f", unfinished, of {self.repeats}" if count < self.repeats else "")
                cells = question.cells(means, published) if means else [NOTHING] * len(question.head)
                rows.append([row.name, searches, *cells])
                if means:
                    label, share = f"{row.name}: {question.name}", means["share"]
                    middle, error = 100 * share.mean, 100 * share.error
                    bars[label] = (middle - error, middle, middle + error)
                    if published and not elsewhere:
                        paper[label] = 100 * question.published_share(published)
            head = ["player", "searches", *question.head]
            marked = [f"{name}, {elsewhere}" if elsewhere and name == "published" else name for name in head]
            tables.append(Table(marked, rows, question.title))
            known = {player: means for player, (_, means) in found.items() if means}
            shares = [f"{player} {means['share'].mean:.1%}" for player, means in known.items()]
            verdict.append(f"{question.name}: {', '.join(shares) or 'unknown'}")
            data[question.name] = msgspec.to_builtins(known)
        searches = f"{counted(len(records), 'searches')} of {plural(self.simulations, 'simulation')}"
        label = "%" + (" (squares: the paper)" if paper else "")
        return Findings(
            verdict="; ".join(verdict),
            scope=f"{searches}, {color_name(game.turn).title()} to play; ± is the mean absolute error.",
            elements=[
                Board(game),
                Figure(plots.intervals(bars, label, paper, title="Shares, with mean absolute errors"), "shares"),
                *tables,
            ],
            data={"searches": len(records), "of": self.steps, "questions": data},
        )
