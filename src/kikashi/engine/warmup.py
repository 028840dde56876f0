"""Compiling ahead what the default players need, so that nobody waits at their first move.

Two processes share the work: this one compiles the loops, and then lets the players move; the other one, which is
``python -m kikashi.engine.warmup``, compiles their parts meanwhile. What is on disk already neither of them compiles.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.engine.preset import DEFAULT, Preset, load_preset
from kikashi.files import write_whole
from kikashi.game import Game
from kikashi.jit import announced, cache_folder
from kikashi.parts.uses import Use, address_of
from kikashi.search.loop import grow_root, run_simulations

PRESETS = (DEFAULT, "crazystone-2006", "mogo-2006")
"""Who plays in ``kikashi gtp`` and ``kikashi play`` where nobody else is asked for, and in ``kikashi demo``."""
LOOPS = [
    "selection={ rule = 'ucb1' }",
    "expansion={ rule = 'after_visits' }",
    "backup={ rule = 'mean' }",
    "playout=uniform",
]
"""A player with hardly any parts: to let it move is to compile the loops."""
STAMP = "warm.txt"
"""In the folder of the kernels: the parts for which all is there."""
SIZE, SIMULATIONS = 5, 8
"""Of the games in which players warm up."""


def warm() -> bool:
    """Compile what the default players need. Returns whether there was anything to do. Raises OSError."""
    presets = [load_preset(name) for name in PRESETS]
    stamp, needed = cache_folder() / STAMP, "\n".join(sorted({str(used.part) for used in _parts(presets)}))
    if stamp.is_file() and stamp.read_text("utf-8") == needed:
        return False
    functions = [function for preset in presets for variant in preset.variants for function in variant.config.functions]
    with _helper(), announced([run_simulations, grow_root, *functions]):
        for preset in (load_preset("mogo-2006", LOOPS), *presets):
            warm_up(preset)
    write_whole(stamp, needed)
    return True


def warm_up(preset: Preset) -> None:
    """Compile, or load, all that a preset needs for two moves in succession, so that no clock has to wait for it,
    whatever the size of the board will be."""
    for variant in preset.variants:
        game, player = Game(SIZE), Player(variant, limit=Limit(simulations=SIMULATIONS), megabytes=1)
        for _ in range(2):
            game.push(player.choose(game).move)


def _parts(presets: list[Preset]) -> Iterator[Use]:
    return (used for preset in presets for variant in preset.variants for used in variant.config.uses)


@contextmanager
def _helper() -> Iterator[None]:
    """Another process that compiles parts while the body of the ``with`` runs. If it fails, only time is lost."""
    words = [sys.executable, "-P", "-m", "kikashi.engine.warmup"]
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(words, stdin=nowhere, stdout=nowhere, stderr=nowhere) as process:
        try:
            yield
        finally:
            process.terminate()


def _compile_parts() -> None:
    for used in _parts([load_preset(name) for name in PRESETS]):
        for name in used.part.functions:
            address_of(used.part, name)


if __name__ == "__main__":
    _compile_parts()
