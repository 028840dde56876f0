"""``kikashi bench``: how fast playouts are, how far from the truth, and what searches see."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from kikashi.cli.completing import complete_preset
from kikashi.cli.options import INTERRUPTED, rules_option, simulations_option


@click.group()
def bench() -> None:
    """Measure speed, bias and tactics."""


@bench.command()
@click.option("--size", type=click.IntRange(2, 19), default=9, help="Board size.")
@click.option("--playout", default="uniform", help="Heuristics in order: name,name(parameter=value),…")
@click.option("--feasibility", show_default="the list's own, else eyelike", help="Which moves are considered at all.")
@click.option("--threads", type=click.IntRange(1, 256), default=1)
@click.option("--seconds", type=click.FloatRange(min=0.01), default=3.0, help="How long to measure.")
@click.option("--playouts", type=click.IntRange(min=1), help="Run this many instead of measuring for a time.")
@click.option("--seed", type=click.IntRange(min=0), default=1)
@click.option("--plugin", multiple=True, type=click.Path(), help="A Python file with parts of your own.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
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
    """Run playouts from the empty board and say how fast, how long and for whom they are."""
    from kikashi.board.position import new_board
    from kikashi.playout import load_plugin, make_policy, new_root, sample

    for file in plugin:
        load_plugin(file)
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
@click.option("--playout", multiple=True, help="A policy to measure, as in bench playouts; may be repeated.")
@click.option("--playouts", type=click.IntRange(min=1), default=500, help="Playouts from each position.")
@click.option("--position", help="One position only, point by point.")
@click.option("--seed", type=click.IntRange(min=0), default=1)
@click.option("--plugin", multiple=True, type=click.Path(), help="A Python file with parts of your own.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def bias(
    playout: Sequence[str], playouts: int, position: str | None, seed: int, plugin: Sequence[str], as_json: bool
) -> None:
    """Compare playouts from decided positions with the truth: who owns the points in the end?"""
    from rich.console import Console
    from rich.progress import track

    from kikashi.cli.bias_table import bias_table
    from kikashi.experiments import bias as lab
    from kikashi.playout import load_plugin
    from kikashi.wording import plural

    for file in plugin:
        load_plugin(file)
    positions = lab.select(position)
    policies = track(playout or lab.POLICIES, "measuring", console=Console(stderr=True), transient=True)
    biases = [lab.measure(policy, positions, playouts=playouts, seed=seed) for policy in policies]
    if as_json:
        click.echo(json.dumps({**lab.as_json(biases), "playouts": playouts, "seed": seed}))
    elif position is not None:
        click.echo(lab.as_pictures(biases))
    else:
        Console().print(bias_table(biases))
        click.echo("estimate and error: Black's share of the judged points, and how far each is from the truth")
        click.echo(f"{plural(playouts, 'playout')} from each of {plural(len(positions), 'position')}, seed {seed}")


@bench.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[overlooked | FILE.tst ...]")
@click.option("--preset", default="kikashi", shell_complete=complete_preset, help="Who is asked.")
@simulations_option("Simulations for each move; 2000 if neither they nor seconds are said.")
@click.option("--seconds", type=click.FloatRange(min=0.001), help="Seconds for each move.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a setting of the preset.")
@click.option("--plugin", multiple=True, type=click.Path(), help="A Python file with parts of your own.")
@click.option("--seed", type=click.IntRange(min=0), default=1)
@rules_option
@click.option(
    "--concurrency", type=click.IntRange(1, 1024), show_default="one for each core", help="Positions at a time."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def tactics(files: Sequence[Path], as_json: bool, concurrency: int | None, **settings: Any) -> None:
    """Ask tactical questions: those of regression files, or our own set of solved fights.

    "overlooked" is our second set: moves that decided games because a search did not look at them. A file has GTP
    commands, each with or without a line "#? [C3|D4]" that says which answers are right.
    """
    from kikashi.cli.tactics_command import Asked, ask_tactics

    if not ask_tactics(files, Asked(**settings), concurrency, as_json=as_json):
        sys.exit(INTERRUPTED)
