"""Progress of compiling on standard error: the purpose, the kernels compiled so far, and the time left."""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core import event

from kikashi.jit.cache import PACKAGE, KernelCache, NativeCache, cache_folder
from kikashi.jit.calls import code_of, python_of, reachable
from kikashi.jit.kernels import Entry, Kernel, check_stop, is_bounds_checked

PATIENCE = 1.0
"""Seconds before the first line."""
REDRAW = 0.1
"""Seconds between two states of a line on a screen."""
PAUSE = 5.0
"""Seconds between two lines where a line cannot be written over."""
BASE_WORK = 300
"""Cost of every function, in bytes of Python's code."""
LINKING = 1.0
"""Cost of a byte for each entry that links it, beside that of translating it."""

_OPEN_LINE = "\033D\033[A\0337\033[B"
"""Makes room below the line of the cursor, remembers the place, and goes there."""
_CLOSE_LINE = "\r\033[K\0338"


class _Progress(event.Listener):
    """Listener to Numba that reports how much of the expected work is done."""

    def __init__(self) -> None:
        self.expected: dict[Any, float] = {}
        """Cost of the first compilation, by Python function."""
        self.functions: list[Any] = []
        self.purpose = ""
        self.is_once = False
        """Whether this version never has to compile any of it again."""
        self.is_announced = self.is_silent = self.is_line_open = False
        self.total = self.depth = 0
        self.work = self.started = self.written_at = 0.0

    def expect(self, functions: Iterable[Any], purpose: str) -> None:
        """Begin to count the work for some entries and the kernels that they call."""
        self.functions = list(functions)
        self.expected = _missing_work(self.functions)
        files = (Path(code_of(function).co_filename) for function in self.expected)
        plugins = sorted({file.name for file in files if not file.is_relative_to(PACKAGE)})
        self.purpose = f"of {', '.join(plugins)}" if plugins else purpose
        self.is_once = not plugins and _can_keep()
        self.total, self.work = len(self.expected), sum(self.expected.values())
        self.started = self.written_at = time.monotonic()

    def on_start(self, event: Any) -> None:
        dispatcher = event.data["dispatcher"]
        if isinstance(dispatcher, Kernel | Entry):
            self.depth += 1
            if self.total == 0:
                self.expect([dispatcher], f"for {python_of(dispatcher).__name__}")
            self.update()

    def on_end(self, event: Any) -> None:
        dispatcher = event.data["dispatcher"]
        if isinstance(dispatcher, Kernel | Entry):
            self.depth -= 1
            self.expected.pop(python_of(dispatcher), None)
            self.update()
            if self.depth == 0 and not self.is_announced:
                self.finish()
            elif not self.expected:
                self.close_line()

    def update(self) -> None:
        """Write the state, unless that was done a moment ago."""
        now = time.monotonic()
        pause = PATIENCE if self.written_at == self.started else REDRAW if _is_on_screen() else PAUSE
        if self.is_silent or now - self.written_at < pause:
            return
        self.written_at = now
        missing = _missing_work(self.functions)  # another process may compile the same
        self.expected = {function: cost for function, cost in self.expected.items() if function in missing}
        self.write(self.line(now - self.started, _columns() - 1 if _is_on_screen() else None))

    def write(self, line: str) -> None:
        """Show a line, on a screen in place of the one before."""
        if _is_on_screen():
            line = line[: _columns() - 1]
            print(f"{'' if self.is_line_open else _OPEN_LINE}\r\033[K{line}", end="", file=sys.stderr, flush=True)
            self.is_line_open = True
        else:
            print(line, file=sys.stderr, flush=True)

    def line(self, seconds: float, width: int | None = None) -> str:
        """Return the state after some seconds, in the fullest wording that fits the width."""
        state = self.state(seconds)
        purpose = f" {self.purpose}" if self.purpose else ""
        kernels = "kernels with checked indexes" if is_bounds_checked() else "kernels"
        full = f"compiling {kernels}{purpose}{', only once' if self.is_once else ''}: {state}"
        wordings = [f"kikashi: {full}", full, f"compiling{purpose}: {state}", f"compiling: {state}"]
        fitting = (wording for wording in wordings if width is None or len(wording) <= width)
        return next(fitting, f"compiling: {state.partition(',')[0]}"[:width])

    def state(self, seconds: float) -> str:
        """Return the number of functions compiled after some seconds, with the time left once that can be estimated."""
        left = sum(self.expected.values())
        count = f"{self.total - len(self.expected)} of {self.total}"
        if self.work - left < 0.05 * self.work:
            return count
        return f"{count}, about {max(1, round(seconds * left / (self.work - left)))} s left"

    def close_line(self) -> None:
        """Clear the line, and put the cursor back to its place."""
        if self.is_line_open:
            print(_CLOSE_LINE, end="", file=sys.stderr, flush=True)
        self.is_line_open = False

    def finish(self) -> None:
        self.close_line()
        self.expected, self.total = {}, 0


def _is_on_screen() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


def _can_keep() -> bool:
    """Return whether compiled code can be written to the disk."""
    folder = cache_folder()
    there = next((parent for parent in (folder, *folder.parents) if parent.exists()), folder)
    return there.is_dir() and os.access(there, os.W_OK)


def _missing_work(functions: Iterable[Any]) -> dict[Any, float]:
    """Return the functions that are not compiled yet, with an estimate of their cost."""
    work: dict[Any, float] = {}
    for entry in functions:
        if not _is_ready(entry):
            called = [function for function in reachable([entry]) if function is not entry]
            size = sum(len(code_of(function).co_code) for function in called)
            work[python_of(entry)] = _size(entry) + LINKING * size
            for function in called:
                if not (isinstance(function, Kernel) and (function.overloads or _is_filled(function._cache))):
                    work.setdefault(python_of(function), _size(function))
    return work


def _is_ready(entry: Any) -> bool:
    """Return whether an entry is in memory or on disk, for some types at least."""
    if isinstance(entry, Kernel):
        return bool(entry.entry.overloads) or _is_filled(entry.entry._cache)
    if isinstance(entry, Entry):
        return bool(entry.overloads)  # it is being compiled
    return os.path.exists(code_of(entry).co_filename) and _is_filled(NativeCache(entry))


def _is_filled(cache: Any) -> bool:
    return isinstance(cache, KernelCache) and cache.is_filled


def _size(function: Any) -> float:
    return BASE_WORK + len(code_of(function).co_code)


_PROGRESS = _Progress()
event.register("numba:compile", _PROGRESS)


@contextmanager
def announced(functions: Iterable[Callable[..., Any]], purpose: str) -> Iterator[None]:
    """Report the compilations of the body as one piece of work, that of these functions.

    The `purpose` is shown: ``"for mogo-2006"``. Inside another announcement, this one is part of it.
    """
    if _PROGRESS.is_announced:
        yield
        return
    _PROGRESS.expect(functions, purpose)
    _PROGRESS.is_announced = True
    try:
        yield
    finally:
        _PROGRESS.is_announced = False
        _PROGRESS.finish()


def compiling() -> tuple[int, int, str] | None:
    """Return the steps done, all steps, and both in words with the time left; None while nothing is compiled."""
    seconds = time.monotonic() - _PROGRESS.started
    if not _PROGRESS.total or not _PROGRESS.expected:
        return None
    return _PROGRESS.total - len(_PROGRESS.expected), _PROGRESS.total, _PROGRESS.state(seconds)


def compile_silently() -> None:
    """Report nothing from now on: for a process whose parent reports progress on the same screen."""
    _PROGRESS.is_silent = True


@contextmanager
def unreported() -> Iterator[None]:
    """Report nothing on standard error during the body, which shows `compiling` in its own way."""
    before, _PROGRESS.is_silent = _PROGRESS.is_silent, True
    try:
        yield
    finally:
        _PROGRESS.is_silent = before


@contextmanager
def tell_waiting(name: str) -> Iterator[Callable[[float], None]]:
    """Report that another process compiles something: the body calls the given function with the seconds so far, and
    raises CompilationStopped through it if this compilation was stopped."""
    written_at = 0.0

    def tell(seconds: float) -> None:
        nonlocal written_at
        check_stop()
        if seconds - written_at >= (PATIENCE if _is_on_screen() else PAUSE):
            written_at = seconds
            _PROGRESS.write(f"kikashi: compiling {name} … {seconds:.0f} s")

    try:
        yield tell
    finally:
        if not _PROGRESS.is_announced:
            _PROGRESS.close_line()
