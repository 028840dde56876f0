"""Slow twins of the tactical rules of playouts, written from what they say and on the naive board."""

from collections.abc import Iterable
from functools import cache
from itertools import product

from helpers.naive import ADJACENT, DIAGONAL, NaiveBoard, Position
from helpers.naive_features import is_caught
from kikashi.board.points import EMPTY, PASS, column_of, opponent, row_of

EYES = ("xOx", "xO/.x", "xOx/.x.", ".x./xOx/.x.", "xx./xOx", ".x./xOx/.xx")
"""Eyes that one move keeps from becoming two, with that point as O."""
DEAD = ("XX", "XXX", "XX/X.", "XX/XX", "XXX/.X.", ".X./XXX/.X.", "XX./XXX", ".X./XXX/.XX")
"""Chains that leave such an eye, or a smaller one or a square, when they are taken."""
Place = tuple[int, int]


def _places(points: Iterable[int]) -> frozenset[Place]:
    return frozenset((column_of(p), row_of(p)) for p in points)


def _moved(shape: frozenset[Place]) -> frozenset[Place]:
    """The shape in the corner of the plane."""
    left, low = min(x for x, _ in shape), min(y for _, y in shape)
    return frozenset((x - left, y - low) for x, y in shape)


@cache
def _sides(drawn: str) -> list[tuple[frozenset[Place], frozenset[Place]]]:
    """A picture from all eight sides: the places of all its signs, and that of O, moved alike."""
    found = []
    for across, along, turned in product((1, -1), (1, -1), (False, True)):
        signs = {
            ((along * y, across * x) if turned else (across * x, along * y)): sign
            for y, row in enumerate(drawn.split("/"))
            for x, sign in enumerate(row)
            if sign != "."
        }
        left, low = min(x for x, _ in signs), min(y for _, y in signs)
        at = {(x - left, y - low): sign for (x, y), sign in signs.items()}
        found.append((frozenset(at), frozenset(place for place, sign in at.items() if sign == "O")))
    return found


def is_shape(points: Iterable[int], drawn: str) -> bool:
    """Whether points have the shape of a picture, seen from some side."""
    return _moved(_places(points)) in [shape for shape, _ in _sides(drawn)]


def vital_points(naive: NaiveBoard, last: int, largest: int = 3) -> set[int]:
    """Those of eyes of the opponent, of at most so many points, beside the last move or diagonal to it."""
    found = set()
    for p in naive.around(last, ADJACENT + DIAGONAL) if last != PASS else ():
        region = naive.region(p)
        if naive.color_at(p) != EMPTY or len(region) > largest:
            continue
        if {naive.color_at(q) for q in naive.border(region)} == {opponent(naive.to_play)}:
            found |= {q for q in region if _is_vital(q, region)}
    return found


def _is_vital(p: int, region: frozenset[int]) -> bool:
    left, low = min(x for x, _ in _places(region)), min(y for _, y in _places(region))
    seen = _moved(_places(region)), frozenset([(column_of(p) - left, row_of(p) - low)])
    return any(seen in _sides(drawn) for drawn in EYES)


def good_liberties(naive: NaiveBoard, last: int) -> set[int]:
    """For the chain of the last move and own chains beside it that have two liberties: those where their owner would
    have three or more, and which are no self-atari of who is to play."""
    if last == PASS or naive.color_at(last) == EMPTY:
        return set()
    own, found = naive.to_play, set()
    for stone in [last, *(q for q in naive.neighbours(last) if naive.color_at(q) == own)]:
        liberties, owner = naive.liberties(stone), naive.color_at(stone)
        gaining = {p for p in liberties if len(naive.liberties_after(p, owner)) >= 3}
        found |= {p for p in gaining if not naive.is_self_atari(p, own)} if len(liberties) == 2 else set()
    return found


def escapes(naive: NaiveBoard, last: int) -> set[int]:
    """The moves that leave two liberties to a chain beside the last move that is in atari: on its last liberty, or
    taking a chain that touches it."""
    own, found = naive.to_play, set()
    for stone in naive.neighbours(last) if last != PASS else ():
        if naive.color_at(stone) != own or not naive.in_atari(stone):
            continue
        attackers = {naive.atari_liberty(min(chain)) for chain in naive.enemy_chains(stone)} - {PASS}
        for p in {naive.atari_liberty(stone), *attackers}:
            after = naive.after(p, own)
            if stone in after.stones and len(after.liberties(stone)) >= 2:
                found.add(p)
    return found


def runs_into_ladder(naive: NaiveBoard, p: int) -> bool:
    """Whether an own chain in atari extends at `p` to two liberties, only to be caught in a ladder."""
    own = naive.to_play
    if not any(naive.color_at(q) == own and naive.atari_liberty(q) == p for q in naive.neighbours(p)):
        return False
    after = naive.copy()
    after.play(p)
    return len(after.liberties(p)) == 2 and is_caught(after, p)


def capture_for_eye(naive: NaiveBoard, p: int) -> set[int]:
    """What takes an enemy chain diagonal to `p`, if that is a false eye of who is to play."""
    if not naive.surrounded_by(p, naive.to_play):
        return set()
    enemies = [q for q in naive.diagonals(p) if naive.color_at(q) == opponent(naive.to_play)]
    return {naive.atari_liberty(q) for q in enemies} - {PASS}


def is_bad_self_atari(position: Position, p: int, color: int, early: bool = True) -> bool:
    """Whether a move leaves its chain with one liberty, captures nothing, and is no throw-in, snapback or nakade.

    Unless `early`, a nakade is one only if the enemies around have no other liberties; four stones that bend in the
    corner of the board are one, too.
    """
    after, enemy = position.after(p, color), opponent(color)
    if position.captures(p, color) or p not in after.stones or not after.in_atari(p):
        return False
    chain, liberty = after.chain(p), after.atari_liberty(p)
    if len(chain) == 1:
        bad = sum(after.color_at(q) == color for q in after.diagonals(p)) + (after.line(p) == 1)
        return bad < 2 and not after.after(liberty, enemy).in_atari(liberty)
    beside = {q for q in after.neighbours(liberty) if after.color_at(q) != enemy}
    is_dead = any(is_shape(chain, drawn) for drawn in DEAD) or (not early and _bends_in_corner(position, chain))
    if not early:
        enemies = {q for q in position.border(chain) if position.color_at(q) == enemy}
        is_dead &= all(position.liberties(q) <= {p, liberty} for q in enemies)
    return not (beside <= chain and is_dead)


def _bends_in_corner(position: Position, chain: frozenset[int]) -> bool:
    corners = [q for q in chain if len(position.neighbours(q)) == 2]
    return is_shape(chain, "XXX/X..") and any(position.neighbours(q) <= chain for q in corners)
