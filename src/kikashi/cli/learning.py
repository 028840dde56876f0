"""Progress that learn, self-play and balance share. It needs scipy, so only their functions import it."""

from typing import Any

from kikashi.cli.progress import ProgressBar
from kikashi.learn.learning import LearningListener


class LearningProgress(ProgressBar, LearningListener):
    def __init__(self) -> None:
        super().__init__("reading", None)

    def begin(self, phase: str, total: int = 0) -> None:
        self._bar.reset(self._task, description=phase, total=total or None)

    def reach(self, done: int, of: int | None = None) -> None:
        self._bar.update(self._task, completed=done, total=of)

    def advance(self, result: Any) -> None:
        self._bar.advance(self._task)
