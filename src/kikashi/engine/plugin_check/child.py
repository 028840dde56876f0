"""Process in which parts are tried, which they may crash.

``python -m kikashi.engine.plugin_check.child PIPE TASK FILE SKIPPED…`` writes lines of JSON into a pipe: the parts of
the file with their lines; for each of them its beginning, its steps and its result.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kikashi.engine.plugin_check.trials import Problem, compile_part, cost, try_out, warm_up
from kikashi.parts.plugins import plugins_of_a_player
from kikashi.parts.registry import KINDS, Part, PartError, all_parts

TRY, TIME = "try", "time"


def parts_in(file: str) -> list[Part]:
    """Return the parts that a file registered, kind by kind."""
    path = str(Path(file).resolve())
    return [part for kind in list(KINDS.values()) for part in all_parts(kind) if part.file == path]


def name_of(part: Part) -> str:
    """Return kind and name of a part: ``heuristic contact``."""
    return f"{part.kind} {part.name}"


def found_about(part: Part, task: str, step: Callable[[], None]) -> dict[str, Any]:
    """Run a task; return a problem with its line, a cost, or nothing. `step` is called after each step."""
    try:
        compile_part(part)
        step()
        if task == TIME:
            return {"cost": cost(part)}
        try_out(part, step)
    except Problem as problem:
        return {"problem": str(problem), "line": problem.line}
    return {}


def _run(pipe: int, task: str, file: str, skipped: list[str]) -> None:
    with os.fdopen(pipe, "w") as lines:

        def send(**message: Any) -> None:
            print(json.dumps(message), file=lines, flush=True)

        try:
            with plugins_of_a_player([file]):
                parts = parts_in(file)
                send(parts={name_of(part): part.line for part in parts})
                warm_up(parts)
                for part in parts:
                    if name_of(part) not in skipped:
                        send(begins=name_of(part))
                        send(found=found_about(part, task, lambda: send(step=True)))
        except PartError as error:  # of the file itself
            send(error=str(error))


if __name__ == "__main__":
    _run(int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
