"""What the tab key knows besides commands and options: names of presets, experiments and tunings, and files."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources

import click
from click.shell_completion import CompletionItem

Completion = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _names(folder: str, *without: str) -> Completion:
    """Completes the names of the TOML files in a folder of the package, or else those of files.

    The folder is read here, for what knows more about them takes a second to import.
    """

    def complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        files = [file.name for file in (resources.files("kikashi") / folder).iterdir()]
        names = sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))
        found = [CompletionItem(name) for name in names if name.startswith(incomplete) and name not in without]
        return found or [CompletionItem(incomplete, type="file")]

    return complete


complete_preset = _names("presets", "playouts")
complete_experiment = _names("experiments/papers")
complete_tuning = _names("tune/tunings")
