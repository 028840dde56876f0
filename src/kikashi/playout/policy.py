"""A policy: an ordered list of heuristics and a feasibility rule, and its wiring into the compiled loop."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, cast

import numpy as np

from kikashi.board.rng import stream
from kikashi.playout import loop
from kikashi.playout.candidates import new_candidates
from kikashi.playout.loop import ASKED_FEASIBILITY, ASKED_LEARNER, ASKED_OBSERVER, HEURISTICS, MEMORIES, POLICY
from kikashi.playout.parts import Feasibility, Heuristic, Memory, Part, PartError, Use, Value, find, use
from kikashi.playout.simulation import SLOTS, new_simulation

UNIFORM = "uniform"
PartSpec = str | Mapping[str, Any]
"""A part in a preset: its name, or a table ``{ part = "name", parameter = value }``."""


@dataclass(frozen=True)
class Policy:
    """How playouts choose their moves. Plain data: making one compiles nothing."""

    heuristics: tuple[Use, ...]
    feasibility: Use
    move_limit: int | None = None
    """Moves of a simulation; None for three times the points of the board."""
    mercy: int = 0
    """End a playout when one side has so many more stones on the board; 0 for never."""

    @property
    def names(self) -> list[str]:
        """Who may make a move, in order, as in counts of moves: heuristics, `uniform`, `pass`."""
        return [str(use) for use in self.heuristics] + [UNIFORM, "pass"]

    @property
    def functions(self) -> list[Any]:
        """What the policy needs compiled besides the loop."""
        return [used.part.function for used in (*self.heuristics, self.feasibility)]

    def __str__(self) -> str:
        return ",".join(self.names[:-1])


def make_policy(
    playout: str | Sequence[PartSpec] = UNIFORM,
    *,
    feasibility: PartSpec | None = None,
    move_limit: int | None = None,
    mercy: int = 0,
) -> Policy:
    """A policy from a list of parts, or from text: ``"escape,last_good_reply(context=2),uniform"``.

    Names of lists (`named_lists`) stand for what they list; the first that has a feasibility rule decides it where none
    is said, else it is `eyelike`. `uniform` always ends the list, written or not. Raises PartError if a name or a
    parameter is not right.
    """
    named: list[NamedList] = []
    parts = list(_expand(_as_specs(playout), named))
    if parts and parts[-1] == (UNIFORM, {}):
        parts.pop()
    if any(name == UNIFORM for name, _ in parts):
        raise PartError("uniform always has a move, so nothing can come after it")
    if len(parts) > HEURISTICS:
        raise PartError(f"a policy has at most {HEURISTICS} heuristics, not {len(parts)}")
    rules = [feasibility, *(listed.feasibility for listed in named), "eyelike"]
    rule = use(Feasibility, *as_part(next(spec for spec in rules if spec is not None)))
    return Policy(tuple(use(Heuristic, *part, also=named_lists()) for part in parts), rule, move_limit, mercy)


@dataclass(frozen=True)
class NamedList:
    """A list of parts that has a name, from ``presets/playouts.toml``."""

    playout: tuple[str, ...]
    source: str
    feasibility: str | None = None


@cache
def named_lists() -> dict[str, NamedList]:
    """The named lists, by name."""
    text = (resources.files("kikashi") / "presets" / "playouts.toml").read_text("utf-8")
    tables = tomllib.loads(text)
    return {
        name: NamedList(tuple(table["playout"]), table["source"], table.get("feasibility"))
        for name, table in tables.items()
    }


PartWithValues = tuple[str, dict[str, Any]]


def _expand(specs: Iterable[PartSpec], named: list[NamedList]) -> Iterator[PartWithValues]:
    """The parts of a list, with named lists replaced by what they list; those met are added to `named`."""
    for spec in specs:
        listed = named_lists().get(spec.strip()) if isinstance(spec, str) else None
        if listed is None:
            yield as_part(spec)
        else:
            named.append(listed)
            yield from _expand(listed.playout, named)


def _as_specs(playout: str | Sequence[PartSpec]) -> Sequence[PartSpec]:
    """The items of ``name,name(key=value,key=value)``."""
    return re.split(r",(?![^(]*\))", playout) if isinstance(playout, str) else playout


def as_part(spec: PartSpec) -> PartWithValues:
    """Name and parameters of one part, from ``name(key=value,…)`` or a table."""
    if not isinstance(spec, str):
        values = dict(spec)
        name = values.pop("part", None)
        if not isinstance(name, str):
            raise PartError(f"a part needs a name: {{ part = ... }}, not {dict(spec)!r}")
        return name, values
    match = re.fullmatch(r"\s*([A-Za-z_][\w-]*)\s*(?:\((.*)\))?\s*", spec)
    if match is None:
        raise PartError(f"{spec.strip()!r} is not a part: write name or name(parameter=value)")
    name, inside = match.groups()
    pairs = [_assignment(name, pair) for pair in (inside or "").split(",") if pair.strip()]
    if len(dict(pairs)) < len(pairs):
        raise PartError(f"{name}: a parameter is set twice in {spec.strip()!r}")
    return name, dict(pairs)


def _assignment(part: str, pair: str) -> tuple[str, Any]:
    key, equals, value = (text.strip() for text in pair.partition("="))
    words = {"true": True, "false": False}
    try:
        if not equals:
            raise ValueError
        return key, words[value.lower()] if value.lower() in words else ast.literal_eval(value)
    except (ValueError, SyntaxError):
        raise PartError(f"{part}: {pair.strip()!r} is not parameter=value") from None


# --- wiring ----------------------------------------------------------------------------------------------------------

LARGEST_MEMORY = 1 << 28
MemoryKey = tuple[str, tuple[tuple[str, Value], ...]]


class Memories:
    """The blocks of the memories that threads share. One for each memory and set of parameters."""

    def __init__(self) -> None:
        self._blocks: dict[MemoryKey, np.ndarray] = {}

    def block(self, key: MemoryKey, length: int) -> np.ndarray:
        """The integers under this key, made at the first call."""
        if not 0 < length <= LARGEST_MEMORY:
            raise PartError(f"memory {key[0]!r} wants {length} cells; it may have 1 to {LARGEST_MEMORY:,}")
        if key not in self._blocks:
            self._blocks[key] = np.zeros(length, np.int32)
        return self._blocks[key]

    def clear(self) -> None:
        """Forget everything: a new search begins."""
        for block in self._blocks.values():
            block[:] = 0


class Worker:
    """What one thread needs to run simulations: its records, with addresses of parts, parameters and memories.

    Compiles the policy's parts if they are not yet; raises PartError if one does not compile.
    """

    def __init__(self, policy: Policy, memories: Memories, *, size: int, seed: int, number: int = 0) -> None:
        self.policy = policy
        self.shared = memories
        self.private = Memories()
        self.sim = new_simulation(stream(seed, number))
        self.moves = new_candidates()
        self.record = np.zeros(1, POLICY)[0]
        self._kept: list[Any] = []
        self._memories: dict[MemoryKey, np.ndarray] = {}
        self._asked: dict[int, Part] = {ASKED_FEASIBILITY: policy.feasibility.part}
        self._wire(size)

    def _wire(self, size: int) -> None:
        record = self.record
        record["move_limit"] = self.policy.move_limit or 3 * size * size
        record["mercy"] = self.policy.mercy
        rule = cast(Feasibility, self.policy.feasibility.part)
        record["feasibility"] = rule.rule_address
        record["feasibility_own"] = self._own(self.policy.feasibility)
        record["ask_always"] = not rule.surrounded_only
        for k, used in enumerate(self.policy.heuristics):
            heuristic = cast(Heuristic, used.part)
            record["propose"][k] = heuristic.propose_address
            record["review"][k] = heuristic.review_address
            record["own"][k] = self._own(used)
            self._asked[k] = heuristic
            if heuristic.reviewer is not None:
                self._append("reviewers", reviewer=k)
        record["heuristics"] = len(self.policy.heuristics)

    def _own(self, used: Use, **blocks: Any) -> int:
        """Make and fill the record of a part; return its address."""
        own = np.zeros(1, used.part.own_dtype())
        for name in used.part.all_parameters:
            own[name] = used.values[name]
        for name in getattr(used.part, "memories", ()):
            own[name] = _block_of(self._memory(name, used.values))
        for name, value in blocks.items():
            own[name] = value
        self._kept.append(own)
        return int(own.ctypes.data)

    def _memory(self, name: str, values: Mapping[str, Value]) -> np.ndarray:
        """The block of a memory that a heuristic names, wired at its first mention."""
        memory = find(Memory, name)
        parameters = {key: values[key] for key in memory.parameters}
        key = (name, tuple(sorted(parameters.items())))
        if key not in self._memories:
            block = (self.shared if memory.scope == "search" else self.private).block(key, memory.length(parameters))
            self._memories[key] = block
            self._wire_memory(memory, Use(memory, parameters), block)
        return self._memories[key]

    def _wire_memory(self, memory: Memory, used: Use, block: np.ndarray) -> None:
        slot = int(self.record["inheritors"])
        own = self._own(used, cells=_block_of(block), slot=slot)
        row = self._append("learners", learn=memory.learn_address, learner_own=own)
        self._asked[ASKED_LEARNER + row] = memory
        if memory.observer is not None:
            row = self._append("observers", observe=memory.observe_address, observer_own=own)
            self._asked[ASKED_OBSERVER + row] = memory
        if memory.inheritor is not None:
            if slot == SLOTS:
                raise PartError(f"{memory}: a policy has at most {SLOTS} memories that keep something for each node")
            self._append("inheritors", inherit=memory.inherit_address, inheritor_own=own)
        if memory.scope == "playout":
            self._append("forgetters", forgotten=_block_of(block))

    def _append(self, counter: str, **columns: Any) -> int:
        """Add a row to one of the record's lists; return its number."""
        row = int(self.record[counter])
        if counter != "reviewers" and row == MEMORIES:
            raise PartError(f"a policy has at most {MEMORIES} memories")
        for name, value in columns.items():
            self.record[name][row] = value
        self.record[counter] = row + 1
        return row

    def set_zoned(self, zoned: bool) -> None:
        """Whether moves must stay inside ``sim["zone"]`` from now on."""
        rule = cast(Feasibility, self.policy.feasibility.part)
        self.sim["zoned"] = zoned
        self.record["ask_always"] = zoned or not rule.surrounded_only

    def moves_by(self) -> dict[str, int]:
        """Moves made so far by each heuristic, by the uniform choice and by passing."""
        by_heuristic = [int(count) for count in self.record["moves_by"][: len(self.policy.heuristics)]]
        passes = int(self.record["passes"])
        uniform = int(self.record["moves"]) - passes - sum(by_heuristic)
        counts: dict[str, int] = {}
        for name, count in zip(self.policy.names, [*by_heuristic, uniform, passes], strict=True):
            counts[name] = counts.get(name, 0) + count
        return counts

    def explain(self, error: Exception) -> PartError:
        """The error of a part that ended the loop, as one line that names the part."""
        part = self._asked[int(self.sim["asked"])]
        said = type(error).__doc__ if isinstance(error, loop.ListError) else f"{type(error).__name__}: {error}"
        return PartError(f"{part} in {part.file}: {said}")


def _block_of(block: np.ndarray) -> tuple[int, int]:
    return int(block.ctypes.data), block.size
