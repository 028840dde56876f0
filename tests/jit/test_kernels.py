"""Kernels are linked with all that they call; compilations are stopped; garbage is collected only after them."""

import gc
from collections.abc import Iterator

import numba
import pytest
from numba.extending import overload

from kikashi.jit import CompilationStopped, inlined, kernel, stoppable

SEEN: list[bool] = []


def _looked() -> None:
    """Stands for code that is only ever compiled."""


@overload(_looked)
def _while_compiling():
    SEEN.append(gc.isenabled())
    return lambda: None


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    SEEN.clear()
    yield
    gc.enable()


def compiled() -> None:
    """Compiles a function that compiles another one."""

    @numba.njit
    def inner() -> None:
        _looked()

    @numba.njit
    def outer() -> None:
        _looked()
        inner()
        _looked()

    outer()


def test_nothing_is_collected_meanwhile() -> None:
    compiled()
    assert SEEN
    assert not any(SEEN)
    assert gc.isenabled()


def test_a_stopped_compilation_ends_before_the_next_function_and_is_made_later() -> None:
    @kernel
    def inner(number: int) -> int:
        return number + 1

    @kernel
    def outer(number: int) -> int:
        return inner(number)

    begun = iter([False, True])
    with stoppable(lambda: next(begun)), pytest.raises(CompilationStopped):
        outer(1)
    assert not list(begun), "the second function was not compiled"
    assert gc.isenabled()
    assert outer(1) == 2


def test_who_has_switched_it_off_keeps_it_off() -> None:
    gc.disable()
    compiled()
    assert not gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    @numba.njit
    def wrong() -> None:
        no_such_name()  # noqa: F821

    with pytest.raises(numba.TypingError):
        wrong()
    assert gc.isenabled()


# --- linking ----------------------------------------------------------------------------------------------------------


@kernel
def successor(x):
    return x + 1


@inlined
def successor_if(x, wanted):
    if wanted:
        return successor(x)
    return x


@kernel
def always_successor(x):
    return successor_if(x, True)


@kernel
def sum_of_both(x):
    return successor_if(x, False) + always_successor(x)


def test_a_branch_that_is_dead_for_the_first_caller_is_there_for_the_second() -> None:
    """A missing function would end the process."""
    assert sum_of_both(3) == 7
