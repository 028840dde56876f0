"""Cases for heuristics: diagrams with questions and answers out of `tests/diagrams`, asked in all 16 versions.

A block of such a file is a comment that says why, a diagram, and questions with their answers:

    # Two chains share their last liberty: one point, one weight.
    . X . X .
    X O . O X
    . X . X .
    ...
    X capture after E3 -> C3

The colour is who is to play. ``after D4 E5`` names the moves that led to the diagram, the latest last; ``then D4 pass``
are moves made from there. The answer gives the weight of every empty point: ``C3 D3=2.5 others=1``, where a bare point
weighs 1 and others 0 unless said; what cannot be played weighs 0. For a review, ``drawing C3 of 1000 -> D3`` names the
move drawn, its weight (1 unless said) and what becomes of it: another point, ``stands`` or ``redraw``.

The versions, eight orientations in both colours, are made of the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from helpers.naive import ADJACENT, DIAGONAL, SYMBOLS, NaiveBoard
from kikashi.board.points import BLACK, EMPTY, MAX_SIZE, PASS, WHITE, opponent, parse_vertex, point, vertex
from kikashi.board.position import new_board, play
from kikashi.board.rng import stream
from kikashi.jit import kernel
from kikashi.parts.calling import ask_int
from kikashi.playout import REDRAW, make_policy, new_root, reweigh, weight_of
from kikashi.playout.candidates import clear_bars
from kikashi.playout.loop import begin, is_playable, make_move, propose as fill_list
from kikashi.playout.worker import Memories, Worker

NEAR = ADJACENT + DIAGONAL
DIAGRAMS = Path(__file__).parents[1] / "diagrams"

_QUESTION = re.compile(
    r"(?P<color>[XO]) (?P<part>\S+)(?: after (?P<last>[\w ]+?))?(?: then (?P<played>[\w ]+?))?"
    r"(?: drawing (?P<drawn>\w+)(?: of (?P<weight>\d+))?)? -> (?P<answer>.+)"
)
Grid = list[list[str]]

# -- cases -------------------------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """One question about one diagram, as it is written."""

    where: str
    why: str
    rows: Grid
    question: str

    def __str__(self) -> str:
        return "\n".join([f"{self.where}: {self.why}", *map(" ".join, self.rows), self.question])

    @property
    def id(self) -> str:
        return f"{self.where} {self.question}"

    @property
    def size(self) -> int:
        return len(self.rows)

    def field(self, name: str) -> str:
        """A part of the question by the name of its group; empty if it is not there."""
        match = _QUESTION.fullmatch(self.question)
        assert match, f"{self.where}: not a question: {self.question}"
        return match[name] or ""

    def points(self, name: str) -> tuple[int, ...]:
        return tuple(parse_vertex(word, self.size) for word in self.field(name).split())

    def asking(self, part: str) -> Case:
        """The same question to another heuristic."""
        return self._replace(question=self.question.replace(self.field("part"), part, 1))

    def versions(self) -> Iterator[Case]:
        """The case in the eight orientations and both colours, itself the first."""
        names = [[vertex(point(x, y)) for x in range(1, self.size + 1)] for y in range(self.size, 0, -1)]
        for rows, turned in zip(_orientations(self.rows), _orientations(names), strict=True):
            now = {
                old: new for line, row in zip(turned, names, strict=True) for old, new in zip(line, row, strict=True)
            }
            question = re.sub(r"\b[A-T]\d+\b", lambda name: now[name[0]], self.question)  # noqa: B023
            yield self._replace(rows=rows, question=question)
            swapped = [list(_swap_colors(" ".join(row)).split()) for row in rows]
            yield self._replace(rows=swapped, question=_swap_colors(question))


def _orientations(grid: Grid) -> Iterator[Grid]:
    for _ in range(4):
        yield grid
        yield [row[::-1] for row in grid]
        grid = [list(column) for column in zip(*grid[::-1], strict=True)]


def _swap_colors(text: str) -> str:
    return re.sub(r"\b[XO]\b", lambda symbol: "XO"[symbol[0] == "X"], text)


def cases(name: str) -> list[Case]:
    """The cases of a file in `tests/diagrams`."""
    found, line = [], 1
    for block in (DIAGRAMS / f"{name}.txt").read_text().split("\n\n"):
        lines = block.strip("\n").split("\n")
        comments = [text[1:].strip() for text in lines if text.startswith("#")]
        rows = [text.split() for text in lines if re.fullmatch(r"[.XO ]+", text)]
        questions = [text for text in lines if "->" in text and not text.startswith("#")]
        assert len(comments) + len(rows) + len(questions) == len(lines), f"{name}.txt:{line}: a line is none of these"
        assert bool(rows) == bool(questions), f"{name}.txt:{line}: a diagram without a question, or the other way round"
        found += [Case(f"{name}.txt:{line}", " ".join(comments), rows, text) for text in questions]
        line += len(lines) + 1
    return found


# -- asking ------------------------------------------------------------------------------------------------------------


class Proposal(NamedTuple):
    """What a heuristic left in its list: weights by point, the weight of all others, and bars by point."""

    weights: dict[int, float]
    base: float
    bars: dict[int, int]


@kernel
def _propose(sim, moves, policy, number):
    clear_bars(moves)
    fill_list(sim, moves, policy.heuristic[number])


@kernel
def _review(sim, moves, policy, p):
    return ask_int(sim, policy.reviewer[0], (sim, moves, p))


@cache
def worker_for(playout: str, feasibility: str = "eyelike") -> Worker:
    """A worker for a list of heuristics, the first of which can be asked alone."""
    return Worker(make_policy(playout, feasibility=feasibility), Memories(), size=MAX_SIZE, seed=1)


def root_at(naive: NaiveBoard, last: tuple[int, ...] = (), komi: float = 7.5):
    """A root with the stones, the turn and the ko of the oracle."""
    board = new_board(naive.size)
    for p, color in naive.stones.items():
        board["to_play"] = color
        play(board, p)
    board["to_play"], board["ko"] = naive.to_play, naive.ko
    return new_root(board, history=last, komi=komi)


def propose(worker: Worker, number: int = 0) -> Proposal:
    """Return the proposal of a heuristic in the worker's list at the present move of its simulation."""
    moves = worker.moves
    _propose(worker.sim, moves, worker.record, number)
    weights: dict[int, float] = {}
    for i in range(moves["count"]):
        p = int(moves["points"][i])
        weights[p] = weights.get(p, 0.0) + float(moves["weights"][i])
    barred = moves["barred"][: moves["barred_count"]].tolist()
    return Proposal(weights, float(moves["base"]), {p: int(moves["bars"][p]) for p in barred})


def review(worker: Worker, p: int, weight: float = 1.0) -> int:
    """What the worker's first heuristic makes of the move `p`, drawn from a list that gives it `weight`."""
    propose(worker)
    reweigh(worker.moves, p, weight)
    verdict = int(_review(worker.sim, worker.moves, worker.record, p))
    assert weight_of(worker.moves, p) == (1.0 if verdict == REDRAW else weight)
    return verdict


def empty_points(worker: Worker) -> list[int]:
    board = worker.sim["board"]
    return sorted(board["empty"][: board["empty_count"]].tolist())


def playable_points(worker: Worker) -> set[int]:
    """The empty points that are legal and feasible."""
    return {p for p in empty_points(worker) if is_playable(worker.sim, worker.record, p)}


def odds(worker: Worker, proposal: Proposal) -> dict[int, float]:
    """The weights that the loop draws by: those of all empty points, 0 for what cannot be played."""
    playable = playable_points(worker)
    return {p: proposal.weights.get(p, proposal.base) if p in playable else 0.0 for p in empty_points(worker)}


def put(worker: Worker, case: Case, before_move: Callable[[Worker], object] = lambda worker: None) -> None:
    """Bring the worker's simulation to where the question of a case is asked, its random numbers to their start."""
    played = case.points("played")
    color, last = SYMBOLS[case.field("color")], case.points("last")
    naive = NaiveBoard.from_diagram("\n".join(map("".join, case.rows)), opponent(color) if len(played) % 2 else color)
    assert all(naive.color_at(p) == opponent(naive.to_play) for p in last[-1:]), f"who made the last move?\n{case}"
    worker.sim["rng"] = stream(1, 0)
    begin(worker.sim, worker.record, root_at(naive, last))
    for p in played:
        before_move(worker)
        make_move(worker.sim, worker.record, p)


def answer(case: Case, empty: list[int]) -> dict[int, float]:
    """The weights that the answer of a case gives to the empty points."""
    words = [word.partition("=") for word in case.field("answer").split() if word != "nothing"]
    named = {name: float(weight or 1) for name, _, weight in words}
    others = named.pop("others", 0.0)
    weights = {parse_vertex(name, case.size): weight for name, weight in named.items()}
    assert weights.keys() <= set(empty), f"the answer names a point that is not empty\n{case}"
    return {p: weights.get(p, others) for p in empty}


def check_proposals(
    case: Case, feasibility: str = "eyelike", before_move: Callable[[Worker], object] = lambda worker: None
) -> None:
    """All versions of a case: the heuristic gives every empty point the weight of the answer, and bars nothing.

    `before_move` is called with the worker before each move that leads from the diagram to the question.
    """
    for version in case.versions():
        worker = worker_for(case.field("part"), feasibility)
        put(worker, version, before_move)
        proposal = propose(worker)
        proposed, wanted = odds(worker, proposal), answer(version, empty_points(worker))
        different = {vertex(p): proposed[p] for p in wanted if proposed[p] != wanted[p]}
        assert not different, f"proposed {different}\n{version}"
        assert not proposal.bars, f"barred something\n{version}"


def check_review(case: Case) -> None:
    """All versions of a case: the review does with the drawn move what the answer says."""
    for version in case.versions():
        worker = worker_for(case.field("part"))
        put(worker, version)
        (drawn,) = version.points("drawn")
        verdict = review(worker, drawn, float(case.field("weight") or 1))
        said = {drawn: "stands", REDRAW: "redraw"}.get(verdict) or vertex(verdict)
        assert said == version.field("answer"), f"the review says {said}\n{version}"


# -- random positions --------------------------------------------------------------------------------------------------


def random_games(size: int, positions: int, seed: int) -> Iterator[tuple[NaiveBoard, list[int]]]:
    """The oracle after each move of random games, one after the other, and the moves of the game so far.

    Most moves are near the last one, for fights; few are passes. No move fills an eye.
    """
    random = Random(f"{size} {seed}")
    naive, played = NaiveBoard(size), []
    for _ in range(positions):
        if played[-2:] == [PASS, PASS]:
            naive, played = NaiveBoard(size), []
        p = _random_move(naive, played, random)
        naive.play(p)
        played.append(p)
        yield naive, played


def sampled_positions(sizes: Iterable[int], seed: int) -> Iterator[NaiveBoard]:
    """Positions of both players spread over random games of these sizes, crowded ones among them."""
    for size in sizes:
        step = size * size // 10 | 1  # odd, so that the turn changes
        yield from (naive for naive, _ in islice(random_games(size, 2 * size * size, seed), 0, None, step))


def _random_move(naive: NaiveBoard, played: list[int], random: Random) -> int:
    if random.random() < 0.02:
        return PASS
    fights = random.random() < 0.7 and played and played[-1] != PASS
    for places in (sorted(naive.around(played[-1], NEAR)) if fights else [], naive.points()):
        for p in random.sample(places, len(places)):
            if naive.color_at(p) == EMPTY and not naive.is_eyelike(p, naive.to_play) and naive.is_legal(p):
                return p
    return PASS


def chains_in_atari(naive: NaiveBoard) -> dict[int, set[frozenset[int]]]:
    """The chains that have one liberty, by colour."""
    chains = [chain for chain in naive.chains() if naive.in_atari(min(chain))]
    return {color: {chain for chain in chains if naive.color_at(min(chain)) == color} for color in (BLACK, WHITE)}
