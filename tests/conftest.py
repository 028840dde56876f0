"""What all tests need: Ctrl-C that works."""

from __future__ import annotations

import signal

# A shell lets what it starts in the background ignore Ctrl-C, and what that starts inherits it.
signal.signal(signal.SIGINT, signal.default_int_handler)
