"""What is forbidden, as data: the ko rule and suicide. Scoring is by area under all of them."""

from __future__ import annotations

from dataclasses import dataclass

SUPERKO = ("positional", "situational", "simple")


@dataclass(frozen=True)
class Rules:
    """The choices in which rule sets differ. Raises ValueError if `superko` is none of SUPERKO.

    ``superko`` says which repetitions are forbidden; passing is always allowed.

    - ``positional``: no move may lead to a whole-board position that was there before, the starting position included.
    - ``situational``: no move may lead to a position that was there before with the same player to move.
    - ``simple``: a single stone that has just captured a single stone may not be recaptured at once; longer cycles are
      allowed.

    ``suicide`` allows moves that take the player's own chain off the board. A single stone that vanishes leaves the
    position as it was, so positional superko forbids it all the same; the other two ko rules treat it like a pass that
    cannot end the game (situational superko unless that situation was there before).
    """

    superko: str = "positional"
    suicide: bool = False

    def __post_init__(self) -> None:
        if self.superko not in SUPERKO:
            raise ValueError(f"superko must be one of {', '.join(SUPERKO)}, not {self.superko!r}")

    @classmethod
    def named(cls, name: str) -> Rules:
        """The rule set of a name in PRESETS. Raises ValueError."""
        try:
            return PRESETS[name.lower()]
        except KeyError:
            raise ValueError(f"rules must be one of {', '.join(PRESETS)}, not {name!r}") from None

    def __str__(self) -> str:
        """The name in PRESETS, if it has one."""
        for name, rules in PRESETS.items():
            if rules == self:
                return name
        return f"{self.superko} with suicide"


PRESETS = {
    "positional": Rules("positional"),
    "situational": Rules("situational"),
    "simple": Rules("simple"),
    "tromp-taylor": Rules("positional", suicide=True),
}
