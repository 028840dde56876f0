"""What runs for a page beside its requests: one job at a time, in a thread of its own, which can be stopped."""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable, Iterator
from threading import Event, Lock, Thread
from typing import TypeVar

from kikashi.engine.preset import Preset
from kikashi.engine.warmup import warm_up
from kikashi.web.search_slots import Turns
from kikashi.wording import reason

Item = TypeVar("Item")
Question = Callable[[], None]
_PREPARING = Lock()
"""Kernels are compiled, or loaded, by one thread at a time."""
_PREPARED: set[str] = set()


def prepare(preset: Preset) -> None:
    """Have all compiled that a preset needs; at once if it is."""
    known = f"{preset.name} {preset.table}"
    if known not in _PREPARED:
        with _PREPARING:
            warm_up(preset)
            _PREPARED.add(known)


class Job:
    """Work in a thread. `work` gets the job, asks it whether to stop, and lets it answer questions in between."""

    def __init__(self, work: Callable[[Job], None], turns: Turns, failed: Callable[[str], None]) -> None:
        self._turns = turns
        self._failed = failed
        self._stop = Event()
        self._questions: queue.SimpleQueue[Question] = queue.SimpleQueue()
        self._asking = Lock()
        self._is_over = False
        self._thread = Thread(target=self._run, args=(work,), name="job of a page", daemon=True)
        self._thread.start()

    def is_stopped(self) -> bool:
        """Whether the work is to end: it is asked every few milliseconds."""
        return self._stop.is_set()

    def wait(self, seconds: float) -> None:
        """Do nothing for a while, unless the work is to end."""
        self._stop.wait(seconds)

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        """End the work, and wait until it has."""
        self._stop.set()
        self._thread.join()

    def ask(self, question: Question) -> bool:
        """Have something done while no simulation runs: in the next pause of the search. False if it is over."""
        with self._asking:
            if not self._is_over:
                self._questions.put(question)
            return not self._is_over

    def stepping(self, steps: Iterator[Item]) -> Iterator[Item]:
        """The steps of a search, each when it has its turn; questions are answered between them."""
        for step in self._turns.stepping(steps, self.is_stopped):
            yield step
            self.answer()

    def last(self, steps: Iterator[Item]) -> Item | None:
        """The last of the steps; None if there was none, as where the work is to end."""
        found = None
        for step in self.stepping(steps):
            found = step
        return found

    def answer(self) -> None:
        """Answer what was asked so far."""
        while not self._questions.empty():
            question = self._questions.get()
            try:
                question()
            except (ValueError, OSError) as error:
                self._failed(str(error))

    def _run(self, work: Callable[[Job], None]) -> None:
        try:
            work(self)
        except (ValueError, OSError, MemoryError) as error:
            self._failed(reason(error))
        except Exception:
            logging.getLogger("kikashi.web").exception("a job failed")
            self._failed("something went wrong inside; the terminal says what")
        finally:
            with self._asking:
                self._is_over = True
            self.answer()
