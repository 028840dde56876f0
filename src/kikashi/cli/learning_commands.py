"""What ``kikashi learn`` does: call `kikashi.learn` and tell what it found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from kikashi.cli.lab_commands import How
from kikashi.engine import machine
from kikashi.engine.preset import load_preset
from kikashi.files import check_writable
from kikashi.learn.balancing import Balancing
from kikashi.learn.expert_iteration import RoundListener, Rounds, run_rounds
from kikashi.learn.fitting import Wanted
from kikashi.learn.labels import Label
from kikashi.learn.learning import Course, learn, write_weights
from kikashi.learn.learning_report import header_of, lines
from kikashi.learn.playouts import PLAYOUT_FEATURES, WEIGHTS, PlayoutCourse, PlayoutListener, learn_playouts
from kikashi.learn.positions import DEFAULT_FEATURES
from kikashi.learn.self_play import SelfPlayGame
from kikashi.match.one_game import GameRecord
from kikashi.parts import specs
from kikashi.playout.model.weights import Weights, read_weights
from kikashi.wording import plural

SELF_PLAY_SIMULATIONS, LABEL_SIMULATIONS = 1_000, 10_000


class Watcher(RoundListener, PlayoutListener):
    """Shows on standard error how far it has got, where somebody is looking."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._progress.add_task("reading", total=None)

    def __enter__(self) -> Watcher:
        try:
            self._progress.start()
        except KeyboardInterrupt:
            self._progress.stop()  # the cursor may be hidden already
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, what: str, total: int) -> None:
        self._progress.reset(self._task, description=what, total=total or None)

    def read(self, games: int) -> None:
        self._progress.update(self._task, description="games read", completed=games)

    def step(self, number: int) -> None:
        self._progress.update(self._task, description="steps of the optimiser", completed=number)

    def played(self, game: SelfPlayGame | GameRecord) -> None:
        self._progress.advance(self._task)

    def labelled(self, label: Label) -> None:
        self._progress.advance(self._task)

    def balanced(self, done: int, of: int) -> None:
        self._progress.update(self._task, completed=done, total=of)

    def tell(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def learn_from_games(sources: Sequence[Path], said: Mapping[str, Any], *, as_json: bool) -> bool:
    """Learn from files and folders, write the weights and tell what they predict; False after Ctrl-C. Raises ValueError
    and OSError."""
    output = said["output"] or Path("weights.npz")
    if output.suffix != specs.WEIGHTS:
        raise ValueError(f"the name of a file of weights ends in {specs.WEIGHTS}, not as {output}")
    check_writable(output)
    course = Course(
        sources,
        said["features"] or DEFAULT_FEATURES,
        said["size"],
        said["all_sizes"],
        said["player"],
        said["only_test"],
        wanted=_fitting(said),
        base=_weights_in(said["base"]),
    )
    with Watcher() as watcher:
        found = learn(course, start=_weights_in(said["start"]), listener=watcher)
    write_weights(output, found, report=said["report"])
    if as_json:
        click.echo(msgspec.json.encode({"weights": str(output), **header_of(found)}))
    else:
        click.echo("\n".join([*lines(found), f"weights: {output}"]))
    if found.is_interrupted:
        click.echo(f"interrupted after {plural(found.steps, 'step')}; go on with --from {output}", err=True)
    return not found.is_interrupted


def _weights_in(path: Path | None) -> Weights | None:
    return None if path is None else read_weights(str(path), path.read_bytes())


def _fitting(said: Mapping[str, Any]) -> Wanted:
    return Wanted(said["ridge"], said["fewest"], said["steps"], said["held_out"], said["seed"])


def learn_for_playouts(
    sources: Sequence[Path], folder: Path, said: Mapping[str, Any], plugins: tuple[str, ...], how: How
) -> bool:
    """Learn weights for playouts in a folder, and tell what was found; False after Ctrl-C. Raises as matches do."""
    wanted = PlayoutCourse(
        Course(
            sources,
            said["features"] or PLAYOUT_FEATURES,
            said["size"],
            player=said["player"],
            wanted=_fitting(said),
        ),
        load_preset(said["preset"], said["overrides"]).table,
        said["positions"],
        said["simulations"] or LABEL_SIMULATIONS,
        said["komi"],
        Balancing(
            passes=said["passes"], rate=said["rate"], seed=said["seed"], threads=how.concurrency or machine.cores()
        ),
        plugins,
    )
    folder.mkdir(parents=True, exist_ok=True)
    check_writable(folder / WEIGHTS)
    with Watcher() as watcher:
        workers = how.workers(watcher.tell)
        try:
            found = learn_playouts(wanted, folder, workers, listener=watcher)
        except KeyboardInterrupt:
            watcher.tell(f"interrupted; the same command goes on in {folder}")
            workers.leave()
            return False
    if how.as_json:
        click.echo(msgspec.json.encode({"weights": str(folder / WEIGHTS), **found.weights.header}))
    else:
        click.echo("\n".join([*lines(found.fit), *found.lines(), f"weights: {folder / WEIGHTS}"]))
    if found.is_interrupted:
        click.echo("interrupted; these are the weights it had then", err=True)
    return not found.is_interrupted


def learn_by_playing(folder: Path, said: Mapping[str, Any], plugins: tuple[str, ...], how: How) -> bool:
    """Play, learn and play again in a folder, and tell of every round; False after Ctrl-C. Raises as matches do."""
    settings = Rounds(
        preset=said["preset"],
        overrides=tuple(said["overrides"]),
        size=said["size"] or 9,
        komi=said["komi"],
        games=said["games"],
        simulations=said["simulations"] or SELF_PLAY_SIMULATIONS,
        match_games=said["match_games"],
        features=said["features"] or DEFAULT_FEATURES,
        seed=said["seed"],
        plugins=plugins,
    )
    with Watcher() as watcher:
        workers = how.workers(watcher.tell)
        try:
            for found in run_rounds(settings, folder, workers, rounds=said["rounds"], listener=watcher):
                told = {"round": found.number, **found.figures, "points": found.points, "games": found.games}
                click.echo(msgspec.json.encode(told) if how.as_json else str(found))
        except KeyboardInterrupt:
            watcher.tell(f"interrupted; the same command goes on in {folder}")
            workers.leave()
            return False
    return True
