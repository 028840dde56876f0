"""The one place that knows how kernels are compiled, cached and reported.

Numba's own cache forgets to ask whether a *callee* in another file has changed. Here the folder of the cache is named
by a hash of every source file of the package and of the flags that change the code, so a stale kernel cannot be served,
and checked kernels (``NUMBA_BOUNDSCHECK=1``) never meet unchecked ones.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import llvmlite
import numba
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

PACKAGE = Path(__file__).parent
COMPILED = ("compiling.py", "board", "playout", "search")
"""Where kernels and what they are made of may be: a change there, and only there, means compiling anew."""
KEPT_CACHES = 6
"""Caches of other versions that stay on disk: a person who switches branches should not compile each time."""

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def kernel(function: Kernel) -> Kernel:
    """Compile `function` at its first call with given types; keep the machine code on disk; release the GIL."""
    return _compiled_lazily(function)


def inlined(function: Kernel) -> Kernel:
    """A kernel that is always copied into its callers: for the few functions that a playout calls at every move."""
    return _compiled_lazily(function, forceinline=True)


def _compiled_lazily(function: Kernel, **options: bool) -> Kernel:
    dispatcher = numba.njit(nogil=True, error_model="numpy", **options)(function)
    if os.path.exists(function.__code__.co_filename):  # what is typed at a prompt is not kept on disk
        dispatcher._cache = _KernelCache(function)
    return cast(Kernel, dispatcher)


def native_address(function: Callable[..., Any], signature: Any) -> int:
    """Compile `function` for one signature and return where its code is, for a call through `kikashi.playout.calling`.

    The address is that of Numba's native entry, not of a C wrapper: errors raised inside come back to the caller.
    """
    dispatcher: Any = kernel(function)
    dispatcher.compile(signature)
    result = dispatcher.overloads[signature.args]
    _KEPT_ALIVE.append(dispatcher)
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))


_KEPT_ALIVE: list[Any] = []
"""Dispatchers whose addresses are in use: their machine code must live as long as the process."""


def is_bounds_checked() -> bool:
    """Whether kernels of this process check every index."""
    return bool(numba.config.BOUNDSCHECK)


# --- the cache -------------------------------------------------------------------------------------------------------


@cache
def cache_folder() -> Path:
    """Where this version's kernels are kept: ``$KIKASHI_CACHE``, else the user's cache folder."""
    root = os.environ.get("KIKASHI_CACHE")
    if root is None:
        root = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "kikashi")
    kernels = Path(root) / "kernels"
    folder = kernels / _version_key()
    if not folder.is_dir():
        _forget_old_caches(kernels)
    return folder


def _version_key() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__} {sys.version}".encode())
    for source in sorted(_compiled_sources()):
        digest.update(source.relative_to(PACKAGE).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:20] + ("-checked" if is_bounds_checked() else "")


def _compiled_sources() -> Iterator[Path]:
    for place in COMPILED:
        path = PACKAGE / place
        yield from [path] if path.is_file() else path.rglob("*.py")


def _forget_old_caches(kernels: Path) -> None:
    try:
        folders = sorted(kernels.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
    except OSError:
        return
    for folder in folders[KEPT_CACHES:]:
        shutil.rmtree(folder, ignore_errors=True)


class _KernelLocator(_CacheLocator):
    """Puts every kernel into `cache_folder`; one outside the package (of a plugin) is known by the content of its file
    and of all files outside the package whose kernels it calls."""

    def __init__(self, function: Any, file: str) -> None:
        inside = Path(file).relative_to(PACKAGE).parts[0] if Path(file).is_relative_to(PACKAGE) else None
        if inside is not None and inside not in COMPILED:
            raise RuntimeError(f"{file} has a kernel, but kernels live in {', '.join(COMPILED)}")
        self._line = function.__code__.co_firstlineno
        self._file = Path(file)
        self._inside = inside is not None
        self._function = function

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        if self._inside:  # `cache_folder` is named by all sources of the package, and they call no others
            return ""
        called = {Path(getattr(f, "py_func", f).__code__.co_filename) for f in _reachable([self._function])}
        digest = hashlib.sha256()
        for file in sorted(called | {self._file}):
            if not file.is_relative_to(PACKAGE):
                digest.update(file.read_bytes())
        return digest.hexdigest()

    def get_disambiguator(self) -> str:
        return f"{self._line}-{hashlib.sha256(str(self._file.resolve()).encode()).hexdigest()[:8]}"

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _KernelLocator | None:
        return cls(py_func, py_file) if os.path.exists(py_file) else None


class _KernelCacheImpl(CompileResultCacheImpl):
    _locator_classes = [_KernelLocator]  # noqa: RUF012


class _KernelCache(FunctionCache):
    """A cache that only ever helps: a full disk or a damaged file means compiling again, not an error."""

    _impl_class = _KernelCacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        _prepare_numba()
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever a damaged file makes pickle or LLVM raise
            with suppress(OSError):
                self.flush()  # else saving would stumble over the same index
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _say_once(f"kikashi: cannot keep compiled kernels in {cache_folder()}: {error.strerror}")


@cache
def _prepare_numba() -> None:
    """Have Numba load what it needs, but not SciPy: where there is one, it would do so only to know whether a kernel
    may ask for a covariance, and that is a quarter of a warm start."""
    hidden = [name for name in ("scipy", "scipy.linalg") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        for name in hidden:
            del sys.modules[name]


@cache
def _say_once(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


# --- progress --------------------------------------------------------------------------------------------------------


def _is_kernel(value: object) -> bool:
    return isinstance(getattr(value, "_cache", None), _KernelCache)


def _is_compiled(function: Any) -> bool:
    """Whether its machine code is in memory or on disk, for some types at least."""
    if not _is_kernel(function):
        file = getattr(function, "py_func", function).__code__.co_filename
        return os.path.exists(file) and os.path.exists(_KernelCache(function)._cache_file._index_path)
    return bool(function.overloads) or os.path.exists(function._cache._cache_file._index_path)


def _reachable(functions: Iterable[Any]) -> Iterator[Any]:
    """The functions that compiling these needs: themselves, kernels named in their code, and in the code of those."""
    seen: set[int] = set()
    waiting = list(functions)
    while waiting:
        function = waiting.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        yield function
        python = getattr(function, "py_func", function)
        names = python.__code__.co_names
        values = [python.__globals__.get(name) for name in names]
        values += [getattr(value, name, None) for value in values if isinstance(value, ModuleType) for name in names]
        waiting.extend(value for value in values if _is_kernel(value))


class _Progress(event.Listener):
    """Tells on stderr which kernel is being compiled and how many are left."""

    def __init__(self) -> None:
        self.total = self.done = self.depth = 0
        self.said_at = 0.0

    def expect(self, functions: Iterable[Any]) -> None:
        self.total = sum(not _is_compiled(function) for function in _reachable(functions))
        self.done = 0

    def on_start(self, event: Any) -> None:
        dispatcher = event.data["dispatcher"]
        if not _is_kernel(dispatcher):
            return
        self.depth += 1
        if self.total == 0:
            self.expect([dispatcher])
        if self.depth == 1:
            self.say(dispatcher.py_func.__name__)

    def on_end(self, event: Any) -> None:
        dispatcher = event.data["dispatcher"]
        if not _is_kernel(dispatcher):
            return
        self.depth -= 1
        self.done += 1
        self.say(dispatcher.py_func.__name__)
        if self.depth == 0 and self.done >= self.total:
            self.finish()

    def say(self, name: str) -> None:
        self.total = max(self.total, self.done)
        line = f"kikashi: compiling, once per machine: {self.done}/{self.total} {name}"
        if sys.stderr.isatty():
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self.said_at > 1:
            print(line, file=sys.stderr, flush=True)
            self.said_at = time.monotonic()

    def finish(self) -> None:
        if self.total and sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self.total = self.done = 0


_PROGRESS = _Progress()
event.register("numba:compile", _PROGRESS)


@contextmanager
def announced(functions: Iterable[Callable[..., Any]]) -> Iterator[None]:
    """What is compiled inside belongs together: progress counts towards all that these functions need."""
    _PROGRESS.expect(functions)
    try:
        yield
    finally:
        _PROGRESS.finish()
