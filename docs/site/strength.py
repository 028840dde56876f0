"""Write the matches of ``results/strength.toml`` into the pages that name them, and draw the figure of steps."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from kikashi.files import write_whole
from kikashi.report import plots
from kikashi.stats.intervals import elo_interval, wilson

ROOT = Path(__file__).parents[2]
FIGURE = ROOT / "docs" / "strength-steps.svg"
PAGES = [ROOT / name for name in ("README.md", "docs/strength.md", "docs/site/home.md", "paper/paper.md")]
TABLES = {
    "headline": [
        "| opponent | board | games won | simulations a move | ms a move, opponent |",
        "|---|---|---|---|---|",
    ],
    "step": ["| step | games won |", "|---|---|"],
}
SHARE = r"(?P<end>(?: games)?)(?P<interval>\s+\([\d.]+–[\d.]+ %\))?"


def matches() -> dict[str, list[dict[str, Any]]]:
    """The matches of the file: the headline, the steps, and single trials."""
    return tomllib.loads((ROOT / "results" / "strength.toml").read_text("utf-8"))


def draw() -> str:
    """Elo against Pachi by step, with 95 % intervals."""
    found = {}
    for step in matches()["step"]:
        estimate = elo_interval(step["wins"], 0, step["games"] - step["wins"])
        found[step["name"]] = (estimate.low, estimate.elo, estimate.high)
    title = "Against Pachi without its net, 9×9, about equal processor time"
    return f"{plots.intervals(found, 'Elo, with 95 % intervals', title=title)}\n"


def with_matches(page: str) -> str:
    """Return a page with the numbers of today in its tables, and after the key of a match."""
    for name in TABLES:
        begin, end = f"<!-- {name}: made by `make docs` -->\n", "<!-- end -->"
        made = f"{begin}\n{_table(name)}\n\n{end}"
        page = re.sub(f"{re.escape(begin)}.*?{end}", lambda _, made=made: made, page, flags=re.DOTALL)
    for match in matches()["headline"]:
        mark = f"<!-- {match['key']} -->"
        page = re.sub(rf"{mark}\d[\d,]* of \d[\d,]*\b{SHARE}", lambda old, match=match: _renewed(old, match), page)
    return page


def _table(name: str) -> str:
    rows = list(TABLES[name])
    for match in matches()[name]:
        won = f"{_won(match)} {_interval(match)}"
        if name == "step":
            cells = [match["text"], won]
        else:
            cells = [match["opponent"], match["board"], won, match["simulations"], match["milliseconds"]]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _renewed(old: re.Match[str], match: dict[str, Any]) -> str:
    interval = old["interval"].partition("(")[0] + _interval(match) if old["interval"] else ""
    return f"<!-- {match['key']} -->{_won(match)}{old['end']}{interval}"


def _won(match: dict[str, Any]) -> str:
    return f"{match['wins']:,} of {match['games']:,}"


def _interval(match: dict[str, Any]) -> str:
    interval = wilson(match["wins"], match["games"])
    return f"({100 * interval.low:.1f}–{100 * interval.high:.1f} %)"


if __name__ == "__main__":
    for page in PAGES:
        write_whole(page, with_matches(page.read_text("utf-8")))
    write_whole(FIGURE, draw())
