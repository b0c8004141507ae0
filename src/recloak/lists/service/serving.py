"""Serving: one process that answers requests until a signal stops it."""

from __future__ import annotations

import socket
import sys

import uvicorn

from recloak.core.errors import MachineError
from recloak.lists.service.application import application
from recloak.lists.store.store import Store

_HAND_OVER_SECONDS = 0.0005


def listening_at(host: str, port: int) -> socket.socket:
    """A socket to serve on; port 0 takes any that is free."""
    try:
        return socket.create_server((host, port), backlog=1024)
    except (OSError, OverflowError) as problem:
        said = getattr(problem, "strerror", None) or str(problem)
        raise MachineError(f"cannot listen: {said}", where=f"{host}:{port}") from None


def serve(store: Store, listener: socket.socket, *, every: float, max_age: int) -> None:
    """Answer requests until a signal comes; what is under way is answered first.

    Threads hand over ten times as often as is usual: otherwise, while one lays out a new release,
    every request in between would wait for 5 ms.
    """
    sys.setswitchinterval(_HAND_OVER_SECONDS)
    config = uvicorn.Config(
        application(store, every=every, max_age=max_age),
        log_level="warning",
        access_log=False,  # who asks for which item is nobody's business
        server_header=False,
        timeout_graceful_shutdown=10,
    )
    uvicorn.Server(config).run([listener])
