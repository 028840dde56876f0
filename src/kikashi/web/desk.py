"""What the desks of a page have in common: a job, what they may use, and how they tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, RLock
from typing import Protocol

from kikashi.web.events import Event, Failed, Working
from kikashi.web.jobs import Job
from kikashi.web.limits import Limits
from kikashi.web.presets import Presets
from kikashi.web.search_slots import Turns


@dataclass
class House:
    """What all pages share."""

    presets: Presets = field(default_factory=Presets)
    limits: Limits = field(default_factory=Limits)
    folder: Path | None = None
    """Of matches and experiments."""
    plugins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.turns = Turns(self.limits.threads)
        self.pages = 0
        self.lock = Lock()


class Post(Protocol):
    """How something is told to a page."""

    def __call__(self, event: Event, *, only_newest: str = "") -> None: ...


class Desk:
    """One thing that a page can do, with one job at a time.

    Requests are handled in one thread, which holds the page's lock; a job holds it when it changes something.
    """

    task = ""

    def __init__(self, house: House, post: Post, lock: RLock) -> None:
        self.house = house
        self.post = post
        self.lock = lock
        self.job: Job | None = None

    def fail(self, message: str) -> None:
        """Tell why something was not done."""
        self.post(Failed(" ".join(message.split())[:500]))

    def work(self, do: Callable[[Job], None]) -> None:
        """Begin a job, in place of what ran before."""
        self.stop()

        def all_of_it(job: Job) -> None:
            try:
                do(job)
            finally:
                if not job.is_stopped():
                    self.post(Working(self.task), only_newest=f"working {self.task}")

        self.job = Job(all_of_it, self.house.turns, self.fail)

    def working(self, detail: str, done: int = 0, of: int = 0) -> None:
        """Tell what the job does."""
        self.post(Working(self.task, detail, done, of), only_newest=f"working {self.task}")

    def stop(self) -> None:
        """End the job, if one runs. The lock, which the caller holds, is free while it ends."""
        if self.job is None:
            return
        job, self.job = self.job, None
        was_running = job.is_running
        self.lock.release()
        try:
            job.stop()
        finally:
            self.lock.acquire()
        if was_running:
            self.post(Working(self.task), only_newest=f"working {self.task}")

    def close(self) -> None:
        """End for good; called with the lock."""
        self.stop()
