"""Process families: a program and all processes that it started, ended as a whole. POSIX only.

A program started with `OWN_GROUP` leads a process group. The groups of a worker are in its session.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable

import psutil

OWN_GROUP = 0
"""For `process_group` of `subprocess.Popen`."""
GRACE = 1.0
"""Seconds between the request to end and the end by force."""
FORCE = 5.0
"""Seconds after which a process that cannot even be killed is left to the system."""


def family(leader: int) -> list[psutil.Process]:
    """Return the living processes of a group and their descendants."""
    found = {process.pid: process for process in _living(os.getpgid, leader)}
    for process in list(found.values()):
        with contextlib.suppress(psutil.Error):
            found |= {child.pid: child for child in process.children(recursive=True)}
    return [process for process in found.values() if _is_living(process)]


def processor_seconds(leader: int) -> float | None:
    """Return the user and system time of a family; None if the leader is gone."""
    members = family(leader)
    if all(process.pid != leader for process in members):
        return None
    total = 0.0
    for process in members:
        with contextlib.suppress(psutil.NoSuchProcess):  # it has just ended: its parent has its time
            total += sum(process.cpu_times()[:4])  # the last two are of children that are gone
    return total


def end_family(leader: subprocess.Popen[bytes], grace: float = GRACE) -> None:
    """Terminate a group leader and its family; kill the processes that do not end in time.

    The leader must not have been waited for: its number might be another process's by now.
    """
    members: dict[int, psutil.Process] = {}

    def is_left() -> bool:
        members.update((process.pid, process) for process in family(leader.pid))
        return any(_is_living(process) for process in members.values())

    try:
        if is_left():
            _send(signal.SIGTERM, members.values())
            _wait_until(lambda: not is_left(), grace)
    finally:  # also if somebody interrupts the wait
        deadline = time.monotonic() + FORCE
        while is_left() and time.monotonic() < deadline:
            _send(signal.SIGKILL, members.values())
            time.sleep(0.001)
        leader.kill()
        leader.wait()


def end_session(session: int) -> None:
    """Kill all processes of a session other than this one: a worker and its families."""
    deadline = time.monotonic() + FORCE
    while (left := _living(os.getsid, session)) and time.monotonic() < deadline:
        _send(signal.SIGKILL, left)
        time.sleep(0.001)


def _living(number_of: Callable[[int], int], number: int) -> list[psutil.Process]:
    """Return the living processes, other than this one, of a group or a session."""
    found = []
    for pid in psutil.pids():
        with contextlib.suppress(OSError, psutil.Error):  # it is gone
            if pid != os.getpid() and number_of(pid) == number:
                found.append(psutil.Process(pid))
    return [process for process in found if _is_living(process)]


def _is_living(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.Error:
        return False


def _send(number: signal.Signals, processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.Error):  # it is gone, or somebody else's by now
            process.send_signal(number)


def _wait_until(is_true: Callable[[], bool], seconds: float) -> None:
    deadline, pause = time.monotonic() + seconds, 0.001
    while not is_true() and time.monotonic() < deadline:
        time.sleep(pause)
        pause = min(2 * pause, 0.05)
