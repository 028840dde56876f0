"""Analyses for pages: made from a search, stored in the nodes of a game record, and read again.

SBKV is Black's win rate in percent, as Sabaki writes it. KKAN is our own: the first line has the preset, the
simulations and Black's score; each further line is a move with its visits, its player's win rate and score, and its
principal variation.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from kikashi.board.points import BLACK
from kikashi.game import Game
from kikashi.protocols.formatting import from_the_top
from kikashi.review.review import GRADE_PROPERTIES, JUDGEMENTS
from kikashi.search.analysis import Analysis
from kikashi.sgf.nodes import Node, unescape
from kikashi.web.messages import Candidate, Color, Histogram, PositionAnalysis, SearchBoard

SHOWN_MOVES = 20
"""Root moves of an analysis that a page gets."""
WINRATE, ANALYSIS = "SBKV", "KKAN"
STORED_MOVES, STORED_LINE = 12, 10
BARS = 48
"""Bars of a histogram, at most."""


def color_name(color: int) -> Color:
    """Return a colour as messages have it."""
    return "black" if color == BLACK else "white"


def make_analysis(
    found: Analysis,
    game: Game,
    *,
    board: SearchBoard,
    node: int,
    preset: str,
    running: bool,
    without: Sequence[str] = (),
) -> PositionAnalysis:
    """Return the analysis of the position of a game, at a node, for a page."""
    return PositionAnalysis(
        board=board,
        node=node,
        preset=preset,
        turn=color_name(found.to_play),
        running=running,
        visits=found.visits,
        winrate=found.black_winrate,
        score=found.black_score,
        moves=[
            Candidate(move.name, move.visits, move.winrate, move.score, move.prior or None, move.rave, list(move.names))
            for move in found.moves[:SHOWN_MOVES]
            if move.visits
        ],
        deviation=found.score_deviation,
        histogram=make_histogram(found.scores, game.compensation),
        per_second=found.simulations_per_second,
        depth=found.depth,
        nodes=found.nodes,
        ownership=[round(100 * owner) for owner in from_the_top(found.ownership)],
        shares=found.moves_by,
        without=list(without),
        full=found.full,
    )


def make_histogram(scores: Mapping[int, int], komi: float) -> Histogram:
    """Return simulations by score less komi, in bars of two points or more: every other score is rare."""
    if not scores:
        return Histogram(0, 1, [])
    width = 2
    while (max(scores) - min(scores)) / width > BARS - 2:
        width *= 2
    bars = Counter[int]()
    for score, count in scores.items():
        bars[math.floor((score - komi) / width)] += count
    first = min(bars)
    return Histogram(first * width, width, [bars[at] for at in range(first, max(bars) + 1)])


def store_analysis(node: Node, analysis: PositionAnalysis) -> None:
    """Store an analysis in a node, unless the stored one has more simulations."""
    _, _, visits = read_evaluation(node.properties)
    if not analysis.visits or analysis.visits < visits:
        return
    lines = [f"{analysis.preset} {analysis.visits} {analysis.score:.2f}"]
    for move in analysis.moves[:STORED_MOVES]:
        line = " ".join(move.line[:STORED_LINE])
        lines.append(f"{move.move} {move.visits} {move.winrate:.4f} {move.score:.2f} {line}")
    node.properties[WINRATE] = [f"{100 * analysis.winrate:.2f}"]
    node.set_text(ANALYSIS, "\n".join(lines))


def read_analysis(node: Node, game: Game, board: SearchBoard, number: int) -> PositionAnalysis | None:
    """Return the stored analysis of a node; None without one that fits the position."""
    winrate, score, visits = read_evaluation(node.properties)
    if winrate is None or score is None:
        return None
    preset, *lines = unescape(node.properties[ANALYSIS][0]).split("\n")[: STORED_MOVES + 1]
    return PositionAnalysis(
        board=board,
        node=number,
        preset=" ".join(preset.split()[:-2])[:80],
        turn=color_name(game.turn),
        running=False,
        visits=visits,
        winrate=winrate,
        score=score,
        moves=[move for move in map(_read_candidate, lines) if move is not None and game.is_legal(move.move)],
    )


def read_evaluation(properties: Mapping[str, Sequence[str]]) -> tuple[float | None, float | None, int]:
    """Return Black's win rate and score and the simulations behind them, as far as a node has them."""
    rate = _number(properties[WINRATE][0]) if properties.get(WINRATE) else None
    winrate = None if rate is None or not 0 <= rate <= 100 else rate / 100
    words = unescape(properties[ANALYSIS][0]).split("\n", 1)[0].split() if properties.get(ANALYSIS) else []
    visits, score = (_number(word) for word in words[-2:]) if len(words) >= 3 else (None, None)
    if visits is None or score is None or visits < 0:
        return winrate, None, 0
    return winrate, score, int(visits)


def read_grade(properties: Mapping[str, Sequence[str]]) -> str:
    """Return the grade of a move in the record: ``bad``, ``very bad``, ``doubtful``, or nothing."""
    if "BM" in properties:
        return "very bad" if list(properties["BM"][:1]) == ["2"] else "bad"
    return "doubtful" if "DO" in properties else ""


def write_grade(node: Node, grade: str) -> None:
    """Replace all judgements of a move by a grade; an empty grade only removes them."""
    for name in JUDGEMENTS:
        node.properties.pop(name, None)
    if grade:
        name, value = GRADE_PROPERTIES[grade]
        node.properties[name] = [value]


def _read_candidate(line: str) -> Candidate | None:
    move, *words = line.split() or [""]
    numbers = [_number(word) for word in words[:3]]
    if len(numbers) < 3 or None in numbers:
        return None
    visits, winrate, score = (number or 0.0 for number in numbers)
    if visits < 0 or not 0 <= winrate <= 1:
        return None
    line_names = [word[:4] for word in words[3 : 3 + STORED_LINE]]
    return Candidate(move[:4], int(visits), winrate, score, None, None, line_names)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < 1e15 else None  # neither infinite nor nan
