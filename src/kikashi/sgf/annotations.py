"""From a Game to a game tree and its text."""

from __future__ import annotations

from kikashi.board.points import BLACK, WHITE
from kikashi.game import Game
from kikashi.game.moves import RESIGN, format_points
from kikashi.sgf.coordinates import format_point
from kikashi.sgf.nodes import Node
from kikashi.sgf.rule_names import name_of_rules, rules_named
from kikashi.sgf.writer import dump


def write_game(game: Game) -> str:
    """The text of an SGF file with this game, its headers and its comments. Raises SGFError for an impossible name.

    The result is :meth:`Game.recorded_result`. Set the header ``RE`` to write what was agreed after two passes.

    >>> game = Game(9, komi=5.5)
    >>> game.headers["PB"] = "Orego"
    >>> _ = game.push("E5")
    >>> print(write_game(game), end="")
    (;FF[4]GM[1]CA[UTF-8]AP[kikashi]SZ[9]KM[5.5]PB[Orego]RU[Chinese];B[ee])
    """
    return dump([game_tree(game)])


def game_tree(game: Game) -> Node:
    """The root of a tree with this game as its only line."""
    root = _root(game)
    node = root
    for number, move in enumerate(game.moves, start=1):
        if move.point == RESIGN:
            break  # SGF knows no such move; RE says it
        node = node.add_child()
        node.properties["B" if move.color == BLACK else "W"] = [format_point(move.point, game.size)]
        _write_comment(node, game, number)
    return root


def _root(game: Game) -> Node:
    root, start = Node(), game.root()
    properties = root.properties
    properties["AP"] = ["kikashi"]
    properties["SZ"] = [str(game.size)]
    properties["KM"] = [format_points(game.komi)]
    if game.handicap:
        properties["HA"] = [str(game.handicap)]
    for name, text in _headers(game).items():
        root.set_text(name, text)
    for name, color in (("AB", BLACK), ("AW", WHITE)):
        if stones := start.stones(color):
            properties[name] = [format_point(p, game.size) for p in stones]
    first = game.moves[0].color if game.moves else BLACK
    if start.turn != first or "AB" in properties or "AW" in properties:
        properties["PL"] = ["B" if start.turn == BLACK else "W"]
    _write_comment(root, game, 0)
    return root


def _headers(game: Game) -> dict[str, str]:
    """The headers, with the rules as the game has them, and a resignation."""
    headers = dict(game.headers)
    if rules_named(headers.get("RU")) != game.rules:
        headers["RU"] = name_of_rules(game.rules, game.handicap)
    if result := game.recorded_result():
        headers["RE"] = result
    return headers


def _write_comment(node: Node, game: Game, number: int) -> None:
    if number in game.comments:
        node.set_text("C", game.comments[number])
