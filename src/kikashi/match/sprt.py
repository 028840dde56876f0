"""Old place of the pairs in order."""

from kikashi.match.summary import (
    PairsInOrder as PairsInOrder,
    latest as latest,
    llr_by_pair as course_of,
    pairing_decision as pairing_decision,
    scored_games as settled,
)

__all__ = ["PairsInOrder", "course_of", "latest", "pairing_decision", "settled"]
