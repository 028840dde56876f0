"""Rule sets: their choices as data, and their names here, in KataGo's protocol and in SGF."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

SUPERKO = ("positional", "situational", "simple")
SCORING = ("area", "territory")
BONUSES = ("0", "N-1", "N")


@dataclass(frozen=True)
class Rules:
    """The choices in which rule sets differ. Raises ValueError if one is not among SUPERKO, SCORING or BONUSES.

    ``superko`` forbids repetitions; a pass is always legal.

    - ``positional``: no move may repeat a whole-board position, the starting position included.
    - ``situational``: no move may repeat a position with the same player to move.
    - ``simple``: a single stone that has just captured a single stone may not be recaptured at once.

    ``suicide`` makes moves legal that take the player's own chain off the board. A single stone that vanishes leaves
    the position as it was: positional superko still forbids it, the others treat it like a pass that cannot end a game.

    ``scoring`` counts ``area`` (stones and the points they surround) or ``territory`` (these points and prisoners).
    ``bonus`` is the number of White's points besides komi for N handicap stones.
    """

    superko: str = "positional"
    suicide: bool = False
    scoring: str = "area"
    bonus: str = "0"

    def __post_init__(self) -> None:
        for name, choices in (("superko", SUPERKO), ("scoring", SCORING), ("bonus", BONUSES)):
            if (value := getattr(self, name)) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")

    @classmethod
    def named(cls, name: str) -> Rules:
        """Return the rule set of a name in RULE_SETS. Raises ValueError.

        >>> str(Rules.named("Japanese")), Rules.named("chinese").counts_territory
        ('japanese', False)
        """
        try:
            return RULE_SETS[name.lower()]
        except KeyError:
            raise ValueError(f"rules must be one of {', '.join(RULE_SETS)}, not {name!r}") from None

    @property
    def counts_territory(self) -> bool:
        """Whether territory and prisoners count rather than area."""
        return self.scoring == "territory"

    @property
    def in_words(self) -> str:
        """The rules and what counts by them: ``"japanese rules: territory and prisoners count"``."""
        return f"{self} rules: {'territory and prisoners count' if self.counts_territory else 'area counts'}"

    def __str__(self) -> str:
        for name, rules in RULE_SETS.items():
            if rules == self:
                return name
        choices = self.superko + " with suicide" * self.suicide + " by territory" * self.counts_territory
        return choices + (f", handicap bonus {self.bonus}" if self.bonus != "0" else "")


RULE_SETS = {
    "positional": Rules("positional"),
    "situational": Rules("situational"),
    "simple": Rules("simple"),
    "tromp-taylor": Rules("positional", suicide=True),
    "chinese": Rules("positional", bonus="N"),
    "aga": Rules("situational", bonus="N-1"),
    "new-zealand": Rules("situational", suicide=True),
    "japanese": Rules("simple", scoring="territory"),
    "korean": Rules("simple", scoring="territory"),
}

KATA_RULES = {
    "tromp-taylor": RULE_SETS["tromp-taylor"],
    "chinese": Rules("simple", bonus="N"),
    "chinese-ogs": RULE_SETS["chinese"],
    "chinese-kgs": RULE_SETS["chinese"],
    "japanese": RULE_SETS["japanese"],
    "korean": RULE_SETS["korean"],
    "aga": RULE_SETS["aga"],
    "bga": RULE_SETS["aga"],
    "french": RULE_SETS["aga"],
    "new-zealand": RULE_SETS["new-zealand"],
}
"""The rule sets by KataGo's names, as far as they are played here."""
WITHOUT_AGREEMENT = ("tromp-taylor",)
"""The sets by which dead stones are not taken off by agreement."""
KATA_KEYS = (
    *("ko", "suicide", "multiStoneSuicideLegal", "scoring", "scoringRule", "tax"),
    *("whiteHandicapBonus", "friendlyPassOk", "hasButton"),
)
"""The keys of KataGo's JSON."""
_TAX = {"area": "NONE", "territory": "SEKI"}
"""KataGo's word for eyes in a seki being no territory; groups are never taxed here."""
_SHORT = re.compile(
    r"ko(?P<ko>[A-Z]+)score(?P<scoring>[A-Z]+)tax(?P<tax>[A-Z]+)sui(?P<suicide>[01])"
    r"(?:button(?P<button>[01]))?(?:whb(?P<bonus>0|N-1|N))?(?:fpok[01])?"
)


def rules_from_json(table: Mapping[str, Any]) -> Rules:
    """Read rules from KataGo's JSON. Raises ValueError for those not played here."""
    suicide = table.get("suicide", table.get("multiStoneSuicideLegal", False))
    if not isinstance(suicide, bool):
        raise ValueError("suicide is true or false")
    scoring = _choice("scoring", table.get("scoring", table.get("scoringRule", "AREA")), SCORING)
    superko = _choice("ko", table.get("ko", "POSITIONAL"), SUPERKO)
    bonus = _choice("whiteHandicapBonus", table.get("whiteHandicapBonus", "0"), BONUSES)
    tax = table.get("tax", _TAX[scoring])
    if tax != _TAX[scoring]:
        raise ValueError(f"tax can only be {_TAX[scoring]} where {scoring} counts, not {json.dumps(tax)[:40]}")
    if table.get("hasButton", False) is not False:
        raise ValueError("hasButton can only be false")
    return Rules(superko, suicide, scoring, bonus)


def _choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return one of the choices, from KataGo's capitals. Raises ValueError."""
    by_name = {choice.upper(): choice for choice in choices}
    if not isinstance(value, str) or value not in by_name:
        raise ValueError(f"{name} can only be {', '.join(by_name)}, not {json.dumps(value)[:40]}")
    return by_name[value]


def nearest_rules(table: Mapping[str, Any]) -> Rules:
    """Read rules from KataGo's JSON without the choices that are not played here."""
    possible: dict[str, Any] = {}
    for key in table.keys() - {"tax", "hasButton"}:
        with suppress(ValueError):
            rules_from_json({key: table[key]})
            possible[key] = table[key]
    return rules_from_json(possible)


def rules_as_json(rules: Rules) -> dict[str, Any]:
    """Return KataGo's JSON for these rules, as `rules_from_json` reads it."""
    return {
        "ko": rules.superko.upper(),
        "suicide": rules.suicide,
        "scoring": rules.scoring.upper(),
        "tax": _TAX[rules.scoring],
        "hasButton": False,
        "whiteHandicapBonus": rules.bonus,
    }


_SGF_NAMES = {
    "Chinese": RULE_SETS["chinese"],
    "AGA": RULE_SETS["aga"],
    "Tromp-Taylor": RULE_SETS["tromp-taylor"],
    "NZ": RULE_SETS["new-zealand"],
    "Japanese": RULE_SETS["japanese"],
}
"""The names that RU gets: SGF's own, and those of KataGo and servers."""
_OTHER_SGF_NAMES = {
    "newzealand": RULE_SETS["new-zealand"],
    "goe": Rules("simple", suicide=True),
    "ing": Rules("simple", suicide=True),
    "tt": RULE_SETS["tromp-taylor"],
    "tromptaylor": RULE_SETS["tromp-taylor"],
    "simple ko": Rules("simple"),
    "simple ko with suicide": Rules("simple", suicide=True),
}
"""Names of other programs, and those of records that we wrote until version 0.2."""


def rules_from_sgf(text: str | None) -> Rules | None:
    """Return the rules of a name in any case, or of KataGo's text ``koSIMPLEscoreAREAtaxNONEsui0``; None if unknown."""
    name = _words(text or "")
    for known, rules in (_SGF_NAMES | KATA_RULES | _OTHER_SGF_NAMES).items():
        if _words(known) == name:
            return rules
    if short := _SHORT.fullmatch((text or "").strip()):
        table = short.groupdict() | {"suicide": short["suicide"] == "1", "hasButton": short["button"] == "1"}
        with suppress(ValueError):
            return rules_from_json(table | {"whiteHandicapBonus": short["bonus"] or "0"})
    return None


def _words(name: str) -> list[str]:
    """Return the words of a name in small letters, however they are separated."""
    return re.split(r"[\s_-]+", name.strip().lower())


def rules_as_sgf(rules: Rules, handicap: int) -> str:
    """Return the first name of these rules, without a handicap whatever their bonus; KataGo's text if there is none."""
    for name, meant in _SGF_NAMES.items():
        if meant == rules or (handicap < 2 and replace(meant, bonus=rules.bonus) == rules):
            return name
    text = f"ko{rules.superko.upper()}score{rules.scoring.upper()}tax{_TAX[rules.scoring]}sui{int(rules.suicide)}"
    return text if rules.bonus == "0" else f"{text}whb{rules.bonus}"
