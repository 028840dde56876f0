"""Access control: host, origin and token checks, and the security headers of every response.

Pages of other sites in the same browser can neither read nor start anything. DNS rebinding fails at the host, a form or
a socket of another site at the origin, and both at the cookie, which such a site cannot send.
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


class AccessControl:
    """Middleware that refuses requests without the token. `host` is the name with the port."""

    def __init__(self, app: ASGIApp, *, host: str, token: str) -> None:
        self._app = app
        self._host = host
        self._token = token
        self.cookie = f"kikashi_{host.rpartition(':')[2]}"
        """Named by the port: cookies are shared by all servers of a host."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refusal or not self._has_cookie(headers):
                await receive()
                await send({"type": "websocket.close", "code": 1008})  # before it is accepted: 403
            else:
                await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if refusal:
            await PlainTextResponse(refusal, 403)(scope, receive, send_with_headers)
        elif scope["method"] == "GET" and scope["path"] == "/" and self._is_token(_query_token(scope)):
            response = RedirectResponse("/", 303)  # no script can read the cookie, and no other site can send it
            response.set_cookie(self.cookie, self._token, httponly=True, samesite="strict", path="/")
            await response(scope, receive, send_with_headers)
        elif not self._has_cookie(headers):
            message = "open the address that kikashi web printed, with its token"
            await PlainTextResponse(message, 403)(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> str:
        """Return the reason to refuse these headers; empty if they are right."""
        if headers.getlist("host") != [self._host]:
            return "this is not the host that is served here"
        is_reading = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if not is_reading and headers.getlist("origin") != [f"http://{self._host}"]:
            return "this comes from another site"
        return ""

    def _has_cookie(self, headers: Headers) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return found is not None and self._is_token(found.value)

    def _is_token(self, text: str) -> bool:
        return secrets.compare_digest(text.encode("utf-8", "replace"), self._token.encode())


def _query_token(scope: Scope) -> str:
    try:
        query = parse_qs(str(scope["query_string"], "ascii"))
    except ValueError:
        return ""
    return query.get("token", [""])[0]
