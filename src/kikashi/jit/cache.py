"""Compiled kernels on disk.

Numba's own cache does not notice that a *callee* in another file has changed. Here the folder of the cache is named by
a hash of all sources, the processor and the flags that change the code: no stale kernel is served, and checked kernels
(``NUMBA_BOUNDSCHECK=1``) never meet unchecked ones. No path is part of a key: clones, branches and environments with
the same sources share their kernels.
"""

import glob
import hashlib
import importlib
import os
import shutil
import sys
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Self

import llvmlite
import numba
from llvmlite import binding as llvm
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.compiler import compile_result
from numba.core.errors import NumbaWarning

from kikashi.jit.calls import code_of, constants_of, reachable
from kikashi.jit.libraries import CalleeLibrary, EntryLibrary, environments_in
from kikashi.jit.storage import EntryFiles, is_marked, make_folder, say_once, trusted_folder

PACKAGE = Path(__file__).parents[1]
COMPILED = ("jit", "board", "parts", "playout", "search")
"""Packages of kernels: a change in their sources, and only there, means compiling anew."""
KEPT_CACHES = 6
"""Caches of other versions that stay on disk, for people who switch branches."""
CONTENT = 20
"""Digits of the hash of a plugin's content."""
KEPT_EDITIONS = 20
"""Editions of a plugin's kernel that stay on disk: each change to the plugin makes a new one."""


@cache
def cache_folder() -> Path:
    """Return the folder of this version's kernels, in ``$KIKASHI_CACHE`` or the user's cache folder."""
    folder = trusted_folder(_version_key())
    if not folder.is_dir():
        _forget_old_caches(folder.parent)
    return folder


def _version_key() -> str:
    processor = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    versions = numba.__version__, llvmlite.__version__, sys.version
    digest = hashlib.sha256(repr((*versions, *processor, numba.config.CPU_NAME)).encode())
    for source in sorted(source for place in COMPILED for source in (PACKAGE / place).rglob("*.py")):
        digest.update(source.relative_to(PACKAGE).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:20] + ("-checked" if numba.config.BOUNDSCHECK else "")


def _forget_old_caches(kernels: Path) -> None:
    try:
        ours = [folder for folder in kernels.iterdir() if is_marked(folder)]
        folders = sorted(ours, key=lambda folder: folder.stat().st_mtime, reverse=True)
    except OSError:
        return
    for folder in folders[KEPT_CACHES:]:
        shutil.rmtree(folder, ignore_errors=True)


class _KernelLocator(_CacheLocator):
    """Place of a kernel in `cache_folder`.

    A kernel of the package is known by the path of its file inside the package. A plugin's is known by the content of
    its file and of all files outside the package whose kernels it calls.
    """

    def __init__(self, function: Any, file: str) -> None:
        self.is_inside = _is_inside(file)
        if self.is_inside:
            path = Path(file).relative_to(PACKAGE)
            if path.parts[0] not in COMPILED:
                raise RuntimeError(f"{file} has a kernel, but kernels live in {', '.join(COMPILED)}")
            self._known_by = hashlib.sha256(path.as_posix().encode()).hexdigest()[:8]
        else:
            self._known_by = _content_outside(function, file)
        self._line = function.__code__.co_firstlineno
        self._py_file = file  # Numba names it in warnings

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def ensure_cache_path(self) -> None:
        make_folder(cache_folder())

    def get_source_stamp(self) -> str:
        return self._known_by

    def get_disambiguator(self) -> str:
        return f"{self._line}-{self._known_by}"

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Self | None:
        return cls(py_func, py_file) if os.path.exists(py_file) else None


def _content_outside(function: Any, file: str) -> str:
    """Return a hash of the files outside the package that have the function or kernels that it calls."""
    files = {file} | {code_of(each).co_filename for each in _reachable_outside(function)}
    contents = sorted(hashlib.sha256(Path(each).read_bytes()).digest() for each in files)
    return hashlib.sha256(b"".join(contents)).hexdigest()[:CONTENT]


def _reachable_outside(function: Any) -> list[Any]:
    return [each for each in reachable([function]) if not _is_inside(code_of(each).co_filename)]


def _is_inside(file: str) -> bool:
    return file.startswith(f"{PACKAGE}{os.sep}")


class _KernelCacheImpl(CompileResultCacheImpl):
    """Content of an entry of the cache."""

    _locator_classes = [_KernelLocator]  # noqa: RUF012
    role: str
    """Use of the code, which is compiled for each anew."""
    library_class: type[CalleeLibrary | EntryLibrary]

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{super().get_filename_base(fullname, abiflags)}-{self.role}"

    def editions(self) -> str:
        """Return a pattern of the names of all editions of a plugin's kernel."""
        known_by = self.locator.get_disambiguator()
        return glob.escape(str(self.filename_base)).replace(known_by, f"*-{'?' * CONTENT}")

    def check_cachable(self, cres: Any) -> bool:
        recursive = any(v.name.startswith(".numba.unresolved$") for v in cres.library._final_module.global_variables)
        with warnings.catch_warnings():  # that a lambda, say, is compiled each time
            warnings.simplefilter("ignore", NumbaWarning)
            return not recursive and bool(super().check_cachable(cres))

    def reduce(self, cres: Any) -> Any:
        library, module = cres.library.reduced()
        cres.fndesc.typemap = cres.fndesc.calltypes = None  # large, and needed no more
        environments = [environment for environment in environments_in(module) if environment.can_cache()]
        return library, cres.fndesc, cres.environment, cres.signature, cres.reload_init, environments

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        reduced, fndesc, environment, signature, reload_init, environments = payload
        for reload in reload_init:
            reload()
        library = self.library_class.rebuilt(target_context.codegen(), *reduced)
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


class KernelCache(FunctionCache):
    """Cache of a function, in which a full disk or a damaged file means compiling again, not an error."""

    _cache_file: Any
    _impl: _KernelCacheImpl

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = self._cache_file._source_stamp
        self._cache_file = EntryFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        _prepare_numba()
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # of pickle or LLVM, after a damaged file
            with suppress(OSError):
                self.flush()  # saving would fail by the same index
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
            if not self._impl.locator.is_inside:
                self._cache_file.forget_others(KEPT_EDITIONS, self._impl.editions())
        except OSError as error:
            say_once(f"kikashi: cannot keep compiled kernels in {cache_folder()}: {error.strerror}")

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Return Numba's key; for a plugin with the constants that it computes or reads when it is loaded."""
        key = super()._index_key(sig, codegen)
        if self._impl.locator.is_inside:
            return key
        constants = [constants_of(each) for each in _reachable_outside(self._py_func)]
        return (*key, hashlib.sha256(repr(constants).encode()).hexdigest())

    def has(self, sig: Any, target_context: Any) -> bool:
        """Return whether there is code for a signature."""
        _prepare_numba()
        try:
            return self._index_key(sig, target_context.codegen()) in self._cache_file._load_index()
        except Exception:  # as in `load_overload`
            return False

    @property
    def is_filled(self) -> bool:
        """True if there is code, for some types at least."""
        return os.path.exists(self._cache_file._index_path)


def _cache_of(role: str, library_class: type) -> type[KernelCache]:
    content = type("_CacheImpl", (_KernelCacheImpl,), {"role": role, "library_class": library_class})
    return type("_Cache", (KernelCache,), {"_impl_class": content})


CalleeCache = _cache_of("callee", CalleeLibrary)
"""For kernels that kernels call."""
PythonCache = _cache_of("python", EntryLibrary)
"""For kernels that Python calls."""
NativeCache = _cache_of("native", EntryLibrary)
"""For functions that a loop calls by address."""


@cache
def _prepare_numba() -> None:
    """Have Numba load its array functions without SciPy, which it imports only for covariances: a quarter of a warm
    start."""
    hidden = [name for name in ("scipy", "scipy.linalg") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        for name in hidden:
            del sys.modules[name]
