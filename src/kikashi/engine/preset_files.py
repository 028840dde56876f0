"""The files of presets: names, texts and summaries. Nothing here compiles, so that listing them is quick."""

from __future__ import annotations

from kikashi.engine.named_files import NamedFiles

LISTED_BY = "kikashi presets"
"""The command that lists the presets."""
PRESETS = NamedFiles("preset", "kikashi", "presets", LISTED_BY, hidden=("playouts",))


def preset_names() -> list[str]:
    """Return the names of the presets of the package.

    >>> "mogo-2006" in preset_names()
    True
    """
    return sorted(PRESETS.names)


def is_preset(name: str) -> bool:
    """Whether `load_preset` looks for a preset under this name: one of ours, or the path of a TOML file."""
    return name in PRESETS.names or name.endswith(".toml")


def preset_text(name: str) -> str:
    """Return the TOML of a preset, by name or path. Raises ValueError, with near names, and OSError."""
    return PRESETS.read_text(name)


def preset_summary(name: str) -> str:
    """Return the summary of a preset of the package, its base's if it has none of its own.

    >>> preset_summary("lgrf2").startswith("Last good replies")
    True
    """
    table = PRESETS.read_table(name)
    return str(table["summary"]) if "summary" in table else preset_summary(table["base"])
