"""A reviewed game as one page of HTML: a board to step through, comments, the graph, mistakes and better lines."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from kikashi.board.points import color_name, points_of, vertex
from kikashi.game import Game
from kikashi.report.document import Document, Element
from kikashi.report.elements import Figure, Paragraph, board_script, json_for_scripts
from kikashi.review import graph
from kikashi.review.review import MISTAKES, MoveReview, Review, better, describe
from kikashi.wording import plural

Position = tuple[str, int | None]
"""Stones row by row from A1, 0 for an empty point, 1 for Black and 2 for White; and the place of the last move."""
_BUTTONS = (("first", "«", "First"), ("back", "‹", "Back"), ("forward", "›", "Forward"), ("last", "»", "Last"))


def as_html(review: Review, game: Game, mistakes: int = MISTAKES) -> str:
    """Return the page of a review and its game, which needs no other file."""
    about = [f"{review.size}×{review.size}", f"komi {review.komi:g}", game.rules.in_words, f"reviewed by {review.by}"]
    elements: list[Element] = [
        Paragraph(" · ".join(about)),
        ReviewedGame(review, game, mistakes),
        _Graph(graph.as_svg(review, mistakes)),
    ]
    return Document(review.title, elements, _verdict(review)).html()


def _verdict(review: Review) -> str:
    """Return the number of mistakes and the greatest one."""
    made = review.mistakes(len(review.moves))
    if not made:
        return "No mistake that the search is sure of."
    worst = made[0]
    mover = color_name(worst.color).capitalize()
    return f"{plural(len(made), 'mistake')}; {mover} lost most by move {worst.number}, {worst.move}: {worst.loss:.0%}."


@dataclass(frozen=True)
class _Graph(Figure):
    def html(self) -> str:
        return f'<figure class="review-graph">{self.picture}</figure>'


@dataclass(frozen=True)
class ReviewedGame(Element):
    """The board of a reviewed game, with what is known about each move. An element of a report."""

    review: Review
    game: Game
    mistakes: int = MISTAKES

    def html(self) -> str:
        moves = sorted(self.review.mistakes(self.mistakes), key=lambda move: move.number)
        start = moves[0].number if moves else 0
        buttons = "".join(
            f'<button data-act="{act}" aria-label="{label}" title="{label}">{sign}</button> '
            for act, sign, label in _BUTTONS
        )
        line = (
            '<p class="line" hidden><button data-act="line">Better line</button> '
            '<button data-act="game">Back to the game</button></p>'
        )
        return (
            f"<style>\n{_asset('page.css')}</style>\n"
            f'<section class="review" data-start="{start}">\n<div><canvas aria-label="Board"></canvas>'
            '<input type="range" min="0" aria-label="Move"></div>\n'
            '<div><p class="caption" aria-live="polite"></p><p class="comment"></p>'
            f"{buttons}{line}{_listed(moves)}</div>\n"
            f"{json_for_scripts(self._data(moves))}\n{board_script(_asset('page.js'))}</section>"
        )

    def _data(self, mistakes: Sequence[MoveReview]) -> dict[str, object]:
        """Return what the script shows: positions and comments by number of moves, and better lines."""
        line = self.game.root()
        first = self.review.moves[0]
        positions, comments = [_position(line, None)], [("", str(first.before))]
        lines: dict[int, object] = {}
        marked = {move.number for move in mistakes}
        for move in self.review.moves:
            if move.number in marked:
                lines[move.number] = _better_line(line, move)
            line.push(move.move, move.color)
            positions.append(_position(line, move.move))
            comments.append((f"{color_name(move.color).capitalize()} {move.move}", describe(move)))
        return {"size": self.review.size, "positions": positions, "comments": comments, "lines": lines}


def _listed(mistakes: Sequence[MoveReview]) -> str:
    """Return the list of mistakes, each a button that leads to its move."""
    if not mistakes:
        return "<p>No mistake that the search is sure of.</p>"
    items = (
        f'<li><button data-move="{move.number}"><b>{move.number} {color_name(move.color).capitalize()} '
        f"{html.escape(move.move)}</b>: {move.grade}, −{move.loss:.0%}<br>"
        f"better {html.escape(better(move))}</button></li>"
        for move in mistakes
    )
    return f"<p>Mistakes</p><ol>{''.join(items)}</ol>"


def _better_line(before: Game, move: MoveReview) -> dict[str, object]:
    """Return the positions of a better line, the one before it first, and the places of its moves."""
    line = before.copy().turned_to(move.color)
    positions = [_position(line, None)]
    for name in move.line:
        line.push(name)
        positions.append(_position(line, name))
    return {"positions": positions, "points": [last for _, last in positions[1:]]}


def _position(game: Game, last: str | None) -> Position:
    places = {vertex(p): place for place, p in enumerate(points_of(game.size))}
    return "".join(str(game.color_at(name)) for name in places), None if last is None else places.get(last)


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
