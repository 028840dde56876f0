"""A server of pages for tests, in this process, and a page without a browser."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import ClientConnection, connect

from kikashi.web.server import Asset, Server
from kikashi.web.tasks import ServerState

BLANK = {"/": Asset(b"<!doctype html>", "text/html; charset=utf-8")}
PATIENCE = 120.0
"""Seconds after which an event that does not come is an error: far more than it takes on a loaded machine."""


@contextmanager
def serving(state: ServerState | None = None, assets: dict[str, Asset] | None = BLANK) -> Iterator[Server]:
    """A server at a free port, until the body has run."""
    server = Server(state or ServerState(), port=0, assets=assets)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()


class Client:
    """A page without a browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    def ask(self, **request: Any) -> None:
        self.socket.send(json.dumps(request))

    def until(self, kind: str, fits: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
        """The next event of a kind that fits; a failure that was not waited for is an error."""
        while True:
            event: dict[str, Any] = json.loads(self.socket.recv(timeout=PATIENCE))
            if event["type"] == kind and fits(event):
                return event
            assert event["type"] != "failed", event["message"]


@contextmanager
def page_of(server: Server, **hello: Any) -> Iterator[Client]:
    """A page of a server; `hello` has more fields of its first message."""
    with connect(
        f"ws://{server.host}/socket",
        origin=f"http://{server.host}",  # type: ignore[arg-type]
        max_size=None,
        compression=None,
    ) as socket:
        client = Client(socket)
        client.ask(**{"type": "hello", "token": server.token} | hello)
        yield client
