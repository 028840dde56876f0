"""The mistakes of a game, by what its record keeps of each position: after a review, and when it is read again."""

from __future__ import annotations

from itertools import pairwise

from kikashi.engine.scoring import last_passes
from kikashi.review import review
from kikashi.web.events import Mistake
from kikashi.web.game_tree import Document, color_name

SHOWN_MISTAKES = 12


def reviewed_nodes(document: Document, line: list[int]) -> list[int]:
    """The nodes of a line that a review searches: not after the passes that end a game, which are an agreement."""
    last = document.game(line[-1])
    agreed = last_passes(last) if last.is_over() else 0
    return line[: len(line) - agreed] if agreed else line


def mistake_at(document: Document, before: int, node: int) -> Mistake | None:
    """What the move of a node lost, if that was a mistake by `kikashi.review`; None also where too little is kept."""
    game = document.game(node)
    known, now = document.kept(before), document.kept(node)
    if not game.moves or known is None or now is None or not known.moves:
        return None
    move, best = game.moves[-1], known.moves[0]
    judged = review.MoveReview(
        number=game.move_count,
        color=move.color,
        move=move.name,
        before=review.Evaluation(known.winrate, known.score, known.visits),
        after=review.Evaluation(now.winrate, now.score, now.visits),
        best=best.move,
        line=tuple(best.line[: review.LONGEST_LINE]),
    )
    if judged.grade is None:
        return None
    return Mistake(
        node=node,
        number=judged.number,
        color=color_name(move.color),
        move=judged.move,
        loss=judged.loss,
        grade=judged.grade,
        better=list(judged.line),
    )


def biggest(mistakes: list[Mistake]) -> list[Mistake]:
    """Those that a page is told of, the biggest first."""
    return sorted(mistakes, key=lambda mistake: -mistake.loss)[:SHOWN_MISTAKES]


def kept_mistakes(document: Document) -> list[Mistake] | None:
    """The biggest mistakes of the main line of a record that keeps a whole review; None if it does not."""
    if document.evaluation(0) is None:
        return None
    nodes = reviewed_nodes(document, document.line(0))
    if len(nodes) < 2 or not all(document.evaluation(node) for node in nodes):
        return None
    found = (mistake_at(document, before, node) for before, node in pairwise(nodes))
    return biggest([mistake for mistake in found if mistake is not None])
