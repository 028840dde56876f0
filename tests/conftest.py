"""What all tests need: Ctrl-C that works, and Hypothesis without a clock. What the tests of GTP share: sessions."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from helpers.gtp_text import new_session, settled_session
from kikashi.engine import machine
from kikashi.jit import is_bounds_checked
from kikashi.protocols.gtp.session import GtpSession

# A shell lets what it starts in the background ignore Ctrl-C, and what that starts inherits it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Nothing here cuts the power, and there are thousands of journals.
os.fsync = lambda _descriptor: None

# No time limits: a loaded machine is slow. The same examples every time, so that a change turns tests red and nothing
# else does; `make soak` looks for new ones.
settings.register_profile("same", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.register_profile("soak", settings.get_profile("same"), derandomize=False, max_examples=2000, print_blob=True)
settings.load_profile("soak" if os.environ.get("KIKASHI_SOAK") else "same")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A process for each core, and one that works while others wait for programs, browsers and clocks.

    Tests of kernels, which run again with bounds checked, wait for nobody.
    """
    return machine.cores() + (not is_bounds_checked())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only `make soak` has the time for."""
    if os.environ.get("KIKASHI_SOAK"):
        return
    left_out = [item for item in items if item.get_closest_marker("soak")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture
def session() -> GtpSession:
    """A GTP engine in this process."""
    return new_session()


@pytest.fixture
def settled() -> GtpSession:
    """One whose game is over but for dead stones."""
    return settled_session()
