"""Who has the store alone cannot try out who rated what."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recloak.core.errors import InputError
from recloak.core.timeline import Timeline
from recloak.lists.store.checking import check_chain, laid_out, verify_store
from recloak.lists.store.keys import StoreKey, make_key, read_key
from recloak.lists.store.records import ratings_digest
from recloak.lists.store.safeguards import Safeguards
from recloak.lists.store.store import Store
from tests.lists.store.shop import Shop, protector, release_next


def guesses(shop: Shop) -> dict[tuple[int, int], str]:
    """The digest of the ratings for each person and rating that a rare item may have."""
    tried = {}
    known = {pair: value for pair, value in shop.rated.items() if pair[1] != 99}
    for user in range(5):
        for value in (1, 2, 3, 4, 5):
            shop.rated = {**known, (user, 99): value}
            ratings, _ = laid_out(shop.ratings(), [], 3)
            tried[user, value] = ratings_digest(Timeline(ratings).at(ratings.n_ratings))
    return tried


def test_trying_out_who_rated_a_rare_item_finds_nothing(url: str) -> None:
    store, shop = Store.at(url, make=True), Shop(5)
    shop.rated[2, 99] = 4
    release_next(store, shop.ratings(), protector())
    with store.reading() as transaction:
        record = transaction.records()[0]
        memory = transaction.ranking_cache()
    tried = guesses(shop)
    assert [pair for pair, digest in tried.items() if digest == record.ratings_digest] == []
    assert memory is not None
    assert b"digests" not in memory, "what ranking remembers can be read"


def test_the_key_is_a_file_of_its_owner_alone(tmp_path: Path) -> None:
    store = Store.at(str(tmp_path / "lists.db"), make=True)
    release_next(store, Shop(5).ratings(), protector())
    key = tmp_path / "lists.db.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    secret = read_key(key).secret
    for file in tmp_path.glob("lists.db*"):
        if file != key:
            assert secret not in file.read_bytes()
            assert secret.hex().encode() not in file.read_bytes()


def test_a_key_that_is_lost_is_missed_and_made_anew_on_request(url: str, tmp_path: Path) -> None:
    place = tmp_path / "own" / "shop.key"
    store, shop = Store.at(url, make=True, key=str(place)), Shop(5)
    given = [shop.night()]
    release_next(store, given[0], protector())
    place.rename(tmp_path / "away.key")
    given.append(shop.night())
    with pytest.raises(InputError, match="key of the store is missing"):
        release_next(store, given[1], protector())
    make_key(place)
    with pytest.raises(InputError, match="not the key"):
        release_next(store, given[1], protector())
    place.unlink()
    renewed = Safeguards(new_key=True)
    assert release_next(store, given[1], protector(), safeguards=renewed).record.number == 1
    assert len(check_chain(store)) == 2
    verdicts = verify_store(store, given)
    assert [verdict.status for verdict in verdicts] == ["undecided", "holds"]


def test_what_is_sealed_opens_with_its_key_alone() -> None:
    one, two = StoreKey(b"1" * 32), StoreKey(b"2" * 32)
    sealed = one.sealed(b"content")
    assert one.opened(sealed) == b"content"
    assert two.opened(sealed) is None
    assert one.opened(sealed[:-1] + bytes([sealed[-1] ^ 1])) is None
    assert one.opened(b"") is None
    assert one.name != two.name
    assert "1111" not in repr(one)


def test_runs_that_make_the_key_at_once_have_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for night in range(20):
            place = tmp_path / f"{night}.key"
            made = list(pool.map(lambda _, place=place: make_key(place), range(8)))
            assert len(set(made)) == 1
    assert len(list(tmp_path.iterdir())) == 20, "something was left behind"
