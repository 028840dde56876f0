"""An experiment beside the paper's own: its deviations, and the settings of published values that are not ours.

The paper's settings are those of the file at scale 1. What ``--set`` or the scale changes becomes a line of its own; a
line of the file that names a setting has its value as it is run, and is left out where it does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any

from kikashi.experiments.kind import Design, Deviation, Values

UNRUNNABLE = (ValueError, OSError)
"""Raised for a file that cannot be run as it is: it leaves something to ``--set``, or its games are not here."""


def paper_of(design: Design) -> Any:
    """Return the design of the file."""
    return design.paper or design


def published_elsewhere(design: Design, scale: float) -> str:
    """Return the settings of published values that are not ours, in words; empty if the values compare with ours."""
    ours = design.settings(scale)
    try:
        theirs = paper_of(design).settings(1.0)
    except UNRUNNABLE:
        theirs = design.settings(1.0)
    words = design.published_with(theirs)
    return ", ".join(
        dict.fromkeys(text for name, text in words.items() if getattr(ours, name) != getattr(theirs, name))
    )


# --- deviations -------------------------------------------------------------------------------------------------------


def deviations(design: Design, scale: float) -> list[str]:
    """List the differences from the paper: the lines of the file that hold, and changed settings.

    Raises ValueError for a line of the file that names no setting, and as `Design.values_run` does.
    """
    run = design.values_run(scale)
    texts = [line.text if isinstance(line, Deviation) else line for line in design.deviations if _holds(line, run)]
    named = {name for text in texts for name in _fields(text)}
    return [*(_filled(text, run) for text in texts), *_changes(design, run, named)]


def _holds(line: str | Deviation, run: Values) -> bool:
    if isinstance(line, str):
        return True
    return all(_is(_values(run, name), wanted) for name, wanted in line.where.items())


def _is(values: list[Any], wanted: Any) -> bool:
    if isinstance(wanted, bool):
        return any(values) == wanted
    return any(_has(value, wanted) for value in values)


def _has(value: Any, wanted: Any) -> bool:
    return wanted in value if isinstance(value, str) and isinstance(wanted, str) else bool(value == wanted)


def _values(run: Values, name: str) -> list[Any]:
    if name not in run:
        raise ValueError(f"a deviation names {name!r}, which is no setting; there are {', '.join(run)}")
    return run[name]


def _fields(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name]


def _filled(text: str, run: Values) -> str:
    return text.format_map({name: _listed(_values(run, name)) or "no" for name in _fields(text)})


def _changes(design: Design, run: Values, named: set[str]) -> list[str]:
    """Lines about settings that are not as in the file, except for those that are named already."""
    try:
        paper = paper_of(design).values_run(1.0)
    except UNRUNNABLE:
        return []
    changed = [name for name in run if name not in named and run[name] != paper.get(name)]
    return [_change(name, run[name], paper.get(name, []), {**SENTENCES, **design.sentences}) for name in changed]


SENTENCES = {
    "simulations": "{now} simulations a search for {before}",
    "positions": "{now} positions for {before}",
    "repeats": "{now} searches by each player for {before}",
    "game_simulations": "{now} simulations a move of the games that positions come from for {before}",
}


def _change(name: str, now: list[Any], before: list[Any], sentences: Mapping[str, str]) -> str:
    if name == "size":
        return f"{_size(now)} for {_size(before)}"
    value, old = _listed(now), _listed(before) or "none"
    if sentence := sentences.get(f"{name}={value}") or sentences.get(name):
        return sentence.format(now=value or "no", before=old)
    return f"{name.replace('_', ' ')}: {value or 'none'} for {old}"


def _size(sizes: list[Any]) -> str:
    return _listed([f"{size}×{size}" for size in sizes])


def _listed(values: list[Any]) -> str:
    """``500 and 800``."""
    texts = [text for value in values if (text := _text(value))]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:g}"
    return _listed(list(value))
