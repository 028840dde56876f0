"""Claims, their tests and their verdicts."""

from random import Random

import msgspec
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

from kikashi.experiments.claims import Alike, Effect, Falls, Greater, Rises, decide, needed_share
from kikashi.experiments.design_files import experiment_names, load_design
from kikashi.stats.sequential import always_valid_interval, always_valid_p

ABOUT = {"text": "A is stronger than B", "where": "§1"}


def games(wins: int, losses: int) -> list[float]:
    return [1.0] * wins + [0.0] * losses


def test_two_players_are_compared_by_the_z_test_of_two_proportions() -> None:
    effect = Greater(first="A", second="B", **ABOUT).effect({"A": games(65, 35), "B": games(50, 50)})
    assert effect is not None
    assert effect.value == pytest.approx(0.15)
    assert effect.p == pytest.approx(proportions_ztest([65, 50], [100, 100])[1])
    low, high = confint_proportions_2indep(65, 100, 50, 100, method="newcomb")
    assert (effect.low, effect.high) == pytest.approx((low, high))


def test_a_player_is_compared_with_a_number_on_either_side() -> None:
    observations = {"A": games(60, 40)}
    above = Greater(first="A", second=0.5, **ABOUT).effect(observations)
    below = Greater(first=0.5, second="A", **ABOUT).effect(observations)
    assert above is not None
    assert below == above.flipped
    assert above.p == always_valid_p(60, 100) > proportions_ztest(60, 100, 0.5, prop_var=0.5)[1]
    assert above.low == pytest.approx(always_valid_interval(60, 100).low - 0.5)


def test_games_of_the_two_players_of_a_claim_decide_it_before_those_against_a_third() -> None:
    observations = {"A against B": games(45, 5), "A": games(10, 90), "B": games(90, 10)}
    effect = Greater(first="A", second="B", **ABOUT).effect(observations)
    assert effect is not None
    assert (effect.value, effect.observations) == (pytest.approx(0.4), 50)
    assert Greater(first="A", second="B", **ABOUT).effect({"A against B": [], "A": games(1, 9)}) is None


def test_a_sweep_is_evidence() -> None:
    effect = Greater(first="A", second=0.5, **ABOUT).effect({"A": games(40, 0)})
    assert effect is not None
    assert effect.p < 1e-9
    assert effect.low > 0


def test_paired_observations_are_compared_by_their_differences() -> None:
    chance = Random(1)
    base = [chance.gauss(0, 10) for _ in range(50)]
    observations = {"A": [value + chance.gauss(0.5, 0.1) for value in base], "B": base}
    claim = Greater(first="A", second="B", **ABOUT)
    paired, alone = claim.effect(observations, paired=True), claim.effect(observations)
    assert paired is not None
    assert alone is not None
    assert paired.value == pytest.approx(alone.value)
    assert paired.p < 1e-12 < 0.5 < alone.p


def test_a_series_must_hold_at_each_number_in_its_range() -> None:
    observations = {"A, 500": games(90, 10), "A, 1,000": games(55, 45), "A, 2,000": games(10, 90)}
    whole, part = Greater(first="A", second=0.5, **ABOUT), Greater(first="A", second=0.5, to=1000, **ABOUT)
    assert whole.effect(observations).value == pytest.approx(-0.4)
    worst = Greater(first="A, 2,000", second=0.5, **ABOUT).effect(observations)
    assert whole.effect(observations).p == pytest.approx(3 * worst.p), "the least of three is corrected"
    assert part.effect(observations).value == pytest.approx(0.05)
    assert Greater(first="A", second=0.5, since=4000, **ABOUT).effect(observations) is None
    begun = {"A, 500": games(90, 10), "A, 1,000": []}
    assert Greater(first="A", second=0.5, **ABOUT).effect(begun).p == 1.0, "nothing is known of the other number"


def test_observations_without_a_spread_decide_nothing() -> None:
    effect = Alike(first="A", second="B", **ABOUT).effect({"A": [0.7], "B": [0.7]})
    assert effect is not None
    assert decide([Alike(first="A", second="B", **ABOUT)], [effect]) == ["not decided"]


def test_a_trend_is_the_regression_on_the_logarithm_of_the_number() -> None:
    chance = Random(2)
    observations = {f"A, {n:,}": [chance.gauss(n.bit_length(), 1) for _ in range(30)] for n in (512, 2048, 8192)}
    rises, falls = Rises(series="A", **ABOUT).effect(observations), Falls(series="A", **ABOUT).effect(observations)
    x = [bits for bits, values in zip((9, 11, 13), observations.values(), strict=True) for _ in values]
    line = scipy_stats.linregress(x, [value for values in observations.values() for value in values])
    assert rises is not None
    assert rises.value == pytest.approx(4 * line.slope)
    assert (rises.high - rises.low) / 2 == pytest.approx(1.959964 * 4 * line.stderr, rel=1e-5)
    assert falls == rises.flipped
    assert Rises(series="A", **ABOUT).effect({"A, 512": [1.0, 2.0]}) is None


@pytest.mark.parametrize(
    ("low", "value", "high", "p", "verdict"),
    [
        (0.1, 0.2, 0.3, 0.001, "reproduced"),
        (-0.3, -0.2, -0.1, 0.001, "contradicted"),
        (-0.1, 0.1, 0.3, 0.3, "same direction, not decided"),
        (-0.3, -0.1, 0.1, 0.3, "not decided"),
    ],
)
def test_a_direction_is_decided_by_its_corrected_p_value(
    low: float, value: float, high: float, p: float, verdict: str
) -> None:
    assert decide([Greater(first="A", second="B", **ABOUT)], [Effect(value, low, high, p, 100)]) == [verdict]


def test_no_difference_is_reproduced_only_by_a_narrow_interval() -> None:
    claim = Alike(first="A", second="B", **ABOUT)
    scores = [(games(1010, 990), games(1000, 1000)), (games(11, 10), games(10, 10)), (games(90, 10), games(50, 50))]
    effects = [claim.effect({"A": a, "B": b}) for a, b in scores]
    assert decide([claim] * 3, effects) == ["reproduced", "not decided", "contradicted"]


def test_no_difference_is_corrected_for_other_tests() -> None:
    claim = Alike(first="A", second="B", **ABOUT)
    effect = claim.effect({"A": games(460, 460), "B": games(460, 460)})
    assert effect is not None
    assert effect.high < claim.within, "its own interval is narrow enough"
    assert decide([claim], [effect]) == ["reproduced"]
    assert effect.p == pytest.approx(2 * 1.8e-5, rel=0.2), "twice the p-value of a difference of 0.1"
    others = [Greater(first="A", second="B", **ABOUT)] * 5000
    noise = Effect(0.1, -0.5, 0.7, 0.9, 100)
    assert decide([claim, *others], [effect, *[noise] * 5000])[0] == "not decided"


@pytest.mark.parametrize("share", [0.3, 0.55])
def test_a_difference_in_games_that_are_tested_at_any_time(share: float) -> None:
    """The p-value of a difference as large as `within` is that of the nearer bound, from either side."""
    points, count = round(share * 1000), 1000
    effect = Greater(first="A", second=0.5, **ABOUT).effect({"A": games(points, count - points)})
    assert effect is not None
    if abs(share - 0.5) >= 0.1:
        assert effect.p_within(0.1) == 1.0
    else:
        assert effect.p_within(0.1) == always_valid_p(points, count, 0.6)
        assert effect.flipped.p_within(0.1) == pytest.approx(effect.p_within(0.1))


def test_many_tests_are_corrected_by_holm_and_claims_without_a_run_are_not_tests() -> None:
    ps = [0.04, 0.011, 0.013, 0.6, 0.0001]
    wanted = multipletests(ps, method="holm")[0].tolist()
    claims = [Greater(first="A", second="B", **ABOUT)] * 6
    verdicts = decide(claims, [None, *(Effect(0.1, 0.0, 0.2, p, 100) for p in ps)])
    assert verdicts[0] == "not run"
    assert [verdict == "reproduced" for verdict in verdicts[1:]] == wanted


def test_the_observations_to_a_decision_grow_with_the_square_of_the_error() -> None:
    claim = Greater(first="A", second="B", **ABOUT)
    near = needed_share(claim, Effect(0.1, 0.0, 0.2, 0.05, 100), tests=1)
    assert near == pytest.approx(1.0)
    assert needed_share(claim, Effect(0.1, -0.1, 0.3, 0.3, 100), tests=1) == pytest.approx(4.0)
    assert needed_share(claim, Effect(0.0, -0.2, 0.2, 1.0, 100), tests=1) is None


@pytest.mark.parametrize("name", experiment_names())
def test_claims_name_labels_of_their_experiment(name: str) -> None:
    design = load_design(name)
    rows = [row.name for name in ("player", "policy") for row in getattr(design, name, [])]
    for claim in design.claim:
        sides = [claim.series] if isinstance(claim, Rises) else [claim.first, claim.second]
        for label in (side for side in sides if isinstance(side, str)):
            if design.kind == "positions":
                assert label.rpartition(" ")[0] in ("mean", "max", "robust max", "mix", "robust of two")
            else:
                assert any(label in (row, f"{row} random") or label.startswith(f"{row}: ") for row in rows), label


def test_a_claim_with_an_unknown_test_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="nearly"):
        msgspec.convert([ABOUT | {"test": "nearly"}], list[Greater | Alike])
