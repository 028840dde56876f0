"""Kernels and constants that a function refers to, read from its code."""

import pickle
from collections.abc import Iterable, Iterator
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher


def python_of(function: Any) -> Any:
    """Return the Python function that is compiled."""
    return getattr(function, "py_func", function)


def code_of(function: Any) -> CodeType:
    """Return the code of a function for Python."""
    code: CodeType = python_of(function).__code__
    return code


def reachable(functions: Iterable[Any]) -> Iterator[Any]:
    """Yield some functions, the kernels named in their code, those named in the code of these, and so on."""
    seen: set[int] = set()
    waiting = list(functions)
    while waiting:
        function = waiting.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        yield function
        waiting.extend(value for _, value in _named(function) if isinstance(value, Dispatcher))


def constants_of(function: Any) -> list[tuple[str, bytes]]:
    """Return the values outside of a function that become part of its machine code, by name."""
    return [(name, pickle.dumps(value)) for name, value in _named(function) if _is_constant(value)]


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return isinstance(value, int | float | complex | str | bytes | np.ndarray | np.generic | np.dtype)


def _named(function: Any) -> list[tuple[str, Any]]:
    """Return the names in a function's code of globals and of attributes of modules, with their values."""
    names, outside = list(_names(code_of(function))), python_of(function).__globals__
    found = [(name, outside[name]) for name in names if name in outside]
    modules = [value for _, value in found if isinstance(value, ModuleType)]
    return found + [(name, getattr(module, name)) for module in modules for name in names if hasattr(module, name)]


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names in a code, and in those of its comprehensions."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
