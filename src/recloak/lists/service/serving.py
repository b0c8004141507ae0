"""Serving: one process, or several workers, that answer requests until a signal stops them."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import uvicorn

from recloak.lists.service._logs import event, log_to_stderr
from recloak.lists.service._protocol import (
    BoundedProtocol,
    let_many_connect,
    room_for_connections,
)
from recloak.lists.service.application import application
from recloak.lists.service.options import ServiceOptions
from recloak.lists.store.store import Store

_HAND_OVER_SECONDS = 0.0005
_GRACE_SECONDS = 2
_LOOK_SECONDS = 0.1
_LONGEST_END_SECONDS = 3.5
_RESTART_SECONDS = 1.0


def serve(store: Store, listener: socket.socket, options: ServiceOptions, workers: int = 1) -> None:
    """Answer requests until a signal comes; what is under way is answered first."""
    log_to_stderr()
    let_many_connect()
    event("started", workers=workers, process=os.getpid())
    try:
        if workers == 1:
            _answer(store, listener, options)
        else:
            _Workers(lambda: _answer(store, listener, options), workers).run()
    finally:
        event("ended")


def config_of(store: Store, options: ServiceOptions) -> uvicorn.Config:
    """The server: connections, and how long each may take, are bounded."""
    return uvicorn.Config(
        application(store, options),
        http=BoundedProtocol,
        ws="none",
        log_config=None,
        access_log=False,  # who asks for which item is nobody's business
        server_header=False,
        limit_concurrency=room_for_connections(),
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


def _answer(store: Store, listener: socket.socket, options: ServiceOptions) -> None:
    """Serve in this process.

    Threads hand over ten times as often as is usual: otherwise, while one lays out a new release,
    every request in between would wait for 5 ms.
    """
    sys.setswitchinterval(_HAND_OVER_SECONDS)
    uvicorn.Server(config_of(store, options)).run([listener])


class _Workers:
    """Processes that share a socket; one that dies is replaced until a signal comes."""

    def __init__(self, work: Callable[[], None], count: int) -> None:
        self.work, self.count = work, count
        self.running: set[int] = set()
        self.ending = False

    def run(self) -> None:
        """Start them, watch them, and end them with the signal that comes."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end)
        for _ in range(self.count):
            self._start()
        while not self.ending:
            time.sleep(_LOOK_SECONDS)
            for process in self._gone():
                event("worker died", process=process)
                self._replace()
        self._wait()

    def _replace(self) -> None:
        """Start another after a while; when they are to end, nobody waits for that."""
        end = time.monotonic() + _RESTART_SECONDS
        while not self.ending and time.monotonic() < end:
            time.sleep(_LOOK_SECONDS)
        if not self.ending:
            self._start()

    def _start(self) -> None:
        parent, process = os.getpid(), os.fork()
        if process:
            self.running.add(process)
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        threading.Thread(target=_end_without, args=(parent,), daemon=True).start()
        try:
            self.work()
        finally:
            os._exit(0)

    def _gone(self) -> list[int]:
        gone = [one for one in self.running if os.waitpid(one, os.WNOHANG)[0]]
        self.running.difference_update(gone)
        return gone

    def _end(self, number: int, frame: FrameType | None) -> None:
        self.ending = True
        for process in self.running:
            with suppress(ProcessLookupError):  # it died, and nobody has noticed yet
                os.kill(process, signal.SIGTERM)

    def _wait(self) -> None:
        end = time.monotonic() + _LONGEST_END_SECONDS
        while self.running and time.monotonic() < end:
            time.sleep(_LOOK_SECONDS)
            self._gone()
        for process in self.running:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def _end_without(parent: int) -> None:
    """End this worker with its parent: who was killed cannot end it, and its port stays taken."""
    while os.getppid() == parent:
        time.sleep(_RESTART_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
