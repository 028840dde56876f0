"""Ratings compared with a general optimiser, the bootstrap with binomial quantiles; groups without games between."""

import math
from collections.abc import Callable
from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import beta

from helpers.match_tools import check_refused
from kikashi.stats.intervals import ELO_PER_NAT, EloEstimate, elo, expected
from kikashi.stats.rating import PRIOR, bootstrap, bradley_terry, connected_groups

Results = dict[tuple[str, str], tuple[float, float]]


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
    ratings = bradley_terry(["a", "b"], {("a", "b"): (7, 9)})
    assert ratings.elo["a"] - ratings.elo["b"] == pytest.approx(elo(7.5 / 10))
    assert ratings.expected("a", "b") == pytest.approx(0.75)


def test_direction_and_splitting_of_results_do_not_matter() -> None:
    names = ["a", "b", "c"]
    once = bradley_terry(names, {("a", "b"): (12, 20), ("b", "c"): (5, 6)})
    turned = bradley_terry(names, {("a", "b"): (2, 5), ("b", "a"): (5, 15), ("c", "b"): (1, 6)})
    assert turned.elo == pytest.approx(once.elo)


@pytest.mark.parametrize("games", [1, 100, 10**6, 10**9])
def test_one_sided_tables_stay_finite(games: int) -> None:
    """Each wins every game against the next, up to a billion: Newton's method must not run off."""
    names = names_of(5)
    results: Results = dict.fromkeys(pairwise(names), (games, games))
    ratings = list(bradley_terry(names, results).elo.values())
    assert np.all(np.isfinite(ratings))
    assert ratings == sorted(ratings, reverse=True)


def test_even_or_missing_results_give_ratings_of_0() -> None:
    assert bradley_terry(["a"], {}).elo == {"a": 0}
    assert bradley_terry(["a", "b", "c"], {}).elo == {"a": 0, "b": 0, "c": 0}
    assert bradley_terry(["a", "b"], {("a", "b"): (0, 0)}).elo == {"a": 0, "b": 0}
    assert bradley_terry(["a", "b", "c"], {("a", "b"): (5, 10), ("b", "c"): (2, 4)}).elo == pytest.approx(
        {"a": 0, "b": 0, "c": 0}
    )


TABLES = 60
PAIRS = [("a", "b", points, 2) for points in (2, 1, 1, 0, 1.5, 2, 1, 2)]
PAIRS += [("c", "b", points, 2) for points in (0, 1, 0, 0.5, 2, 1, 0, 1)]
PAIRS += [("a", "c", points, 2) for points in (2, 2, 1, 1, 2, 0, 2, 1.5)]


def width(estimate: EloEstimate) -> float:
    return estimate.high - estimate.low


def test_bootstrap_intervals_hold_the_ratings() -> None:
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


def test_bootstrap_of_single_games_has_the_quantiles_of_laplace() -> None:
    """Those of the chance to win after 120 wins and 80 losses if any chance was as likely before."""
    games = [("a", "b", 1.0, 1)] * 120 + [("b", "a", 1.0, 1)] * 80
    estimate = bootstrap(["a", "b"], games, samples=4000, confidence=0.9)["a"]  # half of the difference
    for end, quantile in [(estimate.low, 0.05), (estimate.high, 0.95)]:
        points = expected(2 * end) * 201 - 0.5
        assert points == pytest.approx(200 * beta.ppf(quantile, 121, 81), abs=1.0)


def test_bootstrap_treats_a_pair_as_one_observation() -> None:
    """Pairs that are won or lost as a whole tell half as much as their games would one by one."""
    pairs = [("a", "b", 2, 2), ("a", "b", 0, 2)] * 100
    games = [("a", "b", 1, 1), ("a", "b", 0, 1)] * 200
    ratio = width(bootstrap(["a", "b"], pairs)["a"]) / width(bootstrap(["a", "b"], games)["a"])
    assert ratio == pytest.approx(math.sqrt(2), rel=0.1)


def test_bootstrap_depends_on_its_seed_and_not_on_the_order_of_names() -> None:
    names = ["a", "b", "c"]
    assert bootstrap(names, PAIRS, samples=50, seed=7) == bootstrap(names, PAIRS, samples=50, seed=7)
    assert bootstrap(names, PAIRS, samples=50, seed=7) != bootstrap(names, PAIRS, samples=50, seed=8)
    turned = [(b, a, games - points, games) for a, b, points, games in PAIRS]
    assert bootstrap(names, turned, samples=50) == bootstrap(names, PAIRS, samples=50)


def test_bootstrap_has_width_where_results_do_not_vary() -> None:
    """Unseen results may still come."""
    nothing = bootstrap(["a", "b"], [], samples=20)
    assert nothing == dict.fromkeys("ab", EloEstimate(0, -math.inf, math.inf))
    drawn = bootstrap(["a", "b"], [("a", "b", 1, 2)] * 9)
    for estimate in drawn.values():
        assert estimate.low < estimate.elo < estimate.high
        assert estimate.elo == pytest.approx(0)
    won = bootstrap(["a", "b"], [("a", "b", 2, 2)] * 9)
    assert won["a"].elo == pytest.approx(elo(18.5 / 19) / 2)


@pytest.mark.parametrize("pairs", [5, 20, 100])
def test_bootstrap_of_players_who_only_won_or_lost_is_honest(pairs: int) -> None:
    """A chance that makes the result likelier than 5 % is not excluded; there is no bound where nothing gives one."""
    found = bootstrap(["a", "b"], [("a", "b", 2, 2)] * pairs)["a"]
    turned = bootstrap(["a", "b"], [("b", "a", 2, 2)] * pairs)["a"]
    assert found.high == math.inf
    assert turned.low == -math.inf
    assert found.elo == pytest.approx(-turned.elo)
    likely = 0.05 ** (1 / pairs)
    assert found.low <= elo((2 * pairs * likely + 0.5) / (2 * pairs + 1)) / 2 < found.elo
    assert found.low == pytest.approx(-turned.high, abs=0.2 * (found.elo - found.low))


def test_a_player_who_only_lost_widens_nobody_elses_interval_to_nothing() -> None:
    games = [*PAIRS, *(("d", name, 0, 2) for name in "abc" for _ in range(8))]
    found = bootstrap(["a", "b", "c", "d"], games)
    assert found["d"].low == -math.inf
    assert found["d"].elo < found["d"].high < found["b"].elo
    assert all(width(found[name]) > 0 and math.isfinite(width(found[name])) for name in "abc")


@pytest.mark.parametrize("reach", [1, 3])
def test_bootstrap_covers_the_truth_for_players_far_from_the_middle(reach: int) -> None:
    """A ladder of players who met those close to them, drawn many times; the prior's pull to the middle costs some.

    When every pairing had a won and a lost item of its own, intervals of the ends did not even hold their estimates.
    """
    truth = 150.0 * np.arange(-3, 4)
    names, rng = names_of(len(truth)), np.random.default_rng(17)
    met = [(i, j) for i, j in combinations(range(len(truth)), 2) if j - i <= reach]
    held = np.zeros(len(truth))
    for _ in range(TABLES):
        pairs = [
            (names[i], names[j], float(points), 2)
            for i, j in met
            for points in rng.binomial(2, expected(truth[i] - truth[j]), size=10)
        ]
        for i, found in enumerate(bootstrap(names, pairs, samples=200).values()):
            assert found.low <= found.elo <= found.high
            held[i] += found.low <= truth[i] <= found.high
    assert np.all(held >= 0.75 * TABLES)


@pytest.mark.parametrize(
    ("pairings", "groups"),
    [
        ([], ["a", "b", "c", "d", "e"]),
        ([("a", "c"), ("d", "b")], ["ac", "bd", "e"]),
        ([("e", "d"), ("b", "c"), ("c", "e"), ("b", "d")], ["a", "bcde"]),
        ([("a", "b"), ("c", "d"), ("e", "d"), ("b", "c")], ["abcde"]),
    ],
)
def test_players_without_games_between_them_are_in_different_groups(
    pairings: list[tuple[str, str]], groups: list[str]
) -> None:
    for pairs in permutations(pairings):
        assert connected_groups("abcde", pairs) == [list(group) for group in groups]
        assert connected_groups("abcde", ((b, a) for a, b in pairs)) == [list(group) for group in groups]


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "ratings: no names": (lambda: bradley_terry([], {}), "at least one name"),
    "ratings: twice": (lambda: bradley_terry(["a", "b", "a"], {}), "none twice, not a, b, a"),
    "ratings: unknown": (lambda: bradley_terry(["a", "b"], {("a", "c"): (1, 2)}), "two of a, b, not a and c"),
    "ratings: itself": (lambda: bradley_terry(["a", "b"], {("a", "a"): (1, 2)}), "not a and a"),
    "ratings: points": (lambda: bradley_terry(["a", "b"], {("a", "b"): (3, 2)}), "not 3 of 2"),
    "ratings: negative": (lambda: bradley_terry(["a", "b"], {("a", "b"): (-1, 2)}), "not -1 of 2"),
    "ratings: prior": (lambda: bradley_terry(["a", "b"], {}, prior=0), "positive, not 0"),
    "bootstrap: samples": (lambda: bootstrap(["a"], [], samples=0), "at least one sample"),
    "bootstrap: confidence": (lambda: bootstrap(["a"], [], confidence=0), "between 0 and 1, not 0"),
    "bootstrap: points": (lambda: bootstrap(["a", "b"], [("a", "b", 3, 2)]), "not 3 of 2"),
    "bootstrap: unknown": (lambda: bootstrap(["a", "b"], [("x", "b", 1, 2)]), "not x and b"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_line(case: str) -> None:
    check_refused(*BAD[case])
