"""A GTP engine under mpiexec, and its processes."""

import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from helpers.gtp_text import COMMAND, check_answer, noise

MPIEXEC = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
PATIENCE = 300.0
"""Seconds to wait at most: on a busy machine everything may have to be compiled first."""


class Job:
    """The engine on several ranks, with the pipes of mpiexec."""

    def __init__(
        self,
        *options: str,
        ranks: int = 2,
        fan_out: int | None = None,
        size: int | None = None,
        folders: Path | None = None,
    ) -> None:
        """With `fan_out` a rank has this many children at most, so that few ranks make a deep tree.

        With `folders` each rank works in the one of these that is called by its number.
        """
        first = f"import os; os.chdir({str(folders)!r} + '/' + os.environ['PMI_RANK']); " if folders else ""
        if fan_out is not None:
            first += f"import kikashi.mpi.communicator as c; c.FAN_OUT = {fan_out}; "
        command = [sys.executable, "-c", f"{first}from kikashi.cli import main; main()", "gtp"] if first else COMMAND
        self._mark = f"KIKASHI_TEST_JOB={os.getpid()}.{time.monotonic_ns()}"
        """Environment variable that marks its processes."""
        name, _, value = self._mark.partition("=")
        self.process = subprocess.Popen(
            [str(MPIEXEC), "-n", str(ranks), *command, "--ranks", "--megabytes", "16", *options],
            env={**os.environ, name: value},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._read = b""
        if size is not None:
            self.ask(f"boardsize {size}")

    def send(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        self.process.stdin.flush()

    def until(self, end: str) -> str:
        """Return the output up to this text, which must come."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + PATIENCE
        while end.encode() not in self._read:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"no {end!r} after {self._read[-200:]!r}"
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, f"the job is gone; before that {self._read[-200:]!r}"
            self._read += data
        text, mark, self._read = self._read.partition(end.encode())
        return (text + mark).decode()

    def ask(self, line: str) -> str:
        """Return the text of an answer, which must be a success."""
        text = self.answer_to(line)
        assert text.startswith("="), f"{line}: {text}"
        return text[1:].strip()

    def answer_to(self, line: str) -> str:
        """Return the whole answer to a line."""
        self.send(line)
        text = self.until("\n\n")
        check_answer(text)
        return text

    def ask_json(self, line: str) -> Any:
        return json.loads(self.ask(line))

    def end(self) -> tuple[str, str, int]:
        """Wait for the end of the job; return the rest of both outputs and the exit code."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return (self._read + out).decode(), noise(err.decode()), self.process.returncode

    def quit(self) -> None:
        """Check that the job ends quietly on request."""
        self.send("quit")
        assert self.end() == ("=\n\n", "", 0)

    def processes(self) -> dict[int, int]:
        """Return the running processes by rank."""
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                variables = (process / "environ").read_bytes().split(b"\0")
            except OSError:  # it is gone, or not ours
                continue
            if self._mark.encode() in variables:
                found |= {int(v.partition(b"=")[2]): int(process.name) for v in variables if v.startswith(b"PMI_RANK=")}
        return found

    def close(self) -> None:
        """Kill all processes."""
        self.process.kill()
        for process in self.processes().values():
            os.kill(process, 9)
        self.process.communicate()
