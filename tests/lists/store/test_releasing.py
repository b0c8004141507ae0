"""The nightly step: what is published, what it is protected against, and what may change."""

from __future__ import annotations

import json
import threading

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recloak.core.errors import ClaimError, InputError, MachineError, ParameterError
from recloak.core.ratings import Ratings
from recloak.lists.external import ExternalLists
from recloak.lists.store import night
from recloak.lists.store.checking import check_chain, verify_store
from recloak.lists.store.store import Store
from tests.lists.store.shop import Shop, protector, release_next


def lists_of(store: Store) -> list[dict[str, list[str | None]]]:
    """The lists of all releases."""
    with store.reading() as transaction:
        return [
            {item: json.loads(text) for item, text in transaction.texts(record).items()}
            for record in transaction.records()
        ]


def statuses(store: Store, *originals: object) -> list[str]:
    return [verdict.status for verdict in verify_store(store, originals)]


def test_nights_are_published_and_every_window_verifies(url: str) -> None:
    """Among them people and items that are erased, and a window larger than the history."""
    store, shop, given = Store.at(url, make=True), Shop(1), []
    for number in range(6):
        given.append(shop.night())
        done = release_next(store, given[-1], protector())
        assert done.record.number == number
        assert done.verdict.holds
        named = {str(label) for label in given[-1].item_labels}
        assert set(lists_of(store)[-1]) == named
    assert statuses(store, *given) == ["holds"] * 6
    assert statuses(store, given[-1]) == ["undecided"] * 5 + ["holds"]
    assert len({record.digest for record in check_chain(store)}) == 6


def test_settings_may_change_from_night_to_night(url: str) -> None:
    store, shop, given = Store.at(url, make=True), Shop(2), []
    changes = ({}, {"top": 5}, {"top": 2}, {"delta": "0.1"}, {"window": 9}, {"window": 2, "top": 4})
    for changed in changes:
        given.append(shop.night())
        release_next(store, given[-1], protector(**changed))
    assert statuses(store, *given) == ["holds"] * len(changes)
    records = check_chain(store)
    assert [record.top for record in records] == [3, 5, 2, 3, 3, 4]
    assert records[3].delta == "0.1"
    assert all(
        len(row) == record.top
        for record, lists in zip(records, lists_of(store), strict=True)
        for row in lists.values()
    )


def test_items_that_vanish_and_come_back(url: str) -> None:
    store, shop = Store.at(url, make=True), Shop(3)
    given = [shop.ratings()]
    release_next(store, given[0], protector())
    gone = dict(shop.rated)
    shop.erase_item(0)
    given.append(shop.ratings())
    release_next(store, given[1], protector())
    shown = lists_of(store)
    assert "1" in shown[0]
    assert "1" not in shown[1]
    assert all("1" not in row for row in shown[1].values())
    shop.rated = gone
    given.append(shop.ratings())
    release_next(store, given[2], protector())
    assert "1" in lists_of(store)[2]
    assert statuses(store, *given) == ["holds"] * 3


def test_ratings_with_times_are_verified_by_what_came_first(tmp_path: object) -> None:
    from recloak.core.timeline import Timeline
    from tests.support.list_contexts import busy_ratings

    store, timeline = Store.at(f"{tmp_path}/lists.db", make=True), Timeline(busy_ratings())
    for cut in (150, 200, timeline.ratings.n_ratings):
        release_next(store, timeline.at(cut).ratings.compact(), protector())
    assert statuses(store, busy_ratings()) == ["holds"] * 3


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_what_is_remembered_changes_nothing(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("stores")
    stores = [Store.at(str(folder / name), make=True) for name in ("remembering", "forgetting")]
    shop = Shop(seed)
    for _ in range(4):
        ratings = shop.night()
        done = [
            release_next(store, ratings, protector(), use_cache=at == 0)
            for at, store in enumerate(stores)
        ]
        assert done[0].n_reranked <= done[1].n_reranked
    assert lists_of(stores[0]) == lists_of(stores[1])


def test_what_did_not_change_is_not_ranked_anew(url: str) -> None:
    store, shop = Store.at(url, make=True), Shop(4)
    ratings = shop.ratings()
    assert release_next(store, ratings, protector()).n_reranked == ratings.n_items
    shop.rated[shop.n_users + 1, 0] = 3
    assert release_next(store, shop.ratings(), protector()).n_reranked < ratings.n_items
    shop.rated[shop.n_users + 2, 0] = 3
    assert release_next(store, shop.ratings(), protector(depth=9)).n_reranked == ratings.n_items


def test_the_same_ratings_again_are_the_release_that_is_there(url: str) -> None:
    """A retry takes no place in the window; other settings, or another ranking, are no retry."""
    store, shop = Store.at(url, make=True), Shop(4)
    first = release_next(store, shop.ratings(), protector())
    again = release_next(store, shop.ratings(), protector())
    assert (again.already, again.record, again.verdict.holds) == (True, first.record, True)
    assert not release_next(store, shop.ratings(), protector(top=2)).already
    deeper = [release_next(store, shop.ratings(), protector(top=2, depth=9)) for _ in range(2)]
    assert [one.already for one in deeper] == [False, True]
    scores = pl.DataFrame({"item": ["1", "2"], "related": ["2", "1"], "score": [0.5, 0.25]})
    own = [ExternalLists((scores,)), ExternalLists((scores.reverse(),))]
    other = ExternalLists((scores.with_columns(score=pl.col("score") * 2),))
    done = [release_next(store, shop.ratings(), protector(), external=one) for one in (*own, other)]
    assert [one.already for one in done] == [False, True, False]
    assert len(check_chain(store)) == 5


def never_protect(monkeypatch: pytest.MonkeyPatch) -> None:
    """The algorithm gives the raw lists back."""
    monkeypatch.setattr(
        type(protector()), "arrange", lambda self, inputs, task: (inputs.ranked.top.copy(), None)
    )


def test_a_broken_promise_publishes_nothing(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store, shop = Store.at(url, make=True), Shop(5)
    release_next(store, shop.night(), protector())
    monkeypatch.setattr(night, "verified", lambda history, *_: history)
    never_protect(monkeypatch)
    shop.new(150)
    with pytest.raises(ClaimError, match="broken") as stopped:
        release_next(store, shop.ratings(), protector(delta="0.01"))
    assert "Witness" in str(stopped.value)
    assert len(check_chain(store)) == 1


def test_lists_that_were_refused_are_repaired_and_refused_no_more(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, shop = Store.at(url, make=True), Shop(5)
    release_next(store, shop.night(), protector())
    shop.new(150)
    given, strict = shop.ratings(), protector(delta="0.01")
    never_protect(monkeypatch)
    done = release_next(store, given, strict)
    assert done.verdict.holds
    assert [record.number for record in check_chain(store)] == [0, 1]
    emptied = [entry for row in lists_of(store)[1].values() for entry in row if entry is None]
    assert emptied
    assert done.filled == 1 - len(emptied) / (strict.parameters.top * done.record.n_items)
    assert statuses(store, given)[1] == "holds"


def test_runs_on_one_store_wait_for_each_other(url: str) -> None:
    store, shop = Store.at(url, make=True), Shop(6)
    nights = [shop.night() for _ in range(4)]
    problems: list[BaseException] = []

    def run(ratings: Ratings) -> None:
        try:
            release_next(store, ratings, protector())
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=run, args=(ratings,)) for ratings in nights]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert [record.number for record in check_chain(store)] == [0, 1, 2, 3]
    assert statuses(store, *nights) == ["holds"] * 4


def test_who_does_not_want_to_wait_is_told(url: str) -> None:
    store, shop = Store.at(url, make=True), Shop(7)
    release_next(store, shop.ratings(), protector())
    shop.new(20)
    with store.writing():
        with pytest.raises(MachineError, match="another run"):
            release_next(store, shop.ratings(), protector(), wait=0.05)
        assert len(check_chain(store)) == 1  # readers do not wait
    release_next(store, shop.ratings(), protector())
    assert len(check_chain(store)) == 2


def test_what_cannot_be_published(url: str) -> None:
    store, ratings = Store.at(url, make=True), Shop(8).ratings()
    with pytest.raises(ParameterError, match="who is new"):
        release_next(store, ratings, protector(new_raters_only=True))
    with pytest.raises(InputError, match="no ratings"):
        release_next(store, ratings.keep(ratings.values < 0), protector())


def test_old_lists_are_put_away_and_the_chain_still_holds(url: str) -> None:
    store, shop, given = Store.at(url, make=True), Shop(9), []
    for _ in range(5):
        given.append(shop.night())
        release_next(store, given[-1], protector())
    with store.writing() as transaction:
        assert transaction.rotate(3, "2026-01-01T00:00:00Z") == [0, 1]
    assert len(check_chain(store)) == 5
    assert statuses(store, *given) == ["undecided"] * 4 + ["holds"]
    with pytest.raises(ParameterError, match="removed by"):
        release_next(store, shop.night(), protector(window=5))
    release_next(store, shop.night(), protector())
