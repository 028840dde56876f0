"""Runs of the laboratory: matches and experiments that pages start, one after another, each in a process of its own.

The process runs what ``kikashi match`` and ``kikashi experiment run`` run (`kikashi.web.run_job`). A run is stopped at
any time and resumed later; it is stopped, too, when the server ends.
"""

from __future__ import annotations

import subprocess
import sys
from threading import Lock, Thread, Timer
from typing import Literal

import msgspec

from kikashi.web.run_job import INTERRUPTED, Job

WAITING_RUNS = 20
"""Runs that wait or run, at most."""
GRACE = 30.0
"""Seconds that a run has to stop."""
RunState = Literal["waiting", "running", "stopping", "stopped", "failed", "finished"]
ACTIVE = ("waiting", "running", "stopping")


class Run:
    """A run: its state, and its last line of progress, or the reason of its failure."""

    def __init__(self, study: str, title: str, job: Job) -> None:
        """`study` is the name of its folder."""
        self.study, self.title, self.job = study, title, job
        self.state: RunState = "waiting"
        self.detail = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False
        self._lock = Lock()

    @property
    def is_active(self) -> bool:
        return self.state in ACTIVE

    def work(self) -> None:
        """Run it to its end, unless it was stopped before."""
        words = [sys.executable, "-P", "-m", "kikashi.web.run_job"]
        pipe = subprocess.PIPE
        with self._lock:
            if self.state != "waiting":
                return
            self.state = "running"
            process = self._process = subprocess.Popen(
                words, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, process_group=0
            )
            assert process.stdin is not None
            process.stdin.write(msgspec.json.encode(self.job) + b"\n")
            process.stdin.flush()
        with process:
            assert process.stdout is not None
            for line in process.stdout:
                self.detail = line.decode("utf-8", "replace").strip()[-300:] or self.detail
            code = process.wait()
        with self._lock:
            was_stopped = self._is_stopped or code == INTERRUPTED
            self.state = "stopped" if was_stopped else "failed" if code else "finished"
            self.detail = self.detail or f"it ended with {code}" if self.state == "failed" else ""

    def stop(self) -> None:
        """Stop it, without waiting for that."""
        with self._lock:
            self._is_stopped = True
            if self.state == "waiting":
                self.state = "stopped"
            elif self.state == "running" and self._process is not None and self._process.stdin is not None:
                self.state = "stopping"
                self._process.stdin.close()
                killer = Timer(GRACE, self._process.kill)
                killer.daemon = True
                killer.start()


class RunQueue:
    """The runs of a server, in the order in which pages started them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._runs: dict[str, Run] = {}
        self._thread: Thread | None = None

    def all(self) -> list[Run]:
        """Return all runs since the start of the server, the latest of each folder."""
        with self._lock:
            return list(self._runs.values())

    def find(self, study: str) -> Run | None:
        """Return the run in a folder."""
        return self._runs.get(study)

    def add(self, run: Run) -> None:
        """Start a run when those before it have ended. Raises ValueError."""
        with self._lock:
            active = [each for each in self._runs.values() if each.is_active]
            if any(each.study == run.study for each in active):
                raise ValueError(f"{run.study} is running already")
            if len(active) >= WAITING_RUNS:
                raise ValueError(f"{WAITING_RUNS} runs wait already: stop one, or wait")
            self._runs.pop(run.study, None)
            self._runs[run.study] = run
            if self._thread is None:
                self._thread = Thread(target=self._work, name="runs of the laboratory", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop all runs, and wait for them."""
        thread = self._thread
        for run in self.all():
            run.stop()
        if thread is not None:
            thread.join(GRACE)

    def _work(self) -> None:
        while True:
            with self._lock:
                run = next((each for each in self._runs.values() if each.state == "waiting"), None)
                if run is None:
                    self._thread = None
                    return
            try:
                run.work()
            except OSError as error:
                run.state, run.detail = "failed", str(error)
