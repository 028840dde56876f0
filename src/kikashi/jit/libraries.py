"""Libraries of LLVM code: those of kernels that other kernels call, and those that are entered from outside.

Numba makes a whole program of every function that another one calls: with a face for Python and one for C, optimised,
turned into machine code, and all that once more inside each caller. Here the library of a callee is only a piece of
text for LLVM; an entry links all pieces that it needs, and only then they are optimised and turned into machine code.
That halves the time of a first start.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llvmlite import binding as llvm
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler
from numba.core.environment import lookup_environment

_ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names of variables begin that point at what a function needs of Python: constants, exceptions."""


class CalleeLibrary(JITCodeLibrary):
    """A function that is there to be linked into others: not optimised, and without machine code."""

    @property
    def codegen(self) -> Any:
        return _WithoutEnvironments(self._codegen)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0: it has no machine code."""
        self._ensure_finalized()
        return 0

    def with_callees(self) -> Any:
        """A module with the function and all that it calls, which needs no other library."""
        module = self._get_module_for_linking().clone()
        for library in _all_linked([self]):
            module.link_in(library._get_module_for_linking(), preserve=True)
        return module

    @classmethod
    def from_bitcode(cls, codegen: Any, name: str, bitcode: bytes) -> CalleeLibrary:
        """A library as `with_callees` gave it."""
        library = cls(codegen, name)
        library._final_module = llvm.parse_bitcode(bitcode)
        library._ensure_finalized()
        return library


class EntryLibrary(JITCodeLibrary):
    """A function that Python or a loop enters, with all that it calls, as machine code."""

    def finalize(self) -> None:
        self._linking_libraries = _all_linked([self])
        super().finalize()
        for environment in environments_in(self._final_module):
            self._codegen.set_env(environment.env_name, environment)

    def _optimize_final_module(self) -> None:
        for variable in self._final_module.global_variables:
            if variable.name.startswith(RuntimeLinker.PREFIX):  # recursion: the function is looked up by its name
                name = variable.name.removeprefix(RuntimeLinker.PREFIX)
                self._final_module.get_function(name).linkage = "weak_odr"
        super()._optimize_final_module()

    def as_machine_code(self) -> tuple[str, bytes, frozenset[str]]:
        """What `from_machine_code` needs: there is no LLVM code in it, since nothing links an entry."""
        self._ensure_finalized()
        defined = (*self._final_module.functions, *self._final_module.global_variables)
        names = frozenset(value.name for value in defined if not value.is_declaration)
        return self.name, self._get_compiled_object(), names

    @classmethod
    def from_machine_code(cls, codegen: Any, name: str, code: bytes, names: frozenset[str]) -> EntryLibrary:
        library = cls(codegen, name)
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        codegen._engine._defined_symbols |= names
        return library


class _WithoutEnvironments:
    """Numba's code generator as a callee sees it: without machine code there is no variable to be set."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        pass


def _all_linked(libraries: Iterable[Any]) -> list[Any]:
    """Return what libraries call, and what that calls, each after all its callers: LLVM links only what is referenced.

    Breadth first is not enough: of two callers the first may refer to nothing, its branch being dead.
    """
    found: list[Any] = []
    seen: set[int] = set()

    def visit(library: Any) -> None:
        for called in library._linking_libraries:
            if id(called) not in seen:
                seen.add(id(called))
                if isinstance(called, CalleeLibrary):
                    visit(called)
                found.append(called)

    for library in libraries:
        visit(library)
    return found[::-1]


def environments_in(module: Any) -> list[Any]:
    """The environments that the functions of a module refer to."""
    names = [variable.name for variable in module.global_variables if variable.name.startswith(_ENVIRONMENT)]
    return [environment for name in names if (environment := lookup_environment(name)) is not None]


class CalleeCompiler(Compiler):
    """Numba's compiler, into a library for callees."""

    library_class: type[JITCodeLibrary] = CalleeLibrary

    def compile_extra(self, func: Any) -> Any:
        self.state.library = self.library_class(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class EntryCompiler(CalleeCompiler):
    """Numba's compiler, into a library that can be entered."""

    library_class = EntryLibrary
