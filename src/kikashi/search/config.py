"""What a search is made of, as plain data: a policy, the rules of the tree, priors, and what a simulation is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import msgspec

from kikashi.parts.binding import BoundPart, bind
from kikashi.parts.registry import Part, PartError
from kikashi.playout.loop import HEURISTICS
from kikashi.playout.model.weights import features_read_by
from kikashi.playout.policy import Policy
from kikashi.search.kinds import REQUIRED, statistic
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
    """For the best proposal of a list, lost ones if negative; of a list that knows shares, for the share of 1, unless
    it is relative."""
    power: float = 1.0
    """Of the share of the games that a move gets: below 1 it evens them out."""
    relative: bool = False
    """Whether the best proposal of a list that knows shares has all games, however small its share is."""


@dataclass(frozen=True)
class SearchConfig:
    """What a search is made of, as data."""

    policy: Policy
    rules: Mapping[str, BoundPart]
    """By key of `kikashi.search.kinds.preset_keys`: the rules of the tree."""
    win_weight: float = 1.0
    score_weight: float = 0.0
    priors: tuple[Prior, ...] = ()
    even_games: float = 0.0
    virtual_loss: int = 1
    """Counted only with several threads."""
    zone: ZoneRule | None = None
    """How a search that is given a `Tuning` finds its zone."""
    kept_statistics: tuple[BoundPart, ...] = ()
    """Statistics of nodes that are kept although no rule reads them."""
    stages: Stages | None = None
    """The stages in which the search runs its simulations (`kikashi.search.staged`); None for one after the other."""
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
        self._features()  # weights that are not right are told now, and not when a game begins

    def _check_transpositions(self) -> None:
        """Raise ValueError if what belongs to a position depends on the way to it, or if there is no tree."""
        ways = {
            "a region": "region" in self.rules,
            "a zone": self.zone is not None,
            "a memory of nodes": self.keeps_slots,
        }
        if found := [name for name, is_there in ways.items() if is_there]:
            raise ValueError(f"transpositions do not go with {found[0]}, which depends on the way to a position")
        if self.stages is not None:
            raise ValueError("transpositions do not go with stages, which search one ply")

    def _features(self) -> list[BoundPart]:
        """The features of learned weights that heuristics read, in playouts or as priors. Raises PartError."""
        uses = [*self.policy.heuristics, *(prior.used for prior in self.priors)]
        return [feature for used in uses for feature in features_read_by(used)]

    @property
    def functions(self) -> list[Any]:
        """What has to be compiled besides the loop."""
        uses = [*self.rules.values(), *self.statistics.values(), *(prior.used for prior in self.priors), *self._groups]
        uses += self._features()
        return [*self.policy.functions, *(used.part.function for used in uses)]

    @property
    def bound_parts(self) -> list[BoundPart]:
        """All parts at work: those it names, the memories they read, and the statistics."""
        policy, priors = self.policy, (prior.used for prior in self.priors)
        rules = (*self.rules.values(), *self._groups)
        named = [*policy.heuristics, policy.feasibility, *policy.memories, *rules, *priors, *self.kept_statistics]
        found = [each for used in named for each in _with_all_it_reads(used)]
        for used in found:  # statistics that are found on the way have their turn at the end
            known = {each.part.name for each in found if each.part.kind is statistic}
            for name in used.part.statistics:
                found += _with_all_it_reads(bind(statistic, name)) if name not in known else ()
        return found

    @property
    def _groups(self) -> list[BoundPart]:
        return [] if self.zone is None else [self.zone.groups]

    @property
    def statistics(self) -> dict[str, BoundPart]:
        """The statistics of nodes that some part reads, by name."""
        return {used.part.name: used for used in self.bound_parts if used.part.kind is statistic}

    @property
    def columns(self) -> dict[str, Any]:
        """What is kept for each node beside the tree: the type of a row, by name. Raises PartError if a name is
        there twice or if there are too many."""
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
        """Whether some memory keeps something for each node."""
        return any("inherit" in used.part.functions for used in self.bound_parts)


def _with_all_it_reads(used: BoundPart) -> list[BoundPart]:
    """A part in use, the memories and the features that it reads, what these read, and so on."""
    read = [*(memory for _, memory in used.bound_memories()), *features_read_by(used)]
    return [used, *(each for one in read for each in _with_all_it_reads(one))]
