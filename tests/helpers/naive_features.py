"""The features of moves, written down from their descriptions on the slow board: each gives the level of one move."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from helpers.naive import NaiveBoard
from kikashi.board.points import EMPTY, PASS, column_of, opponent, point, row_of


class CandidateMove(NamedTuple):
    """A move of the side to play, and the moves that led to the position, the latest last."""

    board: NaiveBoard
    move: int
    played: Sequence[int]

    @property
    def own(self) -> int:
        return self.board.to_play

    @property
    def beside(self) -> dict[int, set[frozenset[int]]]:
        """The chains beside the move, by colour."""
        found: dict[int, set[frozenset[int]]] = {self.own: set(), opponent(self.own): set(), EMPTY: set()}
        for n in self.board.neighbours(self.move):
            if (color := self.board.color_at(n)) != EMPTY:
                found[color].add(self.board.chain(n))
        return found

    def liberties(self, chain: frozenset[int]) -> frozenset[int]:
        return self.board.liberties(min(chain))

    def last(self, back: int) -> int:
        return self.played[-back] if len(self.played) >= back else PASS


def size_level(chains: set[frozenset[int]]) -> int:
    return max((1 if len(chain) == 1 else 2 if len(chain) <= 3 else 3 for chain in chains), default=0)


def capture(asked: CandidateMove) -> int:
    taken = asked.board.captures(asked.move, asked.own)
    around = {n for p in taken for n in asked.board.neighbours(p) if asked.board.color_at(n) == asked.own}
    saves = any(asked.board.in_atari(n) for n in around)
    return (min(len(taken), 2) + 2 * saves) if taken else 0


def escape(asked: CandidateMove) -> int:
    level = size_level({chain for chain in asked.beside[asked.own] if len(asked.liberties(chain)) == 1})
    return 4 if level and asked.board.is_self_atari(asked.move, asked.own) else level


def atari(asked: CandidateMove) -> int:
    return size_level({chain for chain in asked.beside[opponent(asked.own)] if len(asked.liberties(chain)) == 2})


def self_atari(asked: CandidateMove) -> int:
    if not asked.board.is_self_atari(asked.move, asked.own) or asked.board.captures(asked.move, asked.own):
        return 0
    largest = max(map(len, asked.beside[asked.own]), default=0)
    return (1 if largest == 0 else 2 if largest <= 2 else 3) + 3 * (atari(asked) > 0)


def two_liberties(asked: CandidateMove) -> int:
    if not any(len(asked.liberties(chain)) == 2 for chain in asked.beside[asked.own]):
        return 0
    return 2 if len(asked.board.liberties_after(asked.move, asked.own)) >= 3 else 1


def ladder(asked: CandidateMove) -> int:
    board, own = asked.board, asked.own
    after = board.copy()
    after.play(asked.move)
    if any(len(asked.liberties(chain)) == 1 for chain in asked.beside[own]) and len(after.liberties(asked.move)) == 2:
        return 3 if is_caught(after, asked.move) else 4
    threatened = [chain for chain in asked.beside[opponent(own)] if len(asked.liberties(chain)) == 2]
    return max((2 if is_caught(after, min(chain)) else 1 for chain in threatened), default=0)


def is_caught(board: NaiveBoard, stone: int) -> bool:
    """By one line of ataris, as `kikashi.board.ladders` says."""
    board = board.copy()
    color = board.color_at(stone)
    for _ in range(200):
        if board.to_play == color:
            attackers = {n for p in board.chain(stone) for n in board.neighbours(p) if board.color_at(n) == 3 - color}
            if any(board.in_atari(n) and board.is_legal(board.atari_liberty(n)) for n in attackers):
                return False
            (last,) = board.liberties(stone)
            if not board.is_legal(last):
                return True
            board.play(last)
        else:
            a, b = board.liberties(stone)
            left = {p: min(4, len(board.liberties_after(q, color))) - 1 for p, q in ((a, b), (b, a))}
            if left[a] == left[b]:
                if left[a] < 2 or left[a] >= 3 or board.line(a) == board.line(b):
                    return left[a] < 2
                left[a if board.line(a) > board.line(b) else b] -= 1
            best = min(left, key=lambda p: left[p])
            if left[best] >= 3 or not board.is_legal(best):
                return False
            board.play(best)
            continue
        if len(board.liberties(stone)) != 2:
            return len(board.liberties(stone)) < 2
    return False


def line(asked: CandidateMove) -> int:
    found = asked.board.line(asked.move)
    return found if found <= 5 else 0


def corner(asked: CandidateMove) -> int:
    size = asked.board.size
    low, high = sorted(min(at, size + 1 - at) for at in (row_of(asked.move), column_of(asked.move)))
    names = [(a, b) for b in range(1, 6) for a in range(1, b + 1)]
    return names.index((low, high)) + 1 if high <= 5 else 0


def distance(asked: CandidateMove, back: int = 1) -> int:
    last = asked.last(back)
    if last == PASS:
        return 0
    y, x = abs(row_of(asked.move) - row_of(last)), abs(column_of(asked.move) - column_of(last))
    return max(1, min(17, x + y + max(x, y)))


def fate_distance(asked: CandidateMove, back: int = 1) -> int:
    last, board = asked.last(back), asked.board
    if last == PASS:
        return 0

    def whole(p: int) -> frozenset[int]:
        return frozenset({p}) if board.color_at(p) == EMPTY else board.chain(p)

    reached, steps = set(whole(last)), 0
    while asked.move not in reached and steps < 8:
        steps += 1
        reached |= {q for p in list(reached) for n in board.neighbours(p) for q in whole(n)}
    return max(1, steps)


def liberties(asked: CandidateMove) -> int:
    found = len(asked.board.liberties_after(asked.move, asked.own))
    return found if found < 6 else 0


def race(asked: CandidateMove) -> int:
    board, found = asked.board, []
    for color, chains in asked.beside.items():
        for chain in chains:
            foes = {board.chain(n) for p in chain for n in board.neighbours(p) if board.color_at(n) == 3 - color}
            own, foe = len(asked.liberties(chain)), min((len(asked.liberties(each)) for each in foes), default=6)
            mine, theirs = (own, foe) if color == asked.own else (foe, own)
            if 2 <= mine <= 5 and 2 <= theirs <= 5:
                found.append((mine + theirs, mine - theirs))
    return 3 + min(2, max(-2, min(found)[1])) if found else 0


def room(asked: CandidateMove) -> int:
    board, y, x = asked.board, row_of(asked.move), column_of(asked.move)
    stones = {(abs(row_of(p) - y) + abs(column_of(p) - x), board.color_at(p)) for p in board.points()}
    steps = [min((far for far, color in stones if color == c), default=6) for c in (asked.own, opponent(asked.own))]
    mine, theirs = (min(6, far) for far in steps)
    kinds = [(far, who) for far in (3, 4, 5) for who in ("own", "enemy", "both")] + [(6, "both")]
    kind = (min(mine, theirs), "own" if mine < theirs else "enemy" if theirs < mine else "both")
    names = [(line, *found) for line in range(1, 7) for found in kinds]
    return names.index((min(board.line(asked.move), 6), *kind)) + 1 if min(mine, theirs) > 2 else 0


FEATURES: dict[str, Callable[[CandidateMove], int]] = {
    **{f.__name__: f for f in (capture, escape, atari, self_atari, two_liberties, ladder, line, corner)},
    **{f.__name__: f for f in (distance, fate_distance, liberties, race, room)},
    "distance(back=2)": lambda asked: distance(asked, 2),
    "fate_distance(back=2)": lambda asked: fate_distance(asked, 2),
}


def shape(asked: CandidateMove, rings: int, *, with_last: bool = False) -> tuple[object, ...]:
    """What makes two shapes the same: the smallest of the eight ways to list what is around a move."""
    board, y, x = asked.board, row_of(asked.move), column_of(asked.move)
    reach = [2, 3, 4, 5, 6][rings - 1]

    def seen(dy: int, dx: int, within: int) -> tuple[int, ...]:
        row, column = y + dy, x + dx
        is_there = 1 <= row <= board.size and 1 <= column <= board.size
        q = point(column, row) if is_there else PASS
        is_last = with_last and is_there and q == asked.last(1)
        if abs(dy) + abs(dx) + max(abs(dy), abs(dx)) > within:
            return (9, is_last)
        if not is_there:
            return (3,)
        color = board.color_at(q)
        is_beside = abs(dy) + abs(dx) == 1
        in_atari = color != EMPTY and is_beside and board.in_atari(q)
        return (0 if color == EMPTY else 1 if color == asked.own else 2, in_atari, is_last)

    near = [(dy, dx) for dy in range(-3, 4) for dx in range(-3, 4) if (dy, dx) != (0, 0)]
    far = 6 if with_last else reach
    near = [(dy, dx) for dy, dx in near if abs(dy) + abs(dx) + max(abs(dy), abs(dx)) <= far]
    if with_last and not any(point(x + dx, y + dy) == asked.last(1) for dy, dx in near if 1 <= x + dx <= board.size):
        return ()
    turns = [(a, b, swap) for a in (1, -1) for b in (1, -1) for swap in (False, True)]
    return min(
        tuple(seen(a * (dx if swap else dy), b * (dy if swap else dx), reach) for dy, dx in near)
        for a, b, swap in turns
    )
