"""A solver (df-pn): an exhaustive search of a small part of a board whose rest is settled.

What is proved is exactly this. Both players play only on the points of a region, or pass; two passes in succession end
the game; suicide is forbidden, and so is a move that recreates an earlier position, whoever made that (positional
superko); the board is counted by area, as it stands. `winning_moves` returns the first moves with which the side to
play wins this game against every answer. Moves outside of the region can change that in one way only where the rest is
settled: they cost nothing, and a ko may be taken back after them. With `free_moves` both have some of those; with
`threats` the other side has ko threats, which are answered at once.

The region is what is marked, and the stones of all chains that have no liberty but marked points. Every other chain has
a liberty that nobody can fill: it cannot be taken. Neither can a stone that is connected to one of them, ever; these
are called immortal here.

Results are remembered, which is not safe as such: whether a move repeats a position depends on the moves before. A
position cannot come again once an immortal stone is there that it lacks. The others, those that could, are part of the
key under which a result is remembered, so that it is only used where the same moves are forbidden.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from kikashi.board.points import (
    BLACK,
    EAST,
    EMPTY,
    NORTH,
    PASS,
    SOUTH,
    WALL,
    WEST,
    WHITE,
    column_of,
    points_of,
    row_of,
    vertex,
)
from kikashi.game import Game, Rules
from kikashi.game.territory import chains

Bits = int
"""A set of points of the region."""
INFINITE = 1 << 60
"""An effort that is never enough."""


def winning_moves(game: Game, marked: Collection[int], *, free_moves: int = 0, threats: int = 0) -> frozenset[int]:
    """Return the moves in a region, or PASS, with which the side to play wins; none where it loses.

    `marked` are empty points, `free_moves` the moves that each side has elsewhere, `threats` the ko threats of the side
    that is not to play. Moves before do not count. Raises ValueError if the region is not closed, or if the rules or
    the komi are not for this.
    """
    return Fight(game, marked).winning_moves(free_moves, threats)


class _Facts(NamedTuple):
    """Facts about stones, whichever side is to play."""

    immortal: Bits
    """Both colours, packed as stones are."""
    black_wins: bool
    """If the game ended now."""
    decided: bool
    """Whether it will end like that anyway."""


class _Node(NamedTuple):
    """A position of the fight."""

    stones: Bits
    """Black's points, and White's shifted by the size of a set."""
    color: int
    """The side to play: 0 for Black."""
    passed: bool
    """Whether the last move was a pass."""
    seen: frozenset[Bits]
    """The stones of all positions so far that could come again, of this one too."""
    free: tuple[int, int]
    """Black's and White's moves elsewhere."""
    threats: tuple[int, int]
    """Black's and White's ko threats."""
    must_answer: bool = False
    """Whether the last move was a ko threat."""


class Fight:
    """A region of a position, to be searched."""

    def __init__(self, game: Game, marked: Collection[int]) -> None:
        """Raises ValueError as `winning_moves` does."""
        if game.rules != Rules("positional", suicide=False):
            raise ValueError(f"a region is solved by positional superko without suicide, not by {game.rules}")
        if float(game.compensation).is_integer():
            raise ValueError(f"with a komi of {game.komi:g} there may be draws: half a point more or less decides")
        self.points = sorted(region_of(game, marked))
        self._turn = game.turn
        row, column = min(map(row_of, self.points)), min(map(column_of, self.points))
        self._stride = max(map(column_of, self.points)) - column + 2
        self._bits = {p: 1 << ((row_of(p) - row) * self._stride + column_of(p) - column) for p in self.points}
        self._all = sum(self._bits.values())
        self._width = self._all.bit_length()
        self._air = [self._beside(game, color) for color in (BLACK, WHITE)]
        """By colour: the points beside a chain that cannot be taken."""
        inside = [sum(self._bits[p] for p in self.points if game.color_at(p) == color) for color in (BLACK, WHITE)]
        self._start = inside[0] | inside[1] << self._width
        self._needed = self._score(*inside) - game.score()
        """Black wins with more points than this, of the region alone."""
        self._facts: dict[Bits, _Facts] = {}
        self._moves: dict[tuple[Bits, int], list[tuple[Bits, Bits]]] = {}
        self._effort: dict[_Node, tuple[int, int]] = {}
        self._children: dict[_Node, list[_Node]] = {}

    @property
    def nodes(self) -> int:
        """Number of positions searched so far."""
        return len(self._children)

    def winning_moves(self, free_moves: int = 0, threats: int = 0) -> frozenset[int]:
        """Return the first moves that win, PASS among them."""
        color = (BLACK, WHITE).index(self._turn)
        theirs = (0, threats) if color == 0 else (threats, 0)
        root = _Node(self._start, color, False, frozenset([self._start]), (free_moves, free_moves), theirs)
        by_bit = {bit: p for p, bit in self._bits.items()} | {0: PASS}
        return frozenset(by_bit[bit] for bit, node in self._successors(root) if not self._wins(node))

    # --- searching ----------------------------------------------------------------------------------------------------

    def _wins(self, node: _Node) -> bool:
        """Return whether the side to play wins."""
        self._look_into(node, INFINITE, INFINITE)
        return self._effort[node][0] == 0

    def _look_into(self, node: _Node, most_to_win: int, most_to_lose: int) -> None:
        """Depth-first proof-number search (Nagai 2002): go on with the easiest move until the effort to prove that the
        side to play wins, or that it loses, is known to be as great as a limit."""
        if 0 in self._effort_of(node):
            return
        children = self._children_of(node)
        while True:
            efforts = [self._effort_of(child) for child in children]
            to_win = min((lose for _win, lose in efforts), default=INFINITE)
            to_lose = min(INFINITE, sum(win for win, _lose in efforts))
            self._effort[node] = to_win, to_lose
            if to_win >= most_to_win or to_lose >= most_to_lose:
                return
            first = min(range(len(efforts)), key=lambda i: efforts[i][1])
            second = min((lose for i, (_win, lose) in enumerate(efforts) if i != first), default=INFINITE)
            for_it = min(INFINITE, most_to_lose - to_lose + efforts[first][0])
            self._look_into(children[first], for_it, min(most_to_win, second + 1))

    def _effort_of(self, node: _Node) -> tuple[int, int]:
        """Return the least number of positions to search for a proof that the side to play wins, and that it loses."""
        known = self._effort.get(node)
        if known is None:
            facts, is_black = self._facts_of(node.stones), node.color == 0
            known = (1, 1)
            if facts.decided or (node.passed and facts.black_wins == is_black):
                known = (0, INFINITE) if facts.black_wins == is_black else (INFINITE, 0)
            self._effort[node] = known
        return known

    def _children_of(self, node: _Node) -> list[_Node]:
        if node not in self._children:
            self._children[node] = [child for _bit, child in self._successors(node)]
        return self._children[node]

    def _successors(self, node: _Node) -> Iterator[tuple[Bits, _Node]]:
        """Yield the legal moves with the positions after them; 0 stands for a pass and for moves elsewhere."""
        other = node._replace(color=1 - node.color, passed=False, must_answer=False)
        elsewhere = other._replace(seen=frozenset([node.stones]))
        if node.must_answer:
            yield 0, elsewhere
            return
        for bit, after in self._moves_of(node.stones, node.color):
            if after not in node.seen:
                immortal = self._facts_of(after).immortal
                still = [past for past in node.seen if not immortal & ~past]
                yield bit, other._replace(stones=after, seen=frozenset([after, *still]))
        if node.free[node.color]:
            yield 0, elsewhere._replace(free=_less_one(node.free, node.color))
        if node.threats[node.color]:
            yield 0, elsewhere._replace(threats=_less_one(node.threats, node.color), must_answer=True)
        if not node.passed:
            yield 0, other._replace(passed=True)

    # --- rules --------------------------------------------------------------------------------------------------------

    def _moves_of(self, stones: Bits, color: int) -> list[tuple[Bits, Bits]]:
        """Return every move that is no suicide, with the stones after it."""
        key = (stones, color)
        if key not in self._moves:
            self._moves[key] = list(self._found_moves(stones, color))
        return self._moves[key]

    def _found_moves(self, stones: Bits, color: int) -> Iterator[tuple[Bits, Bits]]:
        both = [stones & self._all, stones >> self._width]
        own, enemy = both[color], both[1 - color]
        for bit in self._bits.values():
            if bit & (own | enemy):
                continue
            mine, empty = own | bit, self._all & ~(own | enemy | bit)
            taken = 0
            for beside in _each(self._near(bit) & enemy):
                chain = self._chain(beside, enemy)
                if not self._breathes(chain, 1 - color, empty):
                    taken |= chain
            if taken or self._breathes(self._chain(bit, mine), color, empty):
                theirs = enemy & ~taken
                yield bit, (mine | theirs << self._width if color == 0 else theirs | mine << self._width)

    def _facts_of(self, stones: Bits) -> _Facts:
        if stones not in self._facts:
            black, white = stones & self._all, stones >> self._width
            living = self._chain(black & self._air[0], black), self._chain(white & self._air[1], white)
            score, size = self._score(black, white), len(self.points)
            least = 2 * self._safe(living[0], 0).bit_count() - size
            most = size - 2 * self._safe(living[1], 1).bit_count()
            black_wins = score > self._needed
            decided = least > self._needed if black_wins else most < self._needed
            self._facts[stones] = _Facts(living[0] | living[1] << self._width, black_wins, decided)
        return self._facts[stones]

    def _safe(self, living: Bits, color: int) -> Bits:
        """Return the points that a colour can keep whatever the other side plays.

        They are its immortal stones, and every area that these enclose where nobody else can have two eyes: an eye is
        made of points that are not beside them, so there must be two of those that do not touch. The owner may play on
        all the others, for ever: in the end what is left of the enemy has its last liberties among two points that
        touch, and is taken.
        """
        beside = self._near(living) | self._air[color]
        safe, rest = living, self._all & ~living
        while rest:
            area = self._chain(rest & -rest, rest)
            rest &= ~area
            deep = area & ~beside
            is_one_eye = deep.bit_count() <= 1 or (deep.bit_count() == 2 and self._near(deep) & deep)
            if is_one_eye and not area & self._air[1 - color]:
                safe |= area
        return safe

    def _score(self, black: Bits, white: Bits) -> int:
        """Return Black's points of the region minus White's."""
        empty = self._all & ~(black | white)
        by_black = self._chain(empty & (self._near(black) | self._air[0]), empty)
        by_white = self._chain(empty & (self._near(white) | self._air[1]), empty)
        return (black | by_black & ~by_white).bit_count() - (white | by_white & ~by_black).bit_count()

    def _breathes(self, chain: Bits, color: int, empty: Bits) -> bool:
        return bool(chain & self._air[color] or self._near(chain) & empty)

    def _chain(self, seeds: Bits, among: Bits) -> Bits:
        """Return the seeds and all points connected to them through points of a set."""
        found = 0
        while found != seeds:
            found, seeds = seeds, seeds | self._near(seeds) & among
        return found

    def _near(self, bits: Bits) -> Bits:
        """Return the points of the region beside others; the column that is always empty keeps rows apart."""
        stride = self._stride
        return (bits << 1 | bits >> 1 | bits << stride | bits >> stride) & self._all

    def _beside(self, game: Game, color: int) -> Bits:
        """Return the points of the region beside stones of a colour that are outside of it."""
        outside = set(game.stones(color)) - set(self.points)
        return sum(bit for p, bit in self._bits.items() if not outside.isdisjoint(neighbours(p)))


def _less_one(counts: tuple[int, int], color: int) -> tuple[int, int]:
    return (counts[0] - 1, counts[1]) if color == 0 else (counts[0], counts[1] - 1)


def _each(bits: Bits) -> Iterator[Bits]:
    while bits:
        yield bits & -bits
        bits &= bits - 1


# --- the region -------------------------------------------------------------------------------------------------------


def region_of(game: Game, marked: Collection[int]) -> set[int]:
    """Return marked points, and the chains without other liberties. Raises ValueError if the region is not closed."""
    region = set(marked)
    if not region:
        raise ValueError("no point is marked")
    colors = {p: game.color_at(p) for p in points_of(game.size)}
    if taken := [p for p in region if colors[p] != EMPTY]:
        raise ValueError(f"{vertex(min(taken))} is marked, but not empty")
    for chain in chains(game.board):
        if {n for p in chain for n in neighbours(p) if colors.get(n, WALL) == EMPTY} <= set(marked):
            region.update(chain)
    for p in sorted(region):
        if any(colors.get(n) == EMPTY and n not in region for n in neighbours(p)):
            raise ValueError(f"the region is open at {vertex(p)}: an empty point beside it is not marked")
    return region


def neighbours(p: int) -> tuple[int, ...]:
    """Return the four points beside one; some may be walls."""
    return p + NORTH, p + EAST, p + SOUTH, p + WEST
