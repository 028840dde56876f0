"""Draws the figure of docs/strength.md from results/strength.toml: ``python docs/site/strength.py FILE``."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

from kikashi.files import write_whole
from kikashi.report import plots
from kikashi.stats.intervals import elo_interval

TABLE = Path(__file__).parents[2] / "results" / "strength.toml"


def matches() -> list[dict[str, Any]]:
    """The matches of the file: those of the figure first, in order."""
    table = tomllib.loads(TABLE.read_text("utf-8"))
    return [*table["step"], *table["match"]]


def draw() -> str:
    """Elo against Pachi by step, with 95 % intervals."""
    found = {}
    for step in tomllib.loads(TABLE.read_text("utf-8"))["step"]:
        estimate = elo_interval(step["wins"], 0, step["games"] - step["wins"])
        found[step["name"]] = (estimate.low, estimate.elo, estimate.high)
    title = "Against Pachi without its net, 9×9, about equal processor time"
    return f"{plots.intervals(found, 'Elo, with 95 % intervals', title=title)}\n"


if __name__ == "__main__":
    write_whole(Path(sys.argv[1]), draw())
