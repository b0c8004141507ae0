"""Front: counts every answer, and gives the most frequent one itself; the rest is the routes'."""

from __future__ import annotations

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recloak.service.metrics import Metrics
from recloak.service.shelf import knows
from recloak.service.watching import Watch

BEFORE, AFTER = "/items/", "/related"
RELATED_ROUTE = f"{BEFORE}{{item:path}}{AFTER}"
JSON = "application/json"


class Front:
    """What stands before the application.

    Whole lists are asked for all the time, and a shelf has them ready as bytes: a request for one
    of them takes a tenth of the processor time that it takes through routing and validation. Any
    other goes on to the routes, an item that is not there included. HEAD is GET without a body,
    which the server leaves out. Items are not told apart in what is counted.
    """

    def __init__(self, app: ASGIApp, watch: Watch, metrics: Metrics, cached: str) -> None:
        self.app, self.watch, self.metrics = app, watch, metrics
        self.cached = cached.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif not await self._answered(scope, send):
            await self._passed_on(scope, receive, send)

    async def _answered(self, scope: Scope, send: Send) -> bool:
        """Answer a request for a whole list; False if it is for anything else."""
        path: str = scope["path"]
        reads = scope["method"] in ("GET", "HEAD") and not scope["query_string"]
        if not reads or not path.startswith(BEFORE) or not path.endswith(AFTER):
            return False
        started, shelf = time.perf_counter(), self.watch.shelf
        body = shelf.answers.get(path[len(BEFORE) : -len(AFTER)])
        if body is None:
            return False
        headers = [(b"etag", shelf.etag.encode()), (b"cache-control", self.cached)]
        status = 304 if knows(_given(scope), shelf.etag) else 200
        if status == 200:
            headers.append((b"content-type", JSON.encode()))
            headers.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body if status == 200 else b""})
        self.metrics.answered(RELATED_ROUTE, status, time.perf_counter() - started)
        return True

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
