"""Attacks and measures run side by side, but for those that share something."""

from __future__ import annotations

from threading import Event
from typing import Any, ClassVar

import pytest

from recloak.auditing import _evaluation_runs
from recloak.auditing._evaluation_runs import run_all
from recloak.core.progress import SILENT, Progress
from recloak.evaluation import Evaluation
from recloak.evaluation.context import AuditContext
from recloak.evaluation.findings import Finding
from recloak.testing import random_ratings
from recloak.testing.contexts import context_of

WAIT = 30.0  # seconds, for what comes at once unless something is wrong


class _Attack(Evaluation):
    family = "attack"
    order: ClassVar[list[str]] = []

    @property
    def spec(self) -> str:
        return self.name

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        self.order.append(self.name)
        return self.finding("", (), 0, seed, (context.linkage.note,))


def found(monkeypatch: pytest.MonkeyPatch, *kinds: type[_Attack]) -> list[str]:
    by_name = {kind.name: kind for kind in kinds}
    monkeypatch.setattr(_evaluation_runs, "attack", lambda spec: by_name[spec]())
    monkeypatch.setattr(_evaluation_runs, "thread_count", lambda: 2)
    context = context_of(random_ratings(5, 4, 0.9))
    attacks, measures = run_all(list(by_name), [], context, 0, SILENT)
    assert measures == ()
    return [one.name for one in attacks]


def test_findings_stand_in_the_order_in_which_they_were_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    later_ran = Event()

    class Waits(_Attack):
        name = "waits"

        def run(self, *given: Any, **named: Any) -> Finding:
            assert later_ran.wait(WAIT)
            return super().run(*given, **named)

    class Later(_Attack):
        name = "later"

        def run(self, *given: Any, **named: Any) -> Finding:
            later_ran.set()
            return super().run(*given, **named)

    assert found(monkeypatch, Waits, Later) == ["waits", "later"]


def test_those_that_take_turns_run_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    second_ran = Event()

    class Turns(_Attack):
        takes_turns = "something"
        order: ClassVar[list[str]] = []

    class First(Turns):
        name = "first"

        def run(self, *given: Any, **named: Any) -> Finding:
            assert not second_ran.wait(0.05)
            return super().run(*given, **named)

    class Second(Turns):
        name = "second"

        def run(self, *given: Any, **named: Any) -> Finding:
            second_ran.set()
            return super().run(*given, **named)

    found(monkeypatch, First, Second)
    assert Turns.order == ["first", "second"]


def test_measures_of_very_many_ratings_run_before_attacks_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[str] = []

    class Remembers(_Attack):
        name = "attack"
        order: ClassVar[list[str]] = ran

    class Measures(Remembers):
        family = "measure"
        name = "measure"

    monkeypatch.setattr(_evaluation_runs, "MOST_RATINGS", 0)
    monkeypatch.setattr(_evaluation_runs, "attack", lambda _: Remembers())
    monkeypatch.setattr(_evaluation_runs, "measure", lambda _: Measures())
    attacks, measures = run_all(["one"], ["two"], context_of(random_ratings(5, 4, 0.9)), 0, SILENT)
    assert [one.name for one in (*attacks, *measures)] == ["attack", "measure"]
    assert ran == ["measure", "attack"]
