"""Processes that tests start: none stays when a test is over."""

from collections.abc import Callable, Iterator
from typing import Any


def closed_afterwards(kind: type[Any], close: Callable[[Any], object]) -> Iterator[type[Any]]:
    """For a fixture: a class like `kind`, all instances of which are closed when the test is over."""
    running: list[Any] = []

    class Started(kind):
        def __init__(self, *arguments: Any, **how: Any) -> None:
            super().__init__(*arguments, **how)
            running.append(self)

    yield Started
    for each in running:
        close(each)


def kill(started: Any) -> None:
    """End the process of something that a test has started, and wait for that."""
    started.process.kill()
    started.process.communicate()
