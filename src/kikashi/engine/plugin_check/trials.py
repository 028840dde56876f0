"""Trials of parts: playouts and searches on boards of many sizes.

``python -m kikashi.engine.plugin_check.trials PIPE TASK FILE SKIPPED…`` writes lines of JSON into a pipe: the parts of
the file with their lines; for each of them its beginning, its steps and its result.
"""

import json
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, points_of, vertex
from kikashi.engine.preset import load_preset
from kikashi.engine.trace_search import trace_search
from kikashi.engine.tree_reuse import root_of, search_request
from kikashi.files import write_whole
from kikashi.game import Game
from kikashi.jit import announced
from kikashi.parts.binding import BoundPart, bind
from kikashi.parts.compiling import address_of
from kikashi.parts.diagnosis import one_line
from kikashi.parts.plugins import plugins_of_a_player
from kikashi.parts.registry import KINDS, Part, PartError, all_parts, find
from kikashi.playout.kinds import feasibility, feature, heuristic, memory
from kikashi.playout.loop import begin, propose, run_playouts
from kikashi.playout.policy import Policy, make_policy
from kikashi.playout.sampling import sample
from kikashi.playout.tactics.shapes import Keys
from kikashi.playout.weights import FeatureWeights, Weights
from kikashi.playout.worker import Memories, Worker
from kikashi.search.config import Prior, SearchConfig
from kikashi.search.kinds import selection, statistic
from kikashi.search.loop import grow_root, run_simulations
from kikashi.search.tree_search import TreeSearch
from kikashi.wording import plural

SIZES = (2, 3, 5, 9, 13, 19)
PLAYOUTS, SIMULATIONS, TRACED = 40, 60, 10
STAGES = 4
"""Positions of a game on each size, the empty board among them."""
NODES = 40_000
SPEED_SIZE, SPEED_ROUNDS, SPEED_PLAYOUTS, SPEED_SIMULATIONS = 9, 9, 400, 200
OF_PLAYOUTS = (heuristic, memory, feasibility)
"""Kinds that playouts call without a search."""
LOOPS = (begin, propose, run_playouts, run_simulations, grow_root)
"""Kernels of the trials, which are compiled first."""
UNCHANGED = {
    "heuristic": "playouts are the same without it",
    "memory": "its cells are never written to",
    "statistic": "its rows are never written to",
}
"""Signs, by kind, that a part has no effect. Parts of other kinds always decide something."""


class Problem(Exception):
    """A fault of a part, in one line, with the line in its file if that is known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@cache
def plain_config() -> SearchConfig:
    """Return the search in which parts are tried."""
    return load_preset("mogo-2006").config


def config_with(part: Part) -> SearchConfig:
    """Put a part where its kind belongs. Raises PartError if that cannot be done."""
    plain = plain_config()
    if part.kind is heuristic:
        return replace(plain, policy=make_policy([part.name]), priors=(Prior(bind(heuristic, part.name)),))
    if part.kind is memory:
        return replace(plain, policy=make_policy("uniform", memories=[part.name]))
    if part.kind is feasibility:
        return replace(plain, policy=make_policy("uniform", feasibility=part.name))
    if part.kind is feature:
        return replace(plain, priors=(_prior_by(part),))
    if part.kind is statistic:
        reader = plain.rules["expansion"]
        reading = BoundPart(replace(reader.part, statistics=(part.name,)), reader.values)
        return replace(plain, rules={**plain.rules, "expansion": reading})
    return replace(plain, rules={**plain.rules, part.kind.name: bind(part.kind, part.name)})


def _prior_by(part: Part) -> Prior:
    """Return a prior by one feature, with weights that are all different."""
    levels = part.options["levels"]
    keys = np.zeros(0, np.int64) if isinstance(levels, Keys) else None
    values = np.zeros(0) if keys is not None else np.arange(len(levels)) / 4
    file = Path(_scratch().name, f"{part.name}.npz")
    write_whole(file, Weights((FeatureWeights(part.name, values, keys),), {"size": SIZES[0]}).as_bytes())
    return Prior(bind(heuristic, "learned", {"weights": str(file)}))


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
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
        config = config_with(part)
    except Exception as error:
        raise _problem(part, error) from error
    with announced([*LOOPS, *config.functions], f"for {part}"):
        for size in SIZES:
            for game in positions(size):
                try:
                    has_effect |= _try_in(part, config, game)
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


def _try_in(part: Part, config: SearchConfig, game: Game) -> bool:
    """Use a part in one position. Returns whether an effect was seen."""
    differs = False
    if part.kind is heuristic:
        _check_points(config, game)
    if part.kind in OF_PLAYOUTS:
        policies = config.policy, make_policy("uniform")
        tried, plain = (sample(policy, root_of(game), playouts=PLAYOUTS) for policy in policies)
        same = (tried.moves, tried.scores.tolist()) == (plain.moves, plain.scores.tolist())
        differs = part.kind is heuristic and not same
    search = _search(config, game)
    search.run(SIMULATIONS)
    if part.kind is selection and (part.options["terms"] or "explain" in part.functions):
        _check_terms(search)
    blocks = search.workers[0].memory_blocks.items()
    rows = search.tree.columns.get(part.name)
    if part.kind is memory:
        return any(block.any() for (name, _), block in blocks if name == part.name)
    return differs or (rows is not None and bool(rows.view("u1").any()))


def _check_points(config: SearchConfig, game: Game) -> None:
    """Raise Problem if a heuristic names occupied points or changes the board. The loop drops illegal moves."""
    worker = Worker(config.policy, Memories(), size=game.size, seed=1)
    begin(worker.sim, worker.record, root_of(game))
    try:
        propose(worker.sim, worker.moves, worker.record["heuristic"][0])
    except Exception as error:
        raise worker.explain(error) from error
    if (worker.sim["board"]["color"] != game.board["color"]).any():
        raise Problem("it changes the board")
    listed = set(worker.moves["points"][: int(worker.moves["count"])].tolist())
    if taken := [p for p in points_of(game.size) if p in listed and game.color_at(p) != EMPTY]:
        raise Problem(f"it names points that are taken, such as {vertex(taken[0])}")


def _check_terms(search: TreeSearch) -> None:
    """Raise Problem if a selection rule selects another move than its terms say."""
    for trace in trace_search(search, TRACED):
        for found in (node.selection for node in trace.path if node.selection is not None):
            totals = {child.move: child.total for child in found.children if child.total is not None}
            if found.way in ("chosen", "playout") or not found.chosen:
                continue
            if found.chosen not in totals:
                raise Problem(f"`explain` gives no total to {found.chosen}, which the rule selects")
            best = max(totals, key=lambda move: totals[move])
            if found.way == "largest" and totals[found.chosen] < totals[best]:
                raise Problem(f"the rule selects {found.chosen}, but `explain` gives the largest total to {best}")


def _search(config: SearchConfig, game: Game) -> TreeSearch:
    search = TreeSearch(config, size=game.size, nodes=NODES)
    search.start(search_request(game))
    return search


def cost(part: Part) -> float:
    """Return the time of a playout, or a simulation, with the part as a multiple of one without it."""
    config = config_with(part)
    if part.kind in OF_PLAYOUTS:
        runs = [partial(_playing_time, policy) for policy in (config.policy, make_policy("uniform"))]
    else:
        runs = [partial(_searching_time, each) for each in (config, plain_config())]
    rounds = [[run() for run in runs] for _ in range(SPEED_ROUNDS)]  # in turn: another load slows both
    with_it, without = map(min, zip(*rounds, strict=True))
    return float(with_it / without)


def _playing_time(policy: Policy) -> float:
    return sample(policy, root_of(Game(SPEED_SIZE)), playouts=SPEED_PLAYOUTS).cpu_seconds


def _searching_time(config: SearchConfig) -> float:
    search = _search(config, Game(SPEED_SIZE))
    started = time.process_time()
    search.run(SPEED_SIMULATIONS)
    return time.process_time() - started


# --- the process ------------------------------------------------------------------------------------------------------


def _warm_up(parts: list[Part]) -> None:
    """Compile the kernels of the trials, whose time must not count for a part."""
    game = Game(SIZES[0])
    sample(make_policy("uniform"), root_of(game), playouts=1)
    _search(plain_config(), game).run(1)
    if any(part.kind is feature for part in parts):
        compile_part(find(heuristic, "learned"))


def _result(part: Part, task: str, step: Callable[[], None]) -> dict[str, Any]:
    """Run a task; return a problem with its line, a cost, or nothing. `step` is called after each step."""
    try:
        compile_part(part)
        step()
        if task == "time":
            return {"cost": cost(part)}
        try_out(part, step)
    except Problem as problem:
        return {"problem": str(problem), "line": problem.line}
    return {}


def _run(pipe: int, task: str, file: str, skipped: list[str]) -> None:
    with os.fdopen(pipe, "w") as lines:

        def send(**message: Any) -> None:
            print(json.dumps(message), file=lines, flush=True)

        try:
            with plugins_of_a_player([file]):
                known = [part for kind in list(KINDS.values()) for part in all_parts(kind)]
                parts = {f"{part.kind} {part.name}": part for part in known if part.file == str(Path(file).resolve())}
                send(parts={name: part.line for name, part in parts.items()})
                _warm_up(list(parts.values()))
                for name, part in parts.items():
                    if name not in skipped:
                        send(begins=name)
                        send(found=_result(part, task, lambda: send(step=True)))
        except PartError as error:  # of the file itself
            send(error=str(error))


if __name__ == "__main__":
    _run(int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
