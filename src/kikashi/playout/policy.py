"""A policy: an ordered list of heuristics, and a feasibility rule. Plain data, from a preset or a command line."""

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from kikashi.parts.binding import BoundPart, bind
from kikashi.parts.registry import PartError, PartSpec, PartWithValues, as_part, as_specs
from kikashi.playout.kinds import feasibility as feasibility_kind, heuristic, memory
from kikashi.playout.loop import HEURISTICS

UNIFORM = "uniform"


@dataclass(frozen=True)
class Policy:
    """The parts by which playouts choose their moves. Plain data: making one compiles nothing."""

    heuristics: tuple[BoundPart, ...]
    feasibility: BoundPart
    move_limit: int | None = None
    """Moves of a simulation; None for three times the points of the board."""
    memories: tuple[BoundPart, ...] = ()
    """Memories that are kept although no heuristic reads them."""

    @property
    def names(self) -> list[str]:
        """Sources of moves, in order, as in counts of moves: heuristics, `uniform`, `pass`."""
        return [str(bound) for bound in self.heuristics] + [UNIFORM, "pass"]

    @property
    def functions(self) -> list[Any]:
        """Functions to compile besides the loop."""
        return [bound.part.function for bound in (*self.heuristics, self.feasibility, *self.memories)]

    def __str__(self) -> str:
        return ",".join(self.names[:-1])


def make_policy(
    playout: str | Sequence[PartSpec] = UNIFORM,
    *,
    feasibility: PartSpec | None = None,
    move_limit: int | None = None,
    memories: Sequence[PartSpec] = (),
) -> Policy:
    """Make a policy from a list of parts, or from text: ``"escape,last_good_reply(context=2),uniform"``.

    Names of lists (`named_lists`) stand for what they list; the first that has a feasibility rule is used if none
    is given, else `eyelike`. `uniform` always ends the list, written or not. Raises PartError for a bad name or
    parameter.

    >>> policy = make_policy("capture,last_good_reply(context=2)", feasibility="coulom")
    >>> str(policy)
    'capture,last_good_reply(context=2),uniform'
    """
    named: list[NamedList] = []
    parts = list(_expand(as_specs(playout), named))
    if parts and parts[-1] == (UNIFORM, {}):
        parts.pop()
    if any(name == UNIFORM for name, _ in parts):
        raise PartError("uniform always has a move, so nothing can come after it")
    if len(parts) > HEURISTICS:
        raise PartError(f"a policy has at most {HEURISTICS} heuristics, not {len(parts)}")
    rules = [feasibility, *(listed.feasibility for listed in named), "eyelike"]
    return Policy(
        heuristics=tuple(bind(heuristic, *part, also=named_lists()) for part in parts),
        feasibility=bind(feasibility_kind, *as_part(next(spec for spec in rules if spec is not None))),
        move_limit=move_limit,
        memories=tuple(bind(memory, *as_part(spec)) for spec in memories),
    )


@dataclass(frozen=True)
class NamedList:
    """A list of parts that has a name, from ``presets/playouts.toml``."""

    playout: tuple[str, ...]
    source: str
    feasibility: str | None = None


@cache
def named_lists() -> dict[str, NamedList]:
    """Return the named lists, by name."""
    text = (resources.files("kikashi") / "presets" / "playouts.toml").read_text("utf-8")
    tables = tomllib.loads(text)
    return {
        name: NamedList(tuple(table["playout"]), table["source"], table.get("feasibility"))
        for name, table in tables.items()
    }


def _expand(specs: Iterable[PartSpec], named: list[NamedList]) -> Iterator[PartWithValues]:
    """Yield the parts of a list and of the named lists in it, which are added to `named`."""
    for spec in specs:
        listed = named_lists().get(spec.strip()) if isinstance(spec, str) else None
        if listed is None:
            yield as_part(spec)
        else:
            named.append(listed)
            yield from _expand(listed.playout, named)
