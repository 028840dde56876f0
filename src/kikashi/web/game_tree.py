"""A game tree with a current node: the game on one of a page's boards."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from kikashi import sgf
from kikashi.board.points import BLACK, PASS, WHITE, points_of, vertex
from kikashi.game import Game
from kikashi.protocols.formatting import from_the_top
from kikashi.sgf.games import format_point, parse_point, parse_points
from kikashi.sgf.nodes import Node, SGFError
from kikashi.sgf.parser import first_game
from kikashi.web.analyses import color_name, read_analysis, read_evaluation, read_grade, store_analysis, write_grade
from kikashi.web.events import Position, PositionAnalysis, TreeNode, TreeUpdate
from kikashi.web.requests import SGF_CHARACTERS, Board

NODES, DEPTH = 20_000, 2_000
"""Nodes of a tree, and moves from its root to its deepest node, at most."""
CACHED_GAMES = 64
_NUMBERS = count(1)
_MOVES = {"B": BLACK, "W": WHITE}
_SETUP = ("AB", "AW", "AE", "PL")
_MARKS = {"TR": "triangle", "SQ": "square", "CR": "circle", "MA": "cross"}


class GameTree:
    """A tree of SGF nodes, each with a number of its own, and the current node."""

    def __init__(self, board: Board, root: Node) -> None:
        """Raises ValueError if this is not a game that can be shown, or too large a one."""
        self.board: Board = board
        self.number = next(_NUMBERS)
        """Different for every tree."""
        self.root = root
        self.rules = sgf.read_game(root).rules  # also checks the main line
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
    def from_sgf(cls, board: Board, text: str | bytes) -> GameTree:
        """Read the first game of a text, or of a file's bytes. Raises ValueError."""
        if len(text) > SGF_CHARACTERS:
            raise ValueError(f"a game record has at most {SGF_CHARACTERS:,} characters")
        return cls(board, first_game(text, max_nodes=NODES))

    @classmethod
    def from_game(cls, board: Board, game: Game) -> GameTree:
        """Return a game as a tree of one line; the current node is the last."""
        tree = cls(board, sgf.game_tree(game))
        tree.current = tree.number_of(list(tree.root.main_line())[-1])
        return tree

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

    def play(self, move: str) -> bool:
        """Make a move from the current node: follow a variation or add one. Return whether one was added.

        Raises ValueError if the move is illegal, or if there are too many nodes.
        """
        game = self.game().copy()
        made = game.push(move)
        name, value = ("B" if made.color == BLACK else "W"), format_point(made.point, game.size)
        here = self.node(self.current)
        for child in here.children:
            if name in child.properties and parse_point(child.properties[name][0], game.size) == made.point:
                self.go_to(self.number_of(child))
                return False
        child = Node()
        child.properties[name] = [value]
        self.current = self._number(child, len(self.path(self.current)))
        child.parent = here
        here.children.append(child)
        self._games[self.current] = game
        return True

    def delete(self, number: int) -> None:
        """Delete a node and all below it; if the current node is gone, its parent is current. Raises ValueError."""
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
        """Replace the comment of a node. Raises ValueError."""
        if text:
            self.node(number).set_text("C", text)
        else:
            self.node(number).properties.pop("C", None)

    def store(self, analysis: PositionAnalysis) -> None:
        """Store an analysis in the record, unless its node is gone."""
        if analysis.node in self._nodes:
            store_analysis(self._nodes[analysis.node], analysis)

    def evaluation(self, number: int) -> tuple[float, float, int] | None:
        """Return Black's stored win rate and score and the simulations; None unless a node has them all."""
        winrate, score, visits = read_evaluation(self.node(number).properties)
        return None if winrate is None or score is None else (winrate, score, visits)

    def grade(self, number: int, grade: str) -> None:
        """Mark the move of a node as a mistake."""
        self._graded.add(number)
        write_grade(self.node(number), grade)

    def remove_grades(self, line: list[int]) -> None:
        """Remove the grades that an earlier review gave to these nodes; those of the original record stay."""
        for number in self._graded.intersection(line):
            write_grade(self.node(number), "")
        self._graded.difference_update(line)

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

    def update(self) -> TreeUpdate:
        """Return all nodes."""
        return TreeUpdate(self.board, self.number, [self._tree_node(node) for node in self.root.walk()], self._title())

    def _title(self) -> str:
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
