"""Intervals and tests compared with statsmodels and scipy; the SPRT also with its promised error rates."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from statsmodels.stats.proportion import proportion_confint, proportions_ztest

from helpers.match_tools import check_refused
from kikashi.stats.intervals import (
    EloEstimate,
    Interval,
    ZTest,
    duplicates,
    elo,
    elo_interval,
    expected,
    two_proportions,
    wilson,
)
from kikashi.stats.sequential import EMPTY_CELL, PAIR_SHARES, Pentanomial, log_likelihood_ratios, sprt


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("games", [1, 2, 7, 100, 4001])
def test_wilson_agrees_with_statsmodels(games: int, confidence: float) -> None:
    for score in {0, 0.5, 1, games // 3, games / 2, games - 0.5, games}:
        interval = wilson(score, games, confidence)
        theirs = proportion_confint(score, games, alpha=1 - confidence, method="wilson")
        assert (interval.low, interval.high) == pytest.approx(theirs, abs=1e-12)


def test_wilson_reaches_its_ends_exactly() -> None:
    """So that the Elo of a match without a win is unbounded below, not just very low."""
    assert wilson(0, 0) == Interval(0.0, 1.0)
    for games in range(1, 200):
        assert wilson(0, games).low == 0
        assert wilson(games, games).high == 1
        assert wilson(0, games).high < 1
        assert wilson(games, games).low > 0


def test_elo_and_expected_share_are_inverse_and_logistic() -> None:
    for difference in (-2000, -400, -7.5, 0, 0.001, 191, 400, 2000):
        assert elo(expected(difference)) == pytest.approx(difference, abs=1e-8)
    for share in (1e-12, 0.001, 0.25, 0.5, 0.9, 0.999):
        assert expected(elo(share)) == pytest.approx(share, rel=1e-12)
    assert expected(400) == pytest.approx(10 / 11)
    assert expected(-400) == pytest.approx(1 / 11)
    assert (elo(0), elo(0.5), elo(1)) == (-math.inf, 0, math.inf)
    assert (expected(-math.inf), expected(math.inf)) == (0, 1)
    assert expected(-1e6) == 0, "no overflow"


def test_elo_interval_is_the_wilson_interval_in_elo() -> None:
    estimate = elo_interval(wins=60, draws=10, losses=30)
    low, high = proportion_confint(65, 100, method="wilson")
    assert estimate.elo == pytest.approx(400 * math.log10(65 / 35))
    assert estimate.low == pytest.approx(400 * math.log10(low / (1 - low)))
    assert estimate.high == pytest.approx(400 * math.log10(high / (1 - high)))
    assert elo_interval(60, 10, 30, confidence=0.99).low < estimate.low
    assert elo_interval(0, 0, 0) == EloEstimate(0, -math.inf, math.inf)
    won, drawn, lost = elo_interval(8, 0, 0), elo_interval(0, 8, 0), elo_interval(0, 0, 8)
    assert won.elo == won.high == math.inf
    assert lost.elo == lost.low == -math.inf
    assert won.low == pytest.approx(-lost.high)
    assert math.isfinite(won.low)
    assert drawn.elo == 0
    assert drawn.low == pytest.approx(-drawn.high)


@pytest.mark.parametrize("games_a", [1, 10, 333])
@pytest.mark.parametrize("games_b", [2, 50, 1000])
def test_two_proportions_agrees_with_statsmodels(games_a: int, games_b: int) -> None:
    for wins_a in {0, games_a // 3, games_a}:
        for wins_b in {1, games_b // 2, games_b - 1}:
            test = two_proportions(wins_a, games_a, wins_b, games_b)
            theirs = proportions_ztest([wins_a, wins_b], [games_a, games_b])
            assert (test.z, test.p) == pytest.approx(theirs, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (0, 0, 3, 5), (3, 5, 0, 0), (0, 9, 0, 4), (9, 9, 4, 4)])
def test_two_proportions_without_evidence_has_p_of_1(counts: tuple[int, int, int, int]) -> None:
    assert two_proportions(*counts) == ZTest(0, 1)


COUNTS = [
    (10, 20, 30, 20, 12),
    (25, 0, 60, 0, 40),
    (3, 90, 500, 110, 5),
    (0, 0, 1, 0, 0),
    (0, 0, 0, 0, 30),
    (30, 0, 0, 0, 0),
    (0, 0, 30, 0, 0),
    (0, 7, 0, 7, 0),
    (1, 0, 0, 0, 1),
]


def slow_log_likelihood(counts: tuple[int, ...], mean: float) -> float:
    """The best log-likelihood of counts, with empty cells filled, among all chances with that mean."""
    filled = np.array([count or EMPTY_CELL for count in counts])
    weights = filled / filled.sum()
    constraints = [
        {"type": "eq", "fun": lambda q: q.sum() - 1, "jac": lambda q: np.ones(5)},
        {"type": "eq", "fun": lambda q: q @ PAIR_SHARES - mean, "jac": lambda q: PAIR_SHARES},
    ]
    best = minimize(
        lambda q: -weights @ np.log(q),
        x0=np.full(5, 0.2),
        jac=lambda q: -weights / q,
        bounds=[(1e-9, 1)] * 5,
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 5000},
    )
    assert best.x.sum() == pytest.approx(1)
    assert best.x @ PAIR_SHARES == pytest.approx(mean)
    return float(-best.fun * filled.sum())


@pytest.mark.parametrize("hypotheses", [(0, 5), (-10, 40), (50, 200)])
@pytest.mark.parametrize("counts", COUNTS)
def test_the_ratio_is_that_of_the_best_constrained_fits(
    counts: tuple[int, int, int, int, int], hypotheses: tuple[float, float]
) -> None:
    low, high = (slow_log_likelihood(counts, expected(hypothesis)) for hypothesis in hypotheses)
    assert sprt(Pentanomial(counts), *hypotheses).llr == pytest.approx(high - low, abs=1e-6)


def test_the_ratio_of_decisive_pairs_is_that_of_coin_tosses() -> None:
    """If all pairs are won or lost, and there are many, the ratio is the binomial one."""
    won, lost = 600_000, 400_000
    s0, s1 = expected(20), expected(90)
    exact = won * math.log(s1 / s0) + lost * math.log((1 - s1) / (1 - s0))
    assert sprt(Pentanomial((lost, 0, 0, 0, won)), 20, 90).llr == pytest.approx(exact, rel=1e-5)


def test_the_ratio_changes_sign_with_the_sides_and_rows_are_independent() -> None:
    for counts in COUNTS:
        mirrored = Pentanomial(counts[::-1])
        assert sprt(mirrored, -30, 10).llr == pytest.approx(-sprt(Pentanomial(counts), -10, 30).llr, abs=1e-9)
    together = log_likelihood_ratios(np.array(COUNTS), 0, 20)
    assert together.tolist() == pytest.approx([sprt(Pentanomial(counts), 0, 20).llr for counts in COUNTS])


def test_sprt_decides_at_its_bounds() -> None:
    upper = math.log(0.98 / 0.1)
    lower = math.log(0.02 / 0.9)
    for counts, decision in [
        ((0, 0, 0, 0, 0), "continue"),
        ((0, 0, 0, 0, 1), "continue"),
        ((0, 0, 0, 0, 500), "H1"),
        ((500, 0, 0, 0, 0), "H0"),
        ((0, 0, 500, 0, 0), "H0"),
        ((100, 300, 500, 300, 100), "H0"),
        ((80, 200, 500, 400, 120), "H1"),
    ]:
        test = sprt(Pentanomial(counts), 0, 20, alpha=0.1, beta=0.02)
        assert (test.lower, test.upper) == pytest.approx((lower, upper))
        assert test.decision == decision
    assert sprt(Pentanomial((0, 0, 0, 0, 0)), 0, 20).llr == 0


def test_the_ratio_grows_with_equal_results() -> None:
    """Also where four of five cells are empty, at any length of match and any distance of the hypotheses."""
    for elo0, elo1 in [(0, 2), (-2000, 3000)]:
        rows = np.zeros((10, 5))
        rows[:, 4] = 10.0 ** np.arange(10)
        ratios = log_likelihood_ratios(rows, elo0, elo1)
        assert np.all(np.isfinite(ratios))
        assert np.all(np.diff(ratios) > 0)
        assert np.all(np.diff(log_likelihood_ratios(rows[:, ::-1], elo0, elo1)) < 0)


def test_pairs_are_counted() -> None:
    assert Pentanomial.of([2, 0, 1.5, 2, 1, 0.5, 2]) == Pentanomial((1, 1, 1, 1, 3))
    assert Pentanomial((1, 1, 1, 1, 3)).pairs == 7


MATCHES = 2000
LONGEST = 1000
"""Pairs until which every simulated match must have stopped; the mean is about 30."""


@pytest.mark.thorough
@pytest.mark.parametrize("shape", [(0.1, 0.1, 0.35, 0.2, 0.25), (0.25, 0.0, 0.5, 0.0, 0.25)], ids=["draws", "no draws"])
def test_error_rates_are_as_promised(shape: tuple[float, ...]) -> None:
    elo0, elo1, alpha, beta = 0.0, 100.0, 0.05, 0.05
    for truth, wrong, rate in [(elo0, "H1", alpha), (elo1, "H0", beta)]:
        chances = tilted(np.array(shape), expected(truth))
        stopped = simulate(chances, elo0, elo1, alpha, beta)
        assert len(stopped) == MATCHES, f"not every match stopped after {LONGEST} pairs"
        mistakes = stopped.count(wrong)
        assert mistakes <= MATCHES * rate + 3 * math.sqrt(MATCHES * rate * (1 - rate))
        assert mistakes > 0, "a test that is never wrong is not stopping when it should"


def tilted(chances: np.ndarray, mean: float) -> np.ndarray:
    """Chances of the same shape with exactly that mean."""

    def tilt(by: float) -> np.ndarray:
        raised = chances * np.exp(by * PAIR_SHARES)
        return np.asarray(raised / raised.sum())

    result = tilt(brentq(lambda by: tilt(by) @ PAIR_SHARES - mean, -20, 20, xtol=1e-14))
    assert result @ PAIR_SHARES == pytest.approx(mean, abs=1e-12)
    return result


def simulate(chances: np.ndarray, elo0: float, elo1: float, alpha: float, beta: float) -> list[str]:
    """The decisions of matches, each looked at after every pair."""
    bounds = sprt(Pentanomial((0, 0, 0, 0, 0)), elo0, elo1, alpha, beta)
    rng = np.random.default_rng(2024)
    running = np.zeros((MATCHES, 5), dtype=np.int64)
    decisions: list[str] = []
    for _ in range(LONGEST):
        running[np.arange(len(running)), rng.choice(5, size=len(running), p=chances)] += 1
        ratios = log_likelihood_ratios(running, elo0, elo1)
        accepted, rejected = ratios >= bounds.upper, ratios <= bounds.lower
        decisions += ["H1"] * int(accepted.sum()) + ["H0"] * int(rejected.sum())
        running = running[~(accepted | rejected)]
        if not len(running):
            break
    return decisions


def test_duplicates_are_grouped() -> None:
    games = [["C3", "D4"], ["C3"], ["D4", "C3"], ("C3", "D4"), ["C3"], [], ["C3", "D4"]]
    assert duplicates(games) == [(0, 3, 6), (1, 4)]
    assert duplicates(np.array([[1, 2], [1, 3], [1, 2]])) == [(0, 2)]
    assert duplicates([]) == []


NOTHING = Pentanomial((0, 0, 0, 0, 0))
BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "wilson: negative score": (lambda: wilson(-1, 4), "points must be"),
    "wilson: score above games": (lambda: wilson(4.5, 4), "not 4.5 of 4"),
    "wilson: not a number": (lambda: wilson(math.nan, 4), "points must be"),
    "wilson: endless": (lambda: wilson(1, math.inf), "points must be"),
    "wilson: confidence": (lambda: wilson(1, 4, confidence=1), "between 0 and 1, not 1"),
    "elo: share": (lambda: elo(1.01), "from 0 to 1, not 1.01"),
    "elo_interval: negative": (lambda: elo_interval(5, -1, 3), "negative: 5 wins, -1 draws"),
    "two_proportions: a": (lambda: two_proportions(5, 4, 1, 4), "not 5 of 4"),
    "two_proportions: b": (lambda: two_proportions(1, 4, -1, 4), "not -1 of 4"),
    "pentanomial: negative": (lambda: Pentanomial((0, 0, -1, 0, 0)), "five counts"),
    "pentanomial: too few": (lambda: Pentanomial((1, 2, 3)), "five counts"),  # type: ignore[arg-type]
    "pentanomial: points": (lambda: Pentanomial.of([1, 2.5]), "not 2.5"),
    "sprt: equal": (lambda: sprt(NOTHING, 5, 5), "elo0 must be less than elo1 and both be finite, not 5 and 5"),
    "sprt: reversed": (lambda: sprt(NOTHING, 5, 0), "elo0 must be less"),
    "sprt: infinite": (lambda: sprt(NOTHING, 0, math.inf), "elo0 must be less"),
    "sprt: alpha": (lambda: sprt(NOTHING, 0, 5, alpha=0), "alpha and beta"),
    "sprt: beta": (lambda: sprt(NOTHING, 0, 5, beta=-0.1), "alpha and beta"),
    "sprt: sum": (lambda: sprt(NOTHING, 0, 5, alpha=0.5, beta=0.5), "alpha and beta"),
    "ratios: negative": (lambda: log_likelihood_ratios(np.array([[0, 0, 0, 0, -1]]), 0, 5), "rows of five"),
    "ratios: one row": (lambda: log_likelihood_ratios(np.zeros(5), 0, 5), "rows of five"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_line(case: str) -> None:
    check_refused(*BAD[case])
