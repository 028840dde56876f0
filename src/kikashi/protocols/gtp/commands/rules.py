"""Rules by KGS's and KataGo's names, and other commands of servers."""

from __future__ import annotations

import json

from kikashi.game import Rules
from kikashi.game.rules import KATA_KEYS, KATA_RULES, WITHOUT_AGREEMENT, rules_as_json, rules_from_json
from kikashi.protocols.gtp.protocol import Arguments, Failure
from kikashi.protocols.gtp.registry import Result, command
from kikashi.protocols.gtp.session import GtpSession
from kikashi.wording import nearest

KGS_RULES = {name.replace("-", "_"): Rules.named(name) for name in ("chinese", "aga", "new-zealand", "japanese")}


@command("kgs-rules NAME")
def kgs_rules(session: GtpSession, arguments: Arguments) -> None:
    """Set ``chinese`` (White has a point for each handicap stone), ``aga`` (a point less), ``new_zealand``
    or ``japanese`` (territory and prisoners count)."""
    session.set_rules(_named(KGS_RULES, arguments.text().lower()), True)


@command("kata-get-rules")
def kata_get_rules(session: GtpSession, arguments: Arguments) -> Result:
    """Answer the rules as KataGo's JSON."""
    return json.dumps(rules_as_json(session.game.rules) | {"friendlyPassOk": session.friendly_pass})


@command("kata-set-rules NAME_OR_JSON ...")
def kata_set_rules(session: GtpSession, arguments: Arguments) -> None:
    """Set ``tromp-taylor``, ``chinese``, ``chinese-ogs``, ``chinese-kgs``, ``japanese``, ``korean``, ``aga``, ``bga``,
    ``french``, ``new-zealand``, with KataGo's bonus for handicap stones, or KataGo's JSON. ``friendlyPassOk`` may be
    either: the engine passes only if it wins with and without the dead stones. Fails for a button and for
    group taxes."""
    text = " ".join(arguments.remaining())
    if text.startswith("{"):
        session.set_rules(*_from_json(text))
    else:
        session.set_rules(_named(KATA_RULES, text.lower()), text.lower() not in WITHOUT_AGREEMENT)


def _named(rules: dict[str, Rules], name: str) -> Rules:
    if name not in rules:
        raise Failure(f"{name!r} is not a rule set played here: {nearest(name, rules)}")
    return rules[name]


def _from_json(text: str) -> tuple[Rules, bool]:
    """Return the rules, and whether dead stones are removed by agreement."""
    try:
        table = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise Failure("the rules are not JSON") from None
    if unknown := [name for name in table if name not in KATA_KEYS]:
        raise Failure(f"{unknown[0]!r} is not a rule; {nearest(unknown[0], KATA_KEYS)}")
    friendly = table.get("friendlyPassOk", False)
    if not isinstance(friendly, bool):
        raise Failure("friendlyPassOk is true or false")
    return rules_from_json(table), friendly


@command("kgs-chat KIND NAME [MESSAGE ...]")
def kgs_chat(session: GtpSession, arguments: Arguments) -> Result:
    """Answer the last move, its win rate and its score, to any message."""
    return session.last_words()


@command("kgs-game_over")
def kgs_game_over(session: GtpSession, arguments: Arguments) -> None:
    """Do nothing."""
