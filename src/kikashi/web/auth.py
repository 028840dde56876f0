"""Who may come in: the right host and origin, with the token that was printed; and what every answer says.

A page of somebody else in the same browser must be able neither to read nor to start anything here: DNS rebinding fails
at the host, a form or a socket of another site at the origin, and both at the cookie, which such a site cannot send.
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


class Guard:
    """Lets nobody through to an application but who has the token. `host` is the name with the port."""

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
        refused = self._objection(scope, headers)
        if scope["type"] == "websocket":
            if refused or not self._has_cookie(headers):
                await receive()
                await send({"type": "websocket.close", "code": 1008})  # before it is accepted: 403
            else:
                await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if refused:
            await PlainTextResponse(refused, 403)(scope, receive, send_with_headers)
        elif scope["method"] == "GET" and scope["path"] == "/" and self._is_token(_asked_token(scope)):
            await self._welcome()(scope, receive, send_with_headers)
        elif not self._has_cookie(headers):
            said = "open the address that kikashi web printed, with its token"
            await PlainTextResponse(said, 403)(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)

    def _objection(self, scope: Scope, headers: Headers) -> str:
        """Why nobody may come in with these headers; empty if they are right."""
        if headers.getlist("host") != [self._host]:
            return "this is not the host that is served here"
        is_reading = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if not is_reading and headers.getlist("origin") != [f"http://{self._host}"]:
            return "this comes from another site"
        return ""

    def _welcome(self) -> RedirectResponse:
        """Turn the token of the address into a cookie that no script can read and no other site can send."""
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie, self._token, httponly=True, samesite="strict", path="/")
        return answer

    def _has_cookie(self, headers: Headers) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return found is not None and self._is_token(found.value)

    def _is_token(self, said: str) -> bool:
        return secrets.compare_digest(said.encode("utf-8", "replace"), self._token.encode())


def _asked_token(scope: Scope) -> str:
    try:
        asked = parse_qs(str(scope["query_string"], "ascii"))
    except ValueError:
        return ""
    return asked.get("token", [""])[0]
