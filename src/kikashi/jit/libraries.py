"""Libraries of LLVM code: those of kernels that other kernels call, and those that are entered from outside.

Numba makes a whole program of every callee: it has wrappers for Python and C, is optimised and turned into machine
code, and all that once more inside each caller. Here the library of a callee is only code of LLVM. An entry links all
that it needs, and only then it is optimised and turned into machine code. That halves the time of a first start.
"""

import itertools
import os
import secrets
from typing import Any, Self

from llvmlite import binding as llvm
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler
from numba.core.environment import lookup_environment

_ENVIRONMENT = "_ZN08NumbaEnv"
"""Prefix of the names of variables that point at the Python objects of a function: constants, exceptions."""


def _start_unique_numbers() -> None:
    """Let the numbers in the names of functions begin anywhere.

    LLVM takes two functions of one name for one function. Numba counts from 1 in each process, and entries from several
    processes meet in the cache.
    """
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48))


_start_unique_numbers()
os.register_at_fork(after_in_child=_start_unique_numbers)


class CalleeLibrary(JITCodeLibrary):
    """Code of a function to be linked into others: not optimised, and without machine code."""

    @property
    def codegen(self) -> Any:
        return _WithoutEnvironments(self._codegen)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0, since there is no machine code."""
        self._ensure_finalized()
        return 0

    def reduced(self) -> tuple[tuple[Any, ...], Any]:
        """Return the arguments of `rebuilt`, and a module of the function and all that it calls."""
        module = self._get_module_for_linking().clone()
        for library in _all_linked(self):
            module.link_in(library._get_module_for_linking(), preserve=True)
        return (self.name, module.as_bitcode()), module

    @classmethod
    def rebuilt(cls, codegen: Any, name: str, bitcode: bytes) -> Self:
        """Return a library from the cache."""
        library = cls(codegen, name)
        library._final_module = llvm.parse_bitcode(bitcode)
        library._ensure_finalized()
        return library


class EntryLibrary(JITCodeLibrary):
    """Machine code of a function that Python or a loop enters, and of all that it calls."""

    def finalize(self) -> None:
        self._linking_libraries = _all_linked(self)
        super().finalize()
        for environment in environments_in(self._final_module):
            self._codegen.set_env(environment.env_name, environment)

    def _optimize_final_module(self) -> None:
        for variable in self._final_module.global_variables:
            if variable.name.startswith(RuntimeLinker.PREFIX):  # recursion: the function is looked up by its name
                name = variable.name.removeprefix(RuntimeLinker.PREFIX)
                self._final_module.get_function(name).linkage = "weak_odr"
        super()._optimize_final_module()

    def reduced(self) -> tuple[tuple[Any, ...], Any]:
        """Return the arguments of `rebuilt`, without LLVM code, since nothing links an entry; and the module."""
        self._ensure_finalized()
        module = self._final_module
        names = [value.name for value in (*module.functions, *module.global_variables) if not value.is_declaration]
        return (self.name, self._get_compiled_object(), frozenset(names)), module

    @classmethod
    def rebuilt(cls, codegen: Any, name: str, code: bytes, names: frozenset[str]) -> Self:
        """Return a library from the cache."""
        library = cls(codegen, name)
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        codegen._engine._defined_symbols |= names
        return library


class _WithoutEnvironments:
    """Numba's code generator for a callee, which has no variables in memory yet."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        pass


def _all_linked(library: Any) -> list[Any]:
    """Return the libraries that one calls, directly or not, after their callers: LLVM links only what is referenced.

    Breadth first is not enough: of two callers the first may refer to nothing, its branch being dead.
    """
    found: list[Any] = []
    seen: set[int] = set()

    def visit(caller: Any) -> None:
        for called in caller._linking_libraries:
            if id(called) not in seen:
                seen.add(id(called))
                if isinstance(called, CalleeLibrary):
                    visit(called)
                found.append(called)

    visit(library)
    return found[::-1]


def environments_in(module: Any) -> list[Any]:
    """Return the environments that the functions of a module refer to."""
    names = [variable.name for variable in module.global_variables if variable.name.startswith(_ENVIRONMENT)]
    return [environment for name in names if (environment := lookup_environment(name)) is not None]


class CalleeCompiler(Compiler):
    """Numba's compiler for callees."""

    library_class: type[JITCodeLibrary] = CalleeLibrary

    def compile_extra(self, func: Any) -> Any:
        self.state.library = self.library_class(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class EntryCompiler(CalleeCompiler):
    """Numba's compiler for entries."""

    library_class = EntryLibrary
