"""Guard: who may ask. A one-time token, then a strict cookie; Host, Origin and size are checked."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recloak.core.errors import ParameterError

LARGEST_FORM = 2_000_000  # bytes
LARGEST_UPLOAD = 64_000_000
UPLOAD = "/files/upload"
HTTP = 80  # the port of addresses that name none
SAFE = ("GET", "HEAD")
# Nothing is loaded from elsewhere, nothing is sent elsewhere, and no other page may frame this one.
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
ASK = (
    "Open the address that 'recloak studio' printed; it works once. Start the studio again for "
    "another."
)


@dataclass
class Access:
    """The token of this run, good for one entry, and the session that it opens."""

    port: int
    loopback: bool = True
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    used: bool = False

    @property
    def cookie(self) -> str:
        """Cookies do not tell ports apart: two studios must not overwrite each other's."""
        return f"recloak-studio-{self.port}"

    def enters(self, token: str) -> bool:
        """Is it the token, for the first time?"""
        fits = compare_digest(token.encode(), self.token.encode())
        if fits and not self.used:
            self.used = True
            return True
        return False

    def knows(self, headers: Mapping[str, str]) -> bool:
        """Does the request carry the session's cookie?"""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return found is not None and compare_digest(found.value.encode(), self.session.encode())

    def serves(self, host: str) -> bool:
        """May this be asked for under that name? A name of the web's that leads here may not."""
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or HTTP
        except ValueError:
            return False
        if port != self.port:
            return False
        try:
            return ip_address(name).is_loopback if self.loopback else bool(ip_address(name))
        except ValueError:
            return name == "localhost"


class Guard:
    """Lets through what comes from our own pages, and adds the headers that keep them in."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            answer = self._answer(scope, Headers(scope=scope))
            await (answer or self.app)(scope, _bounded(scope, receive), _with_headers(send))
        elif scope["type"] == "lifespan":
            await self.app(scope, receive, send)

    def _answer(self, scope: Scope, headers: Headers) -> Response | None:
        """What is answered at once; None if the application may."""
        host = headers.get("host", "")
        if not self.access.serves(host):
            return _refused("This address is not the studio's.")
        origin = headers.get("origin")
        own = f"http://{host}"
        if (origin is not None and origin != own) or (
            origin is None and scope["method"] not in SAFE
        ):
            return _refused("The request comes from another page.")
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not _is_visit(headers):
            return _refused("The request comes from another page.")
        if not self.access.knows(headers):
            return self._entry(scope)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > _limit(scope):
            return PlainTextResponse("That is too large; open it by its path.", 413)
        return None

    def _entry(self, scope: Scope) -> Response:
        tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        if scope["path"] != "/" or not self.access.enters(tokens[0]):
            return _refused(ASK)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            self.access.cookie, self.access.session, httponly=True, samesite="strict", path="/"
        )
        return answer


def _is_visit(headers: Headers) -> bool:
    """A link that somebody follows from elsewhere; without the strict cookie it gets nothing."""
    return headers.get("sec-fetch-mode") == "navigate"


def _refused(reason: str) -> Response:
    return PlainTextResponse(reason, 403)


def _limit(scope: Scope) -> int:
    return LARGEST_UPLOAD if scope["path"] == UPLOAD else LARGEST_FORM


def _bounded(scope: Scope, receive: Receive) -> Receive:
    """The body, cut off beyond what is allowed, also if its length was not announced."""
    left = _limit(scope)

    async def bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise ParameterError("that is too large", hint="Open it by its path.")
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return with_headers
