"""The feasibility rules, on the naive board.

Each rule answers: is the empty point `p` worth a move of `color`? Legality is another question, and a pass is never
asked about. `FEASIBILITY` has them by the names that presets use.
"""

from itertools import product

from helpers.naive import Offsets, Position
from helpers.naive_tactics import is_bad_self_atari
from kikashi.board.points import EMPTY

KNIGHT = tuple((x, y) for x, y in product(range(-2, 3), repeat=2) if 0 < abs(x) + abs(y) < 4)
"""The knight's neighbourhood: 5x5 without its corners, 20 points (B17)."""

LARGE_KNIGHT = tuple((x, y) for x, y in product(range(-3, 4), repeat=2) if 0 < abs(x) + abs(y) <= 4)
"""The large knight's neighbourhood: the 36 points of 7x7 at most 4 steps away (B17; Baier 2010, figure 7.2)."""


def is_near_stone(position: Position, p: int, offsets: Offsets) -> bool:
    """Whether a stone of either colour is at one of these offsets from `p`."""
    return any(position.color_at(n) != EMPTY for n in position.around(p, offsets))


def eyelike(position: Position, p: int, color: int) -> bool:
    """Anything but an own eye-like point."""
    return not position.is_eyelike(p, color)


def orego(position: Position, p: int, color: int) -> bool:
    """Not eye-like, and on the third or fourth line from the nearest edge or a knight's move from a stone.

    Orego 6.10, in Baier 2010, section 7.2. Eye-like there is "an empty intersection surrounded by friendly stones and
    having no more than one (zero at the board edge) diagonally adjacent enemy stones": `Position.is_eyelike`.
    """
    return eyelike(position, p, color) and (position.line(p) in (3, 4) or is_near_stone(position, p, KNIGHT))


def orego_a(position: Position, p: int, color: int) -> bool:
    """Not eye-like, and off the first line or a large knight's move from a stone: F-a in Baier 2010, section 7.2."""
    return eyelike(position, p, color) and (position.line(p) != 1 or is_near_stone(position, p, LARGE_KNIGHT))


def orego_b(position: Position, p: int, color: int) -> bool:
    """Not eye-like: F-b in Baier 2010, section 7.2. The same rule as `eyelike`."""
    return eyelike(position, p, color)


def coulom(position: Position, p: int, color: int) -> bool:
    """Not completely surrounded by own stones that are not in atari; walls surround too, diagonals do not matter.

    Coulom 2006, A.1, where such a point has urgency zero.
    """
    neighbours = position.neighbours(p)
    return not all(position.color_at(n) == color and not position.in_atari(n) for n in neighbours)


def same_block(position: Position, p: int, color: int) -> bool:
    """No eye of its own: "a single empty point surrounded by stones of the same block" (Yoshizoe et al. 2006).

    Walls surround too.
    """
    neighbours = position.neighbours(p)
    return not any(neighbours <= block and position.color_at(min(block)) == color for block in position.chains())


def careful(position: Position, p: int, color: int) -> bool:
    """Not eye-like, and no bad self-atari."""
    return eyelike(position, p, color) and not is_bad_self_atari(position, p, color)


def wary(position: Position, p: int, color: int) -> bool:
    """Not eye-like: uniform draws alone are stricter."""
    return eyelike(position, p, color)


def wary_draw(position: Position, p: int, color: int) -> bool:
    """Not eye-like, and no bad self-atari but for one that joins no stone, in a region of two points."""
    joins = any(position.color_at(n) == color for n in position.neighbours(p))
    if not joins and len(position.region(p)) <= 2:
        return True
    return eyelike(position, p, color) and not is_bad_self_atari(position, p, color, early=False)


FEASIBILITY = {rule.__name__: rule for rule in (eyelike, orego, orego_a, orego_b, coulom, same_block, careful, wary)}
