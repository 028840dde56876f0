"""Tasks of a page: each runs one background job at a time, and searches of all pages share one lock.

Kernels are compiled in a thread of their own. A stopped job does not wait for it, and it ends with the function at hand
once no job waits.
"""

from __future__ import annotations

import logging
import queue
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Event as Flag, Lock, RLock, Thread
from typing import Any, Protocol, TypeVar

from kikashi.engine.player import Player
from kikashi.engine.preset import Preset
from kikashi.engine.warmup import warm_up
from kikashi.experiments.queue import ExperimentEntry
from kikashi.experiments.queue_runner import Runner
from kikashi.jit import CompilationStopped, compiling, stoppable
from kikashi.web.game_tree import GameTree
from kikashi.web.messages import Event, Failed, Kept, KeptClock, Setup, Working
from kikashi.web.presets import Presets
from kikashi.web.shelf import Item, ItemStore
from kikashi.wording import reason

Step = TypeVar("Step")
Question = Callable[[], None]
POLL = 0.2
"""Seconds between two checks of a waiting thread whether it is cancelled."""
_COMPILING, _LISTING = Lock(), Lock()
_COMPILATIONS: dict[str, Compilation] = {}
"""Those that run or have ended well, by name."""


@dataclass(frozen=True)
class Limits:
    """Resources of all pages together."""

    pages: int = 24
    threads: int = 1
    """Threads of a search; one search runs at a time."""
    megabytes: float = 256.0
    """Memory of each search tree; a page has at most six: of a game, a study, its review, a duel, a comparison and the
    classroom."""


class FairLock:
    """A mutex that threads get in the order in which they came."""

    def __init__(self) -> None:
        self._queue: deque[object] = deque()
        """The holder, and the threads that wait behind it."""
        self._changed = Condition()

    @property
    def is_free(self) -> bool:
        return not self._queue

    @contextmanager
    def hold(self, is_cancelled: Callable[[], bool]) -> Iterator[bool]:
        """Hold the lock while the body runs. Yield False, without the lock, if `is_cancelled` turns true before."""
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
            while self._queue[0] is not ticket and not is_cancelled():
                self._changed.wait(POLL)
        try:
            yield not is_cancelled() and self._queue[0] is ticket
        finally:
            with self._changed:
                self._queue.remove(ticket)
                self._changed.notify_all()


@dataclass
class ServerState:
    """State that all pages share."""

    presets: Presets = field(default_factory=Presets)
    limits: Limits = field(default_factory=Limits)
    folder: Path | None = None
    """The folder of matches and experiments."""
    plugins: tuple[str, ...] = ()
    shelf: ItemStore = field(default_factory=ItemStore)
    """Recent games and studies of all pages."""
    papers: Sequence[ExperimentEntry] = ()
    """The queue of experiments that reproduce the papers."""

    def new_player(self, preset: Preset, **settings: Any) -> Player:
        """Return a player with the resources of a search."""
        return Player(preset, **{"threads": self.limits.threads, "megabytes": self.limits.megabytes} | settings)

    def __post_init__(self) -> None:
        self.search_lock = FairLock()
        self.runner = Runner(self.limits.threads)
        self.pages = 0
        self.lock = Lock()


class Compilation:
    """Work that compiles kernels, in a thread of its own, one at a time. It stops when no job waits for it any more."""

    def __init__(self, name: str, work: Callable[[], object]) -> None:
        self._name = name
        self._waiting = 0
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, args=(work,), name="compilation", daemon=True)

    def wait(self, is_stopped: Callable[[], bool], tell: Callable[[], None]) -> bool:
        """Wait for the end, calling `tell` now and then. Return False if stopped before. Raises the work's errors."""
        try:
            while self._thread.is_alive() and not is_stopped():
                tell()
                self._thread.join(POLL)
        finally:
            with _LISTING:
                self._waiting -= 1
                if not self._waiting and self._thread.is_alive():
                    self._forget()
        if self._error is not None:
            raise self._error
        return not is_stopped()

    def _run(self, work: Callable[[], object]) -> None:
        try:
            with _COMPILING, stoppable(lambda: not self._waiting):
                if self._waiting:
                    work()
        except CompilationStopped:
            pass
        except BaseException as error:
            self._error = error
            with _LISTING:
                self._forget()  # it may be tried again

    def _forget(self) -> None:
        if _COMPILATIONS.get(self._name) is self:
            del _COMPILATIONS[self._name]

    @classmethod
    def join(cls, name: str, work: Callable[[], object]) -> Compilation:
        """Return the compilation of this name, which has begun, for one more job that will `wait`."""
        with _LISTING:
            if (found := _COMPILATIONS.get(name)) is None:
                found = _COMPILATIONS[name] = cls(name, work)
                found._waiting += 1
                found._thread.start()
            else:
                found._waiting += 1
            return found


class Job:
    """Work in a thread of its own, which can be stopped and answers questions between the steps of a search."""

    def __init__(self, work: Callable[[Job], None], search_lock: FairLock, fail: Callable[[str], None]) -> None:
        self._search_lock = search_lock
        self._fail = fail
        self._stop = Flag()
        self._questions: queue.SimpleQueue[Question] = queue.SimpleQueue()
        self._asking = Lock()
        self._is_over = False
        self._thread = Thread(target=self._run, args=(work,), name="job of a page", daemon=True)
        self._thread.start()

    def is_stopped(self) -> bool:
        """Whether the work must end; searches check it every few milliseconds."""
        return self._stop.is_set()

    def wait(self, seconds: float) -> None:
        """Wait, but not longer than until the job is stopped."""
        self._stop.wait(seconds)

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def cancel(self) -> None:
        """Stop the work without waiting for its end."""
        self._stop.set()

    def stop(self) -> None:
        """Stop the work and wait for its end."""
        self.cancel()
        self._thread.join()

    def ask(self, question: Question) -> bool:
        """Run a question in the next pause of the search. Return False if the job is over."""
        with self._asking:
            if not self._is_over:
                self._questions.put(question)
            return not self._is_over

    def iterate(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Yield the steps of a search. Hold the search lock during each; answer questions between them."""
        while True:
            with self._search_lock.hold(self.is_stopped) as is_held:
                if not is_held:
                    return
                try:
                    step = next(steps)
                except StopIteration:
                    return
            yield step
            self.answer()

    def last(self, steps: Iterator[Step]) -> Step | None:
        """Return the last step of a search, or None without one."""
        found = None
        for step in self.iterate(steps):
            found = step
        return found

    def answer(self) -> None:
        """Answer the waiting questions."""
        while not self._questions.empty():
            try:
                self._questions.get()()
            except (ValueError, OSError) as error:
                self._fail(str(error))

    def _run(self, work: Callable[[Job], None]) -> None:
        try:
            work(self)
        except (ValueError, OSError, MemoryError) as error:
            self._fail(reason(error))
        except Exception:
            logging.getLogger("kikashi.web").exception("a job failed")
            self._fail("internal error; the terminal has the details")
        finally:
            with self._asking:
                self._is_over = True
            self.answer()


class Post(Protocol):
    """A function that sends an event to a page; `only_newest` names a stream whose older events are dropped."""

    def __call__(self, event: Event, *, only_newest: str = "") -> None: ...


class Task:
    """An activity of a page, with one job at a time.

    Requests are handled in one thread, which holds the page's lock. A job takes the lock to change something.
    """

    name = ""

    def __init__(self, state: ServerState, post: Post, lock: RLock, holder: object = None) -> None:
        self.state = state
        self.post = post
        self.lock = lock
        self.job: Job | None = None
        self.holder = holder
        """The page, for the shelf."""
        self.key = ""
        """The place of the task's game or study on the shelf."""

    @property
    def is_busy(self) -> bool:
        return self.job is not None and self.job.is_running

    def start(self, work: Callable[[Job], None]) -> None:
        """Start a job in place of the previous one."""
        self.stop()

        def run(job: Job) -> None:
            try:
                work(job)
            finally:
                if not job.is_stopped():
                    self.show_progress("")

        self.job = Job(run, self.state.search_lock, lambda message: post_failure(self.post, message))

    def show_progress(self, detail: str, done: int = 0, of: int = 0, *, live: bool = False) -> None:
        self.post(Working(self.name, detail, done, of, live), only_newest=f"working {self.name}")

    def compile(self, job: Job, preset: Preset, *, work: Callable[[], object] | None = None, name: str = "") -> bool:
        """Wait until a preset, or other work of this name, is compiled. Return False if the job is stopped before."""

        def tell() -> None:
            if (now := compiling()) is not None:
                done, of, text = now
                self.show_progress(f"compiling {preset.name}, once: {text}", done, of)

        found = Compilation.join(f"{name} {preset.name} {preset.table}", work or (lambda: warm_up(preset)))
        return found.wait(job.is_stopped, tell)

    def stop(self) -> None:
        """Stop the job. The caller holds the lock, which is released until the job has ended."""
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
            self.show_progress("")

    def cancel(self) -> None:
        """Stop the job without waiting for its end: it changes nothing any more."""
        if self.job is not None:
            self.job.cancel()
            self.job = None
            self.show_progress("")

    # --- the shelf ----------------------------------------------------------------------------------------------------

    def keep(
        self,
        tree: GameTree,
        kind: str,
        *,
        setup: Setup | None = None,
        clocks: tuple[KeptClock, KeptClock] | None = None,
    ) -> None:
        """Keep a game tree on the shelf."""
        try:
            game = tree.game(tree.line(0)[-1])
        except ValueError:  # an illegal move of the record
            game = tree.game()
        item = Item(
            kind=kind,
            title=tree.title or f"{game.size}×{game.size}",
            sgf=tree.as_sgf(),
            moves=game.move_count,
            size=game.size,
            stones=tree.stones(game),
            setup=setup,
            clocks=clocks,
        )
        try:
            key = self.state.shelf.save(self.key, self.holder, item)
        except OSError as error:
            post_failure(self.post, f"the shelf cannot be written: {reason(error)}")
            return
        if key != self.key:
            self.key = key
            self.post(Kept(tree.board, key))

    def release(self, key: str = "") -> None:
        """Let go of the task's place on the shelf, and take another."""
        if self.key and self.key != key:
            self.state.shelf.release(self.holder, self.key)
        self.key = key
        self.post(Kept("play" if self.name == "play" else "study", key))


def post_failure(post: Post, message: str) -> None:
    """Send the reason of a failure, in one line."""
    post(Failed(" ".join(message.split())[:500]))
