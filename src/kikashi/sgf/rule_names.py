"""What a record's RU says, and the rules we take it for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from kikashi.game.kata_rules import as_short, from_short
from kikashi.game.rules import Rules

_NAMES = {
    "Chinese": Rules.named("chinese"),
    "AGA": Rules.named("aga"),
    "Tromp-Taylor": Rules.named("tromp-taylor"),
    "NZ": Rules.named("new-zealand"),
    "Japanese": Rules.named("japanese"),
}
"""What we write: SGF's own names and those that KataGo and servers write. Others have none that is known everywhere."""
_ALSO_READ = {
    "Korean": Rules.named("korean"),
    "New Zealand": Rules.named("new-zealand"),
    "NewZealand": Rules.named("new-zealand"),
    "BGA": Rules.named("aga"),
    "French": Rules.named("aga"),
    "GOE": Rules("simple", suicide=True),
    "Ing": Rules("simple", suicide=True),
    "TT": Rules.named("tromp-taylor"),
    "TrompTaylor": Rules.named("tromp-taylor"),
    "Chinese KGS": Rules.named("chinese"),
    "Chinese OGS": Rules.named("chinese"),
    "Simple ko": Rules("simple"),
    "Simple ko with suicide": Rules("simple", suicide=True),
}
"""Further names of others, and those that we wrote until version 0.2."""


def _plain(name: str) -> str:
    """A name in small letters, with one space between words however they are separated."""
    return " ".join(re.split(r"[\s_-]+", name.strip().lower()))


_BY_PLAIN_NAME = {_plain(name): rules for name, rules in (_NAMES | _ALSO_READ).items()}


def rules_named(text: str | None) -> Rules | None:
    """The rules of a name in any case, or of KataGo's text; None if it is not known."""
    return _BY_PLAIN_NAME.get(_plain(text or "")) or from_short(text or "")


def name_of_rules(rules: Rules, handicap: int) -> str:
    """The name we write: the first one that means these rules, or KataGo's text where there is none.

    Without a handicap the bonus for it does not matter.
    """
    for name, meant in _NAMES.items():
        if meant == rules or (handicap < 2 and replace(meant, bonus=rules.bonus) == rules):
            return name
    return as_short(rules)


def rule_doubts(text: str | None, rules: Rules) -> Iterator[str]:
    """Where the rules of a record, as RU names them, are not what its game, read by `rules`, goes by."""
    if text and rules_named(text) is None:
        yield f"the record's rules, {text[:40]!r}, are none we know: counted by area, with {rules} ko"
    elif not text and rules != Rules():
        yield f"the record names no rules, and a move repeats a position: read with the {rules} ko rule"
