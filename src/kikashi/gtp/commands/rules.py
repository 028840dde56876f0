"""Rules by KGS's and KataGo's names, and what else servers send."""

from __future__ import annotations

import json
from typing import Any

from kikashi.game import Rules
from kikashi.gtp.arguments import Arguments, nearest
from kikashi.gtp.protocol import Failure
from kikashi.gtp.registry import Result, command
from kikashi.gtp.session import Session

Counted = tuple[Rules, str, bool]
"""Rules, what they give White for N handicap stones (``"0"``, ``"N-1"`` or ``"N"`` points), and whether dead stones are
taken off by agreement."""
KGS_RULES: dict[str, Counted] = {
    "chinese": (Rules("positional"), "N", True),
    "aga": (Rules("situational"), "N-1", True),
    "new_zealand": (Rules("situational", suicide=True), "0", True),
}
KATA_RULES: dict[str, Counted] = {
    "tromp-taylor": (Rules("positional", suicide=True), "0", False),
    "chinese": (Rules("simple"), "N", True),
    "chinese-ogs": (Rules("positional"), "N", True),
    "chinese-kgs": (Rules("positional"), "N", True),
    "aga": (Rules("situational"), "N-1", True),
    "bga": (Rules("situational"), "N-1", True),
    "french": (Rules("situational"), "N-1", True),
    "new-zealand": (Rules("situational", suicide=True), "0", True),
}
BONUSES = ("0", "N-1", "N")
_FIXED: dict[str, Any] = {"scoring": "AREA", "tax": "NONE", "hasButton": False}
_KNOWN = ("ko", "suicide", "multiStoneSuicideLegal", "whiteHandicapBonus", "friendlyPassOk", *_FIXED)


@command("kgs-rules NAME")
def kgs_rules(session: Session, arguments: Arguments) -> Result:
    """``chinese`` (White has a point for each handicap stone), ``aga`` (a point less) or ``new_zealand``. Fails for
    ``japanese``: we count areas."""
    session.set_rules(*_named(KGS_RULES, arguments.text().lower()))
    return ""


@command("kata-get-rules")
def kata_get_rules(session: Session, arguments: Arguments) -> Result:
    """The rules as KataGo's JSON."""
    rules = session.game.rules
    extra = {"whiteHandicapBonus": session.handicap_bonus, "friendlyPassOk": session.friendly_pass}
    return json.dumps({"ko": rules.superko.upper(), "suicide": rules.suicide} | _FIXED | extra)


@command("kata-set-rules NAME_OR_JSON ...")
def kata_set_rules(session: Session, arguments: Arguments) -> Result:
    """``tromp-taylor``, ``chinese``, ``chinese-ogs``, ``chinese-kgs``, ``aga``, ``bga``, ``french``, ``new-zealand``,
    with the bonus for handicap stones that KataGo gives White by them, or KataGo's JSON; ``friendlyPassOk`` may be
    either, for a pass of ours wins with and without the dead stones. Fails for rules that do not count areas."""
    text = " ".join(arguments.rest())
    session.set_rules(*(_from_json(text) if text.startswith("{") else _named(KATA_RULES, text.lower())))
    return ""


def _named(rules: dict[str, Counted], name: str) -> Counted:
    if name not in rules:
        raise Failure(f"{name!r} is not a rule set played here: {', '.join(rules)}")
    return rules[name]


def _from_json(text: str) -> Counted:
    try:
        said = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise Failure("the rules are not JSON") from None
    if unknown := [name for name in said if name not in _KNOWN]:
        raise Failure(f"{unknown[0]!r} is not a rule; {nearest(unknown[0], _KNOWN)}there are {', '.join(_KNOWN)}")
    for name, only in _FIXED.items():
        if said.get(name, only) != only:
            raise Failure(f"{name} can only be {json.dumps(only)}")
    suicide = said.get("suicide", said.get("multiStoneSuicideLegal", False))
    if not isinstance(suicide, bool):
        raise Failure("suicide is true or false")
    bonus = said.get("whiteHandicapBonus", "0")
    if bonus not in BONUSES:
        raise Failure(f"whiteHandicapBonus can only be {', '.join(BONUSES)}, not {json.dumps(bonus)}")
    friendly = said.get("friendlyPassOk", False)
    if not isinstance(friendly, bool):
        raise Failure("friendlyPassOk is true or false")
    return Rules(str(said.get("ko", "POSITIONAL")).lower(), suicide), bonus, friendly


@command("kgs-chat KIND NAME [MESSAGE ...]")
def kgs_chat(session: Session, arguments: Arguments) -> Result:
    """The last move, its win rate and its score, whoever asks and whatever the message."""
    return session.last_words()


@command("kgs-game_over")
def kgs_game_over(session: Session, arguments: Arguments) -> Result:
    """Taken note of; nothing to do."""
    return ""
