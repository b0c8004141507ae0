"""Serving: the studio of one workspace, on a socket, until a signal stops it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn

from recloak.studio.application import application
from recloak.studio.guard import Access
from recloak.studio.jobs import Jobs
from recloak.studio.workspace import Workspace

_GRACE_SECONDS = 1  # for streams of progress, which never end by themselves


@contextmanager
def opened(workspace: Workspace) -> Iterator[Jobs]:
    """The work of a workspace that this process holds; what ended meanwhile is written down."""
    held = workspace.own()
    try:
        jobs = Jobs(workspace)
        jobs.reconcile()
        yield jobs
    finally:
        os.close(held)


def server_of(jobs: Jobs, access: Access) -> uvicorn.Server:
    """The server of one studio."""
    config = uvicorn.Config(
        application(jobs, access),
        ws="none",
        log_config=None,
        access_log=False,  # addresses hold names of files
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return uvicorn.Server(config)


def serve(jobs: Jobs, access: Access, listener: socket.socket) -> None:
    """Answer until a signal comes. Commands that are under way go on without the studio."""
    Thread(target=_load_methods, name="loading methods", daemon=True).start()
    server_of(jobs, access).run([listener])


def _load_methods() -> None:
    """Load what forms need while the first page is being looked at."""
    from recloak.comparison import page
    from recloak.methods import METHODS

    assert page
    for name in METHODS:
        METHODS.get(name)
