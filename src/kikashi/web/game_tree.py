"""A game tree with a current node: the game on one of a page's boards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice, pairwise
from typing import NamedTuple

from kikashi import sgf
from kikashi.board.points import BLACK, PASS, WHITE, points_of, vertex
from kikashi.game import Game
from kikashi.game.rules import RULE_SETS, rules_from_sgf
from kikashi.protocols.formatting import from_the_top
from kikashi.sgf.games import format_point, parse_point, parse_points
from kikashi.sgf.nodes import Node, RecordedMoveError, SGFError
from kikashi.sgf.parser import games
from kikashi.web.analyses import color_name, read_analysis, read_evaluation, read_grade, store_analysis, write_grade
from kikashi.web.messages import (
    LABEL_CHARACTERS,
    PLY_LIMIT,
    SGF_CHARACTERS,
    Board,
    NodeAdded,
    Position,
    PositionAnalysis,
    TreeNode,
    TreeUpdate,
)
from kikashi.wording import plural

NODES, DEPTH = 20_000, PLY_LIMIT
"""Nodes of a tree, and moves from its root to its deepest node, at most."""
CACHED_GAMES = 64
COLLECTION = 200
"""Games of a collection that are listed, at most."""
REVIEWER = "kikashi: "
"""Beginning of the paragraphs that a review writes into comments."""
RULES = "KKRU"
"""Our property for rules that SGF has no name for."""
_NUMBERS = count(1)
_MOVES = {"B": BLACK, "W": WHITE}
_SETUP = ("AB", "AW", "AE", "PL")
_MARKS = {"TR": "triangle", "SQ": "square", "CR": "circle", "MA": "cross"}


class Edit(NamedTuple):
    """A change of a game tree that has been made, and can be taken back and made again."""

    name: str
    undo: Callable[[], object]
    redo: Callable[[], object]


class GameTree:
    """A tree of SGF nodes, each with a number of its own, and the current node."""

    def __init__(self, board: Board, root: Node) -> None:
        """Raises ValueError if this is not a game that can be shown, or too large a one."""
        self.board: Board = board
        self.number = next(_NUMBERS)
        """Different for every tree."""
        self.root = root
        self.doubt = ""
        """A line about an illegal move or unknown rules of the record."""
        try:
            self.rules = sgf.read_game(root, doubt=self._set_doubt).rules
        except RecordedMoveError as error:
            self.rules = sgf.read_game(root, moves=error.played).rules
            self._set_doubt(f"opened up to an illegal move: {error}")
        self._nodes: dict[int, Node] = {}
        self._ids: dict[int, int] = {}
        self._next = 0
        self._games: dict[int, Game] = {}
        self._graded: set[int] = set()
        """Nodes whose moves a review has graded as mistakes."""
        depths = {id(root): 0}
        for node in root.walk():
            if node.parent is not None and node is not root:
                depths[id(node)] = depths[id(node.parent)] + 1
            self._number(node, depths[id(node)])
        self.current = 0

    @classmethod
    def from_sgf(cls, board: Board, text: str | bytes, number: int = 0) -> GameTree:
        """Read a game of a text, or of a file's bytes: the first, or that of another number. Raises ValueError."""
        if len(text) > SGF_CHARACTERS:
            raise ValueError(f"a game record has at most {SGF_CHARACTERS:,} characters")
        root = next(islice(games(text, max_nodes=NODES), number, None), None)
        if root is None:
            raise ValueError(f"the record has no game {number + 1}")
        return cls(board, root)

    @classmethod
    def from_game(cls, board: Board, game: Game, rules: str = "") -> GameTree:
        """Return a game as a tree of one line, with the name of its rules; the current node is the last."""
        tree = cls(board, sgf.game_tree(game))
        tree.current = tree.number_of(list(tree.root.main_line())[-1])
        if rules:
            tree.root.set_text(RULES, rules)
        return tree

    def _set_doubt(self, line: str) -> None:
        self.doubt = line

    @property
    def rules_name(self) -> str:
        """The name of the rules in the record, or a line about a name that is not known."""
        own, named = self.root.simple_text(RULES), self.root.simple_text("RU") or ""
        if own in RULE_SETS:
            return own
        if named and rules_from_sgf(named) is None:
            return f"unknown rules “{named[:40]}”, read as {self.rules}"
        return named[:40] or str(self.rules)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in the tree that somebody could miss."""
        return len(self._nodes) == 1 and self.root.peek().keys().isdisjoint(("AB", "AW", "C", "PB", "PW"))

    def as_sgf(self) -> str:
        return sgf.dump([self.root])

    # --- nodes --------------------------------------------------------------------------------------------------------

    def _number(self, node: Node, depth: int) -> int:
        """Give a new node its number. Raises ValueError if the tree is full."""
        if len(self._nodes) >= NODES or depth > DEPTH:
            raise ValueError(f"a game tree has at most {NODES:,} nodes and {DEPTH:,} moves in a row")
        self._nodes[self._next] = node
        self._ids[id(node)] = self._next
        self._next += 1
        return self._next - 1

    def number_of(self, node: Node) -> int:
        """Return the number of a node."""
        return self._ids[id(node)]

    def node(self, number: int) -> Node:
        """Return a node by its number. Raises ValueError if there is none."""
        if number not in self._nodes:
            raise ValueError(f"there is no node {number} in this game")
        return self._nodes[number]

    def path(self, number: int) -> list[Node]:
        """Return the nodes from the root to this one."""
        found = [self.node(number)]
        while (parent := found[-1].parent) is not None:
            found.append(parent)
        return found[::-1]

    def follow(self, places: Sequence[int]) -> int:
        """Return the node at the end of a path, each step the place among the children; where it ends, the last."""
        node = self.root
        for place in places:
            if place >= len(node.children):
                break
            node = node.children[place]
        return self.number_of(node)

    def line(self, number: int) -> list[int]:
        """Return the path to a node, and from there the first child of each."""
        nodes = [*self.path(number), *list(self.node(number).main_line())[1:]]
        return [self.number_of(node) for node in nodes]

    def game(self, number: int | None = None) -> Game:
        """Return the game up to a node; callers must not change it. Raises ValueError if a move is illegal."""
        number = self.current if number is None else number
        if number not in self._games:
            if len(self._games) >= CACHED_GAMES:
                del self._games[next(iter(self._games))]
            self._games[number] = self._replayed(number)
        return self._games[number]

    def _replayed(self, number: int) -> Game:
        node = self.node(number)
        parent = None if node.parent is None else self._games.get(self.number_of(node.parent))
        moves = [name for name in _MOVES if name in node.properties]
        if parent is not None and len(moves) == 1 and not any(name in node.properties for name in _SETUP):
            game = parent.copy()
            try:
                game.push(parse_point(node.properties[moves[0]][0], game.size), _MOVES[moves[0]])
            except ValueError as problem:
                raise SGFError(f"this move cannot be shown: {problem}") from None
            return game
        copy = at = Node()
        for original in self.path(number):
            at = copy if original is self.root else at.add_child()
            at.properties.update(original.properties)
        return sgf.read_game(copy, rules=self.rules)

    # --- changes ------------------------------------------------------------------------------------------------------

    def go_to(self, number: int) -> None:
        """Change the current node. Raises ValueError if there is none, or if its moves are illegal."""
        self.game(number)
        self.current = number

    def play(self, move: str) -> Edit | None:
        """Make a move from the current node: follow a variation, or add one and return that edit.

        Raises ValueError if the move is illegal, or if there are too many nodes.
        """
        game = self.game().copy()
        made = game.push(move)
        name, value = ("B" if made.color == BLACK else "W"), format_point(made.point, game.size)
        here = self.node(self.current)
        for child in here.children:
            if name in child.properties and parse_point(child.properties[name][0], game.size) == made.point:
                self.go_to(self.number_of(child))
                return None
        child = Node()
        child.properties[name] = [value]
        self.current = self._number(child, len(self.path(self.current)))
        child.parent = here
        here.children.append(child)
        self._games[self.current] = game
        return Edit(f"move {made.name}", *self._detaching(child))

    def delete(self, number: int) -> Edit:
        """Delete a node and all below it; if the current node is gone, its parent is current. Raises ValueError."""
        node = self.node(number)
        if node.parent is None:
            raise ValueError("the beginning of a game cannot be deleted")
        name = f"deletion of {plural(sum(1 for _ in node.walk()), 'move')}"
        detach, attach = self._detaching(node)
        detach()
        return Edit(name, attach, detach)

    def _detaching(self, node: Node) -> tuple[Callable[[], None], Callable[[], None]]:
        """Return a function that takes a node and all below it out of the tree, and one that puts them back."""
        parent, number = node.parent, self.number_of(node)
        assert parent is not None
        nodes: dict[int, Node] = {}
        place = 0

        def detach() -> None:
            nonlocal nodes, place
            nodes = {self.number_of(each): each for each in node.walk()}
            place = parent.children.index(node)
            if self.current in nodes:
                self.current = self.number_of(parent)
            del parent.children[place]
            for gone, each in nodes.items():
                del self._nodes[gone], self._ids[id(each)]
                self._games.pop(gone, None)

        def attach() -> None:
            parent.children.insert(place, node)
            self._nodes.update(nodes)
            self._ids.update((id(each), back) for back, each in nodes.items())
            self.current = number

        return detach, attach

    def make_main(self, number: int) -> Edit | None:
        """Make the line to a node the main line; None if it is. Raises ValueError."""
        steps = list(pairwise(self.path(number)))
        before = [list(node.children) for node, _ in steps]
        if all(node.children[0] is child for node, child in steps):
            return None

        def make() -> None:
            for node, child in steps:
                node.children.remove(child)
                node.children.insert(0, child)

        def undo() -> None:
            for (node, _), children in zip(steps, before, strict=True):
                node.children[:] = children

        make()
        return Edit("new main line", undo, make)

    def comment(self, number: int, text: str) -> Edit | None:
        """Replace the comment of a node; None if it is the same. Raises ValueError."""
        node, before = self.node(number), self.node(number).text("C") or ""

        def write(comment: str) -> None:
            if comment:
                node.set_text("C", comment)
            else:
                node.properties.pop("C", None)

        if text == before:
            return None
        write(text)
        return Edit("comment", lambda: write(before), lambda: write(text))

    def store(self, analysis: PositionAnalysis) -> None:
        """Store an analysis in the record, unless its node is gone."""
        if analysis.node in self._nodes:
            store_analysis(self._nodes[analysis.node], analysis)

    def evaluation(self, number: int) -> tuple[float, float, int] | None:
        """Return Black's stored win rate and score and the simulations; None unless a node has them all."""
        winrate, score, visits = read_evaluation(self.node(number).properties)
        return None if winrate is None or score is None else (winrate, score, visits)

    def grade(self, number: int, grade: str, comment: str) -> None:
        """Mark the move of a node as a mistake, with a paragraph below its comment."""
        self._graded.add(number)
        self._write_grade(number, grade, [f"{REVIEWER}{comment}"])

    def remove_grades(self, line: list[int]) -> None:
        """Remove the grades that an earlier review gave to these nodes; those of the original record stay."""
        for number in self._graded.intersection(line):
            self._write_grade(number, "", [])
        self._graded.difference_update(line)

    def _write_grade(self, number: int, grade: str, paragraphs: list[str]) -> None:
        node = self.node(number)
        write_grade(node, grade)
        own = [text for text in (node.text("C") or "").split("\n\n") if text and not text.startswith(REVIEWER)]
        self.comment(number, "\n\n".join(own + paragraphs))

    def stored(self, number: int) -> PositionAnalysis | None:
        """Return the analysis that the record has of a node."""
        return read_analysis(self.node(number), self.game(number), self.board, number)

    # --- for the page -------------------------------------------------------------------------------------------------

    def position(self, *, result: str | None = None, dead: list[int] | None = None) -> Position:
        """Return the position of the current node."""
        game, node = self.game(), self.node(self.current)
        last = game.moves[-1] if game.moves else None
        rows = rows_of(game.size)
        *_, end = self.root.main_line()
        recorded = self.root.simple_text("RE") if node is end else ""
        return Position(
            board=self.board,
            node=self.current,
            size=game.size,
            stones=self.stones(game),
            turn=color_name(game.turn),
            last=last.name if last else "",
            mover=color_name(last.color) if last else "",
            number=sum(1 for each in self.path(self.current) if not _MOVES.keys().isdisjoint(each.properties)),
            komi=game.komi,
            rules=self.rules_name,
            prisoners=(game.prisoners(BLACK), game.prisoners(WHITE)),
            legal="".join("01"[game.is_legal(p)] for p in rows),
            black=(self.root.simple_text("PB") or "")[:80],
            white=(self.root.simple_text("PW") or "")[:80],
            comment=node.text("C") or "",
            marks=dict(self._marks(node, game.size)),
            arrows=list(self._pairs(node, "AR", game.size)),
            lines=list(self._pairs(node, "LN", game.size)),
            dimmed=[vertex(p) for p in self._points(node, "DD", game.size)],
            numbers={
                move.name: number
                for number, move in enumerate(game.moves, 1)
                if move.point > 0 and game.color_at(move.point) == move.color
            },
            ko=self._ko(game),
            over=game.is_over(),
            result=recorded or game.result() or "" if result is None else result,
            dead=[vertex(p) for p in dead or []],
            handicap=game.handicap,
        )

    @staticmethod
    def stones(game: Game) -> str:
        """Return ``.``, ``X`` and ``O`` for all points, from the upper left, row by row."""
        return "".join(".XO"[game.color_at(p)] for p in rows_of(game.size))

    def _marks(self, node: Node, size: int) -> Iterator[tuple[str, str]]:
        for name, sign in _MARKS.items():
            yield from ((vertex(p), sign) for p in self._points(node, name, size))
        for value in node.properties.get("LB", []):
            where, colon, label = value.partition(":")
            try:
                p = parse_point(where, size)
            except ValueError:
                continue
            if colon and p != PASS:
                yield vertex(p), sgf.unescape(label)[:LABEL_CHARACTERS]

    def _points(self, node: Node, name: str, size: int) -> list[int]:
        try:
            return parse_points(node.properties.get(name, []), size)
        except ValueError:  # a mark off the board is nobody's loss
            return []

    def _pairs(self, node: Node, name: str, size: int) -> Iterator[tuple[str, str]]:
        """Yield the ends of arrows or lines."""
        for value in node.properties.get(name, [])[:400]:
            ends = value.split(":")
            try:
                points = [parse_point(end, size) for end in ends]
            except ValueError:
                continue
            if len(points) == 2 and PASS not in points:
                yield vertex(points[0]), vertex(points[1])

    def _ko(self, game: Game) -> str:
        """Return the point where a stone has just been taken and must not be retaken."""
        p = int(game.board["ko"])
        return vertex(p) if p > 0 and not game.is_legal(p) else ""

    def update(self) -> TreeUpdate:
        """Return all nodes."""
        return TreeUpdate(self.board, self.number, [self._tree_node(node) for node in self.root.walk()], self.title)

    def node_added(self) -> NodeAdded:
        """Return the current node, which is new."""
        return NodeAdded(self.board, self.number, self._tree_node(self.node(self.current)))

    @property
    def title(self) -> str:
        """Return ``"Shusaku – Genan, B+2"``."""
        names = [self.root.simple_text(name) or "" for name in ("PB", "PW")]
        result = self.root.simple_text("RE") or ""
        if not any(names):
            return (self.root.simple_text("GN") or "")[:120]
        return f"{names[0] or '?'} – {names[1] or '?'}"[:120] + (f", {result[:20]}" if result else "")

    def _tree_node(self, node: Node) -> TreeNode:
        properties = node.peek()
        name = next((name for name in ("B", "W") if name in properties), "")
        number = self.number_of(node)
        move = ""
        if name:
            try:
                move = vertex(parse_point(properties[name][0], 19 if self.root is node else self.game(0).size))
            except ValueError:
                move = "?"
        winrate, score, visits = read_evaluation(properties)
        return TreeNode(
            id=number,
            parent=-1 if node.parent is None else self.number_of(node.parent),
            color=name.lower(),
            move=move,
            comment="C" in properties,
            winrate=winrate,
            score=score,
            visits=visits,
            grade=read_grade(properties),
        )


def rows_of(size: int) -> list[int]:
    """Return all points of a board from the upper left, row by row."""
    return from_the_top(points_of(size))


def titles_of(text: str | bytes) -> list[str]:
    """Return the titles of all games of a record, the first `COLLECTION` of them. Raises ValueError."""
    found = []
    for number, root in enumerate(islice(games(text, max_nodes=NODES), COLLECTION), 1):
        names = [root.simple_text(name) or "" for name in ("PB", "PW", "GN")]
        title = f"{names[0] or '?'} – {names[1] or '?'}" if any(names[:2]) else names[2]
        found.append(f"{number}. {title}"[:100])
    return found
