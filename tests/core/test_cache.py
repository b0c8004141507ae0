"""What is made once of a table: one maker among threads, a new try after a failure, no leak."""

from __future__ import annotations

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from recloak.auditing.policy import Policy, Requirement
from recloak.auditing.rehearsal import split_of
from recloak.auditing.run import audit
from recloak.core.cache import PerTableCache
from recloak.core.randomness import Randomness
from recloak.methods import method
from recloak.recommenders.factorization import Factorization
from recloak.testing import random_ratings


class _Table:
    pass


def test_threads_that_ask_at_once_get_what_one_of_them_made() -> None:
    kept: PerTableCache[object] = PerTableCache()
    table, begun, made = _Table(), threading.Event(), []

    def make() -> object:
        begun.wait(5)
        made.append(object())
        return made[-1]

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(kept.get, table, "key", make) for _ in range(4)]
        begun.set()
        assert {id(one.result()) for one in asked} == {id(made[0])}
    assert len(made) == 1


def test_after_a_failure_the_next_one_tries_again() -> None:
    kept: PerTableCache[int] = PerTableCache()
    table = _Table()
    with pytest.raises(ZeroDivisionError):
        kept.get(table, 1, lambda: 1 // 0)
    assert kept.get(table, 1, lambda: 7) == 7
    assert kept.get(table, 2, lambda: 8) == 8


def test_it_goes_when_the_table_goes() -> None:
    kept: PerTableCache[_Table] = PerTableCache()
    table = _Table()
    gone = weakref.ref(kept.get(table, "key", _Table))
    gc.collect()
    assert gone() is not None
    del table
    gc.collect()
    assert gone() is None


def test_audits_of_one_original_share_what_they_learn_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trained = []
    learn = Factorization.learn

    def counted(self: Factorization, ratings: object, progress: object) -> None:
        trained.append(ratings)
        learn(self, ratings, progress)  # type: ignore[arg-type]

    monkeypatch.setattr(Factorization, "learn", counted)
    ratings = random_ratings()
    held, measured = split_of(ratings, 0), "tailoring-utility"
    for k in (2, 3):
        recipe = method("predictive", k=k)
        made = recipe.apply(ratings, Randomness.from_seed(0))
        audit(
            ratings,
            made.release,
            secret=made.secret,
            policy=Policy("use", (Requirement(measure=measured, figure="mu", at_least=0.0),)),
            attacks=(),
            measures=(measured,),
        )
    assert held is split_of(ratings, 0)
    # For the releases 1, for their rehearsals 1, for the original 1; for what each releases 2.
    assert len(trained) == 5
