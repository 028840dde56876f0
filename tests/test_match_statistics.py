"""Match statistics: each beside an independent computation, and the sequential test beside its promised error rates."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint, proportions_ztest

from kikashi.lab.bradley_terry import PRIOR, bootstrap, bradley_terry
from kikashi.lab.statistics import (
    ELO_PER_NAT,
    EMPTY_CELL,
    PAIR_SHARES,
    EloEstimate,
    Interval,
    Pentanomial,
    ZTest,
    duplicates,
    elo,
    elo_interval,
    expected,
    log_likelihood_ratios,
    sprt,
    two_proportions,
    wilson,
)

Results = dict[tuple[str, str], tuple[float, float]]

# --- one score --------------------------------------------------------------------------------------------------------


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


def test_elo_and_expected_share_are_inverse() -> None:
    for difference in (-2000, -400, -7.5, 0, 0.001, 191, 400, 2000):
        assert elo(expected(difference)) == pytest.approx(difference, abs=1e-8)
    for share in (1e-12, 0.001, 0.25, 0.5, 0.9, 0.999):
        assert expected(elo(share)) == pytest.approx(share, rel=1e-12)


def test_elo_scale() -> None:
    assert expected(400) == pytest.approx(10 / 11)
    assert expected(-400) == pytest.approx(1 / 11)
    assert (elo(0), elo(0.5), elo(1)) == (-math.inf, 0, math.inf)
    assert (expected(-math.inf), expected(math.inf)) == (0, 1)
    assert expected(-1e6) == 0, "no overflow"


def test_elo_of_a_match() -> None:
    estimate = elo_interval(wins=60, draws=10, losses=30)
    low, high = proportion_confint(65, 100, method="wilson")
    assert estimate.elo == pytest.approx(400 * math.log10(65 / 35))
    assert estimate.low == pytest.approx(400 * math.log10(low / (1 - low)))
    assert estimate.high == pytest.approx(400 * math.log10(high / (1 - high)))
    assert elo_interval(60, 10, 30, confidence=0.99).low < estimate.low


def test_elo_of_one_sided_matches() -> None:
    assert elo_interval(0, 0, 0) == EloEstimate(0, -math.inf, math.inf)
    won, drawn, lost = elo_interval(8, 0, 0), elo_interval(0, 8, 0), elo_interval(0, 0, 8)
    assert won.elo == won.high == math.inf
    assert lost.elo == lost.low == -math.inf
    assert won.low == pytest.approx(-lost.high)
    assert math.isfinite(won.low)
    assert drawn.elo == 0
    assert drawn.low == pytest.approx(-drawn.high)


# --- two scores -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("games_a", [1, 10, 333])
@pytest.mark.parametrize("games_b", [2, 50, 1000])
def test_two_proportions_agrees_with_statsmodels(games_a: int, games_b: int) -> None:
    for wins_a in {0, games_a // 3, games_a}:
        for wins_b in {1, games_b // 2, games_b - 1}:
            test = two_proportions(wins_a, games_a, wins_b, games_b)
            theirs = proportions_ztest([wins_a, wins_b], [games_a, games_b])
            assert (test.z, test.p) == pytest.approx(theirs, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (0, 0, 3, 5), (3, 5, 0, 0), (0, 9, 0, 4), (9, 9, 4, 4)])
def test_two_proportions_where_nothing_can_be_told(counts: tuple[int, int, int, int]) -> None:
    assert two_proportions(*counts) == ZTest(0, 1)


# --- the sequential test ----------------------------------------------------------------------------------------------

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


def test_the_ratio_changes_sign_with_the_sides() -> None:
    for counts in COUNTS:
        mirrored = Pentanomial(counts[::-1])
        assert sprt(mirrored, -30, 10).llr == pytest.approx(-sprt(Pentanomial(counts), -10, 30).llr, abs=1e-9)


def test_each_row_is_judged_by_itself() -> None:
    together = log_likelihood_ratios(np.array(COUNTS), 0, 20)
    assert together.tolist() == pytest.approx([sprt(Pentanomial(counts), 0, 20).llr for counts in COUNTS])


def test_decisions() -> None:
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


def test_more_of_the_same_says_more() -> None:
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


# --- ratings ----------------------------------------------------------------------------------------------------------


def names_of(players: int) -> list[str]:
    return [f"player{i}" for i in range(players)]


def random_table(players: int, seed: int) -> Results:
    """Results with draws, some pairings missing, one given in both directions, and one player who won every game."""
    rng = np.random.default_rng(seed)
    names = names_of(players)
    results: Results = {}
    for a, b in combinations(names, 2):
        if rng.random() < 0.7:
            games = int(rng.integers(1, 200))
            results[a, b] = (games if a == names[0] else rng.integers(0, 2 * games + 1) / 2, games)
    results[names[2], names[1]] = (3.5, 9)
    return results


def slow_ratings(names: list[str], results: Results, prior: float) -> np.ndarray:
    """The Elo that maximise the likelihood of results and prior draws, found by a general optimiser."""

    def loss(strengths: np.ndarray) -> float:
        by_name = dict(zip(names, strengths, strict=True))
        draws = [(a, b, prior / (len(names) - 1) / 2, prior / (len(names) - 1)) for a, b in combinations(names, 2)]
        games = [(a, b, points, count) for (a, b), (points, count) in results.items()] + draws
        total = 0.0
        for a, b, points, count in games:
            difference = by_name[a] - by_name[b]
            total += points * np.logaddexp(0, -difference) + (count - points) * np.logaddexp(0, difference)
        return float(total + strengths.mean() ** 2)

    best = minimize(loss, np.zeros(len(names)), method="BFGS", options={"gtol": 1e-6})
    return np.asarray(ELO_PER_NAT * (best.x - best.x.mean()))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("players", [3, 6])
@pytest.mark.parametrize("prior", [PRIOR, 8.0])
def test_ratings_are_the_most_likely_ones(players: int, seed: int, prior: float) -> None:
    names, results = names_of(players), random_table(players, seed)
    ratings = bradley_terry(names, results, prior=prior)
    assert list(ratings.elo) == names
    assert list(ratings.elo.values()) == pytest.approx(slow_ratings(names, results, prior), abs=0.01)
    assert sum(ratings.elo.values()) == pytest.approx(0, abs=1e-8)


def test_ratings_balance_points_and_expectations() -> None:
    """At the maximum each player, prior draws included, has just the points that the ratings expect."""
    names = names_of(9)
    results = random_table(9, seed=11)
    ratings = bradley_terry(names, results)
    surplus = dict.fromkeys(names, 0.0)
    draws = dict.fromkeys(combinations(names, 2), (PRIOR / 8 / 2, PRIOR / 8))
    for table in (results, draws):
        for (a, b), (points, games) in table.items():
            surplus[a] += points - games * ratings.expected(a, b)
            surplus[b] -= points - games * ratings.expected(a, b)
    assert list(surplus.values()) == pytest.approx([0] * 9, abs=1e-9)


def test_true_ratings_are_recovered() -> None:
    """From exact expectations but for the prior; from drawn games within four standard errors of the information."""
    names, truth = names_of(8), np.array([900.0, 300, 150, 20, -20, -150, -300, -900])
    rng = np.random.default_rng(3)
    exact: Results = {}
    drawn: Results = {}
    information = np.zeros((8, 8))
    games = 2000
    for i, j in combinations(range(8), 2):
        share = expected(truth[i] - truth[j])
        exact[names[i], names[j]] = (1e8 * share, 1e8)
        drawn[names[i], names[j]] = (int(rng.binomial(games, share)), games)
        edge = np.eye(8)[i] - np.eye(8)[j]
        information += games * share * (1 - share) * np.outer(edge, edge)
    errors = ELO_PER_NAT * np.sqrt(np.diag(np.linalg.pinv(information)))
    assert list(bradley_terry(names, exact).elo.values()) == pytest.approx(truth, abs=1e-3)
    assert np.all(np.abs(np.array(list(bradley_terry(names, drawn).elo.values())) - truth) < 4 * errors)


def test_two_players_are_rated_by_their_share_and_one_draw() -> None:
    ratings = bradley_terry(["a", "b"], {("a", "b"): (7, 9)}, anchor="b")
    assert ratings.elo["a"] == pytest.approx(elo(7.5 / 10))
    assert ratings.elo["b"] == 0
    assert ratings.expected("a", "b") == pytest.approx(0.75)


def test_direction_and_splitting_of_results_do_not_matter() -> None:
    names = ["a", "b", "c"]
    once = bradley_terry(names, {("a", "b"): (12, 20), ("b", "c"): (5, 6)})
    turned = bradley_terry(names, {("a", "b"): (2, 5), ("b", "a"): (5, 15), ("c", "b"): (1, 6)})
    assert turned.elo == pytest.approx(once.elo)


def test_an_anchor_only_moves_the_scale() -> None:
    names, results = names_of(5), random_table(5, seed=1)
    free, anchored = bradley_terry(names, results), bradley_terry(names, results, anchor=names[3])
    assert anchored.elo[names[3]] == 0
    assert anchored.anchor == names[3]
    shift = free.elo[names[3]]
    assert {name: rating + shift for name, rating in anchored.elo.items()} == pytest.approx(free.elo)


@pytest.mark.parametrize("games", [1, 100, 10**6, 10**9])
def test_one_sided_tables_stay_finite(games: int) -> None:
    """Each wins every game against the next, up to a billion: Newton's method must not run off."""
    names = names_of(5)
    results: Results = dict.fromkeys(pairwise(names), (games, games))
    ratings = list(bradley_terry(names, results).elo.values())
    assert np.all(np.isfinite(ratings))
    assert ratings == sorted(ratings, reverse=True)


def test_tables_that_say_nothing() -> None:
    assert bradley_terry(["a"], {}).elo == {"a": 0}
    assert bradley_terry(["a", "b", "c"], {}).elo == {"a": 0, "b": 0, "c": 0}
    assert bradley_terry(["a", "b"], {("a", "b"): (0, 0)}).elo == {"a": 0, "b": 0}
    assert bradley_terry(["a", "b", "c"], {("a", "b"): (5, 10), ("b", "c"): (2, 4)}).elo == pytest.approx(
        {"a": 0, "b": 0, "c": 0}
    )


# --- the bootstrap ----------------------------------------------------------------------------------------------------

PAIRS = [("a", "b", points, 2) for points in (2, 1, 1, 0, 1.5, 2, 1, 2)]
PAIRS += [("c", "b", points, 2) for points in (0, 1, 0, 0.5, 2, 1, 0, 1)]
PAIRS += [("a", "c", points, 2) for points in (2, 2, 1, 1, 2, 0, 2, 1.5)]


def width(estimate: EloEstimate) -> float:
    return estimate.high - estimate.low


def test_bootstrap_is_about_the_ratings() -> None:
    results: Results = {("a", "b"): (10.5, 16), ("c", "b"): (5.5, 16), ("a", "c"): (11.5, 16)}
    ratings = bradley_terry(["a", "b", "c"], results)
    estimates = bootstrap(["a", "b", "c"], PAIRS)
    assert {name: estimate.elo for name, estimate in estimates.items()} == pytest.approx(ratings.elo)
    for estimate in estimates.values():
        assert estimate.low < estimate.elo < estimate.high


def test_bootstrap_shrinks_with_more_games() -> None:
    """Sixteen times the games: a quarter of the width, the prior's small share and the sampling of quantiles aside."""
    few, many = bootstrap(["a", "b", "c"], 4 * PAIRS), bootstrap(["a", "b", "c"], 64 * PAIRS)
    for name in "abc":
        assert many[name].low < many[name].elo < many[name].high
        assert 0.2 < width(many[name]) / width(few[name]) < 0.3


def test_bootstrap_of_single_games_has_binomial_quantiles() -> None:
    games = [("a", "b", 1.0, 1)] * 120 + [("b", "a", 1.0, 1)] * 80
    estimate = bootstrap(["a", "b"], games, anchor="b", samples=4000, confidence=0.9)["a"]
    for end, quantile in [(estimate.low, 0.05), (estimate.high, 0.95)]:
        points = expected(end) * 201 - 0.5
        assert abs(points - binom.ppf(quantile, 200, 0.6)) <= 1.01


def test_bootstrap_knows_that_games_of_a_pair_go_together() -> None:
    """Pairs that are won or lost as a whole tell half as much as their games would one by one."""
    pairs = [("a", "b", 2, 2), ("a", "b", 0, 2)] * 100
    games = [("a", "b", 1, 1), ("a", "b", 0, 1)] * 200
    ratio = width(bootstrap(["a", "b"], pairs)["a"]) / width(bootstrap(["a", "b"], games)["a"])
    assert ratio == pytest.approx(math.sqrt(2), rel=0.1)


def test_bootstrap_is_repeatable() -> None:
    names = ["a", "b", "c"]
    assert bootstrap(names, PAIRS, samples=50, seed=7) == bootstrap(names, PAIRS, samples=50, seed=7)
    assert bootstrap(names, PAIRS, samples=50, seed=7) != bootstrap(names, PAIRS, samples=50, seed=8)


def test_bootstrap_does_not_mind_who_is_named_first() -> None:
    turned = [(b, a, games - points, games) for a, b, points, games in PAIRS]
    names = ["a", "b", "c"]
    assert bootstrap(names, turned, samples=50) == bootstrap(names, PAIRS, samples=50)


def test_bootstrap_where_nothing_varies() -> None:
    assert bootstrap(["a", "b"], [], samples=20) == dict.fromkeys("ab", EloEstimate(0, 0, 0))
    drawn = bootstrap(["a", "b"], [("a", "b", 1, 2)] * 9, samples=20)
    assert drawn == dict.fromkeys("ab", EloEstimate(0, 0, 0))
    won = bootstrap(["a", "b"], [("a", "b", 2, 2)] * 9, anchor="b", samples=20)
    assert won["b"] == EloEstimate(0, 0, 0)
    assert [won["a"].low, won["a"].elo, won["a"].high] == pytest.approx([elo(18.5 / 19)] * 3)


# --- the games themselves ---------------------------------------------------------------------------------------------


def test_duplicates_are_grouped() -> None:
    games = [["C3", "D4"], ["C3"], ["D4", "C3"], ("C3", "D4"), ["C3"], [], ["C3", "D4"]]
    assert duplicates(games) == [(0, 3, 6), (1, 4)]
    assert duplicates(np.array([[1, 2], [1, 3], [1, 2]])) == [(0, 2)]
    assert duplicates([]) == []


# --- bad input --------------------------------------------------------------------------------------------------------

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
    "ratings: no names": (lambda: bradley_terry([], {}), "at least one name"),
    "ratings: twice": (lambda: bradley_terry(["a", "b", "a"], {}), "none twice, not a, b, a"),
    "ratings: anchor": (lambda: bradley_terry(["a", "b"], {}, anchor="c"), "no player c"),
    "ratings: unknown": (lambda: bradley_terry(["a", "b"], {("a", "c"): (1, 2)}), "two of a, b, not a and c"),
    "ratings: itself": (lambda: bradley_terry(["a", "b"], {("a", "a"): (1, 2)}), "not a and a"),
    "ratings: points": (lambda: bradley_terry(["a", "b"], {("a", "b"): (3, 2)}), "not 3 of 2"),
    "ratings: negative": (lambda: bradley_terry(["a", "b"], {("a", "b"): (-1, 2)}), "not -1 of 2"),
    "ratings: prior": (lambda: bradley_terry(["a", "b"], {}, prior=0), "positive, not 0"),
    "bootstrap: samples": (lambda: bootstrap(["a"], [], samples=0), "at least one sample"),
    "bootstrap: confidence": (lambda: bootstrap(["a"], [], confidence=0), "between 0 and 1, not 0"),
    "bootstrap: points": (lambda: bootstrap(["a", "b"], [("a", "b", 3, 2)]), "not 3 of 2"),
    "bootstrap: unknown": (lambda: bootstrap(["a", "b"], [("x", "b", 1, 2)]), "not x and b"),
    "bootstrap: anchor": (lambda: bootstrap(["a", "b"], [], anchor="x"), "no player x"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_line(case: str) -> None:
    call, message = BAD[case]
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        call()
    assert message in str(error.value)
