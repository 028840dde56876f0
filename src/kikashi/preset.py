"""Presets: the programs of the papers, as TOML files that wire parts together."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from kikashi.playout.parts import Heuristic, PartError, use
from kikashi.playout.policy import make_policy
from kikashi.search.rules import Backup, Expansion, Selection
from kikashi.search.search import Rules

VALUES = {"win": (1.0, 0.0), "score": (0.0, 1.0)}
CHOICES = ("visits", "value", "robust")
DEFAULT = "kikashi"
_KEYS = {
    "source",
    "summary",
    "playout",
    "feasibility",
    "selection",
    "expansion",
    "backup",
    "prior",
    "even_games",
    "virtual_loss",
    "choice",
    "mercy",
    "komi",
}


@dataclass(frozen=True)
class Preset:
    """A program: what it searches by and how it makes up its mind."""

    name: str
    source: str
    summary: str
    rules: Rules
    choice: str = "visits"
    """visits: the most visited move; value: the best; robust: the most visited unless a well-visited one is better."""
    resign: float = 0.0
    """Resign when the win rate has been below this for a while; 0 for never."""


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
        return _preset(name, table)
    except PartError as error:
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


def _preset(name: str, table: Mapping[str, Any]) -> Preset:
    unknown = set(table) - _KEYS
    if unknown:
        raise ValueError(f"preset {name}: unknown setting {sorted(unknown)[0]!r}; there are {', '.join(sorted(_KEYS))}")
    choice = dict(table.get("choice", {}))
    rule = choice.pop("rule", "visits")
    if rule not in CHOICES:
        raise ValueError(f"preset {name}: choice.rule must be one of {', '.join(CHOICES)}, not {rule!r}")
    resign = choice.pop("resign", 0.0)
    if not isinstance(resign, int | float) or not 0 <= resign < 0.5 or choice:
        raise ValueError(f"preset {name}: choice takes rule and resign, a win rate of 0 to 0.5")
    return Preset(name, table["source"], table["summary"], _rules(name, table), rule, float(resign))


def _rules(name: str, table: Mapping[str, Any]) -> Rules:
    back_up = dict(table["backup"])
    value, score_weight = back_up.pop("value", "win"), back_up.pop("score_weight", 0.0)
    if value not in VALUES or not isinstance(score_weight, int | float):
        raise ValueError(f"preset {name}: backup.value must be win or score, not {value!r}")
    win_weight, point_weight = VALUES[value]
    priors = [dict(prior) for prior in table.get("prior", [])]
    games = [float(prior.pop("games", 10)) for prior in priors]
    policy = make_policy(table["playout"], feasibility=table.get("feasibility"), mercy=table.get("mercy", 0))
    return Rules(
        policy=policy,
        selection=_rule(Selection, table["selection"]),
        expansion=_rule(Expansion, table["expansion"]),
        backup=_rule(Backup, back_up),
        win_weight=win_weight,
        score_weight=point_weight or float(score_weight),
        priors=tuple((use(Heuristic, prior.pop("part", ""), prior), n) for prior, n in zip(priors, games, strict=True)),
        even_games=float(table.get("even_games", 0)),
        virtual_loss=int(table.get("virtual_loss", 1)),
    )


def _rule(kind: Any, table: Mapping[str, Any]) -> Any:
    values = dict(table)
    return use(kind, str(values.pop("rule", "")), values)
