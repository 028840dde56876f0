"""Estimated times of searches and games, by nominal speeds: nothing is compiled, and nothing is measured.

Within a factor of about two on an idle machine of the 2020s. A search that ends early makes it shorter, a busy machine
longer.
"""

from kikashi.match.player_spec import DEFAULT_SIMULATIONS, PlayerSpec
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


def search_seconds(preset: str, simulations: float, size: int) -> float:
    """Return the seconds of a search, on one core, by a preset, which may be followed by options."""
    name = preset.split()[0]
    speed = next(speed for start, speed in POINTS_PER_SECOND.items() if name.startswith(start))
    return simulations * size**2 / speed


def game_seconds(size: int, *players: PlayerSpec, default: int | None = None) -> float:
    """Return the seconds of a game on one core; `default` are the simulations of a preset without a limit."""
    return GAME_SECONDS + expected_moves(size) / 2 * sum(_move_seconds(player, size, default) for player in players)


def _move_seconds(player: PlayerSpec, size: int, default: int | None) -> float:
    if player.seconds is not None:
        return player.seconds * player.threads
    if not player.preset:
        return ENGINE_SECONDS_PER_POINT * size**2
    return search_seconds(player.preset, player.simulations or default or DEFAULT_SIMULATIONS, size)
