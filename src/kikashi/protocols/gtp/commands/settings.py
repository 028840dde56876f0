"""Rules and parameters by KGS's and KataGo's names, and other commands of servers."""

import json
from collections.abc import Callable
from typing import Any

from kikashi.engine.limits import Limit
from kikashi.game import Rules
from kikashi.game.rules import KATA_KEYS, KATA_RULES, WITHOUT_AGREEMENT, rules_as_json, rules_from_json
from kikashi.protocols.gtp.protocol import Arguments, Failure, Result, command, question
from kikashi.protocols.gtp.session import GtpSession
from kikashi.wording import nearest

KGS_RULES = {name.replace("-", "_"): Rules.named(name) for name in ("chinese", "aga", "new-zealand", "japanese")}


@command("kgs-rules NAME")
def kgs_rules(session: GtpSession, arguments: Arguments) -> None:
    """Set ``chinese`` (White has a point for each handicap stone), ``aga`` (a point less), ``new_zealand``
    or ``japanese`` (territory and prisoners count)."""
    session.set_rules(_named(KGS_RULES, arguments.text().lower()), True)


question(
    "kata-get-rules",
    "Answer the rules as KataGo's JSON.",
    lambda session: json.dumps(rules_as_json(session.game.rules) | {"friendlyPassOk": session.friendly_pass}),
)


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


question("kgs-game_over", "Do nothing.", lambda session: "")


# --- parameters of the running engine ---------------------------------------------------------------------------------

MOST_THREADS = 256
LEAST_MEGABYTES = 1.0


PARAMETERS: dict[str, Callable[[GtpSession], object]] = {
    "simulations": lambda session: session.limit and session.limit.simulations,
    "seconds": lambda session: session.limit and session.limit.seconds,
    "threads": lambda session: session.player.threads,
    "megabytes": lambda session: session.player.megabytes,
    "ponder": lambda session: session.ponder,
}
"""How to read each, by the names of the options of ``kikashi gtp``."""
ALIASES = {
    "playouts": "simulations",
    "maxPlayouts": "simulations",
    "maxVisits": "simulations",
    "maxTime": "seconds",
    "numSearchThreads": "threads",
    "ponderingEnabled": "ponder",
}
"""KataGo's names of the parameters."""


def _parameter(arguments: Arguments) -> str:
    text = arguments.text()
    name = ALIASES.get(text, text)
    if name not in PARAMETERS:
        raise Failure(f"there is no parameter {text!r}; {nearest(text, [*PARAMETERS, *ALIASES], 'kata-list-params')}")
    return name


question(
    "kata-list-params",
    "List the names for ``kata-set-param``: those of the options, and KataGo's.",
    lambda session: " ".join([*PARAMETERS, *ALIASES]),
)


@command("kata-get-param NAME")
def get_parameter(session: GtpSession, arguments: Arguments) -> Result:
    """Answer the value of a parameter: a number, ``true`` or ``false``, or ``none`` for no limit."""
    value = PARAMETERS[_parameter(arguments)](session)
    return f"{value:g}" if isinstance(value, float) else str(value).lower()


@command("kata-set-param NAME VALUE")
def set_parameter(session: GtpSession, arguments: Arguments) -> None:
    """Set ``simulations`` or ``seconds`` for each move (``none`` for no limit), ``threads``, ``megabytes``, or
    ``ponder`` (``true`` or ``false``), from the next move on."""
    name = _parameter(arguments)
    if name in ("simulations", "seconds"):
        value = None
        if not arguments.takes("none"):
            value = arguments.integer(1, 999_999_999) if name == "simulations" else arguments.seconds()
        limits: dict[str, Any] = (vars(session.limit) if session.limit else {}) | {name: value}
        session.limit = Limit(**limits) if any(each is not None for each in limits.values()) else None
    elif name == "threads":
        session.player = session.player.copy(threads=arguments.integer(1, MOST_THREADS))
    elif name == "megabytes":
        if (megabytes := arguments.number()) < LEAST_MEGABYTES:
            raise Failure(f"megabytes must be at least {LEAST_MEGABYTES:g}, not {megabytes:g}")
        session.player = session.player.copy(megabytes=megabytes)
    else:
        session.ponder = arguments.truth()
