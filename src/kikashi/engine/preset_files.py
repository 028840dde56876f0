"""The files of presets: their names, texts and summaries. Nothing here is compiled, so that they are listed at once."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from kikashi.wording import nearest, read_toml

LISTED_BY = "kikashi presets"
"""The command that lists the presets."""


def preset_names() -> list[str]:
    """All presets of the package, by name.

    >>> "mogo-2006" in preset_names()
    True
    """
    return list(_names())


@cache
def _names() -> tuple[str, ...]:
    folder = resources.files("kikashi") / "presets"
    files = [path.name for path in folder.iterdir() if path.name.endswith(".toml")]
    return tuple(sorted(name.removesuffix(".toml") for name in files if name != "playouts.toml"))


def is_preset(name: str) -> bool:
    """Whether `load_preset` would look for a preset under this name: one of ours, or the path of a TOML file."""
    return name in _names() or name.endswith(".toml")


def preset_text(name: str) -> str:
    """The TOML of a preset, by name or path. Raises ValueError, with names that are near, and OSError."""
    if name.endswith(".toml"):
        return _decoded(name, Path(name).read_bytes())
    if name not in _names():
        raise ValueError(f"no preset is called {name!r}; {nearest(name, _names(), LISTED_BY)}")
    return (resources.files("kikashi") / "presets" / f"{name}.toml").read_text("utf-8")


def preset_summary(name: str) -> str:
    """The line about a preset of the package, its base's if it has none of its own.

    >>> preset_summary("lgrf2").startswith("Last good replies")
    True
    """
    table = read_toml(preset_text(name))
    return str(table["summary"]) if "summary" in table else preset_summary(table["base"])


def _decoded(name: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"preset {name}: this is not a text in UTF-8") from None
