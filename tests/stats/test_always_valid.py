"""The p-value that is valid at any time, and its interval."""

from itertools import accumulate
from random import Random

import pytest
from scipy import special

from kikashi.stats.sequential import always_valid_interval, always_valid_p


def first_rejection(chance: Random, as_black: float, as_white: float, pairs: int, level: float) -> int | None:
    """Return the games after which a player is rejected to be equal, looking after each pair; None if never."""
    points = (float(chance.random() < as_black) + float(chance.random() < as_white) for _ in range(pairs))
    for number, total in enumerate(accumulate(points), 1):
        if always_valid_p(total, 2 * number) < level:
            return 2 * number
    return None


def test_it_is_the_inverse_of_the_mean_likelihood_ratio() -> None:
    for points, games, share in ((7, 10, 0.5), (2.5, 10, 0.4), (40, 41, 0.6)):
        mean = special.beta(points + 1, games - points + 1) / (share**points * (1 - share) ** (games - points))
        assert always_valid_p(points, games, share) == pytest.approx(min(1.0, 1 / mean))


@pytest.mark.parametrize(("as_black", "as_white"), [(0.5, 0.5), (0.8, 0.2), (0.35, 0.65)])
def test_equal_players_are_seldom_told_apart_however_often_one_looks(as_black: float, as_white: float) -> None:
    """1,000 matches of 400 games with a look after each pair, at 5 %: more than 7.2 % have a chance of 1 in 1,000."""
    chance = Random(1)
    wrong = sum(first_rejection(chance, as_black, as_white, 200, 0.05) is not None for _ in range(1000))
    assert wrong <= 72


def test_a_stronger_player_is_found_and_strong_effects_are_found_early() -> None:
    chance = Random(2)
    for share, most in ((0.7, 200), (0.95, 40)):
        found = [first_rejection(chance, share, share, 500, 0.0005) for _ in range(100)]
        assert None not in found
        assert sum(found) / len(found) < most


def test_the_interval_has_what_is_not_rejected() -> None:
    for points, games in ((30, 40), (0, 12), (12, 12), (50.5, 101)):
        interval = always_valid_interval(points, games, 0.95)
        assert interval.low <= points / games <= interval.high
        for bound in (interval.low, interval.high):
            if 0 < bound < 1:
                assert always_valid_p(points, games, bound) == pytest.approx(0.05, rel=1e-6)
    assert (always_valid_interval(0, 12).low, always_valid_interval(12, 12).high) == (0.0, 1.0)


@pytest.mark.parametrize(("points", "games", "share"), [(3, 2, 0.5), (1, 2, 0.0), (1, 2, 1.0)])
def test_impossible_scores_are_refused(points: float, games: float, share: float) -> None:
    with pytest.raises(ValueError, match=r"share is between|points must be"):
        always_valid_p(points, games, share)
