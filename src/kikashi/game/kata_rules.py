"""Rules by the names, the JSON and the short text of KataGo, which front ends, scripts and records use."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kikashi.game.rules import BONUSES, SCORING, SUPERKO, Rules

_CHINESE = Rules("simple", bonus="N")
_SERVER_CHINESE = Rules.named("chinese")
KATA_RULES: dict[str, Rules] = {
    "tromp-taylor": Rules.named("tromp-taylor"),
    "chinese": _CHINESE,
    "chinese-ogs": _SERVER_CHINESE,
    "chinese-kgs": _SERVER_CHINESE,
    "japanese": Rules.named("japanese"),
    "korean": Rules.named("korean"),
    "aga": Rules.named("aga"),
    "bga": Rules.named("aga"),
    "french": Rules.named("aga"),
    "new-zealand": Rules.named("new-zealand"),
}
"""The sets that KataGo has a name for and that are played here."""
WITHOUT_AGREEMENT = ("tromp-taylor",)
"""Of these, the sets by which dead stones are not taken off by agreement."""
_TAX = {"area": "NONE", "territory": "SEKI"}
"""What KataGo calls it that eyes in a seki are no territory; groups are never taxed here."""
KNOWN = (
    *("ko", "suicide", "multiStoneSuicideLegal", "scoring", "scoringRule", "tax"),
    *("whiteHandicapBonus", "friendlyPassOk", "hasButton"),
)
"""The rules that KataGo's JSON may name."""
_SHORT = re.compile(
    r"ko(?P<ko>[A-Z]+)score(?P<scoring>[A-Z]+)tax(?P<tax>[A-Z]+)sui(?P<suicide>[01])"
    r"(?:button(?P<button>[01]))?(?:whb(?P<bonus>0|N-1|N))?(?:fpok[01])?"
)


def rules_of(said: Mapping[str, Any]) -> Rules:
    """The rules of KataGo's JSON; what it leaves out is as by default. Raises ValueError for those not played here."""
    suicide = said.get("suicide", said.get("multiStoneSuicideLegal", False))
    if not isinstance(suicide, bool):
        raise ValueError("suicide is true or false")
    scoring = _among("scoring", said.get("scoring", said.get("scoringRule", "AREA")), SCORING)
    rules = Rules(
        _among("ko", said.get("ko", "POSITIONAL"), SUPERKO),
        suicide,
        scoring,
        _among("whiteHandicapBonus", said.get("whiteHandicapBonus", "0"), BONUSES),
    )
    tax = said.get("tax", _TAX[scoring])
    if tax != _TAX[scoring]:
        raise ValueError(f"tax can only be {_TAX[scoring]} where {scoring} counts, not {_shown(tax)}")
    if said.get("hasButton", False) is not False:
        raise ValueError("hasButton can only be false")
    return rules


def nearest_rules(said: Mapping[str, Any]) -> Rules:
    """The rules of KataGo's JSON as far as they are played here; what is not is as by default."""
    rules = Rules()
    for name, value in said.items():
        try:
            found = rules_of({name: value})
        except ValueError:
            continue
        changed = {"ko": "superko", "whiteHandicapBonus": "bonus", "scoring": "scoring", "scoringRule": "scoring"}
        field = changed.get(name, "suicide")
        rules = replace(rules, **{field: getattr(found, field)}) if name in KNOWN else rules
    return rules


def as_json(rules: Rules) -> dict[str, Any]:
    """What KataGo would say of these rules; it is what `rules_of` reads."""
    return {
        "ko": rules.superko.upper(),
        "suicide": rules.suicide,
        "scoring": rules.scoring.upper(),
        "tax": _TAX[rules.scoring],
        "hasButton": False,
        "whiteHandicapBonus": rules.bonus,
    }


def from_short(text: str) -> Rules | None:
    """The rules of KataGo's text, ``koSIMPLEscoreAREAtaxNONEsui0``; None if it is another text, or not played here."""
    said = _SHORT.fullmatch(text.strip())
    if said is None:
        return None
    names = {"ko": said["ko"], "scoring": said["scoring"], "tax": said["tax"], "suicide": said["suicide"] == "1"}
    try:
        return rules_of(names | {"hasButton": said["button"] == "1", "whiteHandicapBonus": said["bonus"] or "0"})
    except ValueError:
        return None


def as_short(rules: Rules) -> str:
    """The rules as KataGo writes them into a record."""
    bonus = "" if rules.bonus == "0" else f"whb{rules.bonus}"
    return (
        f"ko{rules.superko.upper()}score{rules.scoring.upper()}tax{_TAX[rules.scoring]}sui{int(rules.suicide)}{bonus}"
    )


def _among(name: str, said: Any, known: tuple[str, ...]) -> str:
    """One of the known values, from KataGo's capitals. Raises ValueError."""
    by_name = {each.upper(): each for each in known}
    if not isinstance(said, str) or said not in by_name:
        raise ValueError(f"{name} can only be {', '.join(by_name)}, not {_shown(said)}")
    return by_name[said]


def _shown(said: Any) -> str:
    """A value as JSON has it, not at length."""
    return json.dumps(said)[:40]
