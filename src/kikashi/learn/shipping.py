"""The weights that come with the package, made again: ``make weights``, or this file with a folder and a scale.

The preset `kikashi` plays with itself; everything is learned from these games and from no others, and from what long
searches say of their positions. It plays with the weights of the package: so each time is a round of expert iteration
(Anthony, Tian and Barber 2017). The first round was learned from `kikashi-handmade`, which learned from nobody.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from kikashi.compiling import PACKAGE
from kikashi.files import write_whole
from kikashi.lab.workers import make_workers
from kikashi.learn.learning import Course, learn, write_weights
from kikashi.learn.playouts import PLAYOUT_FEATURES, PlayoutCourse, learn_playouts
from kikashi.learn.report import lines
from kikashi.learn.self_play import SelfPlay, play_self_games
from kikashi.preset import load_preset

TEACHER = "kikashi"
PLAN = {9: (1000, 2000), 13: (300, 1000), 19: (150, 500)}
"""By size: games, and simulations for a move."""
LABELLER = "kikashi-learned"
LABELS = {9: (1000, 5000), 13: (300, 5000), 19: (100, 5000)}
"""By size: positions that playouts are balanced by, and simulations for one."""


def make_weights(folder: Path, scale: float, sizes: Sequence[int] = tuple(PLAN)) -> None:
    """Play what is left to play, learn, and write the files of the package. Raises ValueError and OSError."""
    if not 0 < scale <= 100:
        raise ValueError(f"the scale must be above 0 and at most 100, not {scale:g}")
    for size in sizes:
        place = folder / str(size)
        _learn_prior(place, size, scale)
        _learn_playouts(place, folder / f"{size}-playouts", size, scale)


def _learn_prior(place: Path, size: int, scale: float) -> None:
    """Weights for the tree, from games that are played in a folder."""
    games, simulations = PLAN[size]
    table = load_preset(TEACHER).at(size).table
    wanted = SelfPlay(preset=table, games=max(10, round(games * scale)), size=size, simulations=simulations)
    play_self_games(wanted, place, make_workers("processes"), listener=lambda game: _tell(game.number))
    found = learn(Course([place]))
    if found.is_interrupted:
        raise KeyboardInterrupt
    write_weights(PACKAGE / "weights" / f"{size}.npz", found, report=place / "report")
    print(f"{size}x{size}", *lines(found), sep="\n", flush=True)


def _learn_playouts(games: Path, place: Path, size: int, scale: float) -> None:
    """Weights for playouts, from the same games."""
    positions, simulations = LABELS[size]
    course = PlayoutCourse(
        Course([games], PLAYOUT_FEATURES),
        load_preset(LABELLER).at(size).table,
        positions=max(20, round(positions * scale)),
        simulations=simulations,
    )
    found = learn_playouts(course, place, make_workers("processes"))
    if found.is_interrupted:
        raise KeyboardInterrupt
    write_whole(PACKAGE / "weights" / "playouts" / f"{size}.npz", found.weights.as_bytes())
    print(*found.lines(), sep="\n", flush=True)


def _tell(number: int) -> None:
    if number % 10 == 9:
        print(f"game {number + 1}", flush=True)


if __name__ == "__main__":
    try:
        make_weights(Path(sys.argv[1]), float(sys.argv[2]), [int(size) for size in sys.argv[3:]] or tuple(PLAN))
    except (ValueError, OSError) as error:
        sys.exit(f"make weights: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
