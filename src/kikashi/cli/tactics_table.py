"""The table of ``kikashi bench tactics``."""

from __future__ import annotations

from rich.table import Table

from kikashi.experiments.tactics import ALL, Tactics, Tally
from kikashi.wording import plural


def tactics_table(found: Tactics) -> Table:
    """A row per theme: what was solved, and what a search thought of the right move where it was not."""
    table = Table(box=None, pad_edge=False)
    for name in ("theme", "solved", "asked", "share", "95 %", "visits of the right", "not visited"):
        table.add_column(name, justify="left" if name == "theme" else "right", no_wrap=True)
    for theme, tally in found.tallies.items():
        style = "[bold]" if theme == ALL else ""
        table.add_row(*(style + cell for cell in [theme, *_cells(tally)]))
    return table


def _cells(tally: Tally) -> list[str]:
    bounds = f"{tally.interval.low:.0%}–{tally.interval.high:.0%}"
    share = f"{tally.solved / tally.asked:.0%}" if tally.asked else "–"
    visits = "–" if tally.mean_share is None else f"{tally.mean_share:.1%}"
    return [str(tally.solved), str(tally.asked), share, bounds, visits, str(tally.unseen)]


def failures(found: Tactics) -> list[str]:
    """A line for each question that was not solved."""
    return [
        f"  {answer.where}: {answer.question}: {answer.answer} instead of {answer.expected}"
        + ("" if answer.share is None else f" (right move {answer.share:.1%})")
        + (", as expected" if answer.may_fail else "")
        for answer in found.answers
        if not answer.is_right
    ]


def remarks(found: Tactics) -> list[str]:
    """What has to be said besides."""
    lines = []
    if surprises := found.tallies[ALL].surprises:
        lines.append(f"{surprises} of the solved questions were marked as not to be solved yet (*)")
    if found.left_out:
        count = "counts" if found.left_out == 1 else "count"
        lines.append(
            f"{plural(found.left_out, 'question')} {count} for nothing: there is no command {', '.join(found.unknown)}"
        )
    return lines
