"""No garbage is collected while something is compiled.

Numba makes millions of small objects that live to the end of a compilation: to look through them again and again is a
fifth of the time of a first start. They take less than 100 MB.
"""

from __future__ import annotations

import gc
from typing import Any

from numba.core import event


class _Pause(event.Listener):
    """Switches collection off at the start of the outermost compilation, and on again at its end."""

    def __init__(self) -> None:
        self.depth = 0
        self.was_on = False

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.was_on = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.was_on:
            gc.enable()


def pause_while_compiling() -> None:
    """From now on, whatever is compiled."""
    event.register("numba:compile", _Pause())
