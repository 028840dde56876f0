"""Learned weights: their files, the record that a part reads as ``my.weights``, and the kernels that use it.

Each feature gives a move a level; the gammas of its levels multiply, and a move's share is its product by the sum over
all moves: the generalised Bradley–Terry model of Coulom 2007. A weight is the logarithm of a gamma: the weights of a
move add up. The value of a position is a logistic regression over the same levels: the weights of all its moves add up.

A file is a NumPy archive: a header in JSON (format, board size, target, features, sources, figures) and for each
feature the weights of its levels; of one whose levels are keys, the keys that have a weight, the smallest of each set
of images.
"""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, TypeAlias

import numpy as np

from kikashi.board.points import BLACK
from kikashi.board.position import is_legal
from kikashi.board.queries import is_eyelike
from kikashi.jit import inlined, kernel
from kikashi.parts.binding import BoundPart, bind
from kikashi.parts.blocks import BLOCK, block_of, records
from kikashi.parts.calling import RULE, ask, ask_int
from kikashi.parts.models import NOT_A_FILE, Model, load
from kikashi.parts.registry import PartError, as_part
from kikashi.playout.candidates import Candidates, add
from kikashi.playout.kinds import feature
from kikashi.playout.loop import ListError
from kikashi.playout.simulation import Simulation
from kikashi.playout.tactics.shapes import Keys

FORMAT = 1
MOVES, VALUES = "moves", "values"
"""Targets that weights are learned for."""


@dataclass(frozen=True)
class FeatureWeights:
    """The weights of one feature."""

    spec: str
    """The feature with its parameters, as in a list: ``distance(back=2)``."""
    values: np.ndarray
    """By level, or by key."""
    keys: np.ndarray | None = None
    """None where levels have names."""

    def bind(self) -> BoundPart:
        """Bind the feature. Raises PartError if there is none that these weights are for."""
        bound = bind(feature, *as_part(self.spec))
        levels = bound.part.options["levels"]
        if isinstance(levels, Keys) != (self.keys is not None):
            raise PartError(f"{bound.part} has other levels than these weights: train them anew with kikashi learn")
        if not isinstance(levels, Keys) and len(levels) != self.values.size:
            raise PartError(
                f"{bound.part} has {len(levels)} levels and the weights {self.values.size}: "
                "train them anew with kikashi learn"
            )
        return bound

    def every_key(self) -> tuple[np.ndarray, np.ndarray]:
        """Return all images of the keys, and their weights."""
        bound = self.bind()
        images = np.asarray(bound.part.options["levels"].images(self.keys, bound.values))
        keys, first = np.unique(images.ravel(), return_index=True)
        return keys, np.tile(self.values, images.shape[0])[first]


@dataclass(frozen=True)
class Weights:
    """The content of a file."""

    features: tuple[FeatureWeights, ...]
    header: Mapping[str, Any]
    """Further facts: ``size``, ``sources``, ``figures``, ``versions`` …; the ``target`` if not moves."""

    @property
    def target(self) -> str:
        """``"moves"``, or ``"values"`` for weights of positions."""
        return str(self.header.get("target", MOVES))

    @property
    def size(self) -> int:
        """The board that they were trained on."""
        return int(self.header["size"])

    def bound_features(self) -> list[BoundPart]:
        """Return the features. Raises PartError if one is not there, or has other levels."""
        return [one.bind() for one in self.features]

    def as_bytes(self) -> bytes:
        """Return the file."""
        header = {**self.header, "format": FORMAT, "features": [one.spec for one in self.features]}
        arrays = {"header": np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), np.uint8)}
        for number, one in enumerate(self.features):
            arrays[f"values{number}"] = one.values.astype(np.float32)
            if one.keys is not None:
                arrays[f"keys{number}"] = one.keys.astype(np.int64)
        file = io.BytesIO()
        np.savez_compressed(file, **arrays)
        return file.getvalue()


def read_weights(name: str, data: bytes) -> Weights:
    """Read weights from the bytes of a file that messages call `name`. Raises PartError if they are none, or do not fit
    the features."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            header = json.loads(arrays["header"].tobytes())
            if header["format"] != FORMAT:
                raise PartError(f"weights {name}: a file of format {header['format']}, and we read {FORMAT}")
            found = [
                FeatureWeights(
                    spec,
                    arrays[f"values{number}"].astype(np.float64),
                    arrays.get(f"keys{number}"),
                )
                for number, spec in enumerate(header.pop("features"))
            ]
            weights = Weights(tuple(found), header)
            _check(weights)
    except PartError:
        raise
    except NOT_A_FILE:
        raise PartError(f"weights {name}: this is not a file of weights") from None
    try:
        weights.bound_features()
    except PartError as error:
        raise PartError(f"weights {name}: {error}") from None
    return weights


def _check(weights: Weights) -> None:
    """Raise ValueError for infinite weights, and for keys without weights."""
    int(weights.header["size"])
    for one in weights.features:
        if one.values.ndim != 1 or not np.isfinite(one.values).all():
            raise ValueError
        if one.keys is not None and (one.keys.shape != one.values.shape or one.keys.dtype != np.int64):
            raise ValueError


# --- kernels ----------------------------------------------------------------------------------------------------------

ModelRecord: TypeAlias = Any

MOST_FEATURES = 32
MODEL = np.dtype(
    [
        ("features", "i8"),
        ("feature", RULE, (MOST_FEATURES,)),
        ("weights", BLOCK, (MOST_FEATURES,)),  # of LEVELs, or of KEYED entries as a hash table; none while learning
        ("keyed", "u1", (MOST_FEATURES,)),
        ("preparers", "i8"),
        ("preparer", RULE, (MOST_FEATURES,)),
    ],
    align=True,
)

LEVEL = np.dtype([("weight", "f8")])
KEYED = np.dtype([("key", "i8"), ("weight", "f8")], align=True)
NO_KEY = -1

_A_LEVEL = np.zeros(1, LEVEL)[0]
_A_KEYED = np.zeros(1, KEYED)[0]
_MIXER = 0x9E3779B97F4A7C15 >> 1
"""An odd number that spreads keys over a table."""


class NoLevel(ListError):
    """it gave a level that it does not have"""


@inlined
def is_candidate(sim: Simulation, p: int) -> bool:
    """Return whether a move is judged: it is legal, and no eye of one's own."""
    return is_legal(sim.board, p) and not is_eyelike(sim.board, p, sim.board.to_play)


@kernel
def prepare(sim: Simulation, model: ModelRecord) -> None:
    """Let the features prepare for the position."""
    for k in range(model.preparers):
        ask(sim, model.preparer[k], (sim,))


@kernel
def add_shares(sim: Simulation, moves: Candidates, model: ModelRecord) -> None:
    """List all moves with their probabilities."""
    caller = sim.called
    prepare(sim, model)
    board = sim.board
    total = 0.0
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if is_candidate(sim, p):
            strength = np.exp(weight_of_move(sim, model, p))
            total += strength
            add(moves, p, strength)
    sim.called = caller
    moves.shares = True
    for j in range(moves.count):
        moves.weights[np.uintp(j)] /= total


@kernel
def weigh_listed(sim: Simulation, moves: Candidates, model: ModelRecord) -> None:
    """Weigh all moves on the list by the products of their gammas."""
    caller = sim.called
    prepare(sim, model)
    moves.weighted = True
    for i in range(moves.count):
        moves.weights[np.uintp(i)] = np.exp(weight_of_move(sim, model, np.int64(moves.points[np.uintp(i)])))
    sim.called = caller


@kernel
def weight_of_move(sim: Simulation, model: ModelRecord, p: int) -> float:
    """Return the sum of the weights of a move's levels."""
    weight = 0.0
    for k in range(model.features):
        weight += weight_of_level(model, k, ask_int(sim, model.feature[k], (sim, p)))
    return weight


@kernel
def value_of_position(sim: Simulation, model: ModelRecord) -> float:
    """Return Black's chance to win, from 0 to 1."""
    caller = sim.called
    prepare(sim, model)
    board = sim.board
    total = 0.0
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if is_candidate(sim, p):
            total += weight_of_move(sim, model, p)
    sim.called = caller
    return 1.0 / (1.0 + np.exp(-total if board.to_play == BLACK else total))


@inlined
def weight_of_level(model: ModelRecord, k: int, level: int) -> float:
    """Return the weight of a level of the feature in row `k`. Raises NoLevel if there is none."""
    if model.keyed[k] != 0:
        return _weight_of_key(model.weights[k], level)
    if not 0 <= level < model.weights[k].length:
        raise NoLevel
    return records(model.weights[k], _A_LEVEL)[np.uintp(level)].weight


@inlined
def _weight_of_key(table: Any, key: int) -> float:
    """Return the weight of a key, 0 if it is not in the table, which has empty entries."""
    entries = records(table, _A_KEYED)
    at = _place(key, table.length)
    while entries[np.uintp(at)].key != NO_KEY:
        if entries[np.uintp(at)].key == key:
            return entries[np.uintp(at)].weight
        at = (at + 1) & (table.length - 1)
    return 0.0


@kernel
def _place(key: int, length: int) -> int:
    mixed = np.uint64(key) * np.uint64(_MIXER)
    return np.int64((mixed >> np.uint64(32)) & np.uint64(length - 1))


@kernel
def extract(sim: Simulation, model: ModelRecord, points: np.ndarray, levels: np.ndarray) -> int:
    """Write all candidates into `points` and rows of their levels into `levels`; return their number."""
    prepare(sim, model)
    board = sim.board
    count = 0
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if is_candidate(sim, p):
            points[count] = p
            for k in range(model.features):
                levels[count, k] = ask_int(sim, model.feature[k], (sim, p))
            count += 1
    return count


# --- files and wiring -------------------------------------------------------------------------------------------------

SHIPPED, SHIPPED_PLAYOUTS = "shipped", "shipped-playouts"
"""Names of the weights of the package: for priors, and for playouts."""
_FOLDERS = {SHIPPED: "weights", SHIPPED_PLAYOUTS: "weights/playouts"}


@dataclass(frozen=True)
class FeatureModel(Model):
    """Learned weights of features: of moves, or of the values of positions."""

    default: str = SHIPPED
    target: str = MOVES
    names = (SHIPPED, SHIPPED_PLAYOUTS)
    noun = "weights"
    wanted = "the path of a file that kikashi learn has written"
    dtype = MODEL

    def read(self, name: str, data: bytes) -> Weights:
        weights = read_weights(name, data)
        if weights.target != self.target:
            raise PartError(f"weights {name}: they are for {weights.target}, not for {self.target}")
        return weights

    def parts(self, name: str) -> list[BoundPart]:
        sizes = shipped_sizes(name) if name in _FOLDERS else (0,)
        found = {str(one): one for size in sizes for one in self.weights_for(name, size).bound_features()}
        return list(found.values())

    def wire(self, worker: Any, name: str) -> Any:
        weights = self.weights_for(name, worker.size)
        model = new_model(worker, weights.bound_features())
        worker.keep(name, give_weights(model, weights))
        return model

    def weights_for(self, name: str, size: int) -> Weights:
        """Return the weights of a file, or with a name of the package those for a board. Raises PartError."""
        if name not in _FOLDERS:
            weights: Weights = load(self, name)
            return weights
        if not shipped_sizes(name):
            raise PartError("no such weights come with this package: make some with kikashi learn, or make weights")
        return _shipped(name, min(shipped_sizes(name), key=lambda known: (abs(known - size), known)))


@cache
def shipped_sizes(name: str = SHIPPED) -> tuple[int, ...]:
    """Return the sizes of boards that weights come with the package for."""
    folder = resources.files("kikashi") / _FOLDERS[name]
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return tuple(sorted(int(name.removesuffix(".npz")) for name in names if name.endswith(".npz")))


@cache
def _shipped(name: str, size: int) -> Weights:
    file = resources.files("kikashi") / _FOLDERS[name] / f"{size}.npz"
    return read_weights(f"{size}x{size}", file.read_bytes())


def new_model(worker: Any, features: Sequence[BoundPart]) -> Any:
    """Make the record of a worker's features, without weights. Raises PartError if there are too many."""
    if len(features) > MOST_FEATURES:
        raise PartError(f"weights are for at most {MOST_FEATURES} features, not {len(features)}")
    model = np.zeros(1, MODEL)[0]
    for row, bound in enumerate(features):
        own = worker.own(bound)
        model["feature"][row] = worker.rule(bound, own=own)
        if "prepare" in bound.part.functions:
            model["preparer"][model["preparers"]] = worker.rule(bound, "prepare", own)
            model["preparers"] += 1
    model["features"] = len(features)
    return model


def give_weights(model: Any, weights: Weights) -> list[np.ndarray]:
    """Give a record the weights of its features, in its order; return the arrays, which must outlive it."""
    tables = []
    for row, one in enumerate(weights.features):
        table = one.values.astype(np.float64) if one.keys is None else _table(one)
        model["keyed"][row] = one.keys is not None
        model["weights"][row] = block_of(table)
        tables.append(table)
    return tables


def _table(one: FeatureWeights) -> np.ndarray:
    """Make an open hash table of the keys and all their images."""
    keys, weights = one.every_key()
    length = 16
    while length < 2 * keys.size:
        length *= 2
    table = np.zeros(length, KEYED)
    table["key"] = NO_KEY
    _fill(table, keys, weights)
    return table


@kernel
def _fill(table: np.ndarray, keys: np.ndarray, weights: np.ndarray) -> None:
    for i in range(keys.size):
        at = _place(keys[i], table.size)
        while table[at].key != NO_KEY:
            at = (at + 1) & (table.size - 1)
        table[at].key = keys[i]
        table[at].weight = weights[i]
