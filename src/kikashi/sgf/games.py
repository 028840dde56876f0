"""Games and game trees: `read_game` replays a tree's main line, `write_game` writes a game as SGF."""

import os
import re
from collections.abc import Callable, Iterable, Iterator

from kikashi.board.points import BLACK, EMPTY, PASS, WHITE, column_of, point, row_of
from kikashi.game import RESIGN, Game
from kikashi.game.moves import format_points, parse_color
from kikashi.game.rules import Rules, rules_as_sgf, rules_from_sgf
from kikashi.sgf.nodes import Node, RecordedMoveError, SGFError
from kikashi.sgf.parser import first_game
from kikashi.sgf.writer import dump

HEADERS = (
    *("PB", "BR", "BT", "PW", "WR", "WT", "RE", "DT", "PC", "EV", "RO"),
    *("GN", "RU", "TM", "OT", "ON", "GC", "AN", "CP", "SO", "US"),
)
"""The properties of the root that become a game's headers."""
MAX_MOVES, MAX_SETUPS = 10_000, 1_000
"""Far more than any real game has: a malicious file must not fill the memory or the day."""
_KOMI_IN_HUNDREDTHS = (275, 325, 375, 550, 650, 750)
"""Fox writes KM[375]; no game was ever played with such a komi."""
_NUMBER = re.compile(r"[-+]?(?:\d{1,9}(?:[.,]\d{0,9})?|[.,]\d{1,9})", re.ASCII)
_SIZE = re.compile(r"(\d{1,9})(?:\s*[:x]\s*(\d{1,9}))?", re.ASCII)
_OLD_COLORS = {"1": BLACK, "2": WHITE}
"""The values of PL in programs before FF[4]."""
_MOVE_COLORS = {"B": BLACK, "W": WHITE}
_SETUP_COLORS = {"AB": BLACK, "AW": WHITE, "AE": EMPTY}


# --- points: "aa" is the upper left corner ----------------------------------------------------------------------------


def parse_point(value: str, size: int) -> int:
    """Read a point; PASS for an empty value and for ``"tt"``, which meant it before FF[4]. Raises ValueError."""
    letters = value.strip()
    if letters in ("", "tt"):
        return PASS
    if len(letters) != 2 or not (letters.isascii() and letters.isalpha() and letters.islower()):
        raise ValueError(f"{letters[:20]!r} is not a point such as 'dd'")
    column, row = (ord(letter) - ord("a") for letter in letters)
    if column >= size or row >= size:
        raise ValueError(f"point {letters!r} is off the {size}x{size} board")
    return point(column + 1, size - row)


def parse_points(values: Iterable[str], size: int) -> list[int]:
    """Read a list of points in which ``"aa:cc"`` stands for a rectangle. Raises ValueError."""
    found = set()
    for value in {value for value in values if value.strip()}:  # an empty list is written as one empty value
        corners = [parse_point(corner, size) for corner in value.split(":", 2)]
        if len(corners) > 2 or PASS in corners:
            raise ValueError(f"{value[:20]!r} is not a point such as 'dd', nor a rectangle such as 'dd:ff'")
        columns, rows = sorted(map(column_of, corners)), sorted(map(row_of, corners))
        found |= {point(c, r) for c in range(columns[0], columns[-1] + 1) for r in range(rows[0], rows[-1] + 1)}
    return sorted(found)


def format_point(p: int, size: int) -> str:
    """Return the value of a point; an empty one for PASS."""
    return "" if p == PASS else chr(ord("a") + column_of(p) - 1) + chr(ord("a") + size - row_of(p))


# --- reading ----------------------------------------------------------------------------------------------------------


def read_game(
    source: Node | str | bytes | os.PathLike[str],
    *,
    moves: int | None = None,
    rules: Rules | str | None = None,
    doubt: Callable[[str], None] | None = None,
) -> Game:
    """Read the first game of a root, a text, bytes or a path: its main line, up to `moves` moves.

    Without `rules` those of RU count. If RU names none we know, they are positional superko, or the simple ko rule if
    superko forbids a move of the record; `doubt` then gets a line about it. Setup stones after the first move start the
    history afresh: no move before them can be taken back. A recorded result is a header and does not end the game.

    A text is never taken for the name of a file: give that as a Path. Raises SGFError if the text is broken or not a
    game of Go we can play, RecordedMoveError at an illegal move, OSError if a file cannot be read.

    >>> game = read_game("(;SZ[9]KM[6.5];B[ee];W[cg];B[])")
    >>> game.komi, [move.name for move in game.moves]
    (6.5, ['E5', 'C3', 'pass'])
    """
    root = source if isinstance(source, Node) else first_game(source)
    text = root.simple_text("RU")
    named = rules if rules is not None else rules_from_sgf(text)
    if named is not None:
        return _replay(root, named, moves)
    game = _replay_by_some_rules(root, moves)
    if doubt is not None and text:
        doubt(f"the record's rules, {text[:40]!r}, are none we know: counted by area, with {game.rules} ko")
    elif doubt is not None and game.rules != Rules():
        doubt(f"the record names no rules, and a move repeats a position: read with the {game.rules} ko rule")
    return game


def _replay_by_some_rules(root: Node, moves: int | None) -> Game:
    """Replay by positional superko, or else by the simple ko rule. Raises the error of the rules that get further."""
    errors = []
    for rules in (Rules(), Rules("simple")):
        try:
            return _replay(root, rules, moves)
        except SGFError as error:
            errors.append(error)
    raise max(errors, key=lambda error: error.played if isinstance(error, RecordedMoveError) else 0)


def _replay(root: Node, rules: Rules | str, moves: int | None) -> Game:
    """Set up and play the nodes of the main line, and collect their comments by number of moves made."""
    game = _new_game(root, rules)
    comments: dict[int, list[str]] = {}
    line = list(root.main_line())
    played = setups = 0
    for node, next_color in zip(line, _next_colors(line), strict=True):
        if _sets_up(game, node):
            if game.move_count:
                comments.clear()  # the moves they belong to are gone
            _apply_setup(game, node, next_color)
            setups += 1
        own = list(_moves(node))
        due = own if moves is None else own[: moves - played]
        for color, value in due:
            try:
                game.push(parse_point(value, game.size), color)
            except ValueError as problem:
                error = node.error(f"move {game.move_count + 1}: {problem}")
                raise RecordedMoveError(str(error), played) from None
            played += 1
        if len(due) < len(own):
            break
        if played > MAX_MOVES or setups > MAX_SETUPS:
            raise node.error(f"more than {MAX_MOVES} moves or {MAX_SETUPS} setups are no game")
        if comment := node.text("C"):
            comments.setdefault(game.move_count, []).append(comment)
    game.headers = {name: root.simple_text(name) or "" for name in HEADERS if name in root.properties}
    game.comments = {number: "\n".join(texts) for number, texts in comments.items()}
    return game


def _new_game(root: Node, rules: Rules | str) -> Game:
    kind, size, komi = root.value("GM"), root.value("SZ"), root.value("KM")
    if kind not in (None, "1"):
        raise root.error(f"GM says {str(kind)[:20]!r}, and Go is 1")
    square = _SIZE.fullmatch(size or "19")
    if square is None or square[2] not in (None, square[1]):
        raise root.error(f"SZ says {str(size)[:20]!r}, which is not the size of a square board")
    number = _NUMBER.match(komi or "0")
    if number is None:
        raise root.error(f"KM says {str(komi)[:20]!r}, which is not a number")
    try:
        game = Game(int(square[1]), _points_of_komi(_decimal(number)), rules)
    except ValueError as problem:
        raise root.error(str(problem)) from None
    handicap = _NUMBER.match(root.value("HA") or "")
    game.handicap = max(0, int(_decimal(handicap))) if handicap else 0
    return game


def _decimal(number: re.Match[str]) -> float:
    return float(number[0].replace(",", "."))


def _points_of_komi(komi: float) -> float:
    if komi in _KOMI_IN_HUNDREDTHS:
        komi /= 100
    # Chinese records may count in stones, of which one makes two points: 3.75 stones are 7.5 points.
    return 2 * komi if (4 * komi).is_integer() and not (2 * komi).is_integer() else komi


def _sets_up(game: Game, node: Node) -> bool:
    """Return whether a node changes the position other than by a move."""
    if not _SETUP_COLORS.keys().isdisjoint(node.properties):
        return True
    # Between moves the turn alone changes nothing: every move says whose it is.
    return game.move_count == 0 and ("PL" in node.properties or node.parent is None)


def _apply_setup(game: Game, node: Node, next_color: int | None) -> None:
    try:
        stones = {p: color for color in (BLACK, WHITE) for p in game.stones(color)}
        for name, color in _SETUP_COLORS.items():
            stones |= dict.fromkeys(parse_points(node.properties.get(name, []), game.size), color)
        black, white = ([p for p in stones if stones[p] == color] for color in (BLACK, WHITE))
        game.setup(black, white, _turn_at(node, game, next_color))
    except ValueError as problem:
        raise node.error(str(problem)) from None


def _turn_at(node: Node, game: Game, next_color: int | None) -> int:
    """Return the player to move: by PL, else the player of the next move, else White after a handicap."""
    written = node.simple_text("PL")
    if written:
        return parse_color(_OLD_COLORS.get(written, written[:20]))
    if next_color is not None:
        return next_color
    return WHITE if game.handicap >= 2 and "AB" in node.properties else BLACK


def _next_colors(line: list[Node]) -> list[int | None]:
    """Return for each node of a line the colour of the first move in it or after it, None where there is none."""
    colors: list[int | None] = []
    color = None
    for node in reversed(line):
        color = next((_MOVE_COLORS[name] for name in node.properties if name in _MOVE_COLORS), color)
        colors.append(color)
    return colors[::-1]


def _moves(node: Node) -> Iterator[tuple[int, str]]:
    """Yield the moves of a node: one, or none; some programs write both players' moves into one node."""
    for name, values in node.properties.items():
        if name in _MOVE_COLORS:
            if len(values) > 1:
                raise node.error(f"property {name} has {len(values)} values; a move has one")
            yield _MOVE_COLORS[name], values[0]


# --- writing ----------------------------------------------------------------------------------------------------------


def write_game(game: Game) -> str:
    """Return the text of an SGF file with this game, its headers and its comments.

    The result is :meth:`Game.recorded_result`. Set the header ``RE`` to write what was agreed after two passes. Raises
    SGFError if the name of a header is impossible.

    >>> game = Game(9, komi=5.5)
    >>> game.headers["PB"] = "Orego"
    >>> _ = game.push("E5")
    >>> print(write_game(game), end="")
    (;FF[4]GM[1]CA[UTF-8]AP[kikashi]SZ[9]KM[5.5]PB[Orego]RU[Chinese];B[ee])
    """
    return dump([game_tree(game)])


def game_tree(game: Game) -> Node:
    """Return the root of a tree with this game as its only line."""
    root = node = _root(game)
    for number, move in enumerate(game.moves, start=1):
        if move.point == RESIGN:
            break  # SGF knows no such move; RE says it
        node = node.add_child()
        node.properties["B" if move.color == BLACK else "W"] = [format_point(move.point, game.size)]
        if number in game.comments:
            node.set_text("C", game.comments[number])
    return root


def _root(game: Game) -> Node:
    root, start = Node(), game.root()
    properties = root.properties
    properties |= {"AP": ["kikashi"], "SZ": [str(game.size)], "KM": [format_points(game.komi)]}
    if game.handicap:
        properties["HA"] = [str(game.handicap)]
    headers = dict(game.headers)
    if rules_from_sgf(headers.get("RU")) != game.rules:
        headers["RU"] = rules_as_sgf(game.rules, game.handicap)
    if result := game.recorded_result():
        headers["RE"] = result
    for name, text in headers.items():
        root.set_text(name, text)
    for name, color in (("AB", BLACK), ("AW", WHITE)):
        if stones := start.stones(color):
            properties[name] = [format_point(p, game.size) for p in stones]
    first = game.moves[0].color if game.moves else BLACK
    if start.turn != first or "AB" in properties or "AW" in properties:
        properties["PL"] = ["B" if start.turn == BLACK else "W"]
    if 0 in game.comments:
        root.set_text("C", game.comments[0])
    return root
