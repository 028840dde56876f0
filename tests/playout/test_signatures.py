"""Signatures of playouts: whoever changes how a policy plays does so on purpose.

When a change is meant, `KIKASHI_WRITE_GOLDEN=1` writes the totals of today:

    KIKASHI_WRITE_GOLDEN=1 python -m pytest tests/playout/test_signatures.py
"""

import pytest

from helpers.golden import check_golden
from helpers.signatures import Signatures, policies, short_hash, signature, signatures


@pytest.fixture(scope="module")
def today() -> Signatures:
    return signatures()


def test_every_policy_plays_as_it_did(today: Signatures) -> None:
    """Exact totals by policy. The head of this file says how to keep others on purpose."""
    check_golden("playout_signatures.json", today)


def test_a_signature_counts_every_move(today: Signatures) -> None:
    assert len(today["9x9"]) == len(policies())
    for rows in today.values():
        for name, row in rows.items():
            assert sum(row["by"].values()) == row["moves"], name


def test_another_seed_is_another_signature() -> None:
    policy = policies()["list mogo"]
    first, again, other = (signature(policy, 9, 20, seed) for seed in (1, 1, 2))
    assert first == again
    assert first["hash"] != other["hash"]


def test_the_short_hash_sees_every_number(today: Signatures) -> None:
    row = today["9x9"]["list mogo"]
    changed = today | {"9x9": today["9x9"] | {"list mogo": row | {"score": row["score"] + 1}}}
    assert short_hash(today) == short_hash(dict(reversed(today.items())))
    assert short_hash(today) != short_hash(changed)
