"""The server: the page's files, a WebSocket for each page, and one address to open."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import ipaddress
import secrets
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from kikashi.web.assets import Asset, load_assets
from kikashi.web.auth import Guard
from kikashi.web.desk import House
from kikashi.web.events import Failed, encode
from kikashi.web.limits import MESSAGE_BYTES
from kikashi.web.outbox import Outbox
from kikashi.web.page import Page

TRY_LATER, TOO_SLOW = 1013, 1008
FREE_PLACE = 2.0
"""Seconds that a page waits for a place."""
PORT = 8361
"""The usual port: a page remembers its game by the address."""


class Server:
    """Serves pages at one address. Raises OSError if the address cannot be had, ValueError if there is no page."""

    def __init__(
        self,
        house: House,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        assets: Mapping[str, Asset] | None = None,
    ) -> None:
        """With no `port` it is the usual one, or any that is free."""
        self.house = house
        self.token = secrets.token_urlsafe(32)
        assets = load_assets() if assets is None else assets
        self._socket = _bound(host, port)
        name = f"[{host}]" if ":" in host else host
        self.host = f"{name}:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            Guard(application(house, assets), host=self.host, token=self.token),
            ws="websockets-sansio",  # reads nothing more of a page while a message of it waits
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
        """What a person opens."""
        return f"http://{self.host}/?token={self.token}"

    def run(self) -> None:
        """Serve until Ctrl-C or `stop`."""
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.close()

    def close(self) -> None:
        """Give the address back."""
        self._socket.close()

    def stop(self) -> None:
        """End, from another thread."""
        self._server.should_exit = True


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_every(host: str) -> bool:
    """Whether it stands for all addresses of the machine: a browser cannot ask for it, so that every Host is wrong."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return not host


def _bound(host: str, port: int | None) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for wanted in (PORT, 0) if port is None else (port,):
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, wanted))
            listening.listen(128)  # who opens the page at once waits until it is served
        except OSError as error:
            listening.close()
            if port is not None or wanted == 0:
                raise OSError(f"cannot serve at {host}:{wanted}: {error.strerror}") from error
        else:
            return listening
    raise AssertionError  # port 0 is either bound or an error


def application(house: House, assets: Mapping[str, Asset]) -> ASGIApp:
    """The files and the socket, for who has got past the guard."""

    async def file(request: Request) -> Response:
        asset = assets[request.url.path]
        return Response(asset.content, headers={"content-type": asset.kind})

    async def serve_page(websocket: WebSocket) -> None:
        await _serve_page(house, websocket)

    routes = [Route(path, file, methods=["GET"]) for path in assets]
    return Starlette(routes=[*routes, WebSocketRoute("/socket", serve_page)])


async def _serve_page(house: House, websocket: WebSocket) -> None:
    await websocket.accept()
    if not await _takes_page(house):
        with suppress(WebSocketDisconnect, RuntimeError):  # it may be gone by now
            await websocket.send_text(encode(Failed("too many pages are open: close one and load this again")).decode())
            await websocket.close(TRY_LATER)
        return
    try:
        await _talk(house, websocket)
    finally:
        with house.lock:
            house.pages -= 1


async def _takes_page(house: House) -> bool:
    """Give a page a place. One that is loaded anew comes before the old one has left its own, so it waits a little."""
    loop = asyncio.get_running_loop()
    until = loop.time() + FREE_PLACE
    while True:
        with house.lock:
            if house.pages < house.limits.pages:
                house.pages += 1
                return True
        if loop.time() > until:
            return False
        await asyncio.sleep(0.05)


async def _talk(house: House, websocket: WebSocket) -> None:
    """Read requests and send events until the page is closed, which ends all that runs for it."""
    loop = asyncio.get_running_loop()
    outbox = Outbox(loop)
    with ThreadPoolExecutor(1, "page") as hands:
        page = await loop.run_in_executor(hands, Page, house, outbox.post)
        sending = asyncio.create_task(_send(websocket, outbox))
        reading = asyncio.create_task(_read(websocket, hands, page))
        try:
            await asyncio.wait({sending, reading}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            outbox.close()
            for task in (sending, reading):
                task.cancel()
            await asyncio.gather(sending, reading, return_exceptions=True)
            await asyncio.shield(loop.run_in_executor(hands, page.close))
    del page, reading
    await loop.run_in_executor(None, _give_back)


def _give_back() -> None:
    """Return the memory of a page that is gone to the system: its trees are large, and the C library keeps them."""
    gc.collect()
    with suppress(OSError, AttributeError):  # another C library than GNU's
        ctypes.CDLL(None).malloc_trim(0)


async def _read(websocket: WebSocket, hands: ThreadPoolExecutor, page: Page) -> None:
    """Handle one message after the other: those that come meanwhile wait outside."""
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        said = message.get("text")
        said = message.get("bytes") or b"" if said is None else said
        await asyncio.get_running_loop().run_in_executor(hands, page.handle, said)


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
