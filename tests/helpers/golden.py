"""Numbers that may change only on purpose, kept as JSON in `tests/data` and compared with those of today.

A kept file has sections, a section has rows, a row has a name and a list or table of numbers. To write the files anew
when a change of behaviour is meant, run the tests with `KIKASHI_WRITE_GOLDEN=1` and look at what `git diff` says.
"""

import json
import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[1] / "data"
SWITCH = "KIKASHI_WRITE_GOLDEN"
SHOWN = 30
"""Differences that a failure shows."""

Sections = Mapping[str, Mapping[str, Any]]


def check_golden(name: str, found: Sections) -> None:
    """Fail with a readable list of differences if `found` is not what the file `name` in `tests/data` keeps.

    With the switch on, the file is written instead and the test skipped, so that no such run passes for a comparison.
    """
    path = DATA / name
    if os.environ.get(SWITCH):
        path.write_text(_as_text(found), "utf-8")
        pytest.skip(f"{name} is written")
    if not path.exists():
        pytest.fail(f"tests/data/{name} is not there; {SWITCH}=1 writes it")
    different = list(islice(differences(json.loads(path.read_text("utf-8")), found), SHOWN + 1))
    if different:
        more = ["… and more"] if len(different) > SHOWN else []
        said = f"not what tests/data/{name} keeps ({SWITCH}=1 writes it anew, if this change is meant):"
        pytest.fail("\n  ".join([said, *different[:SHOWN], *more]), pytrace=False)


def differences(kept: Sections, found: Sections) -> Iterator[str]:
    """A line for each row that is missing, new or changed, and for each section whose rows changed their order."""
    for section in [*kept, *(name for name in found if name not in kept)]:
        before, now = kept.get(section, {}), found.get(section, {})
        for row in [*before, *(name for name in now if name not in before)]:
            if row not in now:
                yield f"{section}: {row}: is gone, was {before[row]}"
            elif row not in before:
                yield f"{section}: {row}: is new, {now[row]}"
            elif before[row] != now[row]:
                yield f"{section}: {row}: was {before[row]}, is {now[row]}"
        if before.keys() == now.keys() and list(before) != list(now):
            first = next((old, new) for old, new in zip(before, now, strict=True) if old != new)
            yield f"{section}: the order changed: where {first[0]!r} was there is {first[1]!r}"


def _as_text(sections: Sections) -> str:
    """JSON with one row per line, so that git shows what changed."""
    blocks = []
    for section, rows in sections.items():
        lines = [f"  {json.dumps(row)}: {json.dumps(values)}" for row, values in rows.items()]
        blocks.append(f"{json.dumps(section)}: {{\n" + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(blocks) + "\n}\n"
