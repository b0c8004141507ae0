"""Serving: the studio of one workspace, on a socket, until a signal stops it."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn

from recloak.studio.application import application
from recloak.studio.guard import Access
from recloak.studio.jobs import Jobs
from recloak.studio.studio import Studio
from recloak.studio.workspace import Workspace

_GRACE_SECONDS = 1  # for streams of progress, which never end by themselves
_SECONDS_FOR_THE_FIRST_PAGE = 0.5  # to fetch what belongs to it, before anything else is loaded
FIRST_TEMPLATES = ("start.html.j2", "base.html.j2", "fields.html.j2", "command.html.j2")


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


def server_of(studio: Studio, access: Access) -> uvicorn.Server:
    """The server of one studio."""
    config = uvicorn.Config(
        application(studio, access),
        ws="none",
        log_config=None,
        access_log=False,  # addresses hold names of files
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return uvicorn.Server(config)


def serve(jobs: Jobs, access: Access, listener: socket.socket) -> None:
    """Answer until a signal comes. Commands that are under way go on without the studio."""
    studio = Studio(jobs)
    Thread(target=_prepare, args=(studio,), name="preparing pages", daemon=True).start()
    server_of(studio, access).run([listener])


def _prepare(studio: Studio) -> None:
    """Load what further pages need while the first is being looked at, not while it is awaited."""
    studio.compile(FIRST_TEMPLATES)
    studio.shown.wait()
    time.sleep(_SECONDS_FOR_THE_FIRST_PAGE)
    studio.compile()
    _load_methods()


def _load_methods() -> None:
    from recloak.comparison import page
    from recloak.io import preview
    from recloak.methods import METHODS

    assert page
    assert preview
    for name in METHODS:
        METHODS.get(name)
