"""An experiment beside the paper's own: its deviations, and the settings of published values that are not ours.

The paper's settings are those of the file at scale 1. What ``--set`` or the scale changes becomes a line of its own; a
line of the file that names a setting has its value as it is run, and is left out where it does not hold.
"""

from collections.abc import Mapping
from string import Formatter
from typing import Any

from kikashi.experiments.kind import Design, Deviation, Values


def published_elsewhere(design: Design) -> str:
    """Return the settings of published values that are not ours, in words; empty if the values compare with ours."""
    paper = design.paper.at(1.0)
    ours, theirs = design.settings(), paper.settings()
    words = [text for name, text in paper.published_with().items() if ours[name] != theirs[name]]
    return ", ".join(dict.fromkeys(words))


# --- deviations -------------------------------------------------------------------------------------------------------


def deviations(design: Design) -> list[str]:
    """List the differences from the paper: the lines of the file that hold, and changed settings.

    Raises ValueError for a line of the file that names no setting.
    """
    run, paper = design.values(), design.paper.at(1.0).values()
    texts = [line.text if isinstance(line, Deviation) else line for line in design.deviations if _holds(line, run)]
    named = {name for text in texts for name in _fields(text)}
    changed = [name for name in run if name not in named and run[name] != paper.get(name)]
    sentences = {**SENTENCES, **design.sentences}
    return [
        *(text.format_map({name: _listed(_values(run, name)) or "no" for name in _fields(text)}) for text in texts),
        *(_change(name, run[name], paper.get(name, []), sentences) for name in changed),
    ]


def _holds(line: str | Deviation, run: Values) -> bool:
    if isinstance(line, str):
        return True
    return all(_is(_values(run, name), wanted) for name, wanted in line.where.items())


def _is(values: list[Any], wanted: Any) -> bool:
    if isinstance(wanted, bool):
        return any(values) == wanted
    return any(wanted in value if isinstance(value, str) else value == wanted for value in values)


def _values(run: Values, name: str) -> list[Any]:
    if name not in run:
        raise ValueError(f"a deviation names {name!r}, which is no setting; there are {', '.join(run)}")
    return run[name]


def _fields(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name]


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
