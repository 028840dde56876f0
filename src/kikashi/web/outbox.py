"""What waits to be sent to one page. Of updates only the newest waits, so that a slow page gets no old ones."""

from __future__ import annotations

import asyncio
from collections import deque
from threading import Lock

from kikashi.web.events import Event, encode
from kikashi.web.limits import QUEUED_BYTES, QUEUED_EVENTS


class Outbox:
    """Events of one page, posted from any thread and taken by the coroutine that sends them."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._wake = asyncio.Event()
        self._lock = Lock()
        self._queue: deque[bytes | str] = deque()
        self._newest: dict[str, bytes] = {}
        self._bytes = 0
        self.is_overfull = False
        """Whether the page reads so slowly that it must be closed."""
        self._is_closed = False

    def post(self, event: Event, *, only_newest: str = "") -> None:
        """Have an event sent. With a name, it takes the place of one of that name that still waits."""
        said = encode(event)
        with self._lock:
            if self._is_closed:
                return
            if not only_newest or only_newest not in self._newest:
                self._queue.append(only_newest or said)
            if only_newest:
                self._bytes -= len(self._newest.get(only_newest, b""))
                self._newest[only_newest] = said
            self._bytes += len(said)
            if len(self._queue) > QUEUED_EVENTS or self._bytes > QUEUED_BYTES:
                self.is_overfull = True
        self._loop.call_soon_threadsafe(self._wake.set)

    def close(self) -> None:
        """Take nothing more."""
        with self._lock:
            self._is_closed = True
            self._queue.clear()
            self._newest.clear()

    async def take(self) -> bytes:
        """The next event, as JSON; waits for one."""
        while True:
            with self._lock:
                if self._queue:
                    item = self._queue.popleft()
                    said = self._newest.pop(item) if isinstance(item, str) else item
                    self._bytes -= len(said)
                    return said
                self._wake.clear()
            await self._wake.wait()
