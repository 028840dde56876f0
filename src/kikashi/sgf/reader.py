"""From a game tree to a Game: the main line, its setup stones and comments, and what the root says about the game."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator

from kikashi.board.points import BLACK, EMPTY, WHITE
from kikashi.game import Game
from kikashi.game.moves import parse_color
from kikashi.game.rules import Rules
from kikashi.sgf.coordinates import parse_point, parse_points
from kikashi.sgf.nodes import Node, RecordedMoveError, SGFError
from kikashi.sgf.parser import first_game
from kikashi.sgf.rule_names import rule_doubts, rules_named

HEADERS = (
    *("PB", "BR", "BT", "PW", "WR", "WT", "RE", "DT", "PC", "EV", "RO"),
    *("GN", "RU", "TM", "OT", "ON", "GC", "AN", "CP", "SO", "US"),
)
"""The properties of the root that become a game's headers: what people wrote about it."""

MOST_MOVES, MOST_SETUPS = 10_000, 1_000
"""Far more than any real game has: a file made for mischief must not be able to fill the memory or the day."""

LENIENT = Rules("simple")
"""By what a record is read that names no rules and has a move that positional superko forbids."""

_KOMI_IN_HUNDREDTHS = (275, 325, 375, 550, 650, 750)
"""Fox writes KM[375]; no game was ever played with such a komi."""

_NUMBER = re.compile(r"[-+]?(?:\d{1,9}(?:[.,]\d{0,9})?|[.,]\d{1,9})", re.ASCII)
_SIZE = re.compile(r"(\d{1,9})(?:\s*[:x]\s*(\d{1,9}))?", re.ASCII)
_OLD_COLORS = {"1": BLACK, "2": WHITE}
"""How programs before FF[4] wrote PL."""
_MOVE_COLORS = {"B": BLACK, "W": WHITE}
_SETUP_COLORS = {"AB": BLACK, "AW": WHITE, "AE": EMPTY}


def read_game(
    source: Node | str | bytes | os.PathLike[str],
    *,
    moves: int | None = None,
    rules: Rules | str | None = None,
    doubt: Callable[[str], None] | None = None,
) -> Game:
    """The game of a root, of a file's text or bytes, or of a path: the first tree's main line, up to `moves` moves.

    The rules are the ones RU names, unless they are given. If it names none we know, they are positional superko, or
    the simple ko rule if superko forbids a move of the record. `doubt` is told, in one line each, where the record's
    rules are not what we go by. Setup stones after the first move are obeyed, but start the history afresh: no move
    before them can be taken back. A recorded result is a header and does not end the game.

    A text is never taken for the name of a file: give that as a Path. Raises SGFError if the text is broken, if it is
    not a game of Go we can play, or, as RecordedMoveError, at a
    move that is illegal; OSError if a file cannot be read.

    >>> game = read_game("(;SZ[9]KM[6.5];B[ee];W[cg];B[])")
    >>> game.komi, [move.name for move in game.moves]
    (6.5, ['E5', 'C3', 'pass'])
    """
    root = source if isinstance(source, Node) else first_game(source)
    written = root.simple_text("RU")
    if rules is not None or rules_named(written) is not None:
        game = _read_by(rules if rules is not None else rules_named(written), root, moves)
    else:
        game = _read_by_some_rules(root, moves)
    if doubt is not None and rules is None:
        for line in rule_doubts(written, game.rules):
            doubt(line)
    return game


def _read_by_some_rules(root: Node, moves: int | None) -> Game:
    """The game by positional superko, or by the simple ko rule if that allows its moves. Raises what is wrong by the
    rules that allow more of them."""
    try:
        return _read_by(Rules(), root, moves)
    except SGFError as refused:
        try:
            return _read_by(LENIENT, root, moves)
        except SGFError as also_refused:
            raise max(refused, also_refused, key=_played_before) from None


def _played_before(error: SGFError) -> int:
    return error.played if isinstance(error, RecordedMoveError) else 0


def _read_by(rules: Rules | str | None, root: Node, moves: int | None) -> Game:
    game = _new_game(root, rules)
    comments: dict[int, list[str]] = {}
    _replay(game, list(root.main_line()), moves, comments)
    game.headers = {name: root.simple_text(name) or "" for name in HEADERS if name in root.properties}
    game.comments = {number: texts[0] if len(texts) == 1 else "\n".join(texts) for number, texts in comments.items()}
    return game


def _replay(game: Game, line: list[Node], moves: int | None, comments: dict[int, list[str]]) -> None:
    """Set up and play what the nodes of a line say, and collect their comments by number of moves made."""
    played = setups = 0
    for node, next_color in zip(line, _next_colors(line), strict=True):
        if _sets_up(game, node):
            if game.move_count:
                comments.clear()  # the moves they belong to are gone
            _apply_setup(game, node, next_color)
            setups += 1
        for color, value in _moves(node):
            if moves is not None and played >= moves:
                return
            try:
                _play(game, node, color, value)
            except SGFError as error:
                raise RecordedMoveError(str(error), played) from None
            played += 1
        if played > MOST_MOVES or setups > MOST_SETUPS:
            raise node.error(f"more than {MOST_MOVES} moves or {MOST_SETUPS} setups are no game")
        if comment := node.text("C"):
            comments.setdefault(game.move_count, []).append(comment)


def _new_game(root: Node, rules: Rules | str | None) -> Game:
    kind = root.value("GM")
    if kind is not None and kind != "1":
        raise root.error(f"GM says {kind[:20]!r}, and Go is 1")
    try:
        game = Game(_read_size(root), _read_komi(root), rules if rules is not None else Rules())
    except SGFError:
        raise
    except ValueError as problem:
        raise root.error(str(problem)) from None
    game.handicap = _read_handicap(root)
    return game


def _read_size(root: Node) -> int:
    written = root.value("SZ")
    if written is None:
        return 19
    size = _SIZE.fullmatch(written)
    if size is None or size[2] not in (None, size[1]):
        raise root.error(f"SZ says {written[:20]!r}, which is not the size of a square board")
    return int(size[1])


def _read_komi(root: Node) -> float:
    written = root.value("KM")
    if written is None:
        return 0.0
    number = _NUMBER.match(written)
    if number is None:
        raise root.error(f"KM says {written[:20]!r}, which is not a number")
    komi = float(number[0].replace(",", "."))
    if komi in _KOMI_IN_HUNDREDTHS:
        komi /= 100
    # Chinese records may count in stones, of which one makes two points: 3.75 stones are 7.5 points.
    return 2 * komi if (4 * komi).is_integer() and not (2 * komi).is_integer() else komi


def _read_handicap(root: Node) -> int:
    number = _NUMBER.match(root.value("HA") or "")
    return max(0, int(float(number[0].replace(",", ".")))) if number else 0


def _sets_up(game: Game, node: Node) -> bool:
    """Whether a node changes the position other than by a move."""
    if not _SETUP_COLORS.keys().isdisjoint(node.properties):
        return True
    # Between moves the turn alone changes nothing: every move says whose it is.
    return game.move_count == 0 and ("PL" in node.properties or node.parent is None)


def _apply_setup(game: Game, node: Node, next_color: int | None) -> None:
    """Set the stones and the turn that a node sets up."""
    try:
        stones = {p: color for color in (BLACK, WHITE) for p in game.stones(color)}
        for name, color in _SETUP_COLORS.items():
            stones |= dict.fromkeys(parse_points(node.properties.get(name, []), game.size), color)
        black, white = ([p for p in stones if stones[p] == color] for color in (BLACK, WHITE))
        game.setup(black, white, _turn_at(node, game, next_color))
    except ValueError as problem:
        raise node.error(str(problem)) from None


def _turn_at(node: Node, game: Game, next_color: int | None) -> int:
    """Whose turn it is: what PL says, else who plays next, else White after a handicap."""
    said = node.simple_text("PL")
    if said:
        return parse_color(_OLD_COLORS.get(said, said[:20]))
    if next_color is not None:
        return next_color
    return WHITE if game.handicap >= 2 and "AB" in node.properties else BLACK


def _next_colors(line: list[Node]) -> list[int | None]:
    """For each node of a line the colour of the first move in it or after it, None where there is none."""
    colors: list[int | None] = []
    color = None
    for node in reversed(line):
        color = next((_MOVE_COLORS[name] for name in node.properties if name in _MOVE_COLORS), color)
        colors.append(color)
    return colors[::-1]


def _moves(node: Node) -> Iterator[tuple[int, str]]:
    """The moves of a node: one, or none; some programs write both players' moves into one node."""
    for name, values in node.properties.items():
        if name in _MOVE_COLORS:
            if len(values) > 1:
                raise node.error(f"property {name} has {len(values)} values; a move has one")
            yield _MOVE_COLORS[name], values[0]


def _play(game: Game, node: Node, color: int, value: str) -> None:
    try:
        game.push(parse_point(value, game.size), color)
    except ValueError as problem:
        raise node.error(f"move {game.move_count + 1}: {problem}") from None
