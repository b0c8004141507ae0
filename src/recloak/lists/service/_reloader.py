"""Reloader: replaces the snapshot in force when the store has a release that continues it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import AsyncIterator

from recloak.core.errors import InputError, MachineError, RecloakError
from recloak.lists.service._logs import event
from recloak.lists.service._metrics import Metrics
from recloak.lists.service._snapshot import EMPTY_SNAPSHOT, ServedSnapshot, snapshot_of
from recloak.lists.service.options import ServiceOptions
from recloak.lists.store.store import Store

_FIRST_SECONDS = 2.0  # to wait for the store at the start; a request to end waits as long
_LAST_SECONDS = 0.5  # to wait for a look under way at the end
NOT_CONTINUED = "the store does not continue the lists that are shown"


class Reloader:
    """Holds the snapshot in force; if the store fails or was edited, the last one stays.

    The store is looked at in a thread of its own that nobody waits for: a database that hangs
    holds up neither requests nor the end of the service.
    """

    def __init__(self, store: Store, metrics: Metrics, options: ServiceOptions) -> None:
        self.store, self.metrics = store, metrics
        self.every, self.shown = options.every, options.shown
        self.snapshot: ServedSnapshot = EMPTY_SNAPSHOT
        self.problem: str | None = None
        self.answered_at: float | None = None
        self._stop = threading.Event()

    def check(self) -> None:
        """Load a newer release, if there is one."""
        try:
            newer = self._newer()
        except Exception as problem:  # whatever it is, the next look may go well
            self._failed(problem)
            return
        if self.problem is not None:
            event("recovered", after=self.problem)
        self.problem = None
        self.answered_at = time.time()
        self.metrics.last_answer.set(self.answered_at)
        if newer is not None:
            self.snapshot = newer  # one reference: a request sees the old snapshot or the new one
            self.metrics.reloaded(newer)
            if newer.record is not None:
                self.shown.set(newer.record.digest)
                event("takeover", release=newer.record.number, digest=newer.record.digest)

    def _failed(self, problem: Exception) -> None:
        """Say what went wrong: to everybody in general, to the log in detail, once."""
        message = in_general(problem)
        if message != self.problem:
            kind = "outage" if isinstance(problem, MachineError) else "refusal"
            event(kind, logging.ERROR, problem=message, detail=str(problem))
        self.problem = message
        self.metrics.failed_reloads.inc()

    def _newer(self) -> ServedSnapshot | None:
        mine = self.snapshot.record
        with self.store.reading() as transaction:
            newest = transaction.newest()
            if newest == (None if mine is None else (mine.number, mine.digest)):
                return None
            records = transaction.records()
            known = self.shown.get() if mine is None else mine.digest
            if known is not None and known not in [one.digest for one in records]:
                raise InputError(NOT_CONTINUED, where=self.store.where)
            if not records:
                return None
            texts = transaction.texts(records[-1])
        return snapshot_of(tuple(records), texts)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Check the store repeatedly, beside the requests, while the block runs."""
        loop, looked = asyncio.get_running_loop(), asyncio.Event()

        def forever() -> None:
            self.check()
            with contextlib.suppress(RuntimeError):  # the service ended meanwhile
                loop.call_soon_threadsafe(looked.set)
            while not self._stop.wait(self.every):
                self.check()

        thread = threading.Thread(target=forever, name="reloader", daemon=True)
        thread.start()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(looked.wait(), _FIRST_SECONDS)
        try:
            yield
        finally:
            self._stop.set()
            await asyncio.to_thread(thread.join, _LAST_SECONDS)


def in_general(problem: Exception) -> str:
    """What anyone may know of a problem: no host, no role, no words of the database."""
    if isinstance(problem, MachineError):
        return "the store does not answer"
    if isinstance(problem, RecloakError):
        return problem.what.split(":")[0]
    return f"a defect of recloak: {type(problem).__name__}"
