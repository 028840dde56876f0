"""The process in which parts of plugins are compiled: ``python -m kikashi.parts.compile_child``.

It reads jobs from standard input, a line of JSON each, and answers with a line that says what is wrong, if anything is.
What it has compiled is in the cache on disk. It ends when it has had nothing to do for a while, and when whoever
started it is gone.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
import time
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from kikashi.parts.binding import compile_here
from kikashi.parts.plugins import plugins_of_a_player
from kikashi.parts.registry import KINDS, PartError, find

IDLE = 10.0
"""Seconds without a job after which it ends."""


def _compile(job: dict[str, Any]) -> str:
    """Compile a function of a part; returns what is wrong with it, or nothing."""
    sys.path[:] = job["path"]
    _limit_processor_time(job["seconds"])
    try:
        with plugins_of_a_player([job["plugin"]]):
            part = find(KINDS[job["kind"]], job["part"], beside=job["file"])
            if part.file == job["file"]:
                compile_here(part, job["entry"])
    except PartError as error:
        return str(error)
    return ""


def _limit_processor_time(seconds: float) -> None:
    """Have the system end this process when it has worked so long from now on: LLVM listens to nobody else."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = math.ceil(time.process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def _read(jobs: SimpleQueue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        jobs.put(json.loads(line))
    os._exit(0)  # whatever is being compiled: nobody waits for it any more


def _run() -> None:
    with os.fdopen(os.dup(sys.stdout.fileno()), "w") as answers:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what plugins print
        jobs: SimpleQueue[dict[str, Any]] = SimpleQueue()
        Thread(target=_read, args=(jobs,), daemon=True).start()
        while True:
            try:
                job = jobs.get(timeout=IDLE)
            except Empty:
                return
            print(json.dumps(_compile(job)), file=answers, flush=True)


if __name__ == "__main__":
    _run()
    os._exit(0)
