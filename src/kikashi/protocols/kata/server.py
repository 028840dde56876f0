"""The server loop: queue the positions of queries, run actions, answer every line."""

import select
from collections.abc import Callable, Iterator
from threading import Lock, Thread
from typing import Any, BinaryIO

import msgspec

from kikashi import __version__
from kikashi.protocols.kata.engine import Engine
from kikashi.protocols.kata.messages import Action, Message, Notice, encode
from kikashi.protocols.kata.queries import Refused, convert, read_query

KATAGO_VERSION = "1.16.0"
"""The version of the protocol: clients choose their fields by it."""
LONGEST_LINE = 1 << 20
"""Bytes of a line."""


class Output:
    """A stream of messages from several threads. Nothing is written after its reader is gone."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = Lock()
        self._when_gone: Callable[[], None] = lambda: None
        self.is_gone = False

    def when_gone(self, call: Callable[[], None]) -> None:
        """Call a function when the reader is gone, even while nothing is written."""
        self._when_gone = call
        Thread(target=self._watch, name="analysis output", daemon=True).start()

    def _watch(self) -> None:
        """Wait in a thread until the other end is closed; a file's never is."""
        poll = select.poll()
        try:
            poll.register(self._stream, 0)
        except (OSError, ValueError):  # not a stream of the system
            return
        poll.poll()
        self._lose()

    def _lose(self) -> None:
        self.is_gone = True
        self._when_gone()

    def write(self, message: Message) -> None:
        line = encode(message)
        with self._lock:
            if self.is_gone:
                return
            try:
                self._stream.write(line)
                self._stream.flush()
                return
            except (OSError, ValueError):
                self.is_gone = True
        self._lose()


def serve(engine: Engine, lines: BinaryIO, output: Output, *, name: str) -> None:
    """Answer lines until they end or the reader is gone. `name` is the name of the model."""
    for line in _lines(lines):
        for message in answers(engine, line, name):
            output.write(message)
        if output.is_gone:
            return


def answers(engine: Engine, line: bytes, name: str) -> Iterator[Message]:
    """Yield the immediate messages for a line; the engine writes the answers to queries."""
    if not line.strip():
        return
    try:
        data = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, ValueError):
        yield Notice(error="this line is not JSON")
        return
    if not isinstance(data, dict):
        yield Notice(error="a line is a JSON object")
        return
    try:
        if "action" in data:
            yield data | _run_action(engine, convert(data, Action), name)
            return
        positions, warnings = read_query(data)
        yield from warnings
    except Refused as problem:
        yield Notice(error=str(problem), field=problem.field, id=data.get("id"))
    except Exception as problem:  # a bug
        yield Notice(error=f"internal error: {problem!r}"[:500], id=data.get("id"))
    else:
        engine.add(positions)


def _run_action(engine: Engine, action: Action, name: str) -> dict[str, Any]:
    """Run an action and return the additional fields of its answer. Raises Refused."""
    if action.action == "query_version":
        return {"version": KATAGO_VERSION, "git_hash": "<omitted>", "engine": "kikashi", "engineVersion": __version__}
    if action.action == "query_models":
        model = {"name": name, "internalName": name, "maxBatchSize": 1, "version": 0}
        return {"models": [model | {"usesHumanSLProfile": False, "usingFP16": "false"}]}
    if action.action == "terminate" and action.terminate_id is None:
        raise Refused("terminate needs a terminateId, the id of a query", "terminateId")
    if action.action.startswith("terminate"):
        turns = None if action.turn_numbers is None else set(action.turn_numbers)
        engine.terminate(
            lambda position: (
                (action.action == "terminate_all" or position.id == action.terminate_id)
                and (turns is None or position.turn in turns)
            )
        )
    return {}


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a stream; of a line that is too long only its start, which is no JSON."""
    while line := stream.readline(LONGEST_LINE):
        rest = line
        while not rest.endswith(b"\n") and (rest := stream.readline(LONGEST_LINE)):
            pass
        yield line
