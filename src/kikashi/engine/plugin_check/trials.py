"""Trials of a part: playouts and searches on boards of many sizes."""

from __future__ import annotations

import dataclasses
import random
import re
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from kikashi.board.points import EMPTY, PASS, points_of, vertex
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import root_of, search_request
from kikashi.files import write_whole
from kikashi.game import Game
from kikashi.jit import announced
from kikashi.parts.binding import BoundPart, address_of, bind
from kikashi.parts.diagnosis import one_line
from kikashi.parts.registry import Part, PartError, find
from kikashi.playout.kinds import feasibility, feature, heuristic, memory
from kikashi.playout.loop import begin, propose, run_playouts
from kikashi.playout.policy import Policy, make_policy
from kikashi.playout.sampling import sample
from kikashi.playout.tactics.shapes import Keys
from kikashi.playout.weights import FeatureWeights, Weights
from kikashi.playout.worker import Memories, Worker
from kikashi.search.config import Prior, SearchConfig
from kikashi.search.kinds import statistic
from kikashi.search.loop import grow_root, run_simulations
from kikashi.search.tree_search import TreeSearch
from kikashi.wording import plural

SIZES = (2, 3, 5, 9, 13, 19)
PLAYOUTS, SIMULATIONS = 40, 60
STAGES = 4
"""Positions of a game on each size, the empty board among them."""
PRESET = "mogo-2006"
"""The search in which parts are tried."""
NODES = 40_000
LOOPS = (begin, propose, run_playouts, run_simulations, grow_root)
"""Kernels of the trials, which are compiled first."""


class Problem(Exception):
    """A fault of a part, in one line, with the line in its file if that is known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Place:
    """Playouts and a search with a part, and both without it."""

    part: Part
    policy: Policy
    config: SearchConfig
    usual_policy: Policy
    usual_config: SearchConfig

    @property
    def is_of_playouts(self) -> bool:
        """Whether only playouts call it."""
        return self.part.kind in (heuristic, memory, feasibility)


def place_of(part: Part) -> Place:
    """Put a part where its kind belongs. Raises PartError if that cannot be done."""
    usual_policy, usual_config = make_policy("uniform"), load_preset(PRESET).config
    policy, config = usual_policy, usual_config
    if part.kind is heuristic:
        policy = make_policy([part.name])
        prior = Prior(bind(heuristic, part.name))
        config = dataclasses.replace(usual_config, policy=policy, priors=(prior,))
    elif part.kind is memory:
        policy = make_policy("uniform", memories=[part.name])
        config = dataclasses.replace(usual_config, policy=policy)
    elif part.kind is feasibility:
        policy = make_policy("uniform", feasibility=part.name)
        config = dataclasses.replace(usual_config, policy=policy)
    elif part.kind is feature:
        config = dataclasses.replace(usual_config, priors=(_judging_by(part),))
    elif part.kind is statistic:
        reader = usual_config.rules["expansion"]
        reading = BoundPart(dataclasses.replace(reader.part, statistics=(part.name,)), reader.values)
        config = dataclasses.replace(usual_config, rules={**usual_config.rules, "expansion": reading})
    else:
        rules = {**usual_config.rules, part.kind.name: bind(part.kind, part.name)}
        config = dataclasses.replace(usual_config, rules=rules)
    return Place(part, policy, config, usual_policy, usual_config)


def _judging_by(part: Part) -> Prior:
    """Return a prior by one feature, with weights that are all different."""
    levels = part.options["levels"]
    keys = np.zeros(0, np.int64) if isinstance(levels, Keys) else None
    values = np.zeros(0) if keys is not None else np.arange(len(levels)) / 4
    file = Path(_scratch().name, f"{part.name}.npz")
    write_whole(file, Weights((FeatureWeights(part.name, values, keys),), {"size": SIZES[0]}).as_bytes())
    return Prior(bind(heuristic, "learned", {"weights": str(file)}))


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that lasts as long as this process."""
    return tempfile.TemporaryDirectory(prefix="kikashi-")


@cache
def positions(size: int) -> tuple[Game, ...]:
    """Return the empty board and positions of a game of random moves, up to a full board."""
    game, chance = Game(size), random.Random(size)
    found = [game.copy()]
    for _ in range(STAGES - 1):
        for _ in range(size * size // 3 + 1):
            points = chance.sample(points_of(size), size * size)
            game.push(next(filter(game.is_legal, points), PASS))
        found.append(game.copy())
    return tuple(found)


# --- playouts and searches --------------------------------------------------------------------------------------------

UNCHANGED = {
    "heuristic": "playouts are the same without it",
    "memory": "its cells are never written to",
    "statistic": "its rows are never written to",
}
"""Signs, by kind, that a part has no effect. Parts of other kinds always decide something."""


def warm_up(parts: Iterable[Part]) -> None:
    """Compile the kernels of the trials, whose time must not count for a part."""
    parts = list(parts)
    root = root_of(Game(SIZES[0]))
    sample(make_policy("uniform"), root, playouts=1)
    _search(load_preset(PRESET).config, Game(SIZES[0])).run(1)
    if any(part.kind is feature for part in parts):
        compile_part(find(heuristic, "learned"))


def compile_part(part: Part) -> None:
    """Compile all functions of a part. Raises Problem."""
    for entry in part.functions:
        try:
            address_of(part, entry)
        except PartError as error:
            raise _problem(part, error) from error


def try_out(part: Part, step: Callable[[], None]) -> None:
    """Run all trials of a part; `step` is called after each position. Raises Problem."""
    has_effect = part.kind.name not in UNCHANGED
    try:
        place = place_of(part)
    except Exception as error:
        raise _problem(part, error) from error
    with announced([*LOOPS, *place.config.functions], f"for {part}"):
        for size in SIZES:
            for game in positions(size):
                try:
                    has_effect |= _try_in(place, game)
                except Exception as error:
                    where = f" (on {size}x{size} after {plural(game.move_count, 'move')})"
                    raise _problem(part, error, where) from error
                step()
    if not has_effect:
        raise Problem(f"it has no effect: {UNCHANGED[part.kind.name]}")


def _problem(part: Part, error: Exception, where: str = "") -> Problem:
    """Return an error as one line, without the part's own name and line."""
    text = str(error) if isinstance(error, PartError | Problem) else f"{type(error).__name__}: {error}"
    place = re.match(rf"{re.escape(f'{part} in {part.file}')}, line (\d+)[,:] ", text)
    return Problem(one_line(text[place.end() :] if place else text) + where, int(place[1]) if place else None)


def _try_in(place: Place, game: Game) -> bool:
    """Use a part in one position. Returns whether an effect was seen."""
    if place.part.kind is heuristic:
        _check_points(place, game)
    differs = place.is_of_playouts and _run_playouts(place, game)
    return _run_search(place, game) or differs


def _check_points(place: Place, game: Game) -> None:
    """Raise Problem if a heuristic names occupied points or changes the board. The loop drops illegal moves."""
    worker = Worker(place.policy, Memories(), size=game.size, seed=1)
    begin(worker.sim, worker.record, root_of(game))
    try:
        propose(worker.sim, worker.moves, worker.record["heuristic"][0])
    except Exception as error:
        raise worker.explain(error) from error
    if (worker.sim["board"]["color"] != game.board["color"]).any():
        raise Problem("it changes the board")
    listed = set(worker.moves["points"][: int(worker.moves["count"])].tolist())
    taken = [p for p in points_of(game.size) if p in listed and game.color_at(p) != EMPTY]
    if taken:
        raise Problem(f"it names points that are taken, such as {vertex(taken[0])}")


def _run_playouts(place: Place, game: Game) -> bool:
    """Run playouts with the part. Returns whether a heuristic made them differ from those without it."""
    root = root_of(game)
    found, usual = (sample(policy, root, playouts=PLAYOUTS) for policy in (place.policy, place.usual_policy))
    is_same = (found.moves, found.scores.tolist()) == (usual.moves, usual.scores.tolist())
    return place.part.kind is heuristic and not is_same


def _run_search(place: Place, game: Game) -> bool:
    """Run a search with the part. Returns whether a memory or a statistic was written to."""
    search = _search(place.config, game)
    search.run(SIMULATIONS)
    if place.part.kind is memory:
        blocks = search.workers[0].memory_blocks.items()
        return any(block.any() for (name, _), block in blocks if name == place.part.name)
    rows = search.tree.columns.get(place.part.name)
    return rows is not None and bool(rows.view("u1").any())


def _search(config: SearchConfig, game: Game) -> TreeSearch:
    search = TreeSearch(config, size=game.size, nodes=NODES)
    search.start(search_request(game))
    return search


# --- speed ------------------------------------------------------------------------------------------------------------

SPEED_SIZE, SPEED_ROUNDS, SPEED_PLAYOUTS, SPEED_SIMULATIONS = 9, 9, 400, 200


def cost(part: Part) -> float:
    """Return the time of a playout, or a simulation, with the part as a multiple of one without it."""
    place = place_of(part)
    with_it, without = [], []
    for _ in range(SPEED_ROUNDS):  # in turn: what else the machine does hits both
        with_it.append(_seconds(place, place.policy, place.config))
        without.append(_seconds(place, place.usual_policy, place.usual_config))
    return min(with_it) / min(without)


def _seconds(place: Place, policy: Policy, config: SearchConfig) -> float:
    """Return the processor time of some playouts, or of simulations if the part is one of searches."""
    game = Game(SPEED_SIZE)
    if place.is_of_playouts:
        return sample(policy, root_of(game), playouts=SPEED_PLAYOUTS).cpu_seconds
    search = _search(config, game)
    started = time.process_time()
    search.run(SPEED_SIMULATIONS)
    return time.process_time() - started
