"""Works that run side by side give what they give alone, and stop together."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, get_ident

import pytest

from recloak.core.errors import Cancelled
from recloak.core.progress import SILENT
from recloak.core.side_by_side import Steps, side_by_side
from recloak.testing.progress import Recorder

WAIT = 30.0  # seconds, for what comes at once unless something is wrong


def run(*works: Callable[[Steps], object], most: int = 2) -> list[object]:
    with SILENT.task("") as task:
        return side_by_side(works, most, SILENT, task)


def test_results_come_in_the_order_of_the_works() -> None:
    second_is_done = Event()

    def first(steps: Steps) -> int:
        assert second_is_done.wait(WAIT)
        return 1

    def second(steps: Steps) -> int:
        second_is_done.set()
        return 2

    assert run(first, second) == [1, 2]


def test_the_others_stop_where_one_fails() -> None:
    begun, stopped = Event(), Event()

    def fails(steps: Steps) -> None:
        assert begun.wait(WAIT)
        raise ValueError

    def goes_on(steps: Steps) -> None:
        begun.set()
        with pytest.raises(Cancelled):
            while True:
                steps.go_on()
        stopped.set()

    with pytest.raises(ValueError):
        run(fails, goes_on)
    assert stopped.is_set()


def test_within_a_work_others_run_one_by_one() -> None:
    def outer(steps: Steps) -> bool:
        return set(run(*[lambda steps: get_ident()] * 4)) == {get_ident()}

    assert run(outer, outer) == [True, True]


def test_counts_what_is_finished() -> None:
    seen = Recorder()
    with seen.task("All", 3) as task:
        side_by_side([lambda steps: steps.finished()] * 3, 2, seen, task)
    assert seen.done["All"] == 3
