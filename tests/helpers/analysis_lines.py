"""What tests of the JSON protocol share: an engine in this process, and one in a process of its own."""

import json
import queue
import subprocess
import sys
import threading
from typing import Any

from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset
from kikashi.protocols.kata.engine import Defaults, Engine
from kikashi.protocols.kata.messages import Message, encode
from kikashi.protocols.kata.server import answers

COMMAND = [sys.executable, "-m", "kikashi", "kata-analysis"]
PATIENCE = 300.0
"""Seconds for what takes milliseconds, unless everything has to be compiled first on a busy machine."""
GAME = [("B", "E5"), ("W", "C3"), ("B", "G7"), ("W", "C7")]


def query(name: str = "q", **fields: Any) -> dict[str, Any]:
    """A query about a 9x9 game, with few visits."""
    usual = {"moves": GAME, "rules": "chinese", "boardXSize": 9, "boardYSize": 9, "maxVisits": 20}
    return {"id": name, **usual, **fields}


class Here:
    """An engine in this process; what it writes can be read one by one."""

    def __init__(self, threads: int = 1, preset: str = "kikashi", **defaults: Any) -> None:
        self._written: queue.Queue[Message] = queue.Queue()
        self.engine = Engine(
            lambda wanted: Player(wanted, megabytes=4),
            load_preset(preset),
            Defaults(**{"simulations": 20, **defaults}),
            threads,
            self._written.put,
        )

    def send(self, *lines: Any) -> None:
        """Send messages, or lines as they are."""
        for line in lines:
            sent = line if isinstance(line, bytes) else json.dumps(line).encode()
            for message in answers(self.engine, sent, "kikashi"):
                self._written.put(message)

    def read(self) -> dict[str, Any]:
        """The next message, as who is at the other end has it."""
        said: dict[str, Any] = json.loads(encode(self._written.get(timeout=PATIENCE)))
        return said

    def ask(self, line: Any) -> dict[str, Any]:
        """The one answer to a line."""
        self.send(line)
        return self.read()

    def rest(self) -> list[dict[str, Any]]:
        """All that is still written until everything is answered; the engine has ended then."""
        self.engine.finish()
        return [json.loads(encode(self._written.get())) for _ in range(self._written.qsize())]


class Process:
    """An engine in a process, its lines read by a thread."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def send(self, *messages: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
        self.process.stdin.flush()

    def end(self) -> str:
        """Send no more, wait for the end and return what was written to standard error."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        return self.process.stderr.read().decode()

    def close(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def read(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self._lines.get(timeout=PATIENCE))
        return said
