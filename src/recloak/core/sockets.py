"""Sockets: where a service of ours listens."""

from __future__ import annotations

import socket

from recloak.core.errors import MachineError


def listening_at(host: str, port: int) -> socket.socket:
    """A socket to serve on; port 0 takes any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise MachineError(f"cannot listen: {reason}", where=f"{host}:{port}") from None
