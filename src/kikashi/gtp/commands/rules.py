"""Rules by KGS's and KataGo's names, and what else servers send."""

from __future__ import annotations

import json
from typing import Any

from kikashi.game import Rules
from kikashi.gtp.arguments import Arguments
from kikashi.gtp.protocol import Failure
from kikashi.gtp.registry import Result, command
from kikashi.gtp.session import Session

KGS_RULES = {
    "chinese": Rules("positional"),
    "aga": Rules("situational"),
    "new_zealand": Rules("situational", suicide=True),
}
KATA_RULES = {
    "tromp-taylor": Rules("positional", suicide=True),
    "chinese": Rules("simple"),
    "chinese-ogs": Rules("positional"),
    "chinese-kgs": Rules("positional"),
    "aga": Rules("situational"),
    "bga": Rules("situational"),
    "french": Rules("situational"),
    "new-zealand": Rules("situational", suicide=True),
}
_FIXED: dict[str, Any] = {"scoring": "AREA", "tax": "NONE", "hasButton": False}


@command("kgs-rules NAME")
def kgs_rules(session: Session, arguments: Arguments) -> Result:
    """``chinese``, ``aga`` or ``new_zealand``. Fails for ``japanese``: we count areas."""
    session.game.rules = _named(KGS_RULES, arguments.text().lower())
    return ""


@command("kata-get-rules")
def kata_get_rules(session: Session, arguments: Arguments) -> Result:
    """The rules as KataGo's JSON."""
    rules = session.game.rules
    extra = {"whiteHandicapBonus": "0", "friendlyPassOk": False}
    return json.dumps({"ko": rules.superko.upper(), "suicide": rules.suicide} | _FIXED | extra)


@command("kata-set-rules NAME_OR_JSON")
def kata_set_rules(session: Session, arguments: Arguments) -> Result:
    """``tromp-taylor``, ``chinese``, ``chinese-ogs``, ``chinese-kgs``, ``aga``, ``bga``, ``french``, ``new-zealand``,
    or KataGo's JSON. Fails for rules that do not count areas."""
    text = " ".join(arguments.rest())
    session.game.rules = _from_json(text) if text.startswith("{") else _named(KATA_RULES, text.lower())
    return ""


def _named(rules: dict[str, Rules], name: str) -> Rules:
    if name not in rules:
        raise Failure(f"{name!r} is not a rule set played here: {', '.join(rules)}")
    return rules[name]


def _from_json(text: str) -> Rules:
    try:
        said = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise Failure("the rules are not JSON") from None
    for name, only in _FIXED.items():
        if said.get(name, only) != only:
            raise Failure(f"{name} can only be {json.dumps(only)}")
    suicide = said.get("suicide", said.get("multiStoneSuicideLegal", False))
    if not isinstance(suicide, bool):
        raise Failure("suicide is true or false")
    return Rules(str(said.get("ko", "POSITIONAL")).lower(), suicide)


@command("kgs-chat KIND NAME MESSAGE")
def kgs_chat(session: Session, arguments: Arguments) -> Result:
    """The last move, its win rate and its score, whoever asks and whatever the message."""
    return session.last_words()


@command("kgs-game_over")
def kgs_game_over(session: Session, arguments: Arguments) -> Result:
    """Taken note of; nothing to do."""
    return ""
