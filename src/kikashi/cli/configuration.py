"""A file with options: TOML with the same names, for front ends whose command lines are awkward to change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

_LISTS = ("set", "plugin")
_FILES = ("plugin", "preset")


def _read(context: click.Context, _option: click.Parameter, path: Path | None) -> None:
    """Make what the file says the defaults of the other options. Raises ValueError and OSError."""
    from kikashi.wording import nearest, read_toml

    if path is None:
        return
    try:
        table = read_toml(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    options = {
        name.lstrip("-"): option
        for option in context.command.params
        for name in option.opts
        if isinstance(option, click.Option) and option.name not in ("config", "help")
    }
    defaults: dict[str, Any] = {}
    for key, value in table.items():
        if key not in options:
            raise ValueError(f"{path}: there is no option {key!r}; {nearest(key, options)}")
        defaults[str(options[key].name)] = _checked(path, key, value)
    context.default_map = {**(context.default_map or {}), **defaults}


def _checked(path: Path, key: str, value: Any) -> Any:
    """A value as the command line would have it. Raises ValueError for tables and lists of anything but texts."""
    if key in _LISTS:
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"{path}: {key} is a text or a list of texts")
        return [_beside(path, text) if key in _FILES else text for text in texts]
    if isinstance(value, dict | list):
        raise ValueError(f"{path}: {key} is a single value")
    is_file = key in _FILES and isinstance(value, str) and value.endswith(".toml")
    return _beside(path, value) if is_file else value


def _beside(path: Path, name: str) -> str:
    """A file that a configuration names is seen from its folder."""
    return str(path.parent / name)


config_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    is_eager=True,
    expose_value=False,
    callback=_read,
    help="A TOML file with options, under the same names; what the command line says counts more.",
)
