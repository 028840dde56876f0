"""GoGui's menu of what can be looked at."""

from __future__ import annotations

from kikashi.protocols.gtp.arguments import Arguments
from kikashi.protocols.gtp.registry import Result, command
from kikashi.protocols.gtp.session import Session

MENU = (
    "dboard/Ownership/kikashi-ownership",
    "string/Explain the last move/kikashi-explain",
    "string/Moves by heuristic/kikashi-policy_statistics",
    "string/Estimate the score/kikashi-estimate_score",
    "string/Final score/final_score",
    "plist/Dead stones/final_status_list dead",
    "plist/Stones in seki/final_status_list seki",
    "plist/Legal moves/all_legal %c",
    "plist/Group of the last moves/kikashi-group",
    "plist/Zone of the last moves/kikashi-zone",
    "string/Preset/kikashi-preset",
)


@command("gogui-analyze_commands")
def analyze_commands(session: Session, arguments: Arguments) -> Result:
    """What GoGui offers in its analyze menu: type, label and command."""
    return "\n".join(MENU)


@command("gogui-interrupt")
def interrupt(session: Session, arguments: Arguments) -> Result:
    """Says that ``# interrupt`` is understood: it ends a search or an analysis at once."""
    return ""
