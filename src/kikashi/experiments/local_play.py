"""What happens at one place of a position, in the simulations of searches (Baier 2010, §5.3.1).

Two questions can be asked: how often points belong to a colour in the end, and how often a move is answered rightly.
The memory `kikashi.playout.heuristics.watching.local_play` counts, over whole simulations, tree and playout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from kikashi import sgf
from kikashi.board.points import PASS, parse_vertex
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_memory import megabytes_for
from kikashi.engine.tree_reuse import search_request
from kikashi.experiments.design import LocalDesign, OwnerQuestion, ReplyQuestion, at_scale
from kikashi.game import Game
from kikashi.game.moves import parse_color
from kikashi.match.player_spec import Contestant, files_of_player, parse_contestant, with_other_files
from kikashi.match.runner import derived
from kikashi.playout.heuristics.watching import MOST_QUESTIONS, Question, answers, ask
from kikashi.search.staged import new_search
from kikashi.workers.serialization import Packed, packs, put

MEMORY = "local_play"
FEWEST_SIMULATIONS = 16
FEWEST_REPEATS = 2
NUMBERS = {OwnerQuestion: 2, ReplyQuestion: 4}
"""How many numbers are published about a question."""


class LocalSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be asked. Raises ValueError if it cannot be."""

    players: tuple[str, ...]
    simulations: int
    repeats: int
    owner: tuple[OwnerQuestion, ...]
    reply: tuple[ReplyQuestion, ...]
    board: str
    sgf: str
    """The text of the file."""
    turn: str | None
    komi: float | None
    seed: int

    def __post_init__(self) -> None:
        self.watched()
        for text in self.players:
            self.contestant(text)

    @property
    def questions(self) -> tuple[OwnerQuestion | ReplyQuestion, ...]:
        return (*self.owner, *self.reply)

    @property
    def searches(self) -> int:
        """How many there are in all."""
        return len(self.players) * self.repeats

    def game(self) -> Game:
        """The position. Raises ValueError."""
        if bool(self.board) == bool(self.sgf):
            raise ValueError("a position is a board or an sgf, one of them")
        game = sgf.read_game(self.sgf) if self.sgf else Game.from_diagram(self.board)
        if self.komi is not None:
            game.komi = self.komi
        return game if self.turn is None else game.turned_to(self.turn)

    def watched(self) -> list[Question]:
        """The questions as the instrument takes them. Raises ValueError."""
        size = self.game().size
        if not 1 <= len(self.questions) <= MOST_QUESTIONS:
            raise ValueError(f"a position is asked 1 to {MOST_QUESTIONS} questions, not {len(self.questions)}")
        return [*(_owner(question, size) for question in self.owner), *(_reply(one, size) for one in self.reply)]

    def contestant(self, text: str) -> Contestant:
        """A player of the settings. Raises ValueError if it is no preset."""
        player = parse_contestant(text, simulations=self.simulations)
        if not player.preset:
            raise ValueError(f"player {text!r} is not a preset: its simulations cannot be watched")
        return player


@packs(LocalSettings)
def _pack_settings(settings: LocalSettings) -> Packed | None:
    """Players take their files along."""
    files: dict[str, bytes] = {}
    for text in settings.players:
        files |= files_of_player(text, settings.contestant(text))
    return (_unpack_settings, (msgspec.to_builtins(settings), files)) if files else None


def _unpack_settings(table: dict[str, Any], files: Mapping[str, bytes]) -> LocalSettings:
    paths = {name: put(name, data) for name, data in files.items()}
    players = [with_other_files(text, paths) for text in table["players"]]
    return msgspec.convert({**table, "players": players}, LocalSettings)


def _owner(question: OwnerQuestion, size: int) -> Question:
    if not question.points:
        raise ValueError(f"{question.name}: there are no points")
    return Question(parse_color(question.color), _points(question.points, size))


def _reply(question: ReplyQuestion, size: int) -> Question:
    (move,), (answer,) = _points([question.move], size), _points([question.answer], size)
    return Question(parse_color(question.color), _points(question.unless, size), move, answer)


def _points(names: Sequence[str], size: int) -> tuple[int, ...]:
    found = tuple(parse_vertex(name, size) for name in names)
    if PASS in found:
        raise ValueError("a question is about points, not about passing")
    return found


def local_settings(design: LocalDesign, scale: float) -> LocalSettings:
    """The searches that run a design. Raises ValueError and OSError."""
    settings = LocalSettings(
        players=tuple(row.player for row in design.player),
        simulations=at_scale(design.simulations, scale, FEWEST_SIMULATIONS),
        repeats=at_scale(design.repeats, scale, FEWEST_REPEATS),
        owner=tuple(design.owner),
        reply=tuple(design.reply),
        board=design.board,
        sgf=Path(design.sgf).read_text("latin-1") if design.sgf else "",
        turn=design.turn,
        komi=design.komi,
        seed=design.seed,
    )
    known = {question.name: NUMBERS[type(question)] for question in settings.questions}
    for row in design.player:
        for name, numbers in row.published.items():
            if known.get(name) != len(numbers):
                raise ValueError(f"{row.name}: no question {name!r} has {len(numbers)} published numbers")
    return settings


# --- searching --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LocalTask:
    """A search to be watched. Players take turns, so that a run that is cut off has gone on with all alike."""

    number: int
    settings: LocalSettings


class LocalRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A search that was watched."""

    number: int
    player: int
    """Its number among the players."""
    counts: tuple[tuple[int, int, int], ...]
    """What `kikashi.playout.heuristics.watching.Answer` has, question by question."""


def watch_search(task: LocalTask) -> LocalRecord:
    """Search the position once, and count."""
    settings = task.settings
    repeat, row = divmod(task.number, len(settings.players))
    player, game, watched = settings.contestant(settings.players[row]), settings.game(), settings.watched()
    switched_on = f'memories+="{MEMORY}(questions={len(watched)})"'
    with player.parts():
        preset = load_preset(player.preset, player.overrides)  # of all sizes; what is switched on holds on every board
        search = new_search(
            load_preset(preset, [switched_on]).at(game.size).config,
            size=game.size,
            threads=player.threads,
            seed=derived(settings.seed, "local", repeat),
            megabytes=player.megabytes or megabytes_for(game.size, settings.simulations),
        )
        search.start(search_request(game))
        (block,) = search.memories.named(MEMORY)
        ask(block, watched)
        search.run(settings.simulations)
    counts = tuple((found.times, found.hits, found.all) for found in answers(block))
    return LocalRecord(number=task.number, player=row, counts=counts)


# --- what was found ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mean:
    """A mean over searches, and the mean distance from it: the thesis's "mean absolute error"."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        middle = fmean(values)
        return cls(middle, fmean(abs(value - middle) for value in values))


@dataclass(frozen=True)
class OwnerFound:
    """The share of a group that ended as a colour's, and the share of simulations in which all of it did."""

    share: Mean
    together: Mean


@dataclass(frozen=True)
class ReplyFound:
    """How often a move was made in a search, how often it was answered rightly, and the share of the right answers."""

    times: Mean
    right: Mean
    share: Mean
    """Its mean is over all moves of all searches, as in the thesis; its error that of the searches' own shares."""


def owner_found(counts: Sequence[tuple[int, int, int]], points: int) -> OwnerFound:
    """What searches say about one question."""
    return OwnerFound(
        share=Mean.of([hits / (max(1, times) * points) for times, hits, _ in counts]),
        together=Mean.of([together / max(1, times) for times, _, together in counts]),
    )


def reply_found(counts: Sequence[tuple[int, int, int]]) -> ReplyFound:
    """What searches say about one question; a search without the move has no share."""
    times, right = [times for times, _, _ in counts], [hits for _, hits, _ in counts]
    shares = [hits / made for made, hits, _ in counts if made]
    share = Mean(sum(right) / max(1, sum(times)), Mean.of(shares).error if shares else 0.0)
    return ReplyFound(Mean.of(times), Mean.of(right), share)
