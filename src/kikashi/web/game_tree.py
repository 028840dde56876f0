"""A game tree and a place in it: what is on one of a page's boards."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from kikashi import sgf
from kikashi.board.points import BLACK, PASS, WHITE, points_of, vertex
from kikashi.game import Game
from kikashi.sgf.games import format_point, parse_point, parse_points
from kikashi.sgf.nodes import Node, SGFError
from kikashi.sgf.parser import first_game
from kikashi.web import stored_analysis as keeping
from kikashi.web.events import GameTree, Opinion, Position, TreeNode
from kikashi.web.limits import DEPTH, NODES, SGF_CHARACTERS
from kikashi.web.messages import Board, Color

REMEMBERED = 64
"""Positions that are kept for the way back."""
_NUMBERS = count(1)
_MOVES = {"B": BLACK, "W": WHITE}
_SETUP = ("AB", "AW", "AE", "PL")
_MARKS = {"TR": "triangle", "SQ": "square", "CR": "circle", "MA": "cross"}


class Document:
    """A tree of SGF nodes, each with a number of its own, and the node that is looked at."""

    def __init__(self, board: Board, root: Node) -> None:
        """Raises ValueError if this is not a game that can be shown, or too large a one."""
        self.board: Board = board
        self.number = next(_NUMBERS)
        """No other document has it."""
        self.root = root
        self.rules = sgf.read_game(root).rules  # also checks the main line
        self._nodes: dict[int, Node] = {}
        self._ids: dict[int, int] = {}
        self._next = 0
        self._games: dict[int, Game] = {}
        self._graded: set[int] = set()
        """Nodes whose moves a review has called mistakes."""
        depths = {id(root): 0}
        for node in root.walk():
            if node.parent is not None and node is not root:
                depths[id(node)] = depths[id(node.parent)] + 1
            if len(self._nodes) >= NODES or depths[id(node)] > DEPTH:
                raise ValueError(f"a game tree has at most {NODES:,} nodes and {DEPTH:,} moves in a row")
            self._number(node)
        self.current = 0

    @classmethod
    def from_sgf(cls, board: Board, text: str | bytes) -> Document:
        """The first game of a text, or of a file's bytes. Raises ValueError."""
        if len(text) > SGF_CHARACTERS:
            raise ValueError(f"a game record has at most {SGF_CHARACTERS:,} characters")
        return cls(board, first_game(text, max_nodes=NODES))

    @classmethod
    def from_game(cls, board: Board, game: Game) -> Document:
        """A game as a tree of one line, looked at where it ends."""
        document = cls(board, sgf.game_tree(game))
        document.current = document.number_of(list(document.root.main_line())[-1])
        return document

    def text(self) -> str:
        """All of it as SGF."""
        return sgf.dump([self.root])

    # --- nodes --------------------------------------------------------------------------------------------------------

    def _number(self, node: Node) -> int:
        self._nodes[self._next] = node
        self._ids[id(node)] = self._next
        self._next += 1
        return self._next - 1

    def number_of(self, node: Node) -> int:
        """What a node of the tree is called."""
        return self._ids[id(node)]

    def node(self, number: int) -> Node:
        """Raises ValueError if there is no such node."""
        if number not in self._nodes:
            raise ValueError(f"there is no node {number} in this game")
        return self._nodes[number]

    def path(self, number: int) -> list[Node]:
        """The nodes from the root to this one."""
        found = [self.node(number)]
        while (parent := found[-1].parent) is not None:
            found.append(parent)
        return found[::-1]

    def line(self, number: int) -> list[int]:
        """The path to a node, and from there the first child of each."""
        nodes = [*self.path(number), *list(self.node(number).main_line())[1:]]
        return [self.number_of(node) for node in nodes]

    def game(self, number: int | None = None) -> Game:
        """The game up to a node, not to be changed. Raises ValueError if its moves cannot be played."""
        number = self.current if number is None else number
        if number not in self._games:
            if len(self._games) >= REMEMBERED:
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
        """Look at another node. Raises ValueError if there is none, or if its moves cannot be played."""
        self.game(number)
        self.current = number

    def play(self, move: str) -> bool:
        """Make a move from where we are: go where it leads, or add a variation; True if one was added.

        Raises ValueError if it is not legal, or if there are too many nodes.
        """
        game = self.game().copy()
        made = game.push(move)
        name, value = ("B" if made.color == BLACK else "W"), format_point(made.point, game.size)
        here = self.node(self.current)
        for child in here.children:
            if name in child.properties and parse_point(child.properties[name][0], game.size) == made.point:
                self.go_to(self.number_of(child))
                return False
        if len(self._nodes) >= NODES or len(self.path(self.current)) > DEPTH:
            raise ValueError(f"a game tree has at most {NODES:,} nodes and {DEPTH:,} moves in a row")
        child = here.add_child()
        child.properties[name] = [value]
        self.current = self._number(child)
        self._games[self.current] = game
        return True

    def delete(self, number: int) -> None:
        """Take a node out, with all below it; who looked at it looks at its parent then. Raises ValueError."""
        node = self.node(number)
        if node.parent is None:
            raise ValueError("the beginning of a game cannot be deleted")
        gone = {self.number_of(each) for each in node.walk()}
        if self.current in gone:
            self.current = self.number_of(node.parent)
        node.parent.children.remove(node)
        for each in gone:
            del self._ids[id(self._nodes.pop(each))]
            self._games.pop(each, None)
            self._graded.discard(each)

    def make_main(self, number: int) -> None:
        """Make the line to a node the main line. Raises ValueError."""
        for node in self.path(number)[1:]:
            siblings = node.parent.children if node.parent else []
            siblings.remove(node)
            siblings.insert(0, node)

    def comment(self, number: int, text: str) -> None:
        """Write about a node, in place of what was said. Raises ValueError."""
        if text:
            self.node(number).set_text("C", text)
        else:
            self.node(number).properties.pop("C", None)

    def keep(self, opinion: Opinion) -> None:
        """Keep what a search found in the record. Nothing if the node is gone."""
        if opinion.node in self._nodes:
            keeping.write(self._nodes[opinion.node], opinion)

    def evaluation(self, number: int) -> tuple[float, float, int] | None:
        """What the record keeps of a node: Black's win rate and score, and the simulations; None if not all of it."""
        winrate, score, visits = keeping.evaluation(self.node(number).properties)
        return None if winrate is None or score is None else (winrate, score, visits)

    def grade(self, number: int, grade: str) -> None:
        """Mark the move of a node as a mistake."""
        self._graded.add(number)
        keeping.write_grade(self.node(number), grade)

    def forget_grades(self, line: list[int]) -> None:
        """Take back what an earlier review of these nodes said; what the record said before stays."""
        for number in self._graded.intersection(line):
            keeping.write_grade(self.node(number), "")
        self._graded.difference_update(line)

    def kept(self, number: int) -> Opinion | None:
        """What a search found at a node, if the record has it."""
        return keeping.read(self.node(number), self.game(number), self.board, number)

    # --- for the page -------------------------------------------------------------------------------------------------

    def position(self, *, result: str | None = None, dead: list[int] | None = None) -> Position:
        """What is to be seen where we are."""
        game, node = self.game(), self.node(self.current)
        last = game.moves[-1] if game.moves else None
        rows = rows_of(game.size)
        *_, end = self.root.main_line()
        recorded = self.root.simple_text("RE") if node is end else ""
        return Position(
            board=self.board,
            node=self.current,
            size=game.size,
            stones="".join(".XO"[game.color_at(p)] for p in rows),
            turn=color_name(game.turn),
            last=last.name if last else "",
            mover=color_name(last.color) if last else "",
            number=sum(1 for each in self.path(self.current) if not _MOVES.keys().isdisjoint(each.properties)),
            komi=game.komi,
            rules=str(game.rules),
            prisoners=(game.prisoners(BLACK), game.prisoners(WHITE)),
            legal="".join("01"[game.is_legal(p)] for p in rows),
            black=(self.root.simple_text("PB") or "")[:80],
            white=(self.root.simple_text("PW") or "")[:80],
            comment=node.text("C") or "",
            marks=dict(self._marks(node, game.size)),
            over=game.is_over(),
            result=recorded or game.result() or "" if result is None else result,
            dead=[vertex(p) for p in dead or []],
            handicap=game.handicap,
        )

    def _marks(self, node: Node, size: int) -> Iterator[tuple[str, str]]:
        for name, sign in _MARKS.items():
            try:
                points = parse_points(node.properties.get(name, []), size)
            except ValueError:  # a mark off the board is nobody's loss
                continue
            yield from ((vertex(p), sign) for p in points)
        for value in node.properties.get("LB", []):
            where, colon, label = value.partition(":")
            try:
                p = parse_point(where, size)
            except ValueError:
                continue
            if colon and p != PASS:
                yield vertex(p), sgf.unescape(label)[:3]

    def tree(self) -> GameTree:
        """All nodes."""
        return GameTree(self.board, self.number, [self._told(node) for node in self.root.walk()], self.title())

    def title(self) -> str:
        """``"Shusaku – Genan, B+2"``."""
        names = [self.root.simple_text(name) or "" for name in ("PB", "PW")]
        result = self.root.simple_text("RE") or ""
        if not any(names):
            return (self.root.simple_text("GN") or "")[:120]
        return f"{names[0] or '?'} – {names[1] or '?'}"[:120] + (f", {result[:20]}" if result else "")

    def _told(self, node: Node) -> TreeNode:
        properties = node.peek()
        name = next((name for name in ("B", "W") if name in properties), "")
        number = self.number_of(node)
        move = ""
        if name:
            try:
                move = vertex(parse_point(properties[name][0], 19 if self.root is node else self._size()))
            except ValueError:
                move = "?"
        winrate, score, visits = keeping.evaluation(properties)
        return TreeNode(
            id=number,
            parent=-1 if node.parent is None else self.number_of(node.parent),
            color=name.lower(),
            move=move,
            comment="C" in properties,
            winrate=winrate,
            score=score,
            visits=visits,
            grade=keeping.grade(properties),
        )

    def _size(self) -> int:
        return self.game(0).size


def color_name(color: int) -> Color:
    """A colour as messages have it."""
    return "black" if color == BLACK else "white"


def rows_of(size: int) -> list[int]:
    """All points of a board from the upper left, row by row."""
    points = points_of(size)
    return [p for start in range(size * (size - 1), -1, -size) for p in points[start : start + size]]
