"""Handicap stones: sections 4.1.1 and 4.1.2 of the GTP 2 specification."""

from kikashi.board.points import column_of, point, points_of, row_of


def max_fixed_handicap(size: int) -> int:
    """Return the most stones of a fixed handicap: none below 7x7, 4 on 7x7 and even sizes, 9 on the others."""
    return 0 if size < 7 else 9 if size % 2 == 1 and size >= 9 else 4


def fixed_handicap(size: int, stones: int) -> list[int]:
    """Return the points of a fixed handicap, in the specification's order. Raises ValueError if the number is wrong."""
    most = max_fixed_handicap(size)
    if most == 0:
        raise ValueError(f"no fixed handicap is defined on {size}x{size}; it needs 7x7 or more")
    if not 2 <= stones <= most:
        raise ValueError(f"a fixed handicap on {size}x{size} has 2 to {most} stones, not {stones}")
    low = 3 if size <= 12 else 4
    high, middle = size + 1 - low, (size + 1) // 2
    corners = [point(low, low), point(high, high), point(low, high), point(high, low)]
    sides = [point(low, middle), point(high, middle), point(middle, low), point(middle, high)]
    center = [point(middle, middle)] if stones % 2 == 1 and stones >= 5 else []
    return (corners + sides)[: stones - len(center)] + center


def free_handicap(size: int, stones: int) -> list[int]:
    """Choose points: the fixed ones as far as possible, then points far from these and the edge. Raises ValueError."""
    check_handicap(size, stones)
    chosen = fixed_handicap(size, min(stones, max_fixed_handicap(size))) if size >= 7 else []
    distance = {p: min((_distance(p, stone) for stone in chosen), default=size) for p in points_of(size)}
    while len(chosen) < stones:
        best = max(distance.keys() - set(chosen), key=lambda p: (min(_line(p, size), 3), distance[p], p))
        chosen.append(best)
        distance = {p: min(d, _distance(p, best)) for p, d in distance.items()}
    return chosen


def check_handicap(size: int, stones: int) -> None:
    """Raise ValueError if a free handicap cannot have this number of stones."""
    if not 2 <= stones < size * size:
        raise ValueError(f"a free handicap on {size}x{size} has 2 to {size * size - 1} stones, not {stones}")


def _line(p: int, size: int) -> int:
    column, row = column_of(p), row_of(p)
    return min(column, row, size + 1 - column, size + 1 - row)


def _distance(p: int, q: int) -> int:
    return abs(column_of(p) - column_of(q)) + abs(row_of(p) - row_of(q))
