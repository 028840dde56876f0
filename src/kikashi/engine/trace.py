"""Records of whole simulations and their steps, as text for a terminal and as HTML for notebooks.

Moves have their names (``"D4"``, ``"pass"``). Values and scores are Black's, but those of a node's children, and the
terms that they are selected by, are of the player to move there. Texts over the points of a board begin at the upper
left and go row by row, with ``.``, ``X`` (Black) and ``O`` (White).
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from kikashi.board.points import EMPTY, PASS, parse_vertex, points_of
from kikashi.game.diagram import format_diagram
from kikashi.pictures.boards import draw_board
from kikashi.pictures.tables import html_table
from kikashi.wording import plural

Color = Literal["black", "white"]
Way = Literal["largest", "drawn", "playout", "chosen"]
"""How a child was selected: the largest total, a draw by the totals, the playout policy, or a rule that tells nothing
of its reasons."""
WIDTH = 80
CHILDREN, CHANGES, GIVEN = 8, 8, 6
"""Children of a node, changes of a memory, and moves of a prior that are shown."""
NONE = "–"


class NodeNumbers(msgspec.Struct, frozen=True):
    """The numbers of a node, for Black."""

    visits: int
    value: float
    """Sum of the values of its simulations."""
    score: int
    """Sum of their area scores."""
    mean: float
    """Value by the backup rule; 0 before the first visit."""


class TracedChild(msgspec.Struct, frozen=True):
    """A child of a node when the selection rule was called."""

    move: str
    visits: int
    mean: float | None
    """Value by the backup rule; None before the first visit."""
    prior_games: float
    """Virtual games from priors."""
    prior_value: float | None
    """Mean value of the virtual games; None without any."""
    share: float
    """Probability of the move by a prior that gives one; else 0."""
    banned: bool
    """Whether it cannot be selected: it would repeat a position, was pruned, or is not legal."""
    terms: list[float | None]
    """Terms of its selection value, in the order of their names; None for one that it does not have."""
    total: float | None
    """Its selection value, which `way` speaks of; None if the rule gives none."""
    probability: float | None
    """Its probability, of a rule that draws."""


class TracedSelection(msgspec.Struct, frozen=True):
    way: Way
    terms: list[str]
    """Names of the terms."""
    children: list[TracedChild]
    """All children, in the order of the tree."""
    chosen: str
    """The selected move; empty if there was none, so that the descent ended here."""
    by: str
    """The selection rule, or the heuristic that made the move for the playout policy."""
    refused: list[str]
    """Moves that were selected before it, but would repeat a position."""


class TracedPrior(msgspec.Struct, frozen=True):
    """Virtual games that one prior gave the children of a new node."""

    prior: str
    value: float
    """Value of each of its games, for the player to move."""
    games: dict[str, float]
    """Number of games by move."""


class TracedExpansion(msgspec.Struct, frozen=True):
    """The children that a leaf got."""

    moves: list[str]
    even_games: float
    """Virtual games of every move, half of them won."""
    priors: list[TracedPrior]
    is_shared: bool = False
    """Whether the children are those of the same position on another path, by a transposition."""


class TracedNode(msgspec.Struct, frozen=True):
    """A node of the path."""

    move: str
    """Move that led here; empty at the root."""
    to_play: Color
    """The player to move here."""
    index: int
    """Its place in the tree's array, until the tree is pruned or its root advances."""
    is_new: bool
    """Whether it is the first simulation that comes here."""
    before: NodeNumbers
    after: NodeNumbers
    expansion: TracedExpansion | None
    """The children that it got in this simulation, if it did."""
    selection: TracedSelection | None
    """None at the leaf, where the evaluation begins."""


class TracedMove(msgspec.Struct, frozen=True):
    color: Color
    move: str
    by: str
    """The heuristic that made it, ``"uniform"`` or ``"pass"``."""
    captured: list[str]


class TracedResult(msgspec.Struct, frozen=True):
    """The result of a simulation, for Black."""

    evaluation: str
    """The evaluation, or ``"two passes"`` if the game ended in the tree."""
    value: float
    """Black's chance to win: 1 or 0 after a playout, a half for a draw."""
    score: float
    """Area score, without komi."""
    komi: float
    """Komi of the simulation."""
    winner: Literal["black", "white", ""]
    """The likelier winner; empty for a draw."""
    backed_up: float
    """What is added to the value of each node of the path."""
    stones: str
    """The board at the end."""
    owners: str
    """The owners of its points."""


class TracedChange(msgspec.Struct, frozen=True):
    """Numbers that a memory or a statistic changed at one place."""

    place: str
    """A cell of a memory, ``"cell 12"``, or a node by the moves to it, ``"E5 D4"``."""
    before: list[float]
    after: list[float]
    words: str
    """The change in words, if the part can say them; else empty."""


class TracedMemory(msgspec.Struct, frozen=True):
    """Changes of a memory of playouts or of a statistic of nodes."""

    part: str
    """``"last_replies(context=2)"``, or ``"rave"``."""
    kind: Literal["memory", "statistic"]
    fields: list[str]
    """Names of the numbers at a place; none if there is one."""
    changes: list[TracedChange]


class Trace(msgspec.Struct, frozen=True):
    """One simulation of a search."""

    number: int
    """Its number since the search started, from 1."""
    tree: int
    """Number of its tree, from 0, in a preset that starts several searches."""
    size: int
    selection: str
    """The selection rule."""
    stones: str
    """The board at the root."""
    path: list[TracedNode]
    """The nodes of the descent, the root first."""
    leaf: str
    """The board at the end of the descent."""
    playout: list[TracedMove]
    """The moves of the evaluation; none if the rule makes none."""
    result: TracedResult
    learned: list[TracedMemory]

    def __str__(self) -> str:
        return _as_text(self)

    def _repr_html_(self) -> str:
        return _as_html(self)


class Traces(tuple[Trace, ...]):
    """Records of simulations, in order."""

    def as_json(self) -> list[dict[str, Any]]:
        """Return numbers, texts, lists and dictionaries."""
        found: list[dict[str, Any]] = msgspec.to_builtins(list(self))
        return found

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def _repr_html_(self) -> str:
        return "<hr>".join(trace._repr_html_() for trace in self)


# --- views -----------------------------------------------------------------------------------------------------------


def _as_text(trace: Trace) -> str:
    """Return a simulation in lines of 80 columns, in the order in which it happens."""
    lines = [_title(trace), ""]
    for depth, node in enumerate(trace.path):
        lines += [*_node_lines(trace, depth, node), ""]
    if trace.playout:
        lines += [f"playout: {plural(len(trace.playout), 'move')}", *_wrapped(_moves(trace)), ""]
    lines += [*_boards(trace), "", *_wrapped([_result(trace)], ""), ""]
    lines += _table(*_backup(trace))
    for memory in trace.learned:
        lines += ["", *_memory_lines(memory)]
    return "\n".join(line.rstrip() for line in lines)


def _as_html(trace: Trace) -> str:
    """Return a simulation as boards and tables."""
    parts = [f"<p><b>{html.escape(_title(trace))}</b></p>", _pictures(trace)]
    for depth, node in enumerate(trace.path):
        parts += [f"<p>{html.escape(line)}</p>" for line in _about_node(trace, depth, node)]
        if node.selection is not None:
            parts += [html_table(*_children(node.selection)), _paragraph(_more(node.selection))]
    parts += [_paragraph(f"playout: {', '.join(_moves(trace))}" if trace.playout else "")]
    parts += [_paragraph(_result(trace)), html_table(*_backup(trace))]
    for memory in trace.learned:
        parts += [_paragraph(" ".join(line.strip() for line in _memory_lines(memory)))]
    return "".join(parts)


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>" if text else ""


def _title(trace: Trace) -> str:
    tree = f" of tree {trace.tree}" if trace.tree else ""
    return f"simulation {trace.number}{tree}, by {trace.selection}"


# --- the descent ------------------------------------------------------------------------------------------------------


def _node_lines(trace: Trace, depth: int, node: TracedNode) -> Iterator[str]:
    yield from _wrapped(_about_node(trace, depth, node)[:1], "")
    yield from _wrapped(_about_node(trace, depth, node)[1:])
    if node.selection is not None:
        yield from _table(*_children(node.selection))
        if more := _more(node.selection):
            yield f"  {more}"


def _about_node(trace: Trace, depth: int, node: TracedNode) -> list[str]:
    """Return sentences about a node: what it is, what it got, and how a child is selected."""
    name = _path(trace, depth) or "root"
    known = "new" if node.is_new else plural(node.before.visits, "visit")
    sentences = [f"{name}: {known}, {node.to_play} to play"]
    sentences += _about_expansion(node.expansion) if node.expansion is not None else []
    if node.selection is None:
        return [*sentences, "the descent ends here"]
    return [*sentences, _about_selection(node.selection)]


def _path(trace: Trace, depth: int) -> str:
    return " ".join(node.move for node in trace.path[1 : depth + 1])


def _about_expansion(expansion: TracedExpansion) -> list[str]:
    if expansion.is_shared:
        return ["it takes over the children of the same position on another path"]
    found = [f"it gets {plural(len(expansion.moves), 'child', 'children')}"]
    if expansion.even_games:
        found[0] += f", each with {expansion.even_games:g} games, half of them won"
    for given in expansion.priors:
        moves = sorted(given.games.items(), key=lambda pair: -pair[1])
        named = ", ".join(f"{move} {games:.3g}" for move, games in moves[:GIVEN])
        more = f" and {len(moves) - GIVEN} more" if len(moves) > GIVEN else ""
        found.append(f"{given.prior} gives games of value {given.value:g}: {named or 'none'}{more}")
    return found


def _about_selection(selection: TracedSelection) -> str:
    how = {
        "largest": "has the largest total",
        "drawn": "is drawn with its probability",
        "playout": f"comes from the playout policy: {selection.by}",
        "chosen": f"is chosen by {selection.by}, which gives no reasons",
    }[selection.way]
    refused = f"; {', '.join(selection.refused)} would repeat a position" if selection.refused else ""
    return f"{selection.chosen} {how}{refused}" if selection.chosen else f"no move can be selected{refused}"


def _shown(selection: TracedSelection) -> list[TracedChild]:
    """Return the children to show, those with the largest totals first, the chosen one among them."""

    def rank(child: TracedChild) -> tuple[float, int]:
        return (float("-inf") if child.total is None else child.total, child.visits)

    order = sorted(selection.children, key=rank, reverse=True)
    chosen = [child for child in order if child.move == selection.chosen]
    first = [child for child in order if child not in chosen and not child.banned]
    if selection.way in ("largest", "chosen", "playout"):
        return [*chosen, *first][:CHILDREN]
    return sorted([*chosen, *first[: CHILDREN - len(chosen)]], key=rank, reverse=True)


def _more(selection: TracedSelection) -> str:
    left = len(selection.children) - len(_shown(selection))
    return f"and {plural(left, 'other child', 'other children')}" if left else ""


def _children(selection: TracedSelection) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of a table of children; a column without numbers is left out."""
    shown = _shown(selection)
    columns: list[tuple[str, list[str]]] = [
        ("move", [f"{'>' if child.move == selection.chosen else ' '} {child.move}" for child in shown]),
        ("visits", [str(child.visits) for child in shown]),
    ]
    if all(term is None for child in shown for term in child.terms):
        columns.append(("mean", [_number(child.mean) for child in shown]))
    if any(child.prior_games for child in shown):
        columns.append(("prior games", [_number(child.prior_games) for child in shown]))
    columns += [(name, [_number(child.terms[k]) for child in shown]) for k, name in enumerate(selection.terms)]
    columns.append(("total", [_number(child.total) for child in shown]))
    columns.append(("chance", [NONE if child.probability is None else f"{child.probability:.1%}" for child in shown]))
    columns = [(name, cells) for name, cells in columns if any(cell != NONE for cell in cells)]
    rows = [list(row) for row in zip(*(cells for _, cells in columns), strict=True)]
    return [name for name, _ in columns], rows


def _number(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.1f}"


# --- playout and result -----------------------------------------------------------------------------------------------


def _moves(trace: Trace) -> list[str]:
    return [
        f"{step.color[0].upper()} {step.move}"
        + (f" {step.by}" if step.by != "pass" else "")
        + (f" (takes {len(step.captured)})" if step.captured else "")
        for step in trace.playout
    ]


def _boards(trace: Trace) -> list[str]:
    """Return the boards at the end of the descent and of the simulation, side by side."""
    leaf, end = (_diagram(trace.size, stones) for stones in (trace.leaf, trace.result.stones))
    left, gap = max(map(len, leaf)), "  " if trace.size < 19 else ""
    if left + len(gap) + max(map(len, end)) > WIDTH:
        return ["end of the descent", *leaf, "", "end of the simulation", *end]
    titles = ("end of the descent", "end of the simulation")
    return [f"{a:{left}}{gap}{b}" for a, b in zip([titles[0], *leaf], [titles[1], *end], strict=True)]


def _diagram(size: int, stones: str) -> list[str]:
    colors = _by_point(size, stones)
    return format_diagram(size, lambda p: colors[p]).splitlines()


def _by_point(size: int, text: str) -> dict[int, int]:
    """Return the colours in a text over the points of a board, A1 first."""
    rows = [text[at : at + size] for at in range(0, size * size, size)]
    return dict(zip(points_of(size), (".XO".index(each) for row in rows[::-1] for each in row), strict=True))


def _result(trace: Trace) -> str:
    result = trace.result
    winner = f"{result.winner} is the winner" if result.winner else "a draw"
    return (
        f"result by {result.evaluation}: {winner}; Black's score {result.score:+g}, komi {result.komi:g}; "
        f"{result.backed_up:g} is added for Black to each node of the path"
    )


def _backup(trace: Trace) -> tuple[list[str], list[list[str]]]:
    rows = []
    for depth, node in enumerate(trace.path):
        before, after = node.before, node.after
        rows.append(
            [
                _path(trace, depth) or "root",
                f"{before.visits} → {after.visits}",
                f"{before.value:g} → {after.value:g}",
                f"{before.mean:.3f} → {after.mean:.3f}" if before.visits else f"{after.mean:.3f}",
            ]
        )
    return ["node", "visits", "Black's value", "Black's mean"], rows


def _memory_lines(memory: TracedMemory) -> Iterator[str]:
    changes = memory.changes
    yield f"{memory.kind} {memory.part}: " + (plural(len(changes), "change") if changes else "learned nothing")
    for change in changes[:CHANGES]:
        yield from _wrapped([_change(memory, change)])
    if len(changes) > CHANGES:
        yield f"  and {len(changes) - CHANGES:,} more"


def _change(memory: TracedMemory, change: TracedChange) -> str:
    if change.words:
        return change.words if memory.kind == "memory" else f"{change.place}: {change.words}"
    names = memory.fields or [""]
    numbers = [
        f"{name} {old:.10g} → {new:.10g}".strip()
        for name, old, new in zip(names, change.before, change.after, strict=False)
        if old != new
    ]
    return f"{change.place}: {', '.join(numbers)}"


# --- layout -----------------------------------------------------------------------------------------------------------


def _wrapped(items: Sequence[str], indent: str = "  ") -> list[str]:
    """Return items, separated by commas, in lines; an item without blanks of its own is not broken."""
    lines: list[str] = []
    if len(items) > 1 and all(len(item) < WIDTH // 2 for item in items):
        joined = ", ".join(item.replace(" ", "\0") for item in items)
        found = textwrap.wrap(joined, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
        return [line.replace("\0", " ") for line in found]
    for item in items:
        lines += textwrap.wrap(item, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ")
    return lines


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table with heads of two lines, numbers to the right."""
    heads = [_in_two(name) for name in head]
    cells = [*zip(*heads, strict=True), *rows]
    widths = [max(len(row[k]) for row in cells) for k in range(len(head))]
    lines = []
    for row in cells:
        texts = [
            cell.ljust(width) if not k else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(texts))
    return lines if any(upper for upper, _ in heads) else lines[1:]


def _in_two(name: str) -> tuple[str, str]:
    """Return a head in two lines, the lower one first filled."""
    words = name.split()
    middle = len(words) // 2 if len(words) != 3 else 2
    return (" ".join(words[:middle]), " ".join(words[middle:])) if len(words) > 1 else ("", name)


# --- pictures ---------------------------------------------------------------------------------------------------------


def _pictures(trace: Trace) -> str:
    """Return the board with the moves of the descent, and that at the end with the owners of its points."""
    size = trace.size
    colors, ends = _by_point(size, trace.leaf), _by_point(size, trace.result.stones)
    moves = [parse_vertex(node.move, size) for node in trace.path[1:]]
    marks = {p: str(number) for number, p in enumerate(moves, 1) if p != PASS and colors[p] != EMPTY}
    leaf = draw_board(size, [*colors.values()], about="the end of the descent", marks=marks)
    owners = [(0.0, 1.0, -1.0)[owner] for owner in _by_point(size, trace.result.owners).values()]
    end = draw_board(size, [*ends.values()], about="the end of the simulation", ownership=owners)
    return f'<div style="display: flex; flex-wrap: wrap; gap: 1.5em">{leaf}{end}</div>'
