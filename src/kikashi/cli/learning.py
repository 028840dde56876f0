"""Progress that learn, self-play and balance share. It needs scipy, so only their functions import it."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from kikashi.learn.learning import LearningListener


class LearningProgress(LearningListener):
    """A progress bar on standard error, where that is a terminal."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._progress.add_task("reading", total=None)

    def __enter__(self) -> LearningProgress:
        try:
            self._progress.start()
        except KeyboardInterrupt:
            self._progress.stop()  # the cursor may be hidden already
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, phase: str, total: int) -> None:
        self._progress.reset(self._task, description=phase, total=total or None)

    def read(self, games: int) -> None:
        self._progress.update(self._task, description="games read", completed=games)

    def step(self, number: int) -> None:
        self._progress.update(self._task, description="steps of the optimiser", completed=number)

    def advance(self, result: Any) -> None:
        self._progress.advance(self._task)

    def balanced(self, done: int, of: int) -> None:
        self._progress.update(self._task, completed=done, total=of)

    def tell(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)
