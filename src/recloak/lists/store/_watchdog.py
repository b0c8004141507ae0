"""A watchdog for connections to PostgreSQL: a server that hangs is given up after a time.

Timeouts of the server help only while it works. One that was stopped, or lies behind a network
that swallows everything, never answers; then the socket is shut, and whoever waits is told.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


class Watch:
    """Shuts the socket of a psycopg connection after a time in which the server said nothing."""

    def __init__(self, connection: Any, seconds: float) -> None:
        self._connection, self._seconds = connection, seconds
        self._timer = shut_after(connection, seconds)

    def begin_again(self) -> None:
        """It has answered: what is asked next may take as long."""
        self._timer.cancel()
        self._timer = shut_after(self._connection, self._seconds)

    def end(self) -> None:
        self._timer.cancel()


@contextmanager
def given_up_after(connection: Any, seconds: float) -> Iterator[Watch]:
    """Shut the socket of a psycopg connection if the block is not done by then.

    It has as long again each time that the watch begins again.
    """
    watch = Watch(connection, seconds)
    try:
        yield watch
    finally:
        watch.end()


def shut_after(connection: Any, seconds: float) -> threading.Timer:
    """Shut the socket of a psycopg connection after a time, unless the timer is cancelled."""
    timer = threading.Timer(seconds, _shut, (connection,))
    timer.daemon = True
    timer.start()
    return timer


def _shut(connection: Any) -> None:
    with suppress(Exception):  # it may be closed already, which is as well
        shared = socket.socket(fileno=os.dup(connection.fileno()))
        with shared:
            shared.shutdown(socket.SHUT_RDWR)
