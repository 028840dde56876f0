"""Rules by KGS's and KataGo's names, and what else servers send."""

from __future__ import annotations

import json

from kikashi.game import Rules
from kikashi.game.rules import KATA_KEYS, KATA_RULES, WITHOUT_AGREEMENT, rules_as_json, rules_from_json
from kikashi.protocols.gtp.arguments import Arguments
from kikashi.protocols.gtp.protocol import Failure
from kikashi.protocols.gtp.registry import Result, command
from kikashi.protocols.gtp.session import Session
from kikashi.wording import nearest

KGS_RULES = {name.replace("-", "_"): Rules.named(name) for name in ("chinese", "aga", "new-zealand", "japanese")}


@command("kgs-rules NAME")
def kgs_rules(session: Session, arguments: Arguments) -> Result:
    """``chinese`` (White has a point for each handicap stone), ``aga`` (a point less), ``new_zealand`` or ``japanese``
    (territory and prisoners count)."""
    session.set_rules(_named(KGS_RULES, arguments.text().lower()), True)
    return ""


@command("kata-get-rules")
def kata_get_rules(session: Session, arguments: Arguments) -> Result:
    """The rules as KataGo's JSON."""
    return json.dumps(rules_as_json(session.game.rules) | {"friendlyPassOk": session.friendly_pass})


@command("kata-set-rules NAME_OR_JSON ...")
def kata_set_rules(session: Session, arguments: Arguments) -> Result:
    """``tromp-taylor``, ``chinese``, ``chinese-ogs``, ``chinese-kgs``, ``japanese``, ``korean``, ``aga``, ``bga``,
    ``french``, ``new-zealand``, with the bonus for handicap stones that KataGo gives White by them, or KataGo's JSON;
    ``friendlyPassOk`` may be either, for a pass of ours wins with and without the dead stones. Fails for a button and
    for taxes on groups."""
    text = " ".join(arguments.rest())
    if text.startswith("{"):
        session.set_rules(*_from_json(text))
    else:
        session.set_rules(_named(KATA_RULES, text.lower()), text.lower() not in WITHOUT_AGREEMENT)
    return ""


def _named(rules: dict[str, Rules], name: str) -> Rules:
    if name not in rules:
        raise Failure(f"{name!r} is not a rule set played here: {nearest(name, rules)}")
    return rules[name]


def _from_json(text: str) -> tuple[Rules, bool]:
    """The rules, and whether dead stones are taken off by agreement."""
    try:
        said = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise Failure("the rules are not JSON") from None
    if unknown := [name for name in said if name not in KATA_KEYS]:
        raise Failure(f"{unknown[0]!r} is not a rule; {nearest(unknown[0], KATA_KEYS)}")
    friendly = said.get("friendlyPassOk", False)
    if not isinstance(friendly, bool):
        raise Failure("friendlyPassOk is true or false")
    return rules_from_json(said), friendly


@command("kgs-chat KIND NAME [MESSAGE ...]")
def kgs_chat(session: Session, arguments: Arguments) -> Result:
    """The last move, its win rate and its score, whoever asks and whatever the message."""
    return session.last_words()


@command("kgs-game_over")
def kgs_game_over(session: Session, arguments: Arguments) -> Result:
    """Taken note of; nothing to do."""
    return ""
