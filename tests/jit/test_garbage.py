"""Garbage is not collected while kernels are compiled, and is again as soon as they are."""

import gc
from collections.abc import Iterator

import numba
import pytest
from numba.extending import overload

import kikashi.jit  # noqa: F401

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
