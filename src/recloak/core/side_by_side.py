"""Side by side: pieces of work of which several run at once, each in a thread.

What they give does not depend on how many run at once, or in which order: that is theirs to see to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import Event, Lock
from typing import TypeVar

from recloak.core.errors import Cancelled
from recloak.core.progress import Progress, Task

T = TypeVar("T")
_among_others: ContextVar[bool] = ContextVar("runs beside other work", default=False)


class Steps:
    """The progress of works that run side by side: each step looks whether all is to stop."""

    def __init__(self, shown: Progress, task: Task) -> None:
        self._shown, self._task, self._stopped, self._lock = shown, task, Event(), Lock()

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        """What a work is at, and how far that is."""
        self.go_on()
        with self._shown.task(label, total) as shown:
            yield _Step(self, shown)

    def go_on(self) -> None:
        """A step within a work: the task of all counts works, so this only keeps it alive."""
        if self._stopped.is_set():
            raise Cancelled
        self.finished(0)

    def finished(self, count: int = 1, task: Task | None = None) -> None:
        """So much of the task of all is done, or of another one that several works share."""
        with self._lock:
            (task or self._task).advance(count)

    def stop(self) -> None:
        """Every work stops at its next step."""
        self._stopped.set()


class _Step:
    """A piece of work within one of those that run side by side."""

    def __init__(self, steps: Steps, shown: Task) -> None:
        self._steps, self._shown = steps, shown

    def advance(self, amount: float = 1) -> None:
        self._steps.go_on()
        self._shown.advance(amount)


def side_by_side(
    works: Sequence[Callable[[Steps], T]], most: int, progress: Progress, task: Task
) -> list[T]:
    """What each of ``works`` gives, in their order; ``most`` run at once.

    If one fails, the others stop at their next step. Within a work others run one by one: the
    cores are taken.
    """
    steps = Steps(progress, task)
    if most <= 1 or len(works) <= 1 or _among_others.get():
        return [work(steps) for work in works]
    with ThreadPoolExecutor(most) as pool:
        running = [pool.submit(copy_context().run, _beside_others, work, steps) for work in works]
        try:
            return [one.result() for one in running]
        finally:
            steps.stop()
            pool.shutdown(cancel_futures=True)


def _beside_others(work: Callable[[Steps], T], steps: Steps) -> T:
    _among_others.set(True)
    return work(steps)
