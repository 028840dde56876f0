"""What a record's RU says, and the ko and suicide rules we take it for; all our games are scored by area."""

from __future__ import annotations

from collections.abc import Iterator

from kikashi.game.rules import Rules

_NAMES = {
    "Chinese": Rules("positional"),
    "AGA": Rules("situational"),
    "Simple ko": Rules("simple"),
    "Tromp-Taylor": Rules("positional", suicide=True),
    "NZ": Rules("situational", suicide=True),
    "Simple ko with suicide": Rules("simple", suicide=True),
    "Japanese": Rules("simple"),
    "Korean": Rules("simple"),
    "New Zealand": Rules("situational", suicide=True),
    "GOE": Rules("simple", suicide=True),
    "Ing": Rules("simple", suicide=True),
}
_BY_TERRITORY = ("japanese", "korean")
_BY_LOWER_NAME = {name.lower(): rules for name, rules in _NAMES.items()}


def rules_named(text: str | None) -> Rules | None:
    """The rules of a name in any case, None if it is not known."""
    return _BY_LOWER_NAME.get((text or "").lower())


def name_of_rules(rules: Rules) -> str:
    """The name we write: the first one that means these rules."""
    return next(name for name, meant in _NAMES.items() if meant == rules)


def rule_doubts(text: str | None, rules: Rules) -> Iterator[str]:
    """Where the rules of a record, as RU names them, are not what its game, read by `rules`, goes by."""
    if text and rules_named(text) is None:
        yield f"the record's rules, {text[:40]!r}, are none we know: counted by area, with {rules} ko"
    elif not text and rules != Rules():
        yield f"the record names no rules, and a move repeats a position: read with the {rules} ko rule"
    elif text and text.lower() in _BY_TERRITORY:
        yield f"the record's rules are {text}, which count territory: here the score is counted by area"
