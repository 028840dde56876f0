"""Rules and parameters by KGS's and KataGo's names, and other commands of servers."""

import json
from collections.abc import Callable

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


def _set_limit(session: GtpSession, **change: float | None) -> None:
    limits = {"simulations": None, "seconds": None} | (vars(session.limit) if session.limit else {}) | change
    session.limit = Limit(**limits) if any(value is not None for value in limits.values()) else None


def _set_simulations(session: GtpSession, arguments: Arguments) -> None:
    _set_limit(session, simulations=None if arguments.takes("none") else arguments.integer(1, 999_999_999))


def _set_seconds(session: GtpSession, arguments: Arguments) -> None:
    _set_limit(session, seconds=None if arguments.takes("none") else arguments.seconds())


def _set_threads(session: GtpSession, arguments: Arguments) -> None:
    session.player = session.player.copy(threads=arguments.integer(1, MOST_THREADS))


def _set_megabytes(session: GtpSession, arguments: Arguments) -> None:
    megabytes = arguments.number()
    if megabytes < LEAST_MEGABYTES:
        raise Failure(f"megabytes must be at least {LEAST_MEGABYTES:g}, not {megabytes:g}")
    session.player = session.player.copy(megabytes=megabytes)


def _set_ponder(session: GtpSession, arguments: Arguments) -> None:
    session.ponder = arguments.truth()


PARAMETERS: dict[str, tuple[Callable[[GtpSession], object], Callable[[GtpSession, Arguments], None]]] = {
    "simulations": (lambda session: session.limit and session.limit.simulations, _set_simulations),
    "seconds": (lambda session: session.limit and session.limit.seconds, _set_seconds),
    "threads": (lambda session: session.player.threads, _set_threads),
    "megabytes": (lambda session: session.player.megabytes, _set_megabytes),
    "ponder": (lambda session: session.ponder, _set_ponder),
}
"""How to read and to set each, by the names of the options of ``kikashi gtp``."""
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
    """Take the name of a parameter."""
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
    value = PARAMETERS[_parameter(arguments)][0](session)
    return f"{value:g}" if isinstance(value, float) else str(value).lower()


@command("kata-set-param NAME VALUE")
def set_parameter(session: GtpSession, arguments: Arguments) -> None:
    """Set ``simulations`` or ``seconds`` for each move (``none`` for no limit), ``threads``, ``megabytes``, or
    ``ponder`` (``true`` or ``false``), from the next move on."""
    PARAMETERS[_parameter(arguments)][1](session, arguments)
