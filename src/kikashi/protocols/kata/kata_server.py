"""The loop: lines come in, positions are queued, actions are done; whatever happens, a line has its answer."""

from __future__ import annotations

import select
from collections.abc import Callable, Iterator
from threading import Lock, Thread
from typing import Any, BinaryIO

import msgspec

from kikashi import __version__
from kikashi.protocols.kata.engine import Engine
from kikashi.protocols.kata.messages import Action, Message, Notice, encode
from kikashi.protocols.kata.queries import Position, Refused, convert, read_query

SPOKEN = "1.16.0"
"""The KataGo whose protocol this is: clients ask for it to know which fields they may send."""
LONGEST_LINE = 1 << 20
"""Bytes; no query needs as many, and memory is finite."""


class Output:
    """A stream that several threads write messages to, line by line. Nothing is written after its reader is gone."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = Lock()
        self._when_gone: Callable[[], None] = lambda: None
        self.is_gone = False

    def when_gone(self, call: Callable[[], None]) -> None:
        """Call something when nobody reads any more, also while nothing is written."""
        self._when_gone = call
        if hasattr(select, "poll"):  # elsewhere it is noticed at the next message
            Thread(target=self._watch, name="analysis output", daemon=True).start()

    def _watch(self) -> None:
        """In a thread: wait until the other end is closed; a file's never is."""
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
        """Write one message."""
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
    """Answer lines until they end or nobody reads the answers. `name` is what is said to be the model."""
    for line in _lines(lines):
        for message in answers(engine, line, name):
            output.write(message)
        if output.is_gone:
            return


def answers(engine: Engine, line: bytes, name: str) -> Iterator[Message]:
    """What to say to a line at once; the answers to queries come from the engine."""
    if not line.strip():
        return
    try:
        said = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, ValueError):
        yield Notice(error="this line is not JSON")
        return
    if not isinstance(said, dict):
        yield Notice(error="a line is a JSON object")
        return
    try:
        if "action" in said:
            yield said | _done(engine, convert(said, Action), name)
            return
        positions, warnings = read_query(said)
        for warned in warnings:
            yield Notice(warning=warned.text, field=warned.field, id=said["id"])
    except Refused as problem:
        yield Notice(error=str(problem), field=problem.field, id=said.get("id"))
    except Exception as problem:  # a mistake of ours
        yield Notice(error=f"internal error: {problem!r}"[:500], id=said.get("id"))
    else:
        engine.add(positions)


def _done(engine: Engine, action: Action, name: str) -> dict[str, Any]:
    """Do something, and return what is added to its answer. Raises Refused."""
    if action.action == "query_version":
        return {"version": SPOKEN, "git_hash": "<omitted>", "engine": "kikashi", "engineVersion": __version__}
    if action.action == "query_models":
        model = {"name": name, "internalName": name, "maxBatchSize": 1, "version": 0}
        return {"models": [model | {"usesHumanSLProfile": False, "usingFP16": "false"}]}
    if action.action == "terminate" and action.terminate_id is None:
        raise Refused("terminate needs a terminateId, the id of a query", "terminateId")
    if action.action.startswith("terminate"):
        engine.terminate(_meant(action))
    return {}


def _meant(action: Action) -> Callable[[Position], bool]:
    """Which positions an action ends."""
    turns = None if action.turn_numbers is None else set(action.turn_numbers)

    def is_meant(position: Position) -> bool:
        of_query = action.action == "terminate_all" or position.id == action.terminate_id
        return of_query and (turns is None or position.turn in turns)

    return is_meant


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream; of one that is too long the beginning, which is no JSON."""
    while line := stream.readline(LONGEST_LINE):
        rest = line
        while not rest.endswith(b"\n") and (rest := stream.readline(LONGEST_LINE)):
            pass
        yield line
