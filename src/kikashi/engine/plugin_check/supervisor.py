"""Supervisor of the processes in which the parts of a plugin are tried."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

CHILD = "kikashi.engine.plugin_check.trials"
PATIENCE = 45.0
"""Seconds for each step of a part's trial, for parts that loop for ever."""
COMPILING = 3600.0
"""Seconds for compiling, which has a limit of its own (`kikashi.parts.compiling`)."""


@dataclass(frozen=True)
class PartCheck:
    part: str
    """``heuristic contact``."""
    problem: str = ""
    cost: float | None = None
    """Time of a playout or a simulation as a multiple of one without the part; None after a problem."""


def check_plugin(file: str, patience: float = PATIENCE) -> list[PartCheck]:
    """Try every part of a file with bounds checked, and measure those that pass. Raises ValueError for a bad file."""
    tried = _for_each_part("try", file, patience, checked=True)
    if not tried:
        raise ValueError(f"plugin {file}: there are no parts in it")
    bad = [name for name, found in tried.items() if found]
    timed = _for_each_part("time", file, patience, checked=False, skipped=bad)
    found = {name: {**tried[name], **timed.get(name, {})} for name in tried}
    problems = {name: f"{file}, line {of['line']}: {of['problem']}" for name, of in found.items() if "problem" in of}
    return [PartCheck(name, problems.get(name, ""), found[name].get("cost")) for name in found]


def _for_each_part(
    task: str, file: str, patience: float, *, checked: bool, skipped: Collection[str] = ()
) -> dict[str, dict[str, Any]]:
    """Return the result of a task for each part, by name. After a part that ends its process the next one follows."""
    found: dict[str, dict[str, Any]] = {}
    while True:
        begun = ""
        lines: dict[str, int] = {}
        for message in _child(task, file, patience, checked=checked, skipped=[*skipped, *found]):
            if "error" in message:
                raise ValueError(message["error"])
            lines = message.get("parts", lines)
            if "found" in message:
                found[begun] = message["found"]
                if "problem" in found[begun]:
                    found[begun]["line"] = found[begun]["line"] or lines[begun]
                begun = ""
            begun = message.get("begins", begun)
            if "died" in message and not begun:
                raise ValueError(f"plugin {file}: {message['died']} when it was loaded")
            if "died" in message:
                found[begun] = {"problem": message["died"], "line": lines[begun]}
        if not begun:
            return found


def _child(
    task: str, file: str, patience: float, *, checked: bool, skipped: Collection[str]
) -> Iterator[dict[str, Any]]:
    """Yield the messages of a process; at the end how it died, if it did."""
    reading, writing = os.pipe()
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": str(int(checked))}
    words = [sys.executable, "-P", "-m", CHILD, str(writing), task, file, *skipped]
    process = subprocess.Popen(words, pass_fds=(writing,), env=environment, stdout=subprocess.DEVNULL)
    os.close(writing)
    seconds = COMPILING
    with os.fdopen(reading, "rb", buffering=0) as lines, process:
        try:
            while select.select([lines], [], [], seconds)[0]:
                if not (line := lines.readline()):
                    break
                message = json.loads(line)
                seconds = patience if "step" in message else COMPILING
                yield message
            else:
                process.kill()
        except BaseException:  # Ctrl-C, which a process that compiles does not notice
            process.kill()
            raise
    if process.returncode:
        yield {"died": _describe_end(process.returncode, patience)}


def _describe_end(code: int, patience: float) -> str:
    if code == -signal.SIGKILL:
        return f"it did not come to an end in {patience:g} seconds"
    return f"it ended the process by {signal.Signals(-code).name}" if code < 0 else f"it ended the process with {code}"
