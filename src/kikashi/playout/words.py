"""Words for the cells of memories, in traces: plain Python, for people."""

from kikashi.board.points import BLACK, PASS, POINTS, color_name, vertex


def name_place(cell: int) -> str:
    """Return the player and the point of a cell in a table by colour and point.

    >>> name_place(POINTS + 85)
    'White E4'
    """
    row, p = divmod(cell, POINTS)
    return f"{color_name(BLACK + row).capitalize()} {vertex(p)}"


def name_context(cell: int, context: int) -> str:
    """Return the last `context` moves and the player of the reply, of a cell in a table by context."""
    points: list[int] = []
    for _ in range(context):
        cell, p = divmod(cell, POINTS)
        points.insert(0, p)
    return f"after {' '.join(map(vertex, points))} {color_name(BLACK + cell).capitalize()}"


def say_reply(where: str, before: int, after: int) -> str:
    """Return what became of a reply, PASS being none.

    >>> say_reply("after E4 White", PASS, 86)
    'after E4 White: F4 stored'
    """
    if after == PASS:
        return f"{where}: {vertex(before)} forgotten"
    return f"{where}: {vertex(after)} stored" + (f" in place of {vertex(before)}" if before != PASS else "")
