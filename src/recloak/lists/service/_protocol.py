"""Protocol: requests must come in, and answers be taken, within a time; requests within a size.

Whoever sends or takes a byte a minute would otherwise hold a connection for ever.
"""

from __future__ import annotations

import asyncio
import resource
import socket
import struct
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

REQUEST_SECONDS = 10.0
LARGEST_REQUEST = 1_000_000  # bytes, headers and body
MOST_CONNECTIONS = 2_000
_REFUSALS = 50  # connections beyond, which are answered with 503; more are closed at once
_KEPT = 150  # descriptors that are none of clients: files, the store, and those refusals
_BURST = 2_048  # as many may be accepted before one can be refused


def let_many_connect() -> None:
    """Raise the usual limit of descriptors, which is low, as far as it takes and is allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + _KEPT + _BURST
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def room_for_connections() -> int:
    """How many clients there may be at once: with no descriptor left, the store cannot be read."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = soft == resource.RLIM_INFINITY
    return MOST_CONNECTIONS if unlimited else max(1, min(MOST_CONNECTIONS, soft - _KEPT))


class BoundedProtocol(HttpToolsProtocol):
    """Closes a connection whose request is not complete in time, or too large.

    The time runs from the connection, or from the first byte of a further request. As long may it
    take until an answer that waits to be sent has gone out.
    """

    _deadline: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None
    _answered: Any = None
    _received = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()
        most = self.limit_concurrency
        if most is not None and len(self.connections) > most + _REFUSALS:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        if self._deadline is None:
            self._watch()
        if self._received > LARGEST_REQUEST:
            self._unwatch()
            self.send_400_response("The request is too large.")
            return
        super().data_received(data)

    def on_message_complete(self) -> None:
        self._unwatch()
        super().on_message_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_taking()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unwatch_taking()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()  # closes only once all that waits has gone out
        self._watch_taking()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self._answered = cycle  # with several requests sent at once, `cycle` is the last of them
        super()._start_asgi_task(cycle, app)

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch()
        self._unwatch_taking()
        self._answer_no_further()
        super().connection_lost(exc)

    def _watch_taking(self) -> None:
        if self._taking is None:
            self._taking = self.loop.call_later(REQUEST_SECONDS, self._drop)

    def _drop(self) -> None:
        """End it at once: what waits to be sent would be kept by the system for minutes."""
        self._taking = None
        self._answer_no_further()
        self.transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        self.transport.abort()

    def _answer_no_further(self) -> None:
        """The rest of an answer would be an error, since there is nobody to take it."""
        if self._answered is not None:
            self._answered.disconnected = True

    def _unwatch_taking(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def _watch(self) -> None:
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self._give_up)

    def _unwatch(self) -> None:
        self._received = 0
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        self.transport.abort()
