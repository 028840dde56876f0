"""``kikashi analysis``: KataGo's JSON analysis protocol, on KataGo's command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from threading import Timer
from typing import TYPE_CHECKING, BinaryIO

import click

from kikashi.cli.completing import complete_preset
from kikashi.cli.options import INTERRUPTED, PlayerOptions, player_options
from kikashi.cli.streams import protocol_output
from kikashi.engine import machine

if TYPE_CHECKING:
    from kikashi.protocols.kata.messages import Settings

READY = "kikashi analysis: ready to begin handling requests"
"""On standard error; Ogatak waits for the end of this line."""

PATIENCE = 5.0
"""Seconds in which analyses end that nobody wants any more."""
SWITCH_SECONDS = 0.001
"""How long a thread that comes back from a kernel waits for one that writes an answer: less than a batch takes."""


@click.command()
@click.option("--preset", default="kikashi", shell_complete=complete_preset, help="Who analyses; see kikashi presets.")
@click.option(
    *("-analysis-threads", "--analysis-threads", "positions"),
    type=click.IntRange(1, 256),
    show_default="the number of cores",
    help="Positions that are analysed at once, each by --threads threads.",
)
@click.option(
    *("-quit-without-waiting", "--quit-without-waiting", "quits_at_once"),
    is_flag=True,
    help="End with the input, whatever has not been analysed.",
)
@click.option(
    *("-override-config", "--override-config", "overrides_of_config"),
    multiple=True,
    metavar="KEY=VALUE,…",
    help="KataGo's settings maxVisits, maxTime, numAnalysisThreads and reportAnalysisWinratesAs; others are read over.",
)
@click.option("-config", "--config", "config", multiple=True, help="A file of KataGo's; it is not read.")
@click.option("-model", "--model", "model", multiple=True, help="A file of KataGo's; it is not read.")
@click.option("-human-model", "--human-model", "human_model", multiple=True, help="A file of KataGo's; it is not read.")
@player_options
def analysis(
    preset: str,
    positions: int | None,
    quits_at_once: bool,
    overrides_of_config: Sequence[str],
    config: Sequence[str],
    model: Sequence[str],
    human_model: Sequence[str],
    options: PlayerOptions,
) -> None:
    """Answer queries of KataGo's JSON protocol on standard input and output, for KaTrain, Ogatak and scripts.

    The command line of KataGo will do as it is. A position gets 1000 simulations, unless --simulations or the query
    says otherwise; --megabytes are for all positions together.
    """
    if sys.stdin is None:
        raise ValueError("standard input is closed: there is nobody to answer")
    if files := [*config, *model, *human_model]:
        click.echo(f"kikashi analysis: not read, for they are KataGo's: {', '.join(files)}", err=True)
    settings = _settings(overrides_of_config)
    with protocol_output() as stream:
        _serve(preset, options, settings, positions, stream.buffer, quits_at_once=quits_at_once)


def _serve(
    preset: str,
    options: PlayerOptions,
    settings: Settings,
    positions: int | None,
    stream: BinaryIO,
    *,
    quits_at_once: bool,
) -> None:
    from kikashi.protocols.kata.engine import Defaults, Engine
    from kikashi.protocols.kata.kata_server import Output, serve

    threads = positions or settings.num_analysis_threads or machine.cores()
    usual = options.player(preset)  # tells at once what is wrong with it
    seconds = options.seconds or settings.max_time
    defaults = Defaults(
        simulations=options.simulations or settings.max_visits or Defaults.simulations,
        seconds=seconds,
        side=settings.report_analysis_winrates_as or Defaults.side,
    )
    output = Output(stream)
    shared = options.sharing_memory(threads)
    sys.setswitchinterval(SWITCH_SECONDS)
    engine = Engine(shared.player_of, usual.preset, defaults, threads, output.write)

    def leave() -> None:
        """Nobody reads any more. What cannot be stopped, a part that loops for ever say, is not waited for."""
        engine.drop()
        timer = Timer(PATIENCE, os._exit, [0])
        timer.daemon = True
        timer.start()

    output.when_gone(leave)
    click.echo(READY, err=True)
    try:
        serve(engine, sys.stdin.buffer, output, name=usual.preset.name)
        if quits_at_once or output.is_gone:
            engine.quit()
        engine.finish()
    except KeyboardInterrupt:
        engine.quit()
        sys.exit(INTERRUPTED)


def _settings(overrides: Sequence[str]) -> Settings:
    """What KataGo's ``-override-config`` sets, as far as it means something here. Raises ValueError."""
    import msgspec

    from kikashi.protocols.kata.messages import Settings
    from kikashi.wording import explain

    pairs = [pair.partition("=") for text in overrides for pair in text.split(",") if "=" in pair]
    said = {key.strip(): value.strip() for key, _, value in pairs}
    try:
        return msgspec.convert(said, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(explain(error, Settings)) from None
