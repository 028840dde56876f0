"""``kikashi gtp``: an engine for Go programs, with options on the command line or in a TOML file."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from kikashi.cli import options as shared
from kikashi.cli.streams import protocol_output, tell

if TYPE_CHECKING:
    from kikashi.engine.player import Player

_LISTS = ("set", "plugin")
_FILES = ("plugin", "preset")


def _read_config(context: click.Context, _option: click.Parameter, path: Path | None) -> None:
    """Make the values of a configuration file the defaults of the other options. Raises ValueError and OSError."""
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
        defaults[str(options[key].name)] = _config_value(path, key, value)
    context.default_map = {**(context.default_map or {}), **defaults}


def _config_value(path: Path, key: str, value: Any) -> Any:
    """Return a value as the command line would have it; files are relative to the folder of the configuration.

    Raises ValueError for tables and for lists of anything but texts.
    """
    if key in _LISTS:
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"{path}: {key} is a text or a list of texts")
        return [str(path.parent / text) if key in _FILES else text for text in texts]
    if isinstance(value, dict | list):
        raise ValueError(f"{path}: {key} is a single value")
    is_file = key in _FILES and isinstance(value, str) and value.endswith(".toml")
    return str(path.parent / value) if is_file else value


@click.command()
@shared.preset_option("The player; see kikashi presets.")
@shared.level_option
@click.option(
    "--config",
    type=shared.PATH,
    is_eager=True,
    expose_value=False,
    callback=_read_config,
    help="A TOML file with options, under the same names; options on the command line take precedence.",
)
@shared.rules_option
@click.option("--ponder", is_flag=True, help="Think on the opponent's time.")
@click.option("--ranks", is_flag=True, help="Search on all ranks of an MPI job; rank 0 speaks.")
@click.option(
    "--patience", type=click.FloatRange(min=1), default=60.0, help="Seconds of silence before a rank is taken for lost."
)
@click.option(
    "--plies",
    type=click.IntRange(0, 3),
    default=0,
    help="Plies near the root whose statistics the ranks share; with --ranks.",
)
@shared.player_options
def gtp(
    preset: str,
    level: int | None,
    rules: str | None,
    ponder: bool,
    ranks: bool,
    patience: float,
    plies: int,
    options: shared.PlayerOptions,
) -> None:
    """Speak GTP on standard input and output, for Sabaki, GoGui, servers and matches."""
    if level is not None:
        preset, options = options.at_level(level)
    if plies and not ranks:
        raise ValueError("--plies needs --ranks: a single rank shares with nobody")

    def serve(player: Player, output: TextIO) -> None:
        from kikashi.protocols.gtp.server import Lines, serve
        from kikashi.protocols.gtp.session import GtpSession

        session = GtpSession(player, limit=options.limit(), rules=rules, ponder=ponder)
        if sys.stdin is None:
            raise ValueError("standard input is closed: there is nobody to answer")
        if sys.stdin.isatty():
            tell("GTP: list_commands helps, quit leaves")
        with suppress(BrokenPipeError):  # the controller is gone
            serve(session, Lines(sys.stdin.fileno()), output)

    with protocol_output() as output:
        if not ranks:
            serve(options.player(preset), output)
            return
        from kikashi.mpi.job import join_job

        with join_job(lambda: options.player(preset), options.plugin, patience, plies) as player:
            if player is not None:
                serve(player, output)
