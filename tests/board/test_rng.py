"""Random numbers: PCG's own vectors, uniform draws, streams that differ."""

import numpy as np
import pytest
from scipy import stats

from kikashi.board.rng import next_random, random_below, random_unit, stream

ALL_ZEROS, ALL_ONES = 0, 0x003FFFFF003FFC00
"""States before a draw of 32 zeros and of 32 ones."""


def holder_of(state: int) -> np.void:
    holder = np.zeros(1, [("rng", "u8")])[0]
    holder["rng"] = state
    return holder


def between(value: float, distribution: stats.rv_continuous) -> bool:
    """Whether `value` is where a sample of `distribution` is in all but two of ten thousand cases."""
    return distribution.ppf(1e-4) < value < distribution.ppf(1 - 1e-4)


def test_pcg_gives_the_reference_numbers():
    """Those of pcg-c, test-low/expected/check-oneseq-64-xsh-rs-32.out, seeded with 42 as there: step, add, step."""
    holder = holder_of(0)
    next_random(holder)
    holder["rng"] += np.uint64(42)
    next_random(holder)
    drawn = " ".join(f"{next_random(holder):#010x}" for _ in range(6))
    assert drawn == "0xdebff77f 0x54b00b9c 0xded17109 0x383d10fa 0xb7d5e650 0xd8c19fa9"


@pytest.mark.parametrize("n", [1, 2, 361, 2**16 - 1])
def test_the_extreme_draws_are_in_range(n):
    assert next_random(holder_of(ALL_ZEROS)) == 0
    assert next_random(holder_of(ALL_ONES)) == 2**32 - 1
    assert random_below(holder_of(ALL_ZEROS), n) == 0
    assert random_below(holder_of(ALL_ONES), n) == n - 1


@pytest.mark.parametrize("seed", range(5))
def test_a_unit_is_made_of_53_bits_of_two_draws(seed):
    holder, twin = holder_of(stream(seed)), holder_of(stream(seed))
    high, low = next_random(twin), next_random(twin)
    assert random_unit(holder) == (high * 2**21 + low // 2**11) / 2**53
    assert holder["rng"] == twin["rng"]


@pytest.mark.parametrize("n", [2, 3, 5, 64, 81, 361])
@pytest.mark.parametrize("seed", [1, 2])
def test_integers_below_a_bound_are_uniform(n, seed):
    holder = holder_of(stream(seed))
    draws = 50 * n + 1000
    counts = np.bincount([random_below(holder, n) for _ in range(draws)])
    assert len(counts) == n
    assert between(stats.chisquare(counts).statistic, stats.chi2(n - 1))


@pytest.mark.parametrize("n", [7, 361])
def test_successive_integers_are_independent(n):
    """Pairs of draws, in seven by seven classes."""
    holder = holder_of(stream(3))
    pairs = [(random_below(holder, n) * 7 // n, random_below(holder, n) * 7 // n) for _ in range(5000)]
    table = np.zeros((7, 7))
    np.add.at(table, tuple(np.transpose(pairs)), 1)
    assert between(stats.chi2_contingency(table).statistic, stats.chi2(36))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_units_are_uniform(seed):
    """The variance of a sample variance is (m4 - m2**2) / n, here with m4 = 1/80 and m2 = 1/12."""
    holder = holder_of(stream(seed))
    n = 20_000
    draws = np.array([random_unit(holder) for _ in range(n)])
    assert 0 <= draws.min() < draws.max() < 1
    assert between(draws.mean(), stats.norm(1 / 2, (1 / 12 / n) ** 0.5))
    assert between(draws.var(), stats.norm(1 / 12, ((1 / 80 - 1 / 144) / n) ** 0.5))
    assert stats.kstest(draws, "uniform").pvalue > 1e-4


def test_streams_differ_by_seed_and_by_every_step_of_the_path():
    paths = [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1), (0, 0, 0), (7, 2**31)]
    seeds = [0, 1, 2, 2**32, 2**32 + 1, 2**63, 2**64 - 1]
    states = {(seed, *path): int(stream(seed, *path)) for seed in seeds for path in paths}
    twice = [key for key, state in states.items() if list(states.values()).count(state) > 1]
    assert not twice, "streams with the same state as another"


@pytest.mark.parametrize("key", [(0,), (1, 2), (2**64 - 1, 3, 4)])
def test_equal_paths_give_equal_streams(key):
    assert stream(*key) == stream(*key)
    assert stream(*key).dtype == np.uint64
