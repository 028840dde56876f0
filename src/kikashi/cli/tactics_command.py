"""What ``kikashi bench tactics`` does: have questions answered by workers, and tell what was found."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from kikashi.cli.lab_progress import Watcher
from kikashi.cli.tactics_table import failures, remarks, tactics_table
from kikashi.engine.preset_files import LISTED_BY, is_preset, preset_names
from kikashi.experiments.problems import load_overlooked, load_problems, script_of
from kikashi.experiments.regression import Script, read_scripts
from kikashi.experiments.tactics import ScriptTask, Tactics, run_script
from kikashi.match.player_spec import Contestant, parse_contestant
from kikashi.match.progress import Progress
from kikashi.wording import nearest, plural
from kikashi.workers.executors import make_workers, run_all

SIMULATIONS = 2000
"""Where no budget is said."""
OVERLOOKED = "overlooked"
"""The name of our second set, unless there is a file that is called so."""


@dataclass(frozen=True)
class Asked:
    """Who is asked, and how."""

    preset: str
    simulations: int | None
    seconds: float | None
    overrides: Sequence[str]
    plugin: Sequence[str]
    seed: int
    rules: str | None

    def player(self) -> Contestant:
        """Raises ValueError if there is no such preset, or if it cannot be set like this."""
        if not is_preset(self.preset):
            raise ValueError(f"there is no preset {self.preset!r}; {nearest(self.preset, preset_names(), LISTED_BY)}")
        words = [self.preset, *(f"--set={text}" for text in self.overrides), *(f"--plugin={f}" for f in self.plugin)]
        has_budget = self.simulations is not None or self.seconds is not None
        simulations = self.simulations if has_budget else SIMULATIONS
        return parse_contestant(shlex.join(words), simulations=simulations, seconds=self.seconds)


def ask_tactics(files: Sequence[Path], asked: Asked, concurrency: int | None, *, as_json: bool) -> bool:
    """Ask the questions of the files, or our own, and tell what was answered; False after Ctrl-C.

    Raises ValueError, with the line of a file that cannot be run, and OSError.
    """
    player = asked.player()
    scripts = _scripts(files)
    tasks = [ScriptTask(number, script, player, asked.seed, asked.rules) for number, script in enumerate(scripts)]
    watcher = Watcher("asking", Progress(len(tasks), "positions"))
    finished = False
    try:
        with watcher:
            run_all(tasks, run_script, make_workers("processes", concurrency, tell=watcher.tell), watcher.note)
        finished = True
    except KeyboardInterrupt:
        click.echo(f"interrupted after {len(watcher.records)} of {plural(len(tasks), 'position')}", err=True)
    found = Tactics([answer for answers in watcher.records for answer in answers])
    if as_json:
        click.echo(json.dumps({**_about(player, asked.seed), "finished": finished, **found.as_json()}))
    elif found.answers or found.unknown:
        _tell(found, player, asked.seed)
    return finished


def _scripts(files: Sequence[Path]) -> list[Script]:
    if not files:
        return [script_of(problem) for problem in load_problems()]
    ours = [path for path in files if str(path) == OVERLOOKED and not path.exists()]
    return [*(load_overlooked() if ours else ()), *read_scripts(path for path in files if path not in ours)]


def _about(player: Contestant, seed: int) -> dict[str, Any]:
    return {"player": player.name, "simulations": player.simulations, "seconds": player.seconds, "seed": seed}


def _tell(found: Tactics, player: Contestant, seed: int) -> None:
    lines = failures(found)
    if lines:
        click.echo("\n".join(["not solved:", *lines]))
    Console().print(tactics_table(found))
    limits = {"simulations": player.simulations, "seconds": player.seconds}
    about = ", ".join(f"{limit:,} {name}" for name, limit in limits.items() if limit is not None)
    click.echo("visits of the right, not visited: what the best right move had where it was not found")
    click.echo("\n".join([*remarks(found), f"{player.name}, {about} a move, seed {seed}"]))
