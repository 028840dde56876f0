"""Decorators of kernels, and addresses of functions for loops."""

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any, TypeVar, cast

import numba
from llvmlite import binding as llvm
from numba.core import event
from numba.core.registry import CPUDispatcher

from kikashi.jit.cache import CalleeCache, KernelCache, NativeCache, PythonCache
from kikashi.jit.libraries import CalleeCompiler, EntryCompiler

Function = TypeVar("Function", bound=Callable[..., Any])
_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None, "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """Compile `function` at its first call with given types; keep the machine code on disk; release the GIL.

    >>> @kernel
    ... def twice(number: int) -> int:
    ...     return 2 * number
    >>> twice(21)
    42
    """
    return cast(Function, Kernel(function))


def inlined(function: Function) -> Function:
    """Make a kernel that is copied into its callers: for the few functions that a playout calls at every move."""
    return cast(Function, Kernel(function, forceinline=True))


def native_address(function: Callable[..., Any], signature: Any, *, first: Callable[[], object] | None = None) -> int:
    """Compile `function` for one signature and return its address, for calls through `kikashi.parts.calling`.

    The address is that of Numba's native entry, not of a C wrapper: errors raised inside come back to the caller.
    If the code is not on disk, `first` is called before, which may put it there.
    """
    dispatcher = Entry(function, NativeCache, no_cpython_wrapper=True)
    if first is not None and not dispatcher.is_on_disk(signature):
        first()
    dispatcher.compile(signature)
    result = dispatcher.overloads[signature.args]
    _KEPT_ALIVE.append(dispatcher)
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


_KEPT_ALIVE: list[Any] = []
"""Dispatchers whose addresses are in use: their machine code must live as long as the process."""


def is_bounds_checked() -> bool:
    """Return whether kernels of this process check every index."""
    return bool(numba.config.BOUNDSCHECK)


class CompilationStopped(BaseException):
    """A compilation ended by `stoppable`. As after Ctrl-C, what is compiled by then is kept.

    Numba would take an `Exception` for an error of types.
    """


def _never() -> bool:
    return False


_IS_STOPPED: ContextVar[Callable[[], bool]] = ContextVar("_IS_STOPPED", default=_never)


@contextmanager
def stoppable(is_stopped: Callable[[], bool]) -> Iterator[None]:
    """Compile nothing more in this thread once `is_stopped` is true: the next function raises CompilationStopped."""
    token = _IS_STOPPED.set(is_stopped)
    try:
        yield
    finally:
        _IS_STOPPED.reset(token)


def check_stop() -> None:
    """Raise CompilationStopped if the compilations of this thread were stopped."""
    if _IS_STOPPED.get()():
        raise CompilationStopped


class Stoppable(CPUDispatcher):
    """A function whose compilation can be stopped before it begins."""

    def compile(self, sig: Any) -> Any:
        check_stop()
        return super().compile(sig)


class Entry(Stoppable):
    """A function that is entered from Python, or from a loop by its address."""

    def __init__(self, function: Any, cache: type[KernelCache], **options: bool) -> None:
        super().__init__(py_func=function, targetoptions=_OPTIONS | options, pipeline_class=EntryCompiler)
        _keep_on_disk(self, cache)

    def is_on_disk(self, signature: Any) -> bool:
        """Return whether its code for a signature is in the cache."""
        return isinstance(self._cache, KernelCache) and self._cache.has(signature, self.targetctx)


class Kernel(Stoppable):
    """A function for other kernels, which link it. A call from Python compiles it once more, as an entry.

    Numba's dispatcher lets Python call the overloads that are inserted: here only those of the entry.
    """

    def __init__(self, function: Any, **options: bool) -> None:
        bare = _OPTIONS | options | {"no_cpython_wrapper": True}
        super().__init__(py_func=function, targetoptions=bare, pipeline_class=CalleeCompiler)
        _keep_on_disk(self, CalleeCache)

    @cached_property
    def entry(self) -> Entry:
        """The function as Python calls it."""
        return Entry(self.py_func, PythonCache)

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        entry_point = self.entry._compile_for_args(*args, **kws)
        for types, result in self.entry.overloads.items():
            if result.entry_point is entry_point:
                self._insert([each._code for each in types], entry_point, False)
        return entry_point


class _CollectionPause(event.Listener):
    """Listener that switches garbage collection off during compilations.

    Numba makes millions of small objects that live to the end of a compilation. To look through them again and again
    takes a fifth of the time of a first start; they take less than 100 MB.
    """

    depth = 0
    was_on = False

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.was_on = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.was_on:
            gc.enable()


event.register("numba:compile", _CollectionPause())


def _stop_timing_llvm() -> None:
    """Remove Numba's events around each of the hundred thousand calls of LLVM in a first start: a tenth of its time."""
    for callbacks in list(getattr(llvm.ffi.lib._lock, "_cblist", [])):
        llvm.ffi.unregister_lock_callback(*callbacks)


_stop_timing_llvm()


def _keep_on_disk(dispatcher: Any, cache: type[KernelCache]) -> None:
    if os.path.exists(dispatcher.py_func.__code__.co_filename):  # not what is typed at a prompt
        dispatcher._cache = cache(dispatcher.py_func)
