"""What a search found, kept in the nodes of a game record and read again.

SBKV is Black's win rate in percent, as Sabaki writes it. KKAN is our own: the first line has the preset, the
simulations and Black's score; each further line is a move with its visits, its player's win rate and
score, and its line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kikashi.game import Game
from kikashi.review.review import GRADE_PROPERTIES, JUDGEMENTS
from kikashi.search.analysis import from_side
from kikashi.sgf.nodes import Node, unescape
from kikashi.web.events import Candidate, Opinion
from kikashi.web.messages import Board

RATE, FOUND = "SBKV", "KKAN"
KEPT_MOVES, KEPT_LINE = 12, 10


def write(node: Node, opinion: Opinion) -> None:
    """Keep an opinion, unless an earlier one has more simulations behind it."""
    _, _, visits = evaluation(node.properties)
    if not opinion.visits or opinion.visits < visits:
        return
    lines = [f"{opinion.preset} {opinion.visits} {opinion.score:.2f}"]
    for move in opinion.moves[:KEPT_MOVES]:
        line = " ".join(move.line[:KEPT_LINE])
        lines.append(f"{move.move} {move.visits} {move.winrate:.4f} {move.score:.2f} {line}")
    node.properties[RATE] = [f"{100 * opinion.winrate:.2f}"]
    node.set_text(FOUND, "\n".join(lines))


def evaluation(properties: Mapping[str, Sequence[str]]) -> tuple[float | None, float | None, int]:
    """Black's win rate and score and the simulations behind them, as far as a node has them."""
    rate = _number(properties[RATE][0]) if properties.get(RATE) else None
    head = _head(properties)
    winrate = None if rate is None or not 0 <= rate <= 100 else rate / 100
    return winrate, (None if head is None else head[2]), (0 if head is None else head[1])


def grade(properties: Mapping[str, Sequence[str]]) -> str:
    """What the record says of a move: ``bad``, ``very bad``, ``doubtful``, or nothing."""
    if "BM" in properties:
        return "very bad" if list(properties["BM"][:1]) == ["2"] else "bad"
    return "doubtful" if "DO" in properties else ""


def write_grade(node: Node, grade: str) -> None:
    """Say of a move that it was a mistake, in place of any other judgement; none without a grade."""
    for name in JUDGEMENTS:
        node.properties.pop(name, None)
    if grade:
        name, value = GRADE_PROPERTIES[grade]
        node.properties[name] = [value]


def read(node: Node, game: Game, board: Board, number: int) -> Opinion | None:
    """The opinion that a node keeps; None if it has none that makes sense in this position."""
    winrate, score, visits = evaluation(node.properties)
    head = _head(node.properties)
    if winrate is None or head is None:
        return None
    lines = unescape(node.properties[FOUND][0]).split("\n")[1 : KEPT_MOVES + 1]
    moves = [move for move in map(_candidate, lines) if move is not None and game.is_legal(move.move)]
    return Opinion(
        board=board,
        node=number,
        preset=head[0],
        turn="black" if from_side(game.turn, 1.0) > 0 else "white",
        running=False,
        visits=visits,
        winrate=winrate,
        score=score or 0.0,
        deviation=0.0,
        per_second=0.0,
        depth=0,
        nodes=0,
        moves=moves,
        ownership=[],
        shares={},
        without=[],
    )


def _head(properties: Mapping[str, Sequence[str]]) -> tuple[str, int, float] | None:
    """The preset, the simulations and Black's score."""
    if not properties.get(FOUND):
        return None
    words = unescape(properties[FOUND][0]).split("\n", 1)[0].split()
    visits, score = (_number(word) for word in words[-2:]) if len(words) >= 3 else (None, None)
    if visits is None or score is None or not 0 <= visits < 1e15:
        return None
    return " ".join(words[:-2])[:80], int(visits), score


def _candidate(line: str) -> Candidate | None:
    move, *words = line.split() or [""]
    numbers = [_number(word) for word in words[:3]]
    if len(numbers) < 3 or None in numbers:
        return None
    visits, winrate, score = (number or 0.0 for number in numbers)
    if not (0 <= visits < 1e15 and 0 <= winrate <= 1):
        return None
    return Candidate(move[:4], int(visits), winrate, score, 0.0, None, [word[:4] for word in words[3 : 3 + KEPT_LINE]])


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < 1e15 else None  # neither infinite nor nan
