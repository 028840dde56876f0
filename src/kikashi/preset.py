"""Presets: the programs of the papers, as TOML files that wire parts together."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Annotated, Any, Literal

import msgspec

from kikashi.playout.parts import Feasibility, Heuristic, Use, use
from kikashi.playout.policy import as_part, make_policy
from kikashi.search.rules import Backup, Expansion, Region, Selection
from kikashi.search.search import Rules

DEFAULT = "kikashi"
AtLeastZero = Annotated[float, msgspec.Meta(ge=0)]
Part = str | dict[str, Any]


class Choice(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How a player makes up its mind."""

    rule: Literal["visits", "value", "robust", "wins"] = "visits"
    """The most visited move, the best, the most visited unless a well-visited one is better, or the one that won most
    simulations."""
    resign: Annotated[float, msgspec.Meta(ge=0, lt=0.5)] = 0.0
    """Resign when the win rate has been below this for a while; 0 for never."""


class PresetFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a preset's TOML says."""

    source: str
    summary: str
    playout: str | list[Part]
    selection: dict[str, Any]
    expansion: dict[str, Any]
    backup: dict[str, Any]
    feasibility: Part | None = None
    tree_feasibility: Part | None = None
    """Which moves the tree has, where they are not those of the playouts."""
    region: Part | None = None
    """Where the tree looks for moves, if not on the whole board."""
    prior: list[dict[str, Any]] = []
    even_games: AtLeastZero = 0.0
    virtual_loss: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 1
    mercy: Annotated[int, msgspec.Meta(ge=0)] = 0
    choice: Choice = Choice()


class Value(msgspec.Struct, frozen=True):
    """What a simulation is worth, from the table of the backup rule."""

    value: Literal["win", "score"] = "win"
    score_weight: AtLeastZero = 0.0
    """What a point adds to a win."""


@dataclass(frozen=True)
class Preset:
    """A program: what it searches by and how it makes up its mind."""

    name: str
    source: str
    summary: str
    rules: Rules
    choice: Choice


def preset_names() -> list[str]:
    """All presets, by name."""
    folder = resources.files("kikashi") / "presets"
    files = [path.name for path in folder.iterdir() if path.name.endswith(".toml")]
    return sorted(name.removesuffix(".toml") for name in files if name != "playouts.toml")


def preset_text(name: str) -> str:
    """The TOML of a preset. Raises ValueError with the names there are."""
    if name not in preset_names():
        close = difflib.get_close_matches(name, preset_names(), 1)
        guess = f"did you mean {close[0]}? " if close else ""
        raise ValueError(f"no preset is called {name!r}; {guess}there are {', '.join(preset_names())}")
    return (resources.files("kikashi") / "presets" / f"{name}.toml").read_text("utf-8")


def load_preset(name: str, overrides: Iterable[str] = ()) -> Preset:
    """A preset with some settings changed: ``"selection.p=1.2"``. Raises ValueError if something is not right."""
    table = tomllib.loads(preset_text(name))
    for override in overrides:
        _override(table, override)
    try:
        file = msgspec.convert(table, PresetFile)
        return Preset(name, file.source, file.summary, _rules(file), file.choice)
    except ValueError as error:
        raise ValueError(f"preset {name}: {error}") from error


def _override(table: dict[str, Any], override: str) -> None:
    path, equals, text = override.partition("=")
    if not equals or not path.strip():
        raise ValueError(f"{override!r} is not key=value, as in selection.p=1.2")
    try:
        value = tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    *outer, last = path.strip().split(".")
    for key in outer:
        if not isinstance(table.get(key, {}), dict):
            raise ValueError(f"{override!r}: {key} has no settings of its own")
        table = table.setdefault(key, {})
    table[last] = value


def _rules(file: PresetFile) -> Rules:
    worth = msgspec.convert({key: file.backup[key] for key in ("value", "score_weight") if key in file.backup}, Value)
    back_up = {key: value for key, value in file.backup.items() if key not in ("value", "score_weight")}
    return Rules(
        policy=make_policy(file.playout, feasibility=file.feasibility, mercy=file.mercy),
        selection=_rule(Selection, file.selection),
        expansion=_rule(Expansion, file.expansion),
        backup=_rule(Backup, back_up),
        win_weight=1.0 if worth.value == "win" else 0.0,
        score_weight=worth.score_weight if worth.value == "win" else 1.0,
        priors=tuple(_prior(prior) for prior in file.prior),
        even_games=file.even_games,
        virtual_loss=file.virtual_loss,
        tree_feasibility=None if file.tree_feasibility is None else use(Feasibility, *as_part(file.tree_feasibility)),
        region=None if file.region is None else use(Region, *as_part(file.region)),
    )


def _prior(table: Mapping[str, Any]) -> tuple[Use, float]:
    values = dict(table)
    games = msgspec.convert(values.pop("games", 10.0), float)
    return use(Heuristic, str(values.pop("part", "")), values), games


def _rule(kind: Any, table: Mapping[str, Any]) -> Use:
    values = dict(table)
    return use(kind, str(values.pop("rule", "")), values)
