"""Compilation of all presets and parts ahead of the first move.

Two processes share the work: this one compiles the loops and then lets the players move; another one,
``python -m kikashi.engine.warmup``, compiles parts. Kernels on disk are not compiled again.
"""

import hashlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from kikashi.board import new_board
from kikashi.board.scoring import playout_score
from kikashi.engine.limits import Limit
from kikashi.engine.named_files import preset_names
from kikashi.engine.player import Player
from kikashi.engine.preset import DEFAULT, Preset, load_preset
from kikashi.engine.tree_reuse import search_request
from kikashi.files import write_whole
from kikashi.game import Game
from kikashi.jit import announced, cache_folder
from kikashi.parts.binding import bind
from kikashi.parts.compiling import address_of
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
"""Default players of ``kikashi gtp``, ``kikashi play`` and ``kikashi demo``, which come first."""
LOOPS = [
    "selection={ rule = 'ucb1' }",
    "expansion={ rule = 'after_visits' }",
    "backup={ rule = 'mean' }",
    "playout=uniform",
]
"""Overrides for a player with hardly any parts, whose move compiles the loops."""
STAMP = "warm.txt"
"""File with a hash of everything compiled ahead, in the folder of the kernels."""
SIZE, SIMULATIONS = 5, 8
_LOCK, _WARM = Lock(), set[str]()


def warm() -> bool:
    """Compile all presets and parts. Returns whether there was anything to do. Raises OSError."""
    if is_warm():
        return False
    presets = _all_presets()
    functions = [part.functions[name] for part in _parts() for name in part.functions if part.kind.entry(name)]
    with _helper(), announced([run_simulations, grow_root, run_playouts, run_ownership, *functions], "for all presets"):
        for preset in (load_preset("mogo-2006", LOOPS), *presets):
            warm_up(preset)
        _warm_up_beside_players()
        _compile(_parts())
    write_whole(cache_folder() / STAMP, _stamp(presets))
    return True


def is_warm() -> bool:
    stamp = cache_folder() / STAMP
    return stamp.is_file() and stamp.read_text("utf-8") == _stamp(_all_presets())


def _all_presets() -> list[Preset]:
    return [load_preset(name) for name in dict.fromkeys([*FIRST, *preset_names()])]


def _stamp(presets: Sequence[Preset]) -> str:
    text = repr([(preset.name, preset.table) for preset in presets]).encode()
    return hashlib.sha256(Path(__file__).read_bytes() + text).hexdigest()


def warm_up(preset: Preset) -> None:
    """Compile, or load, all kernels of a preset on boards of any size by playing two moves, once in a process."""
    key = f"{preset.name} {preset.table}"
    with _LOCK:
        if key not in _WARM:
            _play_two_moves(preset)
            _WARM.add(key)


@contextmanager
def announced_for(presets: Sequence[Preset], purpose: str) -> Iterator[None]:
    """Report the compilations of the body as one piece of work, that of these presets."""
    variants = [variant for preset in presets for variant in preset.variants]
    functions = [each for variant in variants for each in variant.config.functions]
    with announced([run_simulations, grow_root, *functions], purpose):
        yield


def _play_two_moves(preset: Preset) -> None:
    with announced_for([preset], f"for {preset.name}"):
        for variant in preset.variants:
            game, player = Game(SIZE), Player(variant, limit=Limit(simulations=SIMULATIONS), megabytes=1)
            for _ in range(2):
                game.push(player.choose(game).move)
            if variant.config.stages:  # one may be thousands of simulations
                search = StagedSearch(variant.config, size=SIZE, megabytes=1)
                search.start(search_request(Game(SIZE)))
                search.finish_stage()


def _warm_up_beside_players() -> None:
    """Compile the kernels of benchmarks, studies, plugin checks and the web page that no player calls."""
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
    Player(DEFAULT, megabytes=1).trace(Game(SIZE), after=SIMULATIONS)


def _parts() -> list[Part]:
    """Return all parts of the package, those of the first players before the others."""
    configs = [variant.config for name in FIRST for variant in load_preset(name).variants]
    first = [used.part for config in configs for used in config.bound_parts]
    return list(dict.fromkeys([*first, *(part for kind in list(KINDS.values()) for part in all_parts(kind))]))


def _compile(parts: list[Part]) -> None:
    for part in parts:
        for name in part.functions:
            address_of(part, name)


@contextmanager
def _helper() -> Iterator[None]:
    """Run a process that compiles parts during the body of the ``with``. If it fails, only time is lost."""
    words = [sys.executable, "-P", "-m", "kikashi.engine.warmup"]
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(words, stdin=nowhere, stdout=nowhere, stderr=nowhere) as process:
        try:
            yield
        finally:
            process.terminate()


if __name__ == "__main__":
    _compile(_parts())
