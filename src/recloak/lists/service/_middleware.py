"""Middleware: counts every answer, and gives whole lists itself; all else goes to the routes."""

from __future__ import annotations

import time
from hmac import compare_digest

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recloak.lists.service._metrics import Metrics
from recloak.lists.service._reloader import Reloader
from recloak.lists.service._snapshot import knows

BEFORE, AFTER = "/items/", "/related"
RELATED_ROUTE = f"{BEFORE}{{item:path}}{AFTER}"
JSON = "application/json"
_BEARER = b"bearer "
OPEN = frozenset({"/live", "/ready"})  # asked by what starts and stops services, without a key


class Middleware:
    """Handles each request before the application does.

    Most requests are for whole lists, which a snapshot holds as bytes: answering them here takes a
    tenth of the processor time of routing and validation. All other requests go on to the routes,
    also those for unknown items. HEAD is GET without a body, which the server leaves out. Counters
    do not distinguish items.
    """

    def __init__(
        self,
        app: ASGIApp,
        reloader: Reloader,
        metrics: Metrics,
        cached: str,
        keys: frozenset[str] = frozenset(),
    ) -> None:
        self.app, self.reloader, self.metrics = app, reloader, metrics
        self.cached = cached.encode()
        self.keys = [one.encode() for one in keys]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif self.keys and scope["path"] not in OPEN and not self._may_ask(scope):
            await self._refused(send)
        elif not await self._answered(scope, send):
            await self._passed_on(scope, receive, send)

    async def _answered(self, scope: Scope, send: Send) -> bool:
        """Answer a request for a whole list; False if it is for anything else."""
        path: str = scope["path"]
        reads = scope["method"] in ("GET", "HEAD") and not scope["query_string"]
        if not reads or not path.startswith(BEFORE) or not path.endswith(AFTER):
            return False
        started, snapshot = time.perf_counter(), self.reloader.snapshot
        body = snapshot.answers.get(path[len(BEFORE) : -len(AFTER)])
        if body is None:
            return False
        headers = [(b"etag", snapshot.etag.encode()), (b"cache-control", self.cached)]
        status = 304 if knows(_given(scope), snapshot.etag) else 200
        if status == 200:
            headers.append((b"content-type", JSON.encode()))
            headers.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body if status == 200 else b""})
        self.metrics.answered(RELATED_ROUTE, status, time.perf_counter() - started)
        return True

    def _may_ask(self, scope: Scope) -> bool:
        """Does the request carry one of the keys? Compared in the same time, right or wrong."""
        given = [
            value[len(_BEARER) :] if value[: len(_BEARER)].lower() == _BEARER else value
            for name, value in scope["headers"]
            if name in (b"authorization", b"x-api-key")
        ]
        found = [compare_digest(one, key) for one in given for key in self.keys]
        return any(found)

    async def _refused(self, send: Send) -> None:
        body = b'{"detail":"an API key is needed"}'
        headers = [
            (b"content-type", JSON.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"www-authenticate", b"Bearer"),
            (b"cache-control", b"no-store"),
        ]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": body})
        self.metrics.answered("refused", 401, 0.0)

    async def _passed_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        started, status = time.perf_counter(), 500
        inner = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(inner, receive, watched)
        finally:
            route = getattr(inner.get("route"), "path", "none")
            self.metrics.answered(route, status, time.perf_counter() - started)


def _given(scope: Scope) -> str | None:
    """The ETags that the client has; None if it says nothing of them."""
    found = [value for name, value in scope["headers"] if name == b"if-none-match"]
    return b",".join(found).decode("latin-1") if found else None
