"""``kikashi bench``: speed and bias of playouts, and tactics of searches."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kikashi.cli.options import (
    PATH,
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
from kikashi.cli.streams import INTERRUPTED, tell

if TYPE_CHECKING:
    from rich.table import Table

    from kikashi.experiments.bias import Bias
    from kikashi.experiments.regression import Script
    from kikashi.experiments.tactics import Tactics

SIMULATIONS = 2000
"""The limit of a move in ``bench tactics``, where no other is given."""
OVERLOOKED = "overlooked"
"""The name of our second set of tactics, unless a file has this name."""


@click.group()
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

    from kikashi.experiments import bias as experiment
    from kikashi.wording import plural

    load_plugins(plugin)
    positions = experiment.select(position)
    policies = track(playout or experiment.POLICIES, "measuring", console=Console(stderr=True), transient=True)
    biases = [experiment.measure(policy, positions, playouts=playouts, seed=seed) for policy in policies]
    if as_json:
        click.echo(json.dumps({**experiment.as_json(biases), "playouts": playouts, "seed": seed}))
    elif position is not None:
        click.echo(experiment.as_pictures(biases))
    else:
        Console().print(_bias_table(biases))
        click.echo("estimate and error: Black's share of the judged points, and how far each is from the truth")
        click.echo(f"{plural(playouts, 'playout')} from each of {plural(len(positions), 'position')}, seed {seed}")


def _bias_table(biases: Sequence[Bias]) -> Table:
    """Return a row per position: Black's true share of the judged points, and each policy's estimate and error."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("position", overflow="fold")
    table.add_column("truth", justify="right")
    for bias in biases:
        table.add_column(bias.policy.replace(",", "\n"), justify="right", no_wrap=True)
    for theme in biases[0].themes:
        table.add_row(f"[bold]{theme}", "", *(f"[bold]{bias.themes[theme]:.2f}" for bias in biases))
        for row in zip(*(bias.of_theme(theme) for bias in biases), strict=True):
            position = row[0].position
            cells = [f"[dim]{estimate.mean:.2f}[/] {estimate.error:.2f}" for estimate in row]
            table.add_row(f"  {position.name}", f"[dim]{position.mean_truth:.2f}", *cells)
    table.add_row("[bold]mean error of all", "", *(f"[bold]{bias.error:.3f}" for bias in biases))
    return table


# --- tactics ----------------------------------------------------------------------------------------------------------


@bench.command()
@click.argument("files", nargs=-1, type=PATH, metavar="[overlooked | FILE.tst ...]")
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
    files: Sequence[Path],
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
    from kikashi.engine.preset_files import LISTED_BY, is_preset, preset_names
    from kikashi.experiments.tactics import ScriptTask, Tactics, run_script
    from kikashi.match.match_player import match_player
    from kikashi.match.player_spec import PlayerSpec
    from kikashi.match.progress import Progress
    from kikashi.wording import nearest, plural
    from kikashi.workers.executors import make_workers, run_all

    if not is_preset(preset):
        raise ValueError(f"there is no preset {preset!r}; {nearest(preset, preset_names(), LISTED_BY)}")
    if simulations is None and seconds is None:
        simulations = SIMULATIONS
    spec = PlayerSpec(preset=preset, overrides=tuple(overrides), plugins=tuple(plugin))
    player = match_player(spec, simulations=simulations, seconds=seconds)
    tasks = [ScriptTask(number, script, player, seed, rules) for number, script in enumerate(_scripts(files))]
    view = ProgressView("searching", Progress(len(tasks), "positions"))
    finished = False
    try:
        with view:
            run_all(tasks, run_script, make_workers("processes", concurrency, tell=view.tell), view.add)
        finished = True
    except KeyboardInterrupt:
        tell(f"interrupted after {len(view.records)} of {plural(len(tasks), 'position')}")
    found = Tactics([answer for answers in view.records for answer in answers])
    if as_json:
        about = {"player": player.name, "simulations": simulations, "seconds": seconds, "seed": seed}
        click.echo(json.dumps({**about, "finished": finished, **found.as_json()}))
    elif found.answers or found.unknown:
        _print_tactics(found)
        limits = {"simulations": simulations, "seconds": seconds}
        limit = ", ".join(f"{number:,} {name}" for name, number in limits.items() if number is not None)
        click.echo(f"{player.name}, {limit} a move, seed {seed}")
    if not finished:
        sys.exit(INTERRUPTED)


def _scripts(files: Sequence[Path]) -> list[Script]:
    from kikashi.experiments.problems import load_overlooked, load_problems, script_of
    from kikashi.experiments.regression import read_scripts

    if not files:
        return [script_of(problem) for problem in load_problems()]
    ours = [path for path in files if str(path) == OVERLOOKED and not path.exists()]
    return [*(load_overlooked() if ours else ()), *read_scripts(path for path in files if path not in ours)]


def _print_tactics(found: Tactics) -> None:
    from rich.console import Console

    if lines := failures(found):
        click.echo("\n".join(["not solved:", *lines]))
    Console().print(_tactics_table(found))
    click.echo("visits of the right, not visited: what the best right move had where it was not found")
    for line in remarks(found):
        click.echo(line)


def _tactics_table(found: Tactics) -> Table:
    """Return a row per theme: solved questions, and the share of the right move where it was not chosen."""
    from rich.table import Table

    from kikashi.experiments.tactics import ALL

    table = Table(box=None, pad_edge=False)
    for name in ("theme", "solved", "asked", "share", "95 %", "visits of the right", "not visited"):
        table.add_column(name, justify="left" if name == "theme" else "right", no_wrap=True)
    for theme, tally in found.tallies.items():
        share = f"{tally.solved / tally.asked:.0%}" if tally.asked else "–"
        bounds = f"{tally.interval.low:.0%}–{tally.interval.high:.0%}"
        visits = "–" if tally.mean_share is None else f"{tally.mean_share:.1%}"
        cells = [theme, str(tally.solved), str(tally.asked), share, bounds, visits, str(tally.unseen)]
        table.add_row(*cells, style="bold" if theme == ALL else "")
    return table


def failures(found: Tactics) -> list[str]:
    """Return a line for each question that was not solved."""
    return [
        f"  {answer.where}: {answer.question}: {answer.answer} instead of {answer.expected}"
        + ("" if answer.share is None else f" (right move {answer.share:.1%})")
        + (", as expected" if answer.may_fail else "")
        for answer in found.answers
        if not answer.is_right
    ]


def remarks(found: Tactics) -> list[str]:
    """Return lines about solved questions that were marked as too hard, and about unknown commands."""
    from kikashi.experiments.tactics import ALL
    from kikashi.wording import plural

    lines = []
    if surprises := found.tallies[ALL].surprises:
        lines.append(f"{surprises} of the solved questions were marked as not to be solved yet (*)")
    if found.left_out:
        count = "counts" if found.left_out == 1 else "count"
        lines.append(
            f"{plural(found.left_out, 'question')} {count} for nothing: there is no command {', '.join(found.unknown)}"
        )
    return lines
