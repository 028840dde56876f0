"""Kernels are linked with all that they call."""

from kikashi.jit import inlined, kernel


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
