"""Rules as data: what is forbidden, what counts, and what White has for handicap stones."""

from __future__ import annotations

from dataclasses import dataclass

SUPERKO = ("positional", "situational", "simple")
SCORING = ("area", "territory")
BONUSES = ("0", "N-1", "N")


@dataclass(frozen=True)
class Rules:
    """The choices in which rule sets differ. Raises ValueError if one is not among SUPERKO, SCORING or BONUSES.

    ``superko`` says which repetitions are forbidden; passing is always allowed.

    - ``positional``: no move may lead to a whole-board position that was there before, the starting position included.
    - ``situational``: no move may lead to a position that was there before with the same player to move.
    - ``simple``: a single stone that has just captured a single stone may not be recaptured at once; longer cycles are
      allowed.

    ``suicide`` allows moves that take the player's own chain off the board. A single stone that vanishes leaves the
    position as it was, so positional superko forbids it all the same; the other two ko rules treat it like a pass that
    cannot end the game (situational superko unless that situation was there before).

    ``scoring`` is what counts in the end: ``area`` (stones and what they surround) or ``territory`` (what they surround
    and prisoners). ``bonus`` is what White has besides komi for N handicap stones.
    """

    superko: str = "positional"
    suicide: bool = False
    scoring: str = "area"
    bonus: str = "0"

    def __post_init__(self) -> None:
        for name, known in (("superko", SUPERKO), ("scoring", SCORING), ("bonus", BONUSES)):
            if (said := getattr(self, name)) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {said!r}")

    @classmethod
    def named(cls, name: str) -> Rules:
        """The rule set of a name in PRESETS. Raises ValueError.

        >>> str(Rules.named("Japanese")), Rules.named("chinese").counts_territory
        ('japanese', False)
        """
        try:
            return PRESETS[name.lower()]
        except KeyError:
            raise ValueError(f"rules must be one of {', '.join(PRESETS)}, not {name!r}") from None

    @property
    def counts_territory(self) -> bool:
        """Whether territory and prisoners count rather than area."""
        return self.scoring == "territory"

    def bonus_for(self, stones: int) -> int:
        """The points that White has for a number of handicap stones; one stone is none, Black only begins."""
        return 0 if stones < 2 else {"0": 0, "N-1": stones - 1, "N": stones}[self.bonus]

    @property
    def in_words(self) -> str:
        """The rules and what counts by them: ``"japanese rules: territory and prisoners count"``."""
        return f"{self} rules: {'territory and prisoners count' if self.counts_territory else 'area counts'}"

    def __str__(self) -> str:
        """The name in PRESETS, if it has one."""
        for name, rules in PRESETS.items():
            if rules == self:
                return name
        parts = [self.superko, *(["with suicide"] if self.suicide else []), *(["by territory"] * self.counts_territory)]
        return " ".join(parts) + (f", handicap bonus {self.bonus}" if self.bonus != "0" else "")


PRESETS = {
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
