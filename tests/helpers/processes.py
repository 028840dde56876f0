"""Processes that tests start: none stays when a test is over."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

HOLDING = """
import sys
from pathlib import Path
from kikashi.experiments.queue import entry_in
with entry_in(Path(sys.argv[1])).hold() as hold:
    hold.write("1 of 4 games, about 2 h left")
    print("ready", flush=True)
    sys.stdin.read()
"""
"""Runs the entry in a folder, so to speak."""


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


@contextmanager
def another_process(program: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program until it prints a line; end it after the body."""
    words = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.kill()
