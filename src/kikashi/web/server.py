"""The server: the page's files, a WebSocket for each page, and one address to open."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import ipaddress
import secrets
import socket
from collections import deque
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from kikashi.web.auth import AccessControl, greeting
from kikashi.web.messages import MESSAGE_BYTES, Event, Failed, Hello, encode
from kikashi.web.page import Page
from kikashi.web.tasks import ServerState

TRY_LATER, TOO_SLOW, NO_TOKEN = 1013, 1008, 4403
GREETING = 10.0
"""Seconds that a socket has for its first message, which brings the token."""
ADMISSION = 2.0
"""Seconds that a page waits until another is closed."""
PORT = 8361
"""The usual port: a page remembers its game by the address."""
FOLDER = Path(__file__).parent / "static"
"""The built page; `make page` writes it."""
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
}
QUEUED_EVENTS = 400
"""Events that may wait for a page that reads slowly; then it is closed."""
QUEUED_BYTES = 64 << 20
"""The same in bytes: the tree of a large game is long."""


@dataclass(frozen=True)
class Asset:
    """A file of the page."""

    content: bytes
    kind: str


def load_assets(folder: Path = FOLDER) -> dict[str, Asset]:
    """Return all files by their paths in requests. Raises ValueError if the page has not been built."""
    found = {
        f"/{file.name}": Asset(file.read_bytes(), KINDS[file.suffix])
        for file in (sorted(folder.iterdir()) if folder.is_dir() else [])
        if file.suffix in KINDS
    }
    if "/index.html" not in found:
        raise ValueError("the page has not been built: make page does that")
    found["/"] = found.pop("/index.html")
    return found


class Server:
    """A server of pages at one address. Raises OSError if it cannot listen there, ValueError without a built page."""

    def __init__(
        self,
        state: ServerState,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        assets: Mapping[str, Asset] | None = None,
    ) -> None:
        """Without a `port` the usual one is taken, or any free one."""
        self.state = state
        self.token = secrets.token_urlsafe(32)
        assets = load_assets() if assets is None else assets
        self._socket = _bound(host, port)
        name = f"[{host}]" if ":" in host else host
        self.host = f"{name}:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            AccessControl(application(state, assets, self.token), host=self.host),
            ws="websockets-sansio",  # does not read ahead while a message waits
            ws_max_size=MESSAGE_BYTES,
            ws_per_message_deflate=False,
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        self._server = uvicorn.Server(config)

    @property
    def address(self) -> str:
        """The address to open in a browser; a browser sends nothing behind the # to any server."""
        return f"http://{self.host}/#token={self.token}"

    def run(self) -> None:
        """Serve until Ctrl-C or `stop`."""
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.close()

    def close(self) -> None:
        """Release the address, and stop the runs of the laboratory."""
        self._socket.close()
        self.state.runner.close()

    def stop(self) -> None:
        """Stop the server, from another thread."""
        self._server.should_exit = True


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_every(host: str) -> bool:
    """Whether a host stands for all addresses of the machine: no browser sends such a Host."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return not host


def _bound(host: str, port: int | None) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in (PORT, 0) if port is None else (port,):
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, candidate))
            listening.listen(128)  # a browser that connects early waits until the server runs
        except OSError as error:
            listening.close()
            if port is not None or candidate == 0:
                raise OSError(f"cannot serve at {host}:{candidate}: {error.strerror}") from error
        else:
            return listening
    raise AssertionError  # port 0 is either bound or an error


def application(state: ServerState, assets: Mapping[str, Asset], token: str) -> ASGIApp:
    """Return the application behind the access control: the files and the socket."""

    async def file(request: Request) -> Response:
        asset = assets[request.url.path]
        return Response(asset.content, headers={"content-type": asset.kind})

    async def serve_page(websocket: WebSocket) -> None:
        await _serve_page(state, websocket, token)

    routes = [Route(path, file, methods=["GET"]) for path in assets]
    return Starlette(routes=[*routes, WebSocketRoute("/socket", serve_page)])


async def _serve_page(state: ServerState, websocket: WebSocket, token: str) -> None:
    await websocket.accept()
    try:
        async with asyncio.timeout(GREETING):
            hello = greeting(_content(await websocket.receive()), token)
    except TimeoutError:
        hello = None
    refusal, code = "", NO_TOKEN
    if hello is not None and not await _admit_page(state):
        refusal, code = "too many pages are open: close one and load this again", TRY_LATER
    if hello is None or refusal:
        with suppress(WebSocketDisconnect, RuntimeError):  # it may be gone by now
            if refusal:
                await websocket.send_text(encode(Failed(refusal)).decode())
            await websocket.close(code)
        return
    try:
        await _talk(state, websocket, hello)
    finally:
        with state.lock:
            state.pages -= 1


async def _admit_page(state: ServerState) -> bool:
    """Count a page in, if there is room. A reloaded page comes before the old one is closed, so it waits a little."""
    loop = asyncio.get_running_loop()
    until = loop.time() + ADMISSION
    while True:
        with state.lock:
            if state.pages < state.limits.pages:
                state.pages += 1
                return True
        if loop.time() > until:
            return False
        await asyncio.sleep(0.05)


async def _talk(state: ServerState, websocket: WebSocket, hello: Hello) -> None:
    """Read requests and send events until the page is closed; then stop its jobs."""
    loop = asyncio.get_running_loop()
    outbox = Outbox(loop)
    with ThreadPoolExecutor(1, "page") as executor:
        page = await loop.run_in_executor(executor, Page, state, outbox.post, hello)
        sending = asyncio.create_task(_send(websocket, outbox))
        reading = asyncio.create_task(_read(websocket, executor, page))
        try:
            await asyncio.wait({sending, reading}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            outbox.close()
            for task in (sending, reading):
                task.cancel()
            await asyncio.gather(sending, reading, return_exceptions=True)
            await asyncio.shield(loop.run_in_executor(executor, page.close))
    del page, reading
    await loop.run_in_executor(None, _free_memory)


def _free_memory() -> None:
    """Return the memory of a closed page to the system: the C library would keep its large trees."""
    gc.collect()
    with suppress(OSError, AttributeError):  # another C library than GNU's
        ctypes.CDLL(None).malloc_trim(0)


async def _read(websocket: WebSocket, executor: ThreadPoolExecutor, page: Page) -> None:
    """Handle one message after the other."""
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        await asyncio.get_running_loop().run_in_executor(executor, page.handle, _content(message))


def _content(message: Mapping[str, Any]) -> str | bytes:
    text = message.get("text")
    return message.get("bytes") or b"" if text is None else text


async def _send(websocket: WebSocket, outbox: Outbox) -> None:
    try:
        while True:
            event = await outbox.take()
            if outbox.is_overfull:
                await websocket.close(TOO_SLOW)
                return
            await websocket.send_text(event.decode())
    except (WebSocketDisconnect, RuntimeError):  # it is gone
        return


class Outbox:
    """Events that wait for one page, posted from any thread and taken by the coroutine that sends them."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._wake = asyncio.Event()
        self._lock = Lock()
        self._queue: deque[bytes | str] = deque()
        self._newest: dict[str, bytes] = {}
        self._bytes = 0
        self.is_overfull = False
        """Whether the page reads too slowly and must be closed."""
        self._is_closed = False

    def post(self, event: Event, *, only_newest: str = "") -> None:
        """Queue an event. It replaces a waiting one with the same name in `only_newest`."""
        data = encode(event)
        with self._lock:
            if self._is_closed:
                return
            if not only_newest or only_newest not in self._newest:
                self._queue.append(only_newest or data)
            if only_newest:
                self._bytes -= len(self._newest.get(only_newest, b""))
                self._newest[only_newest] = data
            self._bytes += len(data)
            if len(self._queue) > QUEUED_EVENTS or self._bytes > QUEUED_BYTES:
                self.is_overfull = True
        self._loop.call_soon_threadsafe(self._wake.set)

    def close(self) -> None:
        """Drop all events, also later ones."""
        with self._lock:
            self._is_closed = True
            self._queue.clear()
            self._newest.clear()

    async def take(self) -> bytes:
        """Wait for the next event and return it as JSON."""
        while True:
            with self._lock:
                if self._queue:
                    item = self._queue.popleft()
                    data = self._newest.pop(item) if isinstance(item, str) else item
                    self._bytes -= len(data)
                    return data
                self._wake.clear()
            await self._wake.wait()
