"""Nothing twice on the way of a nightly release: what is parsed, asked and hashed, counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import event

from recloak.core import timeline
from recloak.evaluation import breaches
from recloak.lists.store import checking, night, records
from recloak.lists.store import store as store_module
from recloak.lists.store.store import Store
from tests.lists.store.shop import Shop, protector, release_next


@pytest.fixture
def store(tmp_path: Any) -> Store:
    """A store with three releases, all within the window of the next."""
    made, shop = Store.at(f"{tmp_path}/lists.db", make=True), Shop(3)
    for _ in range(3):
        release_next(made, shop.night(), protector(window=4))
    return made


def test_the_lists_of_each_release_are_parsed_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: Counter[int] = Counter()
    parse = records.all_entries

    def counting(texts: Any, record: records.ReleaseRecord) -> Any:
        parsed[record.number] += 1
        return parse(texts, record)

    monkeypatch.setattr(records, "all_entries", counting)
    release_next(store, Shop(4).ratings(), protector(window=4))
    assert parsed == {0: 1, 1: 1, 2: 1, 3: 1}


def test_the_database_is_asked_once_for_each_list_and_for_what_was_removed(store: Store) -> None:
    asked: Counter[str] = Counter()

    def counting(_c: Any, _cursor: Any, statement: str, given: Any, *_rest: Any) -> None:
        if statement.startswith("SELECT recloak_lists.item"):
            asked[f"lists {given}"] += 1
        if statement.startswith("SELECT recloak_rotations.number"):
            asked["rotations"] += 1

    event.listen(store.engine, "before_cursor_execute", counting)
    release_next(store, Shop(4).ratings(), protector(window=4))
    assert len(asked) == 5
    assert set(asked.values()) == {1}


def test_the_store_is_connected_to_read_and_to_write(store: Store) -> None:
    """Also where it might have been made; between the two nothing is open."""
    connected: list[int] = []
    event.listen(store.engine, "connect", lambda *_: connected.append(1))
    release_next(store, Shop(4).ratings(), protector(window=4))
    assert store.make
    assert len(connected) == 2


def test_a_new_store_is_connected_only_to_write(tmp_path: Any) -> None:
    made, connected = Store.at(f"{tmp_path}/new.db", make=True), list[int]()
    event.listen(made.engine, "connect", lambda *_: connected.append(1))
    release_next(made, Shop(4).ratings(), protector(window=4))
    assert len(connected) == 1


def test_lists_are_digested_and_their_names_collected_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each list of the window is digested once, and those of the new release once."""
    calls: Counter[str] = Counter()

    def count(module: Any, name: str) -> None:
        plain = getattr(module, name)

        def counting(*given: Any) -> Any:
            calls[name] += 1
            return plain(*given)

        monkeypatch.setattr(module, name, counting)

    for module in (night, checking, store_module):
        for name in ("lists_digest", "names_of_window"):
            if hasattr(module, name):
                count(module, name)
    release_next(store, Shop(4).ratings(), protector(window=4))
    assert calls == {"lists_digest": 3 + 1, "names_of_window": 1}


def test_people_are_hashed_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[int] = []
    hash_texts = timeline.hash_texts

    def counting(content: Any, offsets: Any, key: Any) -> Any:
        hashed.append(len(offsets) - 1)
        return hash_texts(content, offsets, key)

    monkeypatch.setattr(timeline, "hash_texts", counting)
    ratings = Shop(3).ratings()
    release_next(store, ratings, protector(window=4))
    assert hashed == [ratings.n_users]


def test_each_pair_of_releases_is_attacked_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the verifier, with what the store gives back; what it accepts, nobody attacks again."""
    attacked: list[int] = []
    searched: list[int] = []
    find, search = breaches._find_breaches, breaches._all_targets

    def finding(now: Any, earlier: Any, *rest: Any) -> Any:
        attacked.append(len(earlier))
        return find(now, earlier, *rest)

    def searching(*given: Any) -> Any:
        searched.append(1)
        return search(*given)

    monkeypatch.setattr(breaches, "_find_breaches", finding)
    monkeypatch.setattr(breaches, "_all_targets", searching)
    assert release_next(store, Shop(4).ratings(), protector(window=4)).verdict.holds
    assert attacked == [3]
    assert len(searched) == 3
