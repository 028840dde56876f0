"""The command ``kikashi``. Each subcommand only reads its options, calls the package and prints.

Imports of the package stay inside the commands, so that ``kikashi --help`` is instant.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kikashi import __version__

if TYPE_CHECKING:
    from kikashi.player import Player
    from kikashi.search.budget import Budget

CONTEXT = {"help_option_names": ["-h", "--help"], "show_default": True}
INTERRUPTED = 130


class _OneLineErrors(click.Group):
    """Turns the errors a user can cause into one line on stderr and exit code 1."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except BrokenPipeError:  # nobody reads on; click ends quietly
            raise
        except (ValueError, OSError) as error:
            told = str(error)
            if isinstance(error, OSError) and error.filename and error.strerror:
                told = f"{error.filename}: {error.strerror}"
            raise click.ClickException(" ".join(told.split())) from error


@click.group(cls=_OneLineErrors, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="kikashi")
def main() -> None:
    """The Monte-Carlo Go programs of the classic papers, as one engine and laboratory."""


@main.group()
def bench() -> None:
    """Measure speed and bias."""


@bench.command()
@click.option("--size", type=click.IntRange(2, 19), default=9, help="Board size.")
@click.option("--playout", default="uniform", help="Heuristics in order: name,name(parameter=value),…")
@click.option("--feasibility", default="eyelike", help="Which moves are considered at all.")
@click.option("--threads", type=click.IntRange(1, 256), default=1)
@click.option("--seconds", type=click.FloatRange(min=0.01), default=3.0, help="How long to measure.")
@click.option("--playouts", type=click.IntRange(min=1), help="Run so many instead of measuring for a time.")
@click.option("--seed", type=click.IntRange(min=0), default=1)
@click.option("--plugin", multiple=True, type=click.Path(), help="A Python file with parts of your own.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def playouts(
    size: int,
    playout: str,
    feasibility: str,
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

    from kikashi.lab import bias as lab
    from kikashi.playout import load_plugin

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
        Console().print(lab.as_table(biases))
        click.echo("estimate and error: Black's share of the judged points, and how far each is from the truth")
        click.echo(f"{playouts} playouts from each of {len(positions)} positions, seed {seed}")


@dataclass(frozen=True)
class _PlayerOptions:
    """What `_player_options` collects."""

    playouts: int | None
    seconds: float | None
    threads: int
    seed: int
    megabytes: float
    overrides: Sequence[str]
    plugin: Sequence[str]

    def player(self, preset: str, default: Budget | None = None) -> Player:
        """The player asked for, with a default budget if none was said."""
        from kikashi.player import Player
        from kikashi.playout.parts import load_plugin

        for file in self.plugin:
            load_plugin(file)
        return Player(
            preset,
            budget=self.budget() or default,
            threads=self.threads,
            seed=self.seed,
            megabytes=self.megabytes,
            overrides=self.overrides,
        )

    def budget(self) -> Budget | None:
        """What was said about playouts and seconds."""
        from kikashi.search.budget import Budget

        said = self.playouts is not None or self.seconds is not None
        return Budget(playouts=self.playouts, seconds=self.seconds) if said else None


def _player_options(command: Callable[..., None]) -> Any:
    """The options that every command with a player has; it gets them as one argument, `options`."""

    @wraps(command)
    def collected(**values: Any) -> None:
        options = _PlayerOptions(**{field.name: values.pop(field.name) for field in fields(_PlayerOptions)})
        command(options=options, **values)

    options = [
        click.option("--playouts", type=click.IntRange(min=1), help="Simulations for each move."),
        click.option("--seconds", type=click.FloatRange(min=0.001), help="Seconds for each move."),
        click.option("--threads", type=click.IntRange(1, 256), default=1),
        click.option("--seed", type=click.IntRange(min=0), default=1),
        click.option("--megabytes", type=click.FloatRange(min=1), default=512.0, help="Memory for the tree."),
        click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a setting of the preset."),
        click.option("--plugin", multiple=True, type=click.Path(), help="A Python file with parts of your own."),
    ]
    for option in reversed(options):
        collected = option(collected)
    return collected


_rules_option = click.option(
    "--rules",
    type=click.Choice(["positional", "situational", "simple", "tromp-taylor"]),
    show_default="positional",
    help="The ko rule; tromp-taylor is positional with suicide.",
)


@main.command()
@click.option("--preset", default="kikashi", help="Who plays; see kikashi presets.")
@_rules_option
@click.option("--ponder", is_flag=True, help="Think on the opponent's time.")
@_player_options
def gtp(
    preset: str,
    rules: str | None,
    ponder: bool,
    options: _PlayerOptions,
) -> None:
    """Speak GTP on standard input and output, for Sabaki, GoGui, servers and matches."""
    from kikashi.gtp.lines import Lines
    from kikashi.gtp.session import Session

    session = Session(options.player(preset), budget=options.budget(), rules=rules, ponder=ponder)
    try:
        session.serve(Lines(sys.stdin.fileno()), sys.stdout)
    except BrokenPipeError:  # the controller is gone; nobody is left to tell
        sys.stdout = None


@main.command()
@click.argument("game", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--preset", default="kikashi", help="Who reviews the game; see kikashi presets.")
@click.option("--output", type=click.Path(path_type=Path), help="The annotated game; else GAME.analysed.sgf beside it.")
@click.option("--svg", type=click.Path(path_type=Path), help="The graph; else GAME.analysed.svg beside the game.")
@click.option("--mistakes", type=click.IntRange(min=0), default=5, help="How many mistakes to show.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; write only the files that are named.")
@_player_options
def analyze(
    game: Path,
    preset: str,
    output: Path | None,
    svg: Path | None,
    mistakes: int,
    as_json: bool,
    options: _PlayerOptions,
) -> None:
    """Review a game: win rate and score after every move, the mistakes and what was better.

    Each position gets 1000 playouts if neither playouts nor seconds are given. Ctrl-C ends the review early; what was
    reviewed until then is shown and written.
    """
    from rich.console import Console
    from rich.progress import track

    from kikashi import graph, review, sgf
    from kikashi.search.budget import Budget
    from kikashi.sgf.parse import first_game

    root = first_game(game)
    record = sgf.read_game(root)
    total = len(review.played_moves(record))
    if not as_json:
        output, svg = output or game.with_suffix(".analysed.sgf"), svg or game.with_suffix(".analysed.svg")
    files = [file for file in (output, svg) if file is not None]
    review.check_outputs(game, files)
    player = options.player(preset, Budget(playouts=1000))
    moves: list[review.MoveReview] = []
    steps = track(review.walk(player, record), "reviewing", total, console=Console(stderr=True), transient=True)
    try:
        moves.extend(steps)  # one by one: what is there at Ctrl-C stays
    except KeyboardInterrupt:
        if not moves:
            sys.exit(INTERRUPTED)
    found = review.summarise(player, record, moves)
    if output is not None:
        sgf.save([review.annotated(found, root, mistakes)], output)
    if svg is not None:
        svg.write_text(graph.svg(found, mistakes), encoding="utf-8")
    if as_json:
        click.echo(json.dumps({**found.as_json(), "seed": options.seed, "threads": options.threads}))
    else:
        console = Console()
        console.print(graph.terminal(found, console.width, mistakes=mistakes))
        click.echo(f"\n{review.mistake_lines(found, mistakes)}\n\nwritten: {', '.join(map(str, files))}")
    if len(moves) < total:
        sys.exit(INTERRUPTED)


@main.command()
def presets() -> None:
    """List the players there are."""
    from kikashi.preset import load_preset, preset_names

    for name in preset_names():
        click.echo(f"{name:18} {load_preset(name).summary}")


@main.command()
@click.argument("name")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a setting, as in selection.p=1.2.")
def show(name: str, overrides: Sequence[str]) -> None:
    """Print what a preset is made of."""
    from kikashi.preset import load_preset, preset_text

    preset = load_preset(name, overrides)
    click.echo(preset_text(name).rstrip())
    for override in overrides:
        click.echo(f"# changed: {override}")
    rules = preset.rules
    click.echo(f"# playouts: {rules.policy}; feasible: {rules.policy.feasibility}")
    click.echo(f"# search: {rules.selection}, {rules.expansion}, {rules.backup}")


@main.command()
@click.argument("players", nargs=-1)
@click.option("--games", type=click.IntRange(min=1), default=100, help="For each two players; in pairs.")
@click.option("--size", type=click.IntRange(2, 19), default=9, help="Board size.")
@click.option("--komi", type=float, default=7.5)
@_rules_option
@click.option("--playouts", type=click.IntRange(min=1), help="For presets that say nothing else; 1000 if nobody does.")
@click.option("--seconds", type=click.FloatRange(min=0.001), help="For each move, of presets and engines.")
@click.option(
    "--openings", multiple=True, type=click.Path(path_type=Path), help="SGF files, or none; else our own set."
)
@click.option("--referee", type=click.Choice(["playouts", "gnugo"]), default="playouts", help="Who counts in the end.")
@click.option("--sprt", metavar="ELO0,ELO1", help="Stop when it is known whether the first is better by ELO0 or ELO1.")
@click.option("--against", "only_with", metavar="NAME", help="Everybody meets only this player, instead of each other.")
@click.option("--timeout", type=click.FloatRange(min=0.1), default=120.0, help="Seconds for an engine's answer.")
@click.option("--seed", type=click.IntRange(min=0), default=1)
@click.option("--concurrency", type=click.IntRange(1, 1024), show_default="one for each core", help="Games at a time.")
@click.option("--executor", type=click.Choice(["processes", "mpi"]), default="processes")
@click.option("--output", type=click.Path(path_type=Path), help="A new folder; else one in matches/.")
@click.option("--resume", type=click.Path(path_type=Path), help="Go on with the match in this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def match(
    players: Sequence[str],
    openings: Sequence[Path],
    rules: str | None,
    sprt: str | None,
    concurrency: int | None,
    executor: str,
    output: Path | None,
    resume: Path | None,
    as_json: bool,
    **rest: Any,
) -> None:
    """Let players meet: presets with options ("lgrf2 --playouts 2000") or GTP command lines in quotes.

    Every game is on the disk when it ends. After Ctrl-C or worse, --resume FOLDER goes on; it needs no other settings,
    and refuses ones that differ.
    """
    from kikashi.lab.command import play_match, read_sprt

    options = {**rest, "players": tuple(players), "rules": rules or "positional", "sprt": read_sprt(sprt)}
    if resume is not None:
        source = click.get_current_context().get_parameter_source
        options = {name: options[name] for name in options if source(name) is ParameterSource.COMMANDLINE}
        if output is not None:
            raise click.UsageError("--resume goes on in its own folder: leave --output out")
    elif not players:
        raise click.UsageError("name two players at least, or --resume FOLDER")
    finished = play_match(
        options,
        [str(path) for path in openings],
        executor=executor,
        concurrency=concurrency,
        folder=resume or output,
        resume=resume is not None,
        as_json=as_json,
    )
    if not finished:
        sys.exit(INTERRUPTED)


@main.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def ratings(folders: Sequence[Path], as_json: bool) -> None:
    """Rate the players of several matches together."""
    from kikashi.lab.command import show_ratings

    show_ratings(folders, as_json=as_json)


@main.group()
def experiment() -> None:
    """The papers' tables and figures."""


@experiment.command("list")
def list_experiments() -> None:
    """What there is."""
    from kikashi.lab.experiment import experiment_names, load_design

    for name in experiment_names():
        design = load_design(name)
        click.echo(f"{name:26} {design.title} ({design.source})")


@experiment.command("run")
@click.argument("name")
@click.option("--scale", type=click.FloatRange(min=0, min_open=True, max=1), default=1.0, help="1 is the paper's size.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a setting, as in size=9.")
@click.option("--concurrency", type=click.IntRange(1, 1024), show_default="one for each core")
@click.option("--executor", type=click.Choice(["processes", "mpi"]), default="processes")
@click.option("--output", type=click.Path(path_type=Path), help="A folder; else one in experiments/.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def run_experiment(
    name: str,
    scale: float,
    overrides: Sequence[str],
    concurrency: int | None,
    executor: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run an experiment of the package, or of a TOML file; the same command goes on where it was left.

    The scale shrinks games, positions, playouts and seconds alike.
    """
    from kikashi.lab import command

    finished = command.run_experiment(
        name,
        scale=scale,
        overrides=overrides,
        executor=executor,
        concurrency=concurrency,
        folder=output,
        as_json=as_json,
    )
    if not finished:
        sys.exit(INTERRUPTED)


@main.command()
@click.option("--seed", type=click.IntRange(min=0), default=2006)
@click.option("--seconds", type=click.FloatRange(min=0.1), default=120.0, help="For the whole game.")
@click.option("--playouts", type=click.IntRange(min=1), help="For each move, instead of a time.")
@click.option("--size", type=click.IntRange(2, 19), default=9, help="Board size.")
@click.option("--output", type=click.Path(), default="demo.sgf", help="Where the game is saved.")
def demo(seed: int, seconds: float, playouts: int | None, size: int, output: str) -> None:
    """Watch the Crazy Stone of 2006 play the MoGo of 2006, for two minutes."""
    from rich.console import Console

    from kikashi.demo import run

    if not run(Console(), seed=seed, seconds=seconds, playouts=playouts, size=size, output=output):
        sys.exit(INTERRUPTED)


@main.command()
@click.argument("preset", default="kikashi")
@click.option("--size", type=click.IntRange(2, 19), show_default="9", help="Board size.")
@click.option("--komi", type=float, show_default="7.5, with a handicap 0.5")
@click.option("--color", type=click.Choice(["black", "white"]), default="black", help="Your colour.")
@click.option("--handicap", type=click.IntRange(min=0), default=0, help="Stones Black has before White begins.")
@_rules_option
@click.option("--load", type=click.Path(), help="Go on with a game in an SGF file.")
@click.option("--ponder", is_flag=True, help="Let it think on your time.")
@_player_options
def play(
    preset: str,
    size: int | None,
    komi: float | None,
    color: str,
    handicap: int,
    rules: str | None,
    load: str | None,
    ponder: bool,
    options: _PlayerOptions,
) -> None:
    """Play against a preset, three seconds a move unless you say otherwise; help at the prompt tells how."""
    from rich.console import Console

    from kikashi.game.moves import parse_color
    from kikashi.play import Table, asker, new_game
    from kikashi.search.budget import Budget

    game = new_game(size=size, komi=komi, handicap=handicap, rules=rules, load=load)
    player = options.player(preset, Budget(seconds=3.0))
    console = Console()
    if not Table(console, asker(console), player, game, color=parse_color(color), ponder=ponder).run():
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
