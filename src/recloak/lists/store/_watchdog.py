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


@contextmanager
def given_up_after(connection: Any, seconds: float) -> Iterator[None]:
    """Shut the socket of a psycopg connection if the block is not done by then."""
    timer = shut_after(connection, seconds)
    try:
        yield
    finally:
        timer.cancel()


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
