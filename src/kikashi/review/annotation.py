"""A reviewed game as a game tree for SGF: comments, marks and better lines."""

from kikashi.board.points import BLACK, opponent, parse_vertex
from kikashi.review.review import GRADE_PROPERTIES, JUDGEMENTS, MISTAKES, Evaluation, MoveReview, Review, describe
from kikashi.sgf.games import format_point
from kikashi.sgf.nodes import Node
from kikashi.wording import plural

_MOVE_NAMES = ("B", "W")
_MARKS = ("CR", "MA", "SL", "SQ", "TR")


def annotated(review: Review, root: Node, mistakes: int = MISTAKES, *, played: int | None = None) -> Node:
    """Return a copy of a tree's main line with the review; the tree itself is not changed.

    `root` is the tree of the reviewed game, or ``game_tree(game)``. Every node keeps its properties; new comments come
    below old ones. A mistake is marked with BM or DO, the better move with a triangle; the better line is a variation.
    SBKV, Black's win rate in percent, lets Sabaki draw its graph. If stones are set up after the first move, the
    review begins there. `played` is the number of the tree's moves in the game, if it has fewer; the others stay as
    they are. Raises ValueError if the tree has fewer moves than the game.
    """
    copy, steps = _copy_main_line(root)
    steps = steps[:played]
    if len(steps) < review.total:
        raise ValueError(f"a tree of {plural(len(steps), 'move')} is not that of a game of {review.total}")
    reviewed, marked = steps[len(steps) - review.total :], review.mistakes(mistakes)
    start, _first = reviewed[0]
    _comment(start, f"{review.moves[0].before}\nreviewed by {review.by}")
    _rate(start, review.moves[0].before)
    for (before, node), move in zip(reviewed, review.moves, strict=False):
        _comment(node, describe(move))
        _rate(node, move.after)
        if move in marked:
            _mark(node, move, review.size)
            _add_line(before, move, review.size)
    return copy


def _copy_main_line(root: Node) -> tuple[Node, list[tuple[Node, Node]]]:
    """Return the copied root without a move, and for each move the node before it and its own node."""
    copy = node = Node()
    steps: list[tuple[Node, Node]] = []
    for original in root.main_line():
        if original is not root:
            node = node.add_child()
        for name, values in original.properties.items():
            if name in _MOVE_NAMES:
                if node is copy or (steps and steps[-1][1] is node):
                    node = node.add_child()
                steps.append((node.parent or copy, node))
            at = copy if original is root and name not in _MOVE_NAMES else node
            at.properties[name] = list(values)
    return copy, steps


def _comment(node: Node, text: str) -> None:
    there = node.text("C")
    node.set_text("C", f"{there}\n\n{text}" if there else text)


def _rate(node: Node, evaluation: Evaluation) -> None:
    node.properties["SBKV"] = [f"{100 * evaluation.winrate:.2f}"]


def _mark(node: Node, move: MoveReview, size: int) -> None:
    """Judge the move of a node and point at the better one."""
    for name in JUDGEMENTS:
        node.properties.pop(name, None)
    name, value = GRADE_PROPERTIES[move.grade or "doubtful"]
    node.properties[name] = [value]
    where = format_point(parse_vertex(move.best, size), size)
    if where and not any(where in node.properties.get(mark, []) for mark in _MARKS):
        node.properties.setdefault("TR", []).append(where)


def _add_line(before: Node, move: MoveReview, size: int) -> None:
    """Add the better line as a variation behind what was played."""
    node, color = before, move.color
    for name in move.line:
        node = node.add_child()
        node.properties["B" if color == BLACK else "W"] = [format_point(parse_vertex(name, size), size)]
        if node.parent is before:
            _comment(node, f"better than {move.move}: {move.before}")
            _rate(node, move.before)
        color = opponent(color)
