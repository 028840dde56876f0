"""``kikashi bench``: speed of playouts and searches, bias of playouts, and tactics of searches."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kikashi.cli.options import (
    COUNT,
    SIZE,
    THREADS,
    complete_preset,
    concurrency_option,
    json_option,
    load_plugins,
    plugin_option,
    preset_option,
    rules_option,
    seconds_option,
    seed_option,
    set_option,
    simulations_option,
    size_option,
)
from kikashi.cli.streams import INTERRUPTED, SuggestingGroup, tell

if TYPE_CHECKING:
    from kikashi.engine.search_speed import SearchSpeed

SIMULATIONS = 2000
"""The limit of a move in ``bench tactics``, where no other is given."""
OVERLOOKED = "overlooked"
"""The name of our second set of tactics, unless a file has this name."""


@click.group(cls=SuggestingGroup)
def bench() -> None:
    """Measure speed, bias and tactics."""


# --- speed ------------------------------------------------------------------------------------------------------------


@bench.command()
@size_option
@click.option("--playout", default="uniform", help="Heuristics in order: name,name(parameter=value),…")
@click.option("--feasibility", show_default="the list's own, else eyelike", help="A rule that excludes moves.")
@click.option("--threads", type=click.IntRange(1, 256), default=1)
@click.option("--seconds", type=click.FloatRange(min=0.01), default=3.0, help="Time to measure.")
@click.option("--playouts", type=click.IntRange(min=1), help="Number of playouts, instead of a time.")
@seed_option
@plugin_option
@json_option
def playouts(
    size: int,
    playout: str,
    feasibility: str | None,
    threads: int,
    seconds: float,
    playouts: int | None,
    seed: int,
    plugin: Sequence[str],
    as_json: bool,
) -> None:
    """Measure speed and results of playouts from the empty board."""
    from kikashi.board.position import new_board
    from kikashi.playout import make_policy, new_root, sample

    load_plugins(plugin)
    policy = make_policy(playout, feasibility=feasibility)
    limit: dict[str, Any] = {"seconds": seconds} if playouts is None else {"playouts": playouts}
    totals = sample(policy, new_root(new_board(size)), threads=threads, seed=seed, **limit)
    report = {
        "playouts_per_s": round(totals.playouts / totals.seconds, 1),
        "moves_per_s": round(totals.moves / totals.seconds, 1),
        "moves_per_playout": round(totals.moves / max(1, totals.playouts), 3),
        "black_wins": {komi: round(totals.black_wins(float(komi)), 5) for komi in ("0", "5.5", "7.5")},
        "moves_by": {name: round(count / max(1, totals.moves), 5) for name, count in totals.moves_by.items()},
        "playouts": totals.playouts,
        "cpu_s": round(totals.cpu_seconds, 3),
        "size": size,
        "threads": threads,
        "seed": seed,
    }
    click.echo(json.dumps(report) if as_json else _as_lines(report, str(policy)))
    if totals.interrupted:
        sys.exit(INTERRUPTED)


def _as_lines(report: dict[str, Any], policy: str) -> str:
    shares = ", ".join(f"{name} {share:.1%}" for name, share in report["moves_by"].items())
    wins = ", ".join(f"{share:.1%} at komi {komi}" for komi, share in report["black_wins"].items())
    return (
        f"{policy} on {report['size']}x{report['size']}, {report['threads']} thread(s), seed {report['seed']}\n"
        f"{report['playouts_per_s']:,.0f} playouts/s, {report['moves_per_s']:,.0f} moves/s, "
        f"{report['moves_per_playout']} moves a playout ({report['playouts']:,} playouts, {report['cpu_s']} CPU s)\n"
        f"Black wins {wins}\n"
        f"moves by {shares}"
    )


@bench.command()
@click.option(
    "--preset", multiple=True, default=("kikashi", "mogo-2006"), shell_complete=complete_preset, help="May be repeated."
)
@click.option("--size", type=SIZE, multiple=True, default=(9, 13, 19), help="Board size; may be repeated.")
@click.option("--threads", type=THREADS, multiple=True, show_default="1 and all cores", help="May be repeated.")
@click.option("--simulations", type=COUNT, default=5000, help="Simulations of each search.")
@seed_option
@json_option
def search(
    preset: Sequence[str], size: Sequence[int], threads: Sequence[int], simulations: int, seed: int, as_json: bool
) -> None:
    """Measure the speed of searches from the empty board, and the time that some simulations take."""
    from dataclasses import asdict

    from kikashi.engine import machine
    from kikashi.engine.search_speed import measure_searches

    counts = dict.fromkeys(threads or (1, machine.cores()))
    speeds = list(measure_searches(preset, size, counts, simulations=simulations, seed=seed))
    if as_json:
        rows = [{**asdict(speed), "simulations_per_s": round(speed.per_second, 1)} for speed in speeds]
        click.echo(json.dumps({"searches": rows, "seed": seed}))
    else:
        click.echo(_speed_table(speeds))


def _speed_table(speeds: Sequence[SearchSpeed]) -> str:
    from kikashi.report import Table

    head = ["preset", "board", "threads", "simulations/s", "simulations", "seconds", "CPU seconds"]
    rows = [
        [
            speed.preset,
            f"{speed.size}x{speed.size}",
            f"{speed.threads}",
            f"{speed.per_second:,.0f}",
            f"{speed.simulations:,}",
            f"{speed.seconds:.2f}",
            f"{speed.cpu_seconds:.2f}",
        ]
        for speed in speeds
    ]
    return Table(head, rows).text()


# --- bias -------------------------------------------------------------------------------------------------------------


@bench.command()
@click.option("--playout", multiple=True, help="A policy to measure, as in bench playouts; may be repeated.")
@click.option("--playouts", type=click.IntRange(min=1), default=500, help="Playouts from each position.")
@click.option("--position", help="One position only, point by point.")
@seed_option
@plugin_option
@json_option
def bias(
    playout: Sequence[str], playouts: int, position: str | None, seed: int, plugin: Sequence[str], as_json: bool
) -> None:
    """Measure the errors of playouts from decided positions."""
    from rich.console import Console
    from rich.progress import track

    from kikashi.experiments.kinds import bias as kind
    from kikashi.wording import plural

    load_plugins(plugin)
    positions = kind.select(position)
    policies = track(playout or kind.POLICIES, "measuring", console=Console(stderr=True), transient=True)
    biases = [kind.measure(policy, positions, playouts=playouts, seed=seed) for policy in policies]
    if as_json:
        click.echo(json.dumps({**kind.as_json(biases), "playouts": playouts, "seed": seed}))
    elif position is not None:
        click.echo(kind.as_pictures(biases))
    else:
        size = f"{plural(playouts, 'playout')} from each of {plural(len(positions), 'position')}, seed {seed}"
        click.echo("\n".join([kind.table(biases).text(), kind.LEGEND, size]))


# --- tactics ----------------------------------------------------------------------------------------------------------


@bench.command()
@click.argument("files", nargs=-1, metavar="[overlooked | FILE.tst ...]")
@preset_option("The player.")
@simulations_option(f"Simulations for each move; {SIMULATIONS} without any limit.")
@seconds_option
@set_option()
@plugin_option
@seed_option
@rules_option
@concurrency_option
@json_option
def tactics(
    files: Sequence[str],
    preset: str,
    simulations: int | None,
    seconds: float | None,
    overrides: Sequence[str],
    plugin: Sequence[str],
    seed: int,
    rules: str | None,
    concurrency: int | None,
    as_json: bool,
) -> None:
    """Count the tactical questions that a player solves.

    The questions are those of regression files, or else our own set of solved fights. "overlooked" is our second set:
    moves that decided games because a search did not look at them. A file has GTP commands, each with or without a line
    "#? [C3|D4]" of right answers.
    """
    from kikashi.cli.progress import ProgressView
    from kikashi.engine.named_files import LISTED_BY, is_preset, preset_names
    from kikashi.experiments.kind import do_task
    from kikashi.experiments.kinds.tactics import TacticsDesign, TacticsRow, elements, player_text
    from kikashi.match.progress import Progress
    from kikashi.report import Document
    from kikashi.wording import nearest, plural
    from kikashi.workers.executors import make_workers, run_all

    if not is_preset(preset):
        raise ValueError(f"there is no preset {preset!r}; {nearest(preset, preset_names(), LISTED_BY)}")
    if simulations is None and seconds is None:
        simulations = SIMULATIONS
    ours = [name for name in files if name == OVERLOOKED and not Path(name).exists()]
    text = player_text(preset, overrides, plugin)
    design = TacticsDesign(
        title="Tactics",
        source="",
        player=[TacticsRow(name=text, player=text)],
        simulations=simulations or [],
        seconds=seconds,
        sets=["overlooked"] if ours else [],
        files=[name for name in files if name not in ours],
        rules=rules,
        seed=seed,
    ).at(1.0)
    tasks = design.tasks()
    view = ProgressView("searching", Progress(len(tasks), "positions"))
    finished = False
    try:
        with view:
            run_all(tasks, do_task, make_workers("processes", concurrency, tell=view.tell), view.add)
        finished = True
    except KeyboardInterrupt:
        tell(f"interrupted after {len(view.records)} of {plural(len(tasks), 'position')}")
    (found,) = design.tactics(view.records).values()
    if as_json:
        about = {"player": text, "simulations": simulations, "seconds": seconds, "seed": seed}
        click.echo(json.dumps({**about, "finished": finished, **found.as_json()}))
    elif found.answers or found.unknown:
        limits = {"simulations": simulations, "seconds": seconds}
        limit = ", ".join(f"{number:,} {name}" for name, number in limits.items() if number is not None)
        click.echo(Document(f"{text}, {limit} a move, seed {seed}", elements({text: found})).text().rstrip())
    if not finished:
        sys.exit(INTERRUPTED)
