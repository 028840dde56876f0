"""Compiled kernels on disk.

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
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.compiler import compile_result

from kikashi.jit.calls import code_of, reachable
from kikashi.jit.libraries import CalleeLibrary, EntryLibrary, environments_in
from kikashi.jit.storage import EntryFiles, is_marked, make_folder, say_once, trusted_folder

PACKAGE = Path(__file__).parents[1]
COMPILED = ("jit", "board", "parts", "playout", "search")
"""Where kernels and what they are made of may be: a change there, and only there, means compiling anew."""
KEPT_CACHES = 6
"""Caches of other versions that stay on disk: a person who switches branches should not compile each time."""


@cache
def cache_folder() -> Path:
    """Where this version's kernels are kept: ``$KIKASHI_CACHE``, else the user's cache folder."""
    folder = trusted_folder(_version_key())
    if not folder.is_dir():
        _forget_old_caches(folder.parent)
    return folder


def _version_key() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__} {sys.version}".encode())
    for source in sorted(_compiled_sources()):
        digest.update(source.relative_to(PACKAGE).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:20] + ("-checked" if numba.config.BOUNDSCHECK else "")


def _compiled_sources() -> Iterator[Path]:
    for place in COMPILED:
        yield from (PACKAGE / place).rglob("*.py")


def _forget_old_caches(kernels: Path) -> None:
    try:
        ours = [folder for folder in kernels.iterdir() if is_marked(folder)]
        folders = sorted(ours, key=lambda folder: folder.stat().st_mtime, reverse=True)
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

    def ensure_cache_path(self) -> None:
        make_folder(cache_folder())

    def get_source_stamp(self) -> str:
        if self._inside:  # `cache_folder` is named by all sources of the package, and they call no others
            return ""
        called = {Path(code_of(function).co_filename) for function in reachable([self._function])}
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
    """What is kept of a compiled kernel. `role` keeps apart what one function was compiled for."""

    _locator_classes = [_KernelLocator]  # noqa: RUF012
    role: str

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{super().get_filename_base(fullname, abiflags)}-{self.role}"

    def check_cachable(self, cres: Any) -> bool:
        recursive = any(v.name.startswith(".numba.unresolved$") for v in cres.library._final_module.global_variables)
        return not recursive and bool(super().check_cachable(cres))

    def reduce(self, cres: Any) -> Any:
        library, module = self._reduced_library(cres.library)
        cres.fndesc.typemap = cres.fndesc.calltypes = None  # large, and needed no more
        environments = [environment for environment in environments_in(module) if environment.can_cache()]
        return library, cres.fndesc, cres.environment, cres.signature, cres.reload_init, environments

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        reduced, fndesc, environment, signature, reload_init, environments = payload
        for reload in reload_init:
            reload()
        library = self._rebuilt_library(target_context.codegen(), reduced)
        entry_point = target_context.get_executable(library, fndesc, environment)
        for referenced in environments:
            library.codegen.set_env(referenced.env_name, referenced)
        return compile_result(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=library,
            environment=environment,
            entry_point=entry_point,
            fndesc=fndesc,
            signature=signature,
            objectmode=False,
            lifted=(),
            reload_init=reload_init,
            referenced_envs=environments,
        )

    def _reduced_library(self, library: Any) -> tuple[Any, Any]:
        """What is kept of a library, and a module that has all variables it refers to."""
        raise NotImplementedError

    def _rebuilt_library(self, codegen: Any, reduced: Any) -> Any:
        raise NotImplementedError


class _CalleeCacheImpl(_KernelCacheImpl):
    role = "callee"

    def _reduced_library(self, library: CalleeLibrary) -> tuple[Any, Any]:
        module = library.with_callees()
        return (library.name, module.as_bitcode()), module

    def _rebuilt_library(self, codegen: Any, reduced: Any) -> CalleeLibrary:
        return CalleeLibrary.from_bitcode(codegen, *reduced)


class _EntryCacheImpl(_KernelCacheImpl):
    def _reduced_library(self, library: EntryLibrary) -> tuple[Any, Any]:
        return library.as_machine_code(), library._final_module

    def _rebuilt_library(self, codegen: Any, reduced: Any) -> EntryLibrary:
        return EntryLibrary.from_machine_code(codegen, *reduced)


class _FaceCacheImpl(_EntryCacheImpl):
    role = "face"


class _NativeCacheImpl(_EntryCacheImpl):
    role = "native"


class KernelCache(FunctionCache):
    """A cache that only ever helps: a full disk or a damaged file means compiling again, not an error."""

    _cache_file: Any

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = self._cache_file._source_stamp
        self._cache_file = EntryFiles(self._cache_path, self._impl.filename_base, stamp)

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
            say_once(f"kikashi: cannot keep compiled kernels in {cache_folder()}: {error.strerror}")

    @property
    def is_filled(self) -> bool:
        """Whether something is on disk, for some types at least."""
        return os.path.exists(self._cache_file._index_path)


class CalleeCache(KernelCache):
    """Of a kernel that kernels call."""

    _impl_class = _CalleeCacheImpl


class FaceCache(KernelCache):
    """Of a kernel that Python calls."""

    _impl_class = _FaceCacheImpl


class NativeCache(KernelCache):
    """Of a function that a loop calls by its address."""

    _impl_class = _NativeCacheImpl


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
