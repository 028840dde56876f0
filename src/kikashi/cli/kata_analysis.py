"""``kikashi kata-analysis``: KataGo's JSON analysis protocol, on KataGo's command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from threading import Timer
from typing import TYPE_CHECKING

import click

from kikashi.cli import options as shared
from kikashi.cli.streams import INTERRUPTED, protocol_output, tell
from kikashi.engine import machine

if TYPE_CHECKING:
    from kikashi.engine.preset import Preset
    from kikashi.protocols.kata.messages import Settings

READY = "kikashi kata-analysis: ready to begin handling requests"
"""On standard error; Ogatak waits for the end of this line."""
GRACE_SECONDS = 5.0
"""Time in which analyses end after the client is gone."""
SWITCH_SECONDS = 0.001
"""Longest wait of a thread that returns from a kernel for one that writes an answer: less than a batch takes."""


@click.command("kata-analysis")
@shared.preset_option("The analyst; see kikashi presets.")
@click.option(
    *("-analysis-threads", "--analysis-threads", "positions"),
    type=shared.THREADS,
    show_default="the number of cores",
    help="Positions that are analysed at once, each by --threads threads.",
)
@click.option(
    *("-quit-without-waiting", "--quit-without-waiting", "quits_at_once"),
    is_flag=True,
    help="End with the input, and drop queries without an answer.",
)
@click.option(
    *("-override-config", "--override-config", "config_overrides"),
    multiple=True,
    metavar="KEY=VALUE,…",
    help="KataGo's settings maxVisits, maxTime, numAnalysisThreads and reportAnalysisWinratesAs; others are ignored.",
)
@click.option(
    *("-config", "--config", "-model", "--model", "-human-model", "--human-model", "unread"),
    multiple=True,
    help="A file of KataGo's; it is not read.",
)
@shared.player_options
def kata_analysis(
    preset: str,
    positions: int | None,
    quits_at_once: bool,
    config_overrides: Sequence[str],
    unread: Sequence[str],
    options: shared.PlayerOptions,
) -> None:
    """Answer queries of KataGo's JSON protocol on standard input and output, for KaTrain, Ogatak and scripts.

    KataGo's own command line works. A position gets 1000 simulations, unless --simulations or the query
    gives another number; --megabytes are for all positions together.
    """
    from kikashi.engine.player import Player
    from kikashi.protocols.kata.engine import Defaults, Engine
    from kikashi.protocols.kata.server import Output, serve

    if sys.stdin is None:
        raise ValueError("standard input is closed: there is nobody to answer")
    if unread:
        tell(f"kikashi kata-analysis: not read, for they are KataGo's: {', '.join(unread)}")
    settings = _settings(config_overrides)
    threads = positions or settings.num_analysis_threads or machine.cores()
    defaults = Defaults(
        simulations=options.simulations or settings.max_visits or Defaults.simulations,
        seconds=options.seconds or settings.max_time,
        side=settings.report_analysis_winrates_as or Defaults.side,
    )

    def new_player(preset: Preset) -> Player:
        megabytes = options.megabytes / threads
        return Player(preset, threads=options.threads, seed=options.seed, megabytes=megabytes)

    def leave() -> None:
        """End after the client is gone, at the latest when the grace is over: a part may loop for ever."""
        engine.drop()
        timer = Timer(GRACE_SECONDS, os._exit, [0])
        timer.daemon = True
        timer.start()

    with protocol_output() as stream:
        usual = options.player(preset).preset  # raises errors of the options now
        output = Output(stream.buffer)
        sys.setswitchinterval(SWITCH_SECONDS)
        engine = Engine(new_player, usual, defaults, threads, output.write)
        output.when_gone(leave)
        tell(READY)
        try:
            serve(engine, sys.stdin.buffer, output, name=usual.name)
            if quits_at_once or output.is_gone:
                engine.quit()
            engine.finish()
        except KeyboardInterrupt:
            engine.quit()
            sys.exit(INTERRUPTED)


def _settings(overrides: Sequence[str]) -> Settings:
    """Read KataGo's ``-override-config``. Raises ValueError."""
    import msgspec

    from kikashi.protocols.kata.messages import Settings
    from kikashi.wording import explain

    pairs = [pair.partition("=") for text in overrides for pair in text.split(",") if "=" in pair]
    try:
        return msgspec.convert({key.strip(): value.strip() for key, _, value in pairs}, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(explain(error, Settings)) from None
