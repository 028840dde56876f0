"""Configuration of a search as plain data: a policy, the rules of the tree, priors, and values of simulations."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import msgspec

from kikashi.parts.binding import BoundPart, bind
from kikashi.parts.registry import Part, PartError
from kikashi.playout.loop import HEURISTICS
from kikashi.playout.policy import Policy
from kikashi.search.kinds import PLAYOUT, REQUIRED, evaluation, statistic
from kikashi.search.tree import COLUMNS, SLOT_ROW, SLOTS_COLUMN
from kikashi.search.zones import ZoneRule


class Stages(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Division of a search of the root's moves into blocks that do not depend on each other."""

    blocks: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 64
    """Blocks of a stage, after which moves may be pruned."""
    games: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 100
    """Games of a block, which has random numbers of its own."""


@dataclass(frozen=True)
class Prior:
    """A heuristic that gives virtual games to what it proposes."""

    used: BoundPart
    games: float = 10.0
    """Games of the best proposal, lost ones if negative; of a list with shares, those of the share 1."""
    power: float = 1.0
    """Exponent of a move's share of the games; below 1 it evens them out."""
    relative: bool = False
    """Whether the best proposal of a list with shares has all games, however small its share is."""


@dataclass(frozen=True)
class SearchConfig:
    """Configuration of a search."""

    policy: Policy
    rules: Mapping[str, BoundPart]
    """Rules of the tree, by key of `kikashi.search.kinds.preset_keys`."""
    win_weight: float = 1.0
    score_weight: float = 0.0
    priors: tuple[Prior, ...] = ()
    even_games: float = 0.0
    virtual_loss: int = 1
    """Virtual loss of a descent; only with several threads."""
    zone: ZoneRule | None = None
    """Rule of the zone, for searches with a `Tuning`."""
    kept_statistics: tuple[BoundPart, ...] = ()
    """Statistics of nodes that are kept although no rule reads them."""
    stages: Stages | None = None
    """Stages of the simulations (`kikashi.search.staged`); None for none."""
    transpositions: bool = False
    """Whether nodes of the same position share their children and their value."""

    def __post_init__(self) -> None:
        if missing := [key for key in REQUIRED if key not in self.rules]:
            raise ValueError(f"a search needs a rule for its {missing[0]}")
        if len(self.priors) > HEURISTICS:
            raise ValueError(f"a search has at most {HEURISTICS} priors, not {len(self.priors)}")
        if "pruning" in self.rules and self.stages is None:
            raise ValueError("pruning comes at the end of a stage: a search that prunes must have stages")
        if self.transpositions:
            self._check_transpositions()
        _ = self.bound_parts  # bad files of models raise here, and not when a game begins

    def _check_transpositions(self) -> None:
        """Raise ValueError if the children of a position depend on the moves before it, or if there is no tree."""
        ways = {
            "a region": "region" in self.rules,
            "a zone": self.zone is not None,
            "a memory of nodes": self.keeps_slots,
        }
        if found := [name for name, is_there in ways.items() if is_there]:
            raise ValueError(f"transpositions do not go with {found[0]}, which depends on the way to a position")
        if self.stages is not None:
            raise ValueError("transpositions do not go with stages, which search one ply")

    @property
    def all_rules(self) -> dict[str, BoundPart]:
        """Rules of the tree with those that a preset need not name."""
        return {"tree_feasibility": self.policy.feasibility, "evaluation": bind(evaluation, PLAYOUT), **self.rules}

    @property
    def functions(self) -> list[Any]:
        """Functions to compile besides the loop."""
        return [used.part.function for used in self.bound_parts]

    @cached_property
    def bound_parts(self) -> list[BoundPart]:
        """All parts: those it names, the memories and features they read, and the statistics."""
        policy, priors = self.policy, (prior.used for prior in self.priors)
        rules = (*self.all_rules.values(), *([] if self.zone is None else [self.zone.groups]))
        named = [*policy.heuristics, policy.feasibility, *policy.memories, *rules, *priors, *self.kept_statistics]
        found = [each for used in named for each in _with_all_it_reads(used)]
        for used in found:  # it grows by statistics
            known = {each.part.name for each in found if each.part.kind is statistic}
            for name in used.part.statistics:
                found += _with_all_it_reads(bind(statistic, name)) if name not in known else ()
        return found

    @property
    def statistics(self) -> dict[str, BoundPart]:
        """Statistics of nodes, by name."""
        return {used.part.name: used for used in self.bound_parts if used.part.kind is statistic}

    @property
    def columns(self) -> dict[str, Any]:
        """Types of the rows that parts keep for each node, by name. Raises PartError for too many or a name twice."""
        owners: dict[str, Part] = {}
        for part in (used.part for used in self.bound_parts if "row" in used.part.options):
            if owners.setdefault(part.name, part) is not part:
                raise PartError(f"{part} and {owners[part.name]} keep something for nodes under one name")
        rows = {name: part.options["row"] for name, part in owners.items()}
        rows |= {SLOTS_COLUMN: SLOT_ROW} if self.keeps_slots else {}
        if len(rows) > COLUMNS:
            raise PartError(f"at most {COLUMNS} parts can keep something for nodes, not {len(rows)}")
        return rows

    @cached_property
    def keeps_slots(self) -> bool:
        """Whether a memory keeps slots for each node."""
        return any("inherit" in used.part.functions for used in self.bound_parts)


def _with_all_it_reads(used: BoundPart) -> list[BoundPart]:
    """Return a part, the memories and features that it reads, those that these read, and so on."""
    read = [*(memory for _, memory in used.bound_memories()), *used.parts_of_models()]
    return [used, *(each for one in read for each in _with_all_it_reads(one))]
