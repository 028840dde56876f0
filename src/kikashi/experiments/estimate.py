"""Estimated times of experiments, by nominal speeds: nothing is compiled, and nothing is measured.

Within a factor of about two on an idle machine of the 2020s. A search that ends early makes it shorter, a busy machine
longer.
"""

from __future__ import annotations

from kikashi.engine import machine
from kikashi.experiments.design import Design, LocalDesign, MatchDesign, PositionDesign, QualityDesign, ShareDesign
from kikashi.experiments.experiment import cells, opponents_simulations, position_settings
from kikashi.experiments.local_play import local_settings
from kikashi.experiments.move_quality import quality_settings
from kikashi.experiments.shares import share_settings
from kikashi.match.player_spec import DEFAULT_SIMULATIONS, SaidPlayer, said_player
from kikashi.match.progress import expected_moves

POINTS_PER_SECOND = {"yoshizoe-2006": 16e6, "amaf-2003": 16e6, "mogo-2006-pure": 10e6, "": 5e6}
"""Simulations a second times points of the board, of one core, by the beginning of a preset's name."""
ENGINE_SECONDS_PER_POINT = 0.0015
"""Seconds for a move of GNU Go at level 10, by points of the board."""
GAME_SECONDS = 0.5
"""Seconds of a game besides its moves: engines start, the end is counted."""
HOW = (
    "by nominal speeds: 5,000,000 simulations × points a second and core, two or three times as many for light "
    "playouts, 1.2 moves a game for each point of the board, 1.5 ms a move and point for an engine"
)


def seconds_of(design: Design, scale: float, cores: int | None = None) -> float:
    """Estimate the seconds that an experiment takes on all cores of this machine, or on a number of cores.

    Raises ValueError and OSError if it could not be run.
    """
    return processor_seconds(design, scale) / (cores or machine.cores())


def processor_seconds(design: Design, scale: float) -> float:
    """Estimate the seconds that an experiment takes on one core. Raises ValueError and OSError."""
    if isinstance(design, MatchDesign):
        return _of_match(design, scale)
    if isinstance(design, LocalDesign):
        local = local_settings(design, scale)
        return sum(_search(text, local.simulations, local.game().size) for text in local.players) * local.repeats
    if isinstance(design, QualityDesign):
        return _of_quality(design, scale)
    if isinstance(design, ShareDesign):
        shares = share_settings(design, scale)
        searches = zip(shares.players, shares.simulations, strict=True)
        return sum(_search(text, simulations, shares.size) for text, simulations in searches) * shares.repeats
    return _of_positions(design, scale)


def _of_match(design: MatchDesign, scale: float) -> float:
    default = opponents_simulations(design, scale)
    total = 0.0
    for cell in cells(design, scale):
        two = sum(_move(said_player(text), design.size, default) for text in (cell.text, cell.opponent_text))
        total += cell.games * (GAME_SECONDS + expected_moves(design.size) / 2 * two)
    return total


def _move(player: SaidPlayer, size: int, default: int | None) -> float:
    """Processor seconds for a move."""
    if player.seconds is not None:
        return player.seconds * player.threads
    if not player.preset:
        return ENGINE_SECONDS_PER_POINT * size**2
    return _search(player.preset, player.simulations or default or DEFAULT_SIMULATIONS, size)


def _search(preset: str, simulations: float, size: int) -> float:
    name = preset.split()[0]
    speed = next(speed for start, speed in POINTS_PER_SECOND.items() if name.startswith(start))
    return simulations * size**2 / speed


def _of_positions(design: PositionDesign, scale: float) -> float:
    settings = position_settings(design, scale)
    simulations = settings.simulations + expected_moves(settings.size) * settings.game_simulations
    return settings.positions * _search(settings.preset, simulations, settings.size)


def _of_quality(design: QualityDesign, scale: float) -> float:
    settings, size = quality_settings(design, scale), design.size
    moves = 0 if settings.records else (settings.first + settings.last) / 2
    each = _search(settings.preset, moves * settings.game_simulations, size)
    each += sum(_search(oracle, settings.oracle, size) for oracle in settings.oracles)
    each += sum(_search(row.player, sum(settings.samples), size) for row in settings.rows)
    return settings.positions * each
