"""A game of Go: board, history and result, in the spirit of python-chess.

    >>> game = Game(size=9, komi=6.5)
    >>> game.push("E5")
    <Move black E5>
    >>> "E5" in game.legal_moves
    False
    >>> game.push("pass"), game.push("pass")
    (<Move white pass>, <Move black pass>)
    >>> game.is_over(), game.result()
    (True, 'B+74.5')

Points are the integers of :mod:`kikashi.board.points`; their names (``"E5"``) will do too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import index

from kikashi.board.board_types import MutableBoard
from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, WALL, WHITE, color_name, opponent, parse_vertex, points_of
from kikashi.board.position import Board, is_suicide, new_board, play
from kikashi.board.queries import hash_after
from kikashi.board.scoring import area_score
from kikashi.game.diagram import format_diagram, parse_diagram
from kikashi.game.handicap import check_handicap, fixed_handicap, free_handicap
from kikashi.game.moves import RESIGN, IllegalMove, LegalMoves, Move, format_points, format_score, parse_color
from kikashi.game.rules import Rules
from kikashi.game.territory import territory_score
from kikashi.pictures.boards import draw_board
from kikashi.pictures.svg import Picture
from kikashi.wording import plural


class Game:
    """A board with its history.

    Two passes in succession end the game in the sense of `is_over` and `result`, but the players may continue, as GTP
    demands: only after a resignation is every move illegal. ``komi``, ``rules``, ``handicap`` (the number of stones),
    ``headers`` (by SGF's names, such as ``PB``) and ``comments`` (by number of moves made) may be changed at any time.
    Playing on removes a recorded result, the header ``RE``.

    Raises ValueError if the size, the komi or the rules cannot be played here, TypeError if they are of a wrong type.
    """

    _start: Board
    _board: Board

    def __init__(self, size: int = 19, komi: float = 7.5, rules: Rules | str = "positional") -> None:
        if not hasattr(size, "__index__"):
            raise TypeError(f"the size is a whole number, not {size!r}")
        if not isinstance(rules, Rules | str):
            raise TypeError(f"the rules are Rules or their name, not {rules!r}")
        self.size = size
        self.komi = komi
        self.rules = Rules.named(rules) if isinstance(rules, str) else rules
        self.handicap = 0
        self.headers: dict[str, str] = {}
        self._restart(new_board(size))

    @classmethod
    def from_diagram(
        cls, text: str, turn: int | str = BLACK, komi: float = 7.5, rules: Rules | str = "positional"
    ) -> Game:
        """Return a game that starts from a diagram (:mod:`kikashi.game.diagram`). Raises ValueError."""
        size, black, white = parse_diagram(text)
        game = cls(size, komi, rules)
        game.setup(black, white, turn)
        return game

    def copy(self) -> Game:
        """Return an independent game with the same history."""
        other = Game.__new__(Game)
        other.__dict__ |= self.__dict__
        for name in ("headers", "comments", "_moves", "_past", "_seen"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def turned_to(self, color: int | str) -> Game:
        """Return a copy with this player to move. Raises ValueError for an unknown colour."""
        other = self.copy()
        other._board = _turned_to(parse_color(color), self._board)
        return other

    def root(self) -> Game:
        """Return a copy without the moves: the empty board, or the setup."""
        other = self.copy()
        other._restart(self._start)
        return other

    # --- the position -------------------------------------------------------------------------------------------------

    @property
    def komi(self) -> float:
        """Points added to White's, a multiple of 1/2. Setting another number raises ValueError, no number TypeError."""
        return self._komi

    @komi.setter
    def komi(self, komi: float) -> None:
        if not hasattr(komi, "__float__"):
            raise TypeError(f"komi is a number, not {komi!r}")
        if not (2 * float(komi)).is_integer():
            raise ValueError(f"komi {komi} is not a multiple of 1/2")
        self._komi = float(komi)

    @property
    def bonus(self) -> int:
        """White's points for the handicap stones, by the rules; one stone is none, Black only begins."""
        return 0 if self.handicap < 2 else {"0": 0, "N-1": self.handicap - 1, "N": self.handicap}[self.rules.bonus]

    @property
    def compensation(self) -> float:
        """Komi of simulations, which count areas: komi, bonus and, if territory counts, `surplus`."""
        return self._komi + self.bonus + (self.surplus if self.rules.counts_territory else 0.0)

    @property
    def surplus(self) -> float:
        """Stones that Black has put down more than White, those of the start included; the next counts half.

        It is the difference between area and territory scoring if both sides make as many moves from here on: every
        stone is on the board or a prisoner. The half stands for the last move, whose player is not known yet.
        """
        return self._placed(BLACK) - self._placed(WHITE) + (0.5 if self.turn == BLACK else -0.5)

    @property
    def turn(self) -> int:
        """The player to move, BLACK or WHITE."""
        return int(self._board["to_play"])

    @property
    def hash(self) -> int:
        """The Zobrist hash of the stones; it does not depend on whose turn it is."""
        return int(self._board["hash"])

    @property
    def board(self) -> Board:
        """The compiled board, to be copied and not to be played on."""
        return self._board

    def color_at(self, where: str | int) -> int:
        """Return EMPTY, BLACK or WHITE. Raises ValueError if there is no such point."""
        return int(self._board["color"][self._board_point(where)])

    def stones(self, color: int | str) -> list[int]:
        """Return the points with a stone of a colour, A1 first."""
        return _stones(self._board, parse_color(color))

    def prisoners(self, color: int | str) -> int:
        """Return the number of stones that a player has taken; the stones of a suicide go to the opponent."""
        loser = opponent(parse_color(color))
        return self._placed(loser) - len(_stones(self._board, loser))

    def __str__(self) -> str:
        return format_diagram(self.size, self.color_at)

    def __repr__(self) -> str:
        about = f"{self.size}x{self.size}, komi {format_points(self.komi)}, {self.rules}"
        state = self.result() or f"{color_name(self.turn)} to play"
        return f"<Game {about}, {plural(self.move_count, 'move')}, {state}>"

    def picture(
        self, *, marks: Mapping[str | int, str] | None = None, ownership: Sequence[float] | None = None
    ) -> Picture:
        """Draw the board as SVG, with the last move, short texts by point and an ownership. Raises ValueError."""
        return draw_board(
            self.size,
            [self.color_at(p) for p in points_of(self.size)],
            about=repr(self).strip("<>"),
            last=self._moves[-1].point if self._moves else PASS,
            ownership=() if ownership is None else ownership,
            marks={self._board_point(p): words for p, words in (marks or {}).items()},
        )

    def _repr_svg_(self) -> str:
        return str(self.picture())

    # --- moves --------------------------------------------------------------------------------------------------------

    @property
    def moves(self) -> tuple[Move, ...]:
        """All moves since the start or the last setup, a resignation included."""
        return tuple(self._moves)

    @property
    def move_count(self) -> int:
        """The number of `moves`."""
        return len(self._moves)

    @property
    def legal_moves(self) -> LegalMoves:
        """The legal moves of the player to move, as a view."""
        return LegalMoves(self.size, self.is_legal)

    def is_legal(self, move: str | int, color: int | str | None = None) -> bool:
        """Return whether `push` would take this move. Raises ValueError for an unknown colour."""
        mover = self.turn if color is None else parse_color(color)
        try:
            return self._objection(self._point(move), mover) is None
        except IllegalMove:
            return False

    def push(self, move: str | int, color: int | str | None = None) -> Move:
        """Play a point, ``"pass"`` or ``"resign"`` for a colour, else the player to move. Raises IllegalMove."""
        mover = self.turn if color is None else parse_color(color)
        played = Move(mover, self._point(move))
        objection = self._objection(played.point, mover)
        if objection is not None:
            raise IllegalMove(f"{color_name(mover)} {played.name} is illegal: {objection}")
        before = self._board
        if played.point != RESIGN:
            self._board = _turned_to(mover, before).copy()
            play(self._board, played.point)
        self.headers.pop("RE", None)
        self._moves.append(played)
        self._past.append((before, self._add_to_seen()))
        return played

    def pop(self) -> Move:
        """Take the last move back and return it. Raises IndexError if there is none."""
        if not self._moves:
            raise IndexError("there is no move to take back")
        before, seen = self._past.pop()
        if seen:
            self._seen[self.hash] = seen
        else:
            del self._seen[self.hash]
        self._board = before
        return self._moves.pop()

    def positions(self) -> Iterator[tuple[int, int]]:
        """Yield the hash and the player to move of every position so far, the present one last."""
        for board in [*(before for before, _seen in self._past), self._board]:
            yield int(board["hash"]), int(board["to_play"])

    # --- the result ---------------------------------------------------------------------------------------------------

    def is_over(self) -> bool:
        """Return whether a player has resigned or both have just passed."""
        last = self._moves[-2:]
        return self._resigned() is not None or (
            len(last) == 2 and last[0].point == last[1].point == PASS and last[0].color != last[1].color
        )

    def result(self) -> str | None:
        """Return ``"B+3.5"``, ``"W+R"`` after a resignation, ``"0"`` for a draw; None if the game is not over."""
        loser = self._resigned()
        if loser is not None:
            return "W+R" if loser == BLACK else "B+R"
        return format_score(self.score()) if self.is_over() else None

    def recorded_result(self) -> str | None:
        """Return the header ``RE``, or a resignation, else None: after two passes the dead stones are not known."""
        return self.headers.get("RE") or (self.result() if self._resigned() is not None else None)

    def score(self, dead: Iterable[str | int] = (), seki: Iterable[str | int] = ()) -> float:
        """Return Black's points minus White's, komi and `bonus`, on the board without the stones at `dead`.

        Area or territory by the rules; the stones at `dead` are prisoners, points next to one at `seki` no territory.
        """
        taken = {self._board_point(p) for p in dead}
        board = _without(self._board, taken) if taken else self._board
        if self.rules.counts_territory:
            points = territory_score(board, {self._board_point(p) for p in seki})
            points += self.prisoners(BLACK) - self.prisoners(WHITE)
            points += sum(1 if self.color_at(p) == WHITE else -1 for p in taken if self.color_at(p) != EMPTY)
        else:
            points = int(area_score(board))
        return points - self._komi - self.bonus

    # --- starting positions -------------------------------------------------------------------------------------------

    def setup(self, black: Iterable[str | int], white: Iterable[str | int], turn: int | str = BLACK) -> None:
        """Start afresh from these stones, without the moves and their comments.

        Raises ValueError, and changes nothing, for a wrong or repeated point and for a chain without a liberty.
        """
        player = parse_color(turn)
        stones = [(p, BLACK) for p in map(self._board_point, black)]
        stones += [(p, WHITE) for p in map(self._board_point, white)]
        self._restart(_set_up(new_board(self.size), stones, player))
        self.headers.pop("RE", None)

    def place_fixed_handicap(self, stones: int) -> list[int]:
        """Place the stones of GTP's fixed_handicap and return their points. Raises ValueError."""
        return self._start_with_handicap(fixed_handicap(self.size, stones))

    def place_free_handicap(self, stones: int) -> list[int]:
        """Choose and place the stones of GTP's place_free_handicap and return their points. Raises ValueError."""
        return self._start_with_handicap(free_handicap(self.size, stones))

    def set_free_handicap(self, points: Iterable[str | int]) -> list[int]:
        """Place these handicap stones, as GTP's set_free_handicap, and return their points. Raises ValueError."""
        chosen = [self._board_point(p) for p in points]
        check_handicap(self.size, len(chosen))
        return self._start_with_handicap(chosen)

    def _start_with_handicap(self, points: list[int]) -> list[int]:
        if self.stones(BLACK) or self.stones(WHITE):
            raise ValueError("handicap stones need an empty board")
        self.setup(points, [], WHITE)
        self.handicap = len(points)
        return points

    def _restart(self, board: Board) -> None:
        self._start = self._board = board
        self._moves: list[Move] = []
        self._past: list[tuple[Board, int]] = []  # for each move the board before it, and _seen's value before it
        self._seen: dict[int, int] = {}  # by hash: the players who were to move at this position, as bits
        self.comments: dict[int, str] = {}
        self._add_to_seen()

    def _add_to_seen(self) -> int:
        """Add the position to `_seen` and return its value before."""
        before = self._seen.get(self.hash, 0)
        self._seen[self.hash] = before | self.turn
        return before

    def _placed(self, color: int) -> int:
        """Return the number of stones that a colour has put down, those of the start included."""
        return len(_stones(self._start, color)) + sum(m.color == color and m.point > PASS for m in self._moves)

    def _resigned(self) -> int | None:
        return self._moves[-1].color if self._moves and self._moves[-1].point == RESIGN else None

    def _objection(self, p: int, mover: int) -> str | None:
        """Return the reason why a move is illegal; None if it is legal."""
        loser = self._resigned()
        if loser is not None:
            return f"the game is over, {color_name(loser)} has resigned"
        if p in (PASS, RESIGN):
            return None
        board = _turned_to(mover, self._board)
        if board["color"][p] != EMPTY:
            return "the point is occupied"
        if not self.rules.suicide and is_suicide(board, p):
            return "it is suicide"
        if self.rules.superko == "simple":
            return "it retakes the ko at once" if p == board["ko"] else None
        seen = self._seen.get(int(hash_after(board, p)), 0)
        if self.rules.superko == "situational":
            seen &= opponent(int(board["to_play"]))
        return f"it repeats an earlier position ({self.rules.superko} superko)" if seen else None

    def _point(self, move: str | int) -> int:
        """Return the point of a move, PASS and RESIGN included. Raises IllegalMove."""
        if isinstance(move, str):
            if move.strip().lower() == "resign":
                return RESIGN
            try:
                return parse_vertex(move, self.size)
            except ValueError as problem:
                raise IllegalMove(str(problem)) from None
        p = index(move)
        if p in (PASS, RESIGN) or (0 < p < POINTS and self._board["color"][p] != WALL):
            return p
        raise IllegalMove(f"{p} is not a point of the {self.size}x{self.size} board")

    def _board_point(self, where: str | int) -> int:
        """Return a point where a stone can be. Raises ValueError."""
        p = self._point(where)
        if p in (PASS, RESIGN):
            raise ValueError(f"{where} is not a point")
        return p


def _turned_to(mover: int, board: Board) -> Board:
    """Return the board with `mover` to play: itself, or a copy without a ko if it is the other's turn."""
    if board["to_play"] == mover:
        return board
    turned = board.copy()
    turned["to_play"] = mover
    turned["ko"] = PASS
    return turned


def _stones(board: Board, color: int) -> list[int]:
    colors = board["color"]
    return [p for p in points_of(int(board["size"])) if colors[p] == color]


def _without(board: Board, taken: Collection[int]) -> Board:
    """Return the board without some stones. What is left of a chain then has liberties, so no other stone is taken."""
    stones = [(p, color) for color in (BLACK, WHITE) for p in _stones(board, color) if p not in taken]
    return _set_up(new_board(int(board["size"])), stones, int(board["to_play"]))


def _set_up(board: MutableBoard, stones: list[tuple[int, int]], turn: int) -> Board:
    """Put stones on an empty board and return it. Raises ValueError for a repeated point or a chain with no liberty."""
    for p, color in stones:
        if board["color"][p] != EMPTY:
            raise ValueError(f"{Move(color, p).name} is set up twice")
        board["to_play"] = color
        play(board, p)
        # A chain that has a liberty at the end has one at any time before, so whatever is taken now has none.
        if board["captured"]:
            taken = next(Move(*reversed(stone)) for stone in stones if board["color"][stone[0]] == EMPTY)
            raise ValueError(f"the chain at {taken.name} has no liberty")
    board["to_play"] = turn
    board["ko"] = PASS
    return board
