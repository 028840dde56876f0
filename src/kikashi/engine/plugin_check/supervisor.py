"""Has the parts of a plugin tried in processes of their own, and outlives what they do there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from threading import Timer
from typing import Any

CHILD = "kikashi.engine.plugin_check.child"
PATIENCE = 45.0
"""Seconds for each step of a part's trial; a part that loops for ever must come to an end."""
COMPILING = 3600.0
"""Seconds for all that is compiled, which has a limit of its own (`kikashi.parts.compile_process`)."""


@dataclass(frozen=True)
class Finding:
    """What was found out about a part."""

    part: str
    """``heuristic contact``."""
    problem: str = ""
    cost: float | None = None
    """What a playout or a simulation takes with it, as a multiple of one without it; None after a problem."""


def check_plugin(file: str, patience: float = PATIENCE) -> list[Finding]:
    """Try every part of a file with bounds checked, and measure those that pass. Raises ValueError for a bad file."""
    tried = _for_each_part("try", file, patience, checked=True)
    if not tried:
        raise ValueError(f"plugin {file}: there are no parts in it")
    bad = [name for name, found in tried.items() if found]
    timed = _for_each_part("time", file, patience, checked=False, skipped=bad)
    return [_finding(name, file, {**tried[name], **timed.get(name, {})}) for name in tried]


def _finding(name: str, file: str, found: dict[str, Any]) -> Finding:
    problem = f"{file}, line {found['line']}: {found['problem']}" if "problem" in found else ""
    return Finding(name, problem, found.get("cost"))


def _for_each_part(
    task: str, file: str, patience: float, *, checked: bool, skipped: Collection[str] = ()
) -> dict[str, dict[str, Any]]:
    """What a task found about each part, by name. A part that ends its process is told so, and the next one goes on."""
    found: dict[str, dict[str, Any]] = {}
    while True:
        begun = ""
        lines: dict[str, int] = {}
        for said in _child(task, file, patience, checked=checked, skipped=[*skipped, *found]):
            if "error" in said:
                raise ValueError(said["error"])
            lines = said.get("parts", lines)
            if "found" in said:
                found[begun], begun = _with_line(said["found"], lines[begun]), ""
            begun = said.get("begins", begun)
            if "died" in said and not begun:
                raise ValueError(f"plugin {file}: {said['died']} when it was loaded")
            if "died" in said:
                found[begun] = {"problem": said["died"], "line": lines[begun]}
        if not begun:
            return found


def _with_line(found: dict[str, Any], line: int) -> dict[str, Any]:
    """What was found about a part, a problem with a line: its own if no other is known."""
    return {**found, "line": found["line"] or line} if "problem" in found else found


def _child(
    task: str, file: str, patience: float, *, checked: bool, skipped: Collection[str]
) -> Iterator[dict[str, Any]]:
    """What a process says, and at last how it died if it did."""
    reading, writing = os.pipe()
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": str(int(checked))}
    words = [sys.executable, "-P", "-m", CHILD, str(writing), task, file, *skipped]
    process = subprocess.Popen(words, pass_fds=(writing,), env=environment, stdout=subprocess.DEVNULL)
    os.close(writing)
    timer = _start_timer(process, COMPILING)
    with os.fdopen(reading) as lines, process:
        try:
            for line in lines:
                timer.cancel()
                said = json.loads(line)
                timer = _start_timer(process, patience if "step" in said else COMPILING)
                yield said
        except BaseException:  # Ctrl-C, which a process that compiles does not hear
            process.kill()
            raise
        finally:
            timer.cancel()
    if process.returncode:
        yield {"died": _how_it_died(process.returncode, patience)}


def _start_timer(process: subprocess.Popen[bytes], patience: float) -> Timer:
    timer = Timer(patience, process.kill)
    timer.daemon = True
    timer.start()
    return timer


def _how_it_died(code: int, patience: float) -> str:
    if code == -signal.SIGKILL:
        return f"it did not come to an end in {patience:g} seconds"
    return f"it ended the process by {signal.Signals(-code).name}" if code < 0 else f"it ended the process with {code}"
