"""Reloader: replaces the snapshot in force when the store has a newer release."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from recloak.core.errors import RecloakError
from recloak.lists.service._metrics import Metrics
from recloak.lists.service._snapshot import EMPTY_SNAPSHOT, ServedSnapshot, snapshot_of
from recloak.lists.store.store import Store


class Reloader:
    """Holds the snapshot in force; if the store fails or was edited, the last one stays."""

    def __init__(self, store: Store, metrics: Metrics, every: float = 1.0) -> None:
        self.store, self.metrics, self.every = store, metrics, every
        self.snapshot: ServedSnapshot = EMPTY_SNAPSHOT
        self.problem: str | None = None
        self.checked_at = 0.0

    def check(self) -> None:
        """Load a newer release, if there is one."""
        try:
            newer = self._newer()
        except Exception as problem:  # whatever it is, the next look may go well
            self.problem = (
                problem.what
                if isinstance(problem, RecloakError)
                else f"a defect of recloak: {type(problem).__name__}"
            )
            self.metrics.failed_reloads.inc()
            return
        self.problem = None
        self.checked_at = time.time()
        if newer is not None:
            self.snapshot = newer  # one reference: a request sees the old snapshot or the new one
            self.metrics.reloaded(newer)

    def _newer(self) -> ServedSnapshot | None:
        with self.store.reading() as transaction:
            newest = transaction.newest()
            mine = self.snapshot.record
            if newest == (None if mine is None else (mine.number, mine.digest)):
                return None
            return snapshot_of(transaction)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Check the store repeatedly, beside the requests, while the block runs."""
        await asyncio.to_thread(self.check)
        task = asyncio.create_task(self._forever())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _forever(self) -> None:
        while True:
            await asyncio.sleep(self.every)
            await asyncio.to_thread(self.check)
