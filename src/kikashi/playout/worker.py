"""Workers: the records of one thread, in which parts have become addresses."""

import inspect
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kikashi.board.rng import stream
from kikashi.jit import is_bounds_checked
from kikashi.parts.binding import BoundPart
from kikashi.parts.blocks import block_of
from kikashi.parts.compiling import address_of
from kikashi.parts.registry import Parameter, Part, PartError
from kikashi.playout.candidates import new_candidates
from kikashi.playout.hash_store import (
    IN_USE,
    NO_ENTRIES,
    USUAL_ROOM,
    Entries,
    Room,
    StoreCells,
    clear_store,
    entries_of,
)
from kikashi.playout.loop import POLICY, BoardChanged, ListError
from kikashi.playout.policy import Policy
from kikashi.playout.simulation import new_simulation

LARGEST_MEMORY = 1 << 28
_LISTS = {
    "heuristic": "heuristics",
    "reviewer": "heuristics that review moves",
    "learner": "memories that learn",
    "observer": "memories that observe moves",
    "inheritor": "memories that keep something for the nodes of the tree",
    "picker": "memory that picks heuristics",
    "forgetter": "memories that are cleared before each playout",
}
"""Lists of a policy's record, for errors."""
MemoryKey = tuple[str, tuple[tuple[str, Parameter], ...]]


class Memories:
    """The blocks of the memories that threads share, one for each memory and set of parameters."""

    def __init__(self, room: Room = USUAL_ROOM, most: int = 0) -> None:
        """Give memories `room` for a search; `clear` may give them room for up to `most` simulations."""
        self._room = room
        self._largest = room._replace(simulations=max(room.simulations, most))
        self._blocks: dict[MemoryKey, np.ndarray] = {}
        self._stores: dict[MemoryKey, BoundPart] = {}
        """The memories that are hashed stores."""

    def block(self, bound: BoundPart) -> np.ndarray:
        """Return the integers of a memory with these parameters, made at the first call. Raises PartError."""
        key = _key_of(bound)
        if key not in self._blocks:
            length = _cells_of(bound, self._largest)
            if not 0 < length <= LARGEST_MEMORY:
                raise PartError(f"{bound.part} wants {length} cells; it may have 1 to {LARGEST_MEMORY:,}")
            self._blocks[key] = np.zeros(length, np.int32)  # unused pages take no memory
            if isinstance(length, StoreCells):
                self._stores[key] = bound
                self._blocks[key][IN_USE] = _cells_of(bound, self._room)
        return self._blocks[key]

    def in_use(self, bound: BoundPart) -> np.ndarray:
        """Return the integers of a memory that a search uses, of a hashed store only a part."""
        block = self.block(bound)
        return block[: int(block[IN_USE])] if _key_of(bound) in self._stores else block

    def named(self, name: str) -> list[np.ndarray]:
        """Return the integers of all memories of this name."""
        return [block for (kept, _), block in self._blocks.items() if kept == name]

    def clear(self, simulations: int | None = None) -> None:
        """Forget everything, for a new search of a number of simulations, if that is known."""
        if simulations is not None:
            self._room = self._room._replace(simulations=min(simulations, self._largest.simulations))
        for key, block in self._blocks.items():
            if key in self._stores:
                clear_store(block, _cells_of(self._stores[key], self._room))
            else:
                block[:] = 0

    def entries(self) -> dict[str, Entries]:
        """Return the entries made and evicted since the last `clear`, by the name of a hashed store."""
        found: dict[str, Entries] = {}
        for key in self._stores:
            found[key[0]] = found.get(key[0], NO_ENTRIES).plus(entries_of(self._blocks[key]))
        return found


def _key_of(bound: BoundPart) -> MemoryKey:
    return bound.part.name, tuple(sorted(bound.values.items()))


def _cells_of(bound: BoundPart, room: Room) -> int:
    """Return the cells of a memory for searches that need this room."""
    cells = bound.part.options["cells"]
    if callable(cells):
        takes_room = len(inspect.signature(cells).parameters) > 1
        cells = cells(bound.values, room) if takes_room else cells(bound.values)
    return cells if isinstance(cells, StoreCells) else int(cells)


class Worker:
    """The records of a thread: a simulation, a candidate list, and the policy with addresses of parts and memories.

    Compiles the policy's parts if necessary. Raises PartError if one does not compile.
    """

    def __init__(self, policy: Policy, memories: Memories, *, size: int, seed: int, number: int = 0) -> None:
        self.policy = policy
        self._names = policy.names
        self.shared = memories
        self.size = size
        self.private = Memories()
        self.sim = new_simulation(stream(seed, number))
        self.moves = new_candidates()
        self.record = np.zeros(1, POLICY)[0]
        self._kept: list[np.ndarray] = []
        self._parts: list[Part] = []
        self.arrays: dict[str, list[np.ndarray]] = {}
        """The latest arrays of models, by file; of learned weights one for each feature, which training may change."""
        self.memory_blocks: dict[MemoryKey, np.ndarray] = {}
        """The memories in use, shared or private."""
        self.record["move_limit"] = policy.move_limit or 3 * size * size
        self.record["feasibility"] = rule = self.rule(policy.feasibility)
        if "draw" in policy.feasibility.part.functions:
            self.record["drawing"] = self.rule(policy.feasibility, "draw", rule[1])
        self.set_zoned(False)
        for row, bound in enumerate(policy.heuristics):
            own = self.own(bound)
            self.record["skip"][row] = round(float(bound.values["skip"]) * 2**32)
            self._append("heuristic", self.rule(bound, own=own))
            if "review" in bound.part.functions:
                self.record["reviewer_row"][self.record["reviewers"]] = row
                self._append("reviewer", self.rule(bound, "review", own))
        for bound in policy.memories:
            self._memory(bound)

    # --- wiring -------------------------------------------------------------------------------------------------------

    def rule(self, bound: BoundPart, entry: str | None = None, own: int | None = None) -> tuple[int, int, int]:
        """Return the RULE of a part, or of another function of it that shares its `own` record."""
        address = address_of(bound.part, entry or bound.part.kind.entries[0].name)
        self._parts.append(bound.part)
        return address, self.own(bound) if own is None else own, len(self._parts) - 1

    def own(self, bound: BoundPart, **further: Any) -> int:
        """Make and fill the record that a part gets as ``my``; return its address."""
        own = np.zeros(1, bound.part.own_dtype())
        for name in bound.part.all_parameters:
            model = bound.part.models.get(name)
            own[name] = model.wire(self, str(bound.values[name])) if model else bound.own_value(name)
        for alias, memory in bound.bound_memories():
            own[alias] = block_of(self._memory(memory))
        for name, block in {**self.columns(bound.part.columns), **further}.items():
            own[name] = block
        self._kept.append(own)
        return int(own.ctypes.data)

    def keep(self, name: str, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """Keep the arrays of a model in memory: its record has only their addresses. Several may be of one file."""
        self.arrays[name] = arrays
        self._kept += arrays
        return arrays

    def columns(self, names: Sequence[str]) -> Mapping[str, Any]:
        """Return the blocks of statistics of nodes; playouts alone have none."""
        if names:
            raise PartError(f"the statistic {names[0]!r} is there only in a search")
        return {}

    def _memory(self, bound: BoundPart) -> np.ndarray:
        """Return the block of a memory, which is wired at its first mention, after the memories that it reads."""
        key = _key_of(bound)
        if key not in self.memory_blocks:
            is_shared = bound.part.options["scope"] == "search"
            self.memory_blocks[key] = block = (self.shared if is_shared else self.private).block(bound)
            self._wire_memory(bound, block)
        return self.memory_blocks[key]

    def _wire_memory(self, bound: BoundPart, block: np.ndarray) -> None:
        for _, read in bound.bound_memories():
            self._memory(read)  # their slots come before its own
        own = self.own(bound, cells=block_of(block), slot=int(self.record["inheritors"]))
        for entry, row in (("learn", "learner"), ("observe", "observer"), ("inherit", "inheritor"), ("pick", "picker")):
            if entry in bound.part.functions and (entry != "learn" or bound.part.options["learns"]):
                self._append(row, self.rule(bound, entry, own))
        if bound.part.options["scope"] == "playout":
            self._append("forgetter", block_of(block))

    def _append(self, name: str, row: Any) -> None:
        """Add a row to one of the record's lists. Raises PartError if it is full."""
        count, rows = int(self.record[f"{name}s"]), self.record[name]
        if count == len(rows):
            raise PartError(f"at most {len(rows)} {_LISTS[name]} can work together")
        rows[count] = row
        self.record[f"{name}s"] = count + 1

    # --- running ------------------------------------------------------------------------------------------------------

    def set_zoned(self, zoned: bool) -> None:
        """Set whether moves must stay inside ``sim["zone"]``, so that only its points count."""
        self.sim["zoned"] = zoned
        options = self.policy.feasibility.part.options
        most = -1 if options["surrounded_only"] else 1 if options["crowded_only"] else 4
        self.record["max_open"] = 4 if zoned else most

    def clear_counts(self) -> None:
        """Forget the counts of moves."""
        for name in ("moves", "passes", "moves_by"):
            self.record[name] = 0

    def moves_by(self) -> dict[str, int]:
        """Return the moves made by each heuristic, by the uniform choice and by passing."""
        by_heuristic = [int(count) for count in self.record["moves_by"][: len(self.policy.heuristics)]]
        passes = int(self.record["passes"])
        uniform = int(self.record["moves"]) - passes - sum(by_heuristic)
        counts: dict[str, int] = {}
        for name, count in zip(self._names, [*by_heuristic, uniform, passes], strict=True):
            counts[name] = counts.get(name, 0) + count
        return counts

    def explain(self, error: Exception) -> PartError:
        """Convert the error of a part that ended the loop into one line that names the part."""
        part = self._parts[int(self.sim["called"])]
        if isinstance(error, BoardChanged) and not is_bounds_checked():  # detected later: it may have been another
            part = next((each for each in self._parts if not each.function.__module__.startswith("kikashi.")), part)
        is_ours = isinstance(error, ListError | BoardChanged)
        message = type(error).__doc__ if is_ours else f"{type(error).__name__}: {error}"
        return PartError(f"{part} in {part.file}, line {_line_of(error, part)}: {message}")


def _line_of(error: Exception, part: Part) -> int:
    """Return the last line of a part's file that an error was raised in, or the line of the part.

    Code from the cache may have been compiled from a copy of the file in another folder.
    """
    name = Path(part.file).name
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).name == name]
    return frames[-1].lineno or part.line if frames else part.line
