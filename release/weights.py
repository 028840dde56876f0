"""The weights of the package, learned anew: ``make weights``, or this file with a folder and a scale.

The preset `kikashi` plays another program, here GNU Go; the shipped weights were learned from games with Pachi, too.
Weights are learned from the moves of both sides, and from long searches of their positions. The preset plays with the
weights of the package, so every run is a round of expert iteration (Anthony, Tian and Barber 2017). It does not play
itself: moves that it overlooks are never played there, and would get even lower weights. Larger boards learn from the
games on smaller ones, too.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from kikashi.files import write_whole
from kikashi.jit import PACKAGE
from kikashi.learn.learning import LearningSettings, learn, write_weights
from kikashi.learn.learning_report import summary_lines
from kikashi.learn.playout_learning import PLAYOUT_FEATURES, PlayoutSettings, learn_playouts
from kikashi.match.journal import FILE
from kikashi.match.one_game import GameRecord
from kikashi.match.runner import run_match
from kikashi.match.settings import MatchSettings, own_openings
from kikashi.workers.executors import make_workers

PLAYER = "kikashi"
OPPONENT = (
    "name=GNU-Go gnugo --mode gtp --level 10 --chinese-rules --positional-superko --capture-all-dead --seed {seed}"
)
PLAN = {9: (1000, 5000), 13: (200, 5000), 19: (60, 2000)}
"""By size: games, and simulations of a move."""
LABELLER = "kikashi-learned"
LABELS = {9: (1000, 5000), 13: (300, 5000), 19: (100, 5000)}
"""By size: positions to balance playouts by, and simulations of each."""


def make_weights(folder: Path, scale: float, sizes: Sequence[int] = tuple(PLAN)) -> None:
    """Play the games that are missing, learn, and write the files of the package. Raises ValueError and OSError."""
    if not 0 < scale <= 100:
        raise ValueError(f"the scale must be above 0 and at most 100, not {scale:g}")
    for size in sizes:
        _play(folder / str(size), size, scale)
        smaller = [folder / str(other) for other in sizes if other <= size]
        _learn_prior(smaller, size, folder / f"{size}-report")
        _learn_playouts(folder / str(size), folder / f"{size}-playouts", size, scale)


def _play(place: Path, size: int, scale: float) -> None:
    """Play the games of a size that their folder does not have yet."""
    games, simulations = PLAN[size]
    match = MatchSettings(
        players=(PLAYER, OPPONENT),
        games=max(10, round(games * scale)),
        size=size,
        simulations=simulations,
        openings=tuple(own_openings(size)),
    )

    def tell_game(game: GameRecord) -> None:
        if game.number % 10 == 0:
            _tell(f"{size}x{size}: game {game.number} of {match.total_games}, {game.result}")

    workers = make_workers("processes")
    run_match(match, place, workers, resume=(place / FILE).exists(), listener=tell_game, tell=_tell)


def _learn_prior(places: Sequence[Path], size: int, report: Path) -> None:
    """Learn the weights of the prior from the games of some folders."""
    found = learn(LearningSettings(places, size=size, all_sizes=True))
    if found.is_interrupted:
        raise KeyboardInterrupt
    write_weights(PACKAGE / "weights" / f"{size}.npz", found, report=report)
    print(f"{size}x{size}", *summary_lines(found), sep="\n", flush=True)


def _learn_playouts(games: Path, place: Path, size: int, scale: float) -> None:
    """Learn the weights of playouts from the same games."""
    positions, simulations = LABELS[size]
    settings = PlayoutSettings(
        LearningSettings([games], PLAYOUT_FEATURES),
        LABELLER,
        positions=max(20, round(positions * scale)),
        simulations=simulations,
    )
    found = learn_playouts(settings, place, make_workers("processes"))
    if found.is_interrupted:
        raise KeyboardInterrupt
    write_whole(PACKAGE / "weights" / "playouts" / f"{size}.npz", found.weights.as_bytes())
    print(*found.summary_lines(), sep="\n", flush=True)


def _tell(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    try:
        make_weights(Path(sys.argv[1]), float(sys.argv[2]), [int(size) for size in sys.argv[3:]] or tuple(PLAN))
    except (ValueError, OSError) as error:
        sys.exit(f"make weights: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
