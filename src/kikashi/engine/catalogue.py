"""Page of all parts, from their docstrings: ``python -m kikashi.engine.catalogue > docs/parts.md``."""

import kikashi.search.kinds  # noqa: F401  (its kinds belong to the page)
from kikashi.parts.registry import KINDS, Kind, Part, all_parts
from kikashi.playout.policy import named_lists

_HEAD = """# Parts

Generated from the docstrings by `make docs`. A part in a list is a name, with parameters where they differ from the
defaults: `last_good_reply(context=2)`.
"""


def as_markdown() -> str:
    sections = [_HEAD, "## Named lists\n", _table_of_lists()]
    for kind in KINDS.values():
        sections += [f"\n## {kind.title}\n", _about(kind), _table(all_parts(kind))]
    return "\n".join(sections) + "\n"


def _about(kind: Kind) -> str:
    lines = [f"- `{entry}`: {entry.called}" for entry in kind.entries]
    lines += [f"- {promise}" for promise in filter(None, kind.contract.split("; "))]
    return "\n".join(lines) + "\n"


def _table(parts: list[Part]) -> str:
    rows = ["| name | what it does | parameters | source |", "|---|---|---|---|"]
    rows += [f"| `{part.name}` | {part.summary} | {_parameters(part)} | {part.source} |" for part in parts]
    return "\n".join(rows)


def _parameters(part: Part) -> str:
    values = {name: value for name, value in part.all_parameters.items() if name not in part.kind.parameters}
    texts = {
        name: " or ".join(part.words_of(name)) or (value if value != "" else "a file") for name, value in values.items()
    }
    return ", ".join(f"`{name}` = {text}" for name, text in texts.items()) or "–"


def _table_of_lists() -> str:
    rows = ["| name | parts, in order | feasibility | source |", "|---|---|---|---|"]
    for name, listed in named_lists().items():
        rows.append(f"| `{name}` | {', '.join(listed.playout)} | {listed.feasibility or '–'} | {listed.source} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(as_markdown(), end="")
