"""Access control: host and origin checks, the token of a page, and the security headers of every response.

Pages of other sites in the same browser can neither read nor start anything. DNS rebinding fails at the host, a form or
a socket of another site at the origin. The files of the page hold no secret; the socket is of use only to a page that
sends the token in its first message. The token is in no cookie, which other servers of the host would get, and in no
request, which logs and histories keep.
"""

from __future__ import annotations

import secrets

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kikashi.web.messages import Hello

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_HELLO = msgspec.json.Decoder(Hello)


class AccessControl:
    """Middleware that refuses other hosts and origins. `host` is the name with the port."""

    def __init__(self, app: ASGIApp, *, host: str) -> None:
        self._app = app
        self._host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refusal:
                await receive()
                await send({"type": "websocket.close", "code": 1008})  # before it is accepted: 403
            else:
                await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if not refusal:
            await self._app(scope, receive, send_with_headers)
        elif headers.get("host", "").partition(":")[0] == "localhost":
            page = f'<!doctype html><p>This page has another address: <a href="http://{self._host}/">{self._host}</a>'
            await HTMLResponse(page, 403)(scope, receive, send_with_headers)
        else:
            await PlainTextResponse(refusal, 403)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> str:
        """Return the reason to refuse these headers; empty if they are right."""
        if headers.getlist("host") != [self._host]:
            return "this is not the host that is served here"
        is_reading = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if not is_reading and headers.getlist("origin") != [f"http://{self._host}"]:
            return "this comes from another site"
        return ""


def greeting(message: str | bytes, token: str) -> Hello | None:
    """Return the first message of a page; None if it is no greeting with the right token."""
    try:
        hello = _HELLO.decode(message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return hello if secrets.compare_digest(hello.token.encode("utf-8", "replace"), token.encode()) else None
