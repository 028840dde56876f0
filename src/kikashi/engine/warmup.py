"""Compiling ahead what the players and parts of the package need, so that nobody waits at their first move.

Two processes share the work: this one compiles the loops, and then lets the players move; the other one, which is
``python -m kikashi.engine.warmup``, compiles parts meanwhile. What is on disk already neither of them compiles.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kikashi.board import new_board
from kikashi.board.scoring import playout_score
from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.engine.preset import DEFAULT, Preset, load_preset
from kikashi.engine.preset_files import preset_names
from kikashi.engine.tree_reuse import search_request
from kikashi.files import write_whole
from kikashi.game import Game
from kikashi.jit import announced, cache_folder
from kikashi.parts.binding import address_of, bind
from kikashi.parts.registry import KINDS, Part, all_parts
from kikashi.playout.loop import begin, propose, run_playouts
from kikashi.playout.policy import make_policy
from kikashi.playout.sampling import estimate_ownership, play_out, run_ownership, sample
from kikashi.playout.simulation import new_root
from kikashi.playout.worker import Memories, Worker
from kikashi.search.kinds import backup
from kikashi.search.loop import grow_root, run_simulations
from kikashi.search.staged import StagedSearch
from kikashi.search.tree_search import TreeSearch

FIRST = (DEFAULT, "crazystone-2006", "mogo-2006")
"""Who plays in ``kikashi gtp`` and ``kikashi play`` where nobody else is asked for, and in ``kikashi demo``: the others
are warmed after them."""
LOOPS = [
    "selection={ rule = 'ucb1' }",
    "expansion={ rule = 'after_visits' }",
    "backup={ rule = 'mean' }",
    "playout=uniform",
]
"""A player with hardly any parts: to let it move is to compile the loops."""
STAMP = "warm.txt"
"""In the folder of the kernels: a hash of all that was compiled ahead."""
SIZE, SIMULATIONS = 5, 8
"""Of the games in which players warm up."""


def warm() -> bool:
    """Compile what all presets and parts need. Returns whether there was anything to do. Raises OSError."""
    presets = [load_preset(name) for name in dict.fromkeys([*FIRST, *preset_names()])]
    stamp, needed = cache_folder() / STAMP, _digest(presets)
    if stamp.is_file() and stamp.read_text("utf-8") == needed:
        return False
    functions = [part.functions[name] for part in _parts() for name in part.functions if part.kind.entry(name)]
    with _helper(), announced([run_simulations, grow_root, run_playouts, run_ownership, *functions], "for all presets"):
        for preset in (load_preset("mogo-2006", LOOPS), *presets):
            warm_up(preset)
        _warm_up_beside_players()
        _compile(_parts())
    write_whole(stamp, needed)
    return True


def warm_up(preset: Preset) -> None:
    """Compile, or load, all that a preset needs for two moves in succession, so that no clock has to wait for it,
    whatever the size of the board will be."""
    with announced(_functions(preset), f"for {preset.name}"):
        for variant in preset.variants:
            game, player = Game(SIZE), Player(variant, limit=Limit(simulations=SIMULATIONS), megabytes=1)
            for _ in range(2):
                game.push(player.choose(game).move)
            if variant.config.stages:  # one may be thousands of simulations
                search = StagedSearch(variant.config, size=SIZE, megabytes=1)
                search.start(search_request(Game(SIZE)))
                search.finish_stage()


def _functions(preset: Preset) -> list[Callable[..., Any]]:
    """All that a preset calls, for the count of what is to be compiled."""
    return [run_simulations, grow_root, *(each for variant in preset.variants for each in variant.config.functions)]


def _warm_up_beside_players() -> None:
    """Compile what no player calls, but benchmarks, studies of positions, checks of plugins and the page do."""
    policy, root = make_policy(["capture"]), new_root(new_board(SIZE))
    sample(policy, root, playouts=1)
    estimate_ownership(policy, root, playouts=1)
    for _, board in play_out(policy, root):
        playout_score(board)
    worker = Worker(policy, Memories(), size=SIZE, seed=1)
    begin(worker.sim, worker.record, root)
    propose(worker.sim, worker.moves, worker.record["heuristic"][0])
    search = TreeSearch(load_preset("crazystone-2006").config, size=SIZE, nodes=1000)
    search.start(search_request(Game(SIZE)))
    search.run(SIMULATIONS)
    search.value_by(bind(backup, "robust_max"))


def _digest(presets: list[Preset]) -> str:
    """Hash of what is compiled ahead. The folder of the kernels is named by their sources already."""
    text = repr([(preset.name, preset.table) for preset in presets]).encode()
    return hashlib.sha256(Path(__file__).read_bytes() + text).hexdigest()


def _parts() -> list[Part]:
    """All parts of the package, those of the first players before the others."""
    configs = [variant.config for name in FIRST for variant in load_preset(name).variants]
    first = [used.part for config in configs for used in config.bound_parts]
    return list(dict.fromkeys([*first, *(part for kind in list(KINDS.values()) for part in all_parts(kind))]))


def _compile(parts: list[Part]) -> None:
    for part in parts:
        for name in part.functions:
            address_of(part, name)


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


if __name__ == "__main__":
    _compile(_parts())
