"""The table of all parts, from their docstrings: ``python -m kikashi.catalogue > docs/parts.md``."""

from __future__ import annotations

from kikashi.playout.parts import Feasibility, Heuristic, Memory, Part, all_parts
from kikashi.playout.policy import named_lists
from kikashi.search.rules import Backup, Expansion, Region, Selection

_HEAD = """# Parts

Generated from the docstrings by `make docs`. A part in a list is a name, with parameters where they differ from the
defaults: `last_good_reply(context=2)`.
"""

_KINDS: dict[str, type[Part]] = {
    "Heuristics": Heuristic,
    "Memories": Memory,
    "Feasibility rules": Feasibility,
    "Selection rules": Selection,
    "Regions of the tree": Region,
    "Expansion rules": Expansion,
    "Backup rules": Backup,
}


def as_markdown() -> str:
    """The whole page."""
    sections = [_HEAD, "## Named lists\n", _table_of_lists()]
    for title, kind in _KINDS.items():
        sections += [f"\n## {title}\n", _table(all_parts(kind))]
    return "\n".join(sections) + "\n"


def _table(parts: list[Part]) -> str:
    rows = ["| name | what it does | parameters | source |", "|---|---|---|---|"]
    rows += [f"| `{part.name}` | {part.summary} | {_parameters(part)} | {part.source} |" for part in parts]
    return "\n".join(rows)


def _parameters(part: Part) -> str:
    return ", ".join(f"`{name}` = {value}" for name, value in part.all_parameters.items()) or "–"


def _table_of_lists() -> str:
    rows = ["| name | parts, in order | feasibility | source |", "|---|---|---|---|"]
    for name, listed in named_lists().items():
        rows.append(f"| `{name}` | {', '.join(listed.playout)} | {listed.feasibility or '–'} | {listed.source} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(as_markdown(), end="")
