"""Entries of the queue in the background, one after another, each in a process of its own.

The process ends as after Ctrl-C when its standard input is closed: by `Runner.stop`, or because its parent is gone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from threading import Lock, Thread, Timer
from typing import Literal

import msgspec

from kikashi.experiments.queue import AnyEntry, Entry, run_entry
from kikashi.workers.executors import make_workers

MOST_ENTRIES = 20
"""Entries that wait or run, at most."""
GRACE = 30.0
"""Seconds that an entry has to stop."""
FAILED, INTERRUPTED = 1, 130


class Runner:
    """Runs entries in the order in which they were started."""

    def __init__(self, concurrency: int) -> None:
        self._concurrency = concurrency
        self._lock = Lock()
        self._entries: dict[str, Entry] = {}
        """By their folders; the first one runs."""
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopping = False
        self._thread: Thread | None = None

    @property
    def entries(self) -> list[Entry]:
        """The entry that runs, and those that wait."""
        with self._lock:
            return list(self._entries.values())

    def state(self, entry: Entry) -> Literal["", "waiting", "running", "stopping"]:
        """Return what happens to an entry here."""
        with self._lock:
            if entry.place not in self._entries:
                return ""
            if entry.place != next(iter(self._entries)):
                return "waiting"
            return "stopping" if self._is_stopping else "running"

    def start(self, entry: Entry) -> None:
        """Run an entry when those before it have ended. Raises ValueError if it runs already, here or elsewhere."""
        with self._lock:
            if entry.place in self._entries:
                raise ValueError(f"{entry.title} is running already")
            if len(self._entries) >= MOST_ENTRIES:
                raise ValueError(f"{MOST_ENTRIES} runs wait already: stop one, or wait")
            with entry.hold():
                pass  # now it is on the disk, and outlives this process
            self._entries[entry.place] = entry
            if self._thread is None:
                self._thread = Thread(target=self._work, name="queue", daemon=True)
                self._thread.start()

    def stop(self, entry: Entry) -> None:
        """Stop an entry, without waiting for that; one that has not begun leaves the queue. Raises ValueError."""
        state = self.state(entry)
        with self._lock:
            if not state:
                raise ValueError(f"{entry.title} is not running here")
            if state == "waiting" or self._process is None:
                self._entries.pop(entry.place, None)
                entry.leave()
            else:
                self._end_process(self._process)

    def close(self) -> None:
        """Stop the entry that runs, and wait for that. Those that wait stay on the disk."""
        with self._lock:
            if self._process is None:
                self._entries.clear()
            else:
                self._entries = dict([next(iter(self._entries.items()))])
                self._end_process(self._process)
            thread = self._thread
        if thread is not None:
            thread.join(GRACE)

    def _end_process(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        self._is_stopping = True
        process.stdin.close()
        killer = Timer(GRACE, process.kill)
        killer.daemon = True
        killer.start()

    def _work(self) -> None:
        while True:
            with self._lock:
                entry = next(iter(self._entries.values()), None)
                if entry is None:
                    self._thread = None
                    return
                self._process, self._is_stopping = self._started(entry), False
            with self._process as process:
                code = process.wait()
            with self._lock:
                if code not in (0, FAILED) and not self._is_stopping:
                    with suppress(ValueError, OSError), entry.hold():
                        raise ValueError(f"its process ended with {code}")
                self._process = None
                del self._entries[entry.place]

    def _started(self, entry: Entry) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-P", "-m", "kikashi.experiments.queue_runner"]
        null = subprocess.DEVNULL
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=null, stderr=null, process_group=0)
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write(msgspec.json.encode((entry, self._concurrency)) + b"\n")
            process.stdin.flush()
        return process


# --- the process ------------------------------------------------------------------------------------------------------


def main() -> int:
    """Run the entry of standard input; return the exit code."""
    entry, concurrency = msgspec.json.decode(sys.stdin.readline(), type=tuple[AnyEntry, int])

    def wait_for_end() -> None:
        sys.stdin.read()
        os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    Thread(target=wait_for_end, daemon=True).start()
    try:
        run_entry(entry, make_workers("processes", concurrency))
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ValueError, OSError):  # it is noted
        return FAILED
    return 0


if __name__ == "__main__":
    os._exit(main())  # a thread may still read
