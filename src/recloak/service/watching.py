"""Watching: looks for a newer release and puts its shelf in the place of the old one."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from recloak.errors import RecloakError
from recloak.service.metrics import Metrics
from recloak.service.shelf import EMPTY_SHELF, Shelf, shelf_of
from recloak.store.keeping import Store


class Watch:
    """Holds the shelf in force. A store that fails or was edited leaves the last one there."""

    def __init__(self, store: Store, metrics: Metrics, every: float = 1.0) -> None:
        self.store, self.metrics, self.every = store, metrics, every
        self.shelf: Shelf = EMPTY_SHELF
        self.problem: str | None = None
        self.looked_at = 0.0

    def look(self) -> None:
        """Take over a newer release, if there is one."""
        try:
            newer = self._newer()
        except Exception as problem:  # whatever it is, the next look may go well
            self.problem = (
                problem.what
                if isinstance(problem, RecloakError)
                else f"a defect of recloak: {type(problem).__name__}"
            )
            self.metrics.failed_looks.inc()
            return
        self.problem = None
        self.looked_at = time.time()
        if newer is not None:
            self.shelf = newer  # one reference: a request sees the old shelf or the new one
            self.metrics.took_over(newer)

    def _newer(self) -> Shelf | None:
        with self.store.reading() as kept:
            newest = kept.newest()
            mine = self.shelf.record
            if newest == (None if mine is None else (mine.number, mine.digest)):
                return None
            return shelf_of(kept)

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Look again and again beside the requests while the block runs."""
        await asyncio.to_thread(self.look)
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
            await asyncio.to_thread(self.look)
