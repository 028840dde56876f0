"""What all tests need: Ctrl-C that works. What the tests of GTP share: sessions."""

from __future__ import annotations

import signal

import pytest

from helpers.gtp_text import new_session, settled_session
from kikashi.gtp.session import Session

# A shell lets what it starts in the background ignore Ctrl-C, and what that starts inherits it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def session() -> Session:
    """A GTP engine in this process."""
    return new_session()


@pytest.fixture
def settled() -> Session:
    """One whose game is over but for dead stones."""
    return settled_session()
