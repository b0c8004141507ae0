"""Stores of another version, edited stores, and URLs that are none."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest
from sqlalchemy import Table, delete, event, insert, update

from recloak.core.errors import InputError, MachineError, ParameterError, RecloakError
from recloak.lists.store.checking import check_chain, verify_store
from recloak.lists.store.database import writing
from recloak.lists.store.schema import (
    LISTS,
    RANKING_CACHE,
    RELEASES,
    ROTATIONS,
    STORE,
    VERSION,
)
from recloak.lists.store.store import Store, list_of
from recloak.lists.store.urls import url_of
from tests.lists.store.older import older_store
from tests.lists.store.shop import Shop, protector, release_next


@pytest.fixture
def store(url: str) -> Store:
    """Three nights."""
    made, shop = Store.at(url, make=True), Shop(11)
    for _ in range(3):
        release_next(made, shop.night(), protector())
    return made


def edit(store: Store, *statements: object) -> None:
    with writing(store.engine) as connection:
        for statement in statements:
            connection.execute(statement)  # type: ignore[call-overload]


@pytest.mark.parametrize("version", [1, 2])
def test_an_older_store_is_read_as_it_is_and_brought_up_to_date_by_the_next_release(
    version: int, url: str
) -> None:
    shop = Shop(12)
    first = shop.night()
    old = older_store(url, version, first)
    assert [record.n_users for record in check_chain(old)] == [None, None]
    verdicts = verify_store(old, [first])
    assert [verdict.status for verdict in verdicts] == ["undecided", "holds"]
    assert list_of(old, "1")[0].number == 1
    again = release_next(old, first, protector())
    assert again.already, "a retry after an update is a retry"
    assert release_next(old, shop.night(), protector()).record.number == 2
    records = check_chain(old)
    assert [record.key_name is None for record in records] == [True, True, False]
    with old.reading() as transaction:
        assert transaction.version == VERSION


def test_rotations_of_an_older_store_are_taken_into_the_chain(url: str) -> None:
    shop = Shop(12)
    old = older_store(url, 2, shop.night(), rotated=True)
    assert len(check_chain(old)) == 2
    release_next(old, shop.night(), protector(window=2))
    records = check_chain(old)
    assert records[-1].rotations is not None
    edit(old, update(ROTATIONS).values(rotated_at="yesterday"))
    with pytest.raises(InputError, match="edited"):
        check_chain(old)


def test_a_newer_store_is_never_touched(store: Store) -> None:
    edit(store, update(STORE).values(version=VERSION + 1))
    with pytest.raises(InputError, match="newer recloak"):
        check_chain(store)
    with pytest.raises(InputError, match="newer recloak"):
        release_next(store, Shop(13).night(), protector())


def test_a_store_without_a_version_is_refused(store: Store) -> None:
    edit(store, delete(STORE))
    with pytest.raises(InputError, match="edited"):
        check_chain(store)


def _one_list(number: int, related: str) -> object:
    return (
        update(LISTS).where(LISTS.c.number == number, LISTS.c.item == "1").values(related=related)
    )


EDITS: dict[str, object] = {
    "a list": _one_list(1, '["2","3",null]'),
    "nonsense": _one_list(2, "{"),
    "a list taken away": delete(LISTS).where(LISTS.c.number == 0, LISTS.c.item == "2"),
    "a list added": insert(LISTS).values(number=1, item="new", related="[]"),
    "the bound": update(RELEASES).where(RELEASES.c.number == 1).values(delta="0.01"),
    "the time": update(RELEASES).where(RELEASES.c.number == 0).values(published_at="yesterday"),
    "a digest": update(RELEASES).where(RELEASES.c.number == 2).values(lists_digest="0" * 64),
}


@pytest.mark.parametrize("what", EDITS)
def test_an_edited_store_is_found_out(store: Store, what: str) -> None:
    edit(store, EDITS[what])
    with pytest.raises(InputError, match="edited"):
        check_chain(store)
    with pytest.raises(InputError, match="edited"):
        release_next(store, Shop(14).night(), protector(window=9))


@pytest.mark.parametrize("table", [STORE, RELEASES, LISTS, ROTATIONS])
def test_a_table_that_is_gone_is_found_out(store: Store, table: Table) -> None:
    if store.engine.dialect.name == "sqlite":
        with sqlite3.connect(store.where) as raw:  # it checks no keys of other tables
            raw.execute(f"DROP TABLE {table.name}")
    else:
        with writing(store.engine) as connection:
            connection.exec_driver_sql(f"DROP TABLE {table.name} CASCADE")
    for use in (check_chain, _next_release):
        with pytest.raises(InputError, match="edited"):
            use(store)


def _next_release(store: Store) -> object:
    return release_next(store, Shop(14).night(), protector(window=9))


KINDS_OF_SQLITE = {
    "bytes among facts": "UPDATE recloak_releases SET n_items = x'00ff' WHERE number = 1",
    "a text among facts": "UPDATE recloak_releases SET top = 'x' WHERE number = 1",
    "bytes among lists": "UPDATE recloak_lists SET related = x'00ff' WHERE number = 1",
    "bytes among items": "UPDATE recloak_lists SET item = x'00ff' WHERE number = 1 AND item = '1'",
    "a text as version": "UPDATE recloak_store SET version = 'x'",
    "all releases gone": "DELETE FROM recloak_releases",
}


@pytest.mark.parametrize("what", KINDS_OF_SQLITE)
def test_sqlite_keeps_values_of_any_kind_and_they_are_found_out(what: str, tmp_path: Path) -> None:
    store, shop = Store.at(str(tmp_path / "lists.db"), make=True), Shop(11)
    for _ in range(2):
        release_next(store, shop.night(), protector())
    with sqlite3.connect(tmp_path / "lists.db") as raw:  # it checks no keys of other tables
        raw.execute(KINDS_OF_SQLITE[what])
    for use in (check_chain, _next_release):
        with pytest.raises(InputError, match="edited"):
            use(store)


def test_a_text_as_memory_is_not_used(tmp_path: Path) -> None:
    store, shop = Store.at(str(tmp_path / "lists.db"), make=True), Shop(11)
    release_next(store, shop.ratings(), protector())
    with sqlite3.connect(tmp_path / "lists.db") as raw:
        raw.execute("UPDATE recloak_memory SET content = 'text'")
    ratings = shop.night()
    assert release_next(store, ratings, protector()).n_reranked == ratings.n_items


def test_reading_leaves_another_database_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / "other.db"
    with sqlite3.connect(place) as other:
        other.execute("CREATE TABLE orders (number INTEGER)")
    before = place.read_bytes()
    with pytest.raises(InputError, match="no lists yet"):
        check_chain(Store.at(str(place)))
    assert place.read_bytes() == before


@pytest.mark.parametrize(
    ("pragma", "message"), [("max_page_count = 1", "full"), ("query_only = ON", "readonly")]
)
def test_a_disk_that_takes_no_more_leaves_the_last_release_in_force(
    pragma: str, message: str, tmp_path: Path
) -> None:
    store, shop = Store.at(str(tmp_path / "lists.db"), make=True), Shop(11)
    release_next(store, shop.night(), protector())
    failing = Store.at(str(tmp_path / "lists.db"))
    event.listen(
        failing.engine, "connect", lambda connection, _: connection.execute(f"PRAGMA {pragma}")
    )
    for item in range(300):
        shop.rated[item % shop.n_users, 100 + item] = 3
    with pytest.raises(MachineError, match=message):
        release_next(failing, shop.ratings(), protector())
    assert len(check_chain(store)) == 1
    assert release_next(store, shop.ratings(), protector()).record.number == 1


def test_a_release_in_the_middle_that_is_gone_is_found_out(store: Store) -> None:
    edit(store, *(delete(table).where(table.c.number == 1) for table in (LISTS, RELEASES)))
    with pytest.raises(InputError, match="edited"):
        check_chain(store)


def test_a_chain_that_was_cut_is_found_by_a_digest_noted_elsewhere(store: Store) -> None:
    noted = check_chain(store)[-1].digest
    edit(store, *(delete(table).where(table.c.number == 2) for table in (LISTS, RELEASES)))
    assert len(check_chain(store)) == 2
    with pytest.raises(InputError, match="noted"):
        check_chain(store, noted)


@pytest.mark.parametrize("content", [b"nonsense", b""])
def test_a_damaged_memory_is_not_used(store: Store, content: bytes) -> None:
    shop = Shop(12)
    ratings = shop.night()
    edit(store, update(RANKING_CACHE).values(content=content))
    assert release_next(store, ratings, protector()).n_reranked == ratings.n_items
    with store.writing() as transaction:
        transaction.set_ranking_cache(content)
    ratings = shop.night()
    assert release_next(store, ratings, protector()).n_reranked == ratings.n_items
    assert len(check_chain(store)) == 5


def test_nothing_is_verified_without_the_ratings(store: Store) -> None:
    assert {verdict.status for verdict in verify_store(store, [])} == {"undecided"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("mysql://somewhere/lists", "not a database that recloak keeps lists in"),
        ("sqlite://", "not a database that recloak keeps lists in"),
        ("sqlite:///:memory:", "names no file"),
        (":memory:", "names no file"),
        ("", "names no file"),
        ("a\0b", "names no file"),
        ("sqlite:///file:lists?mode=memory&uri=true", "names no file"),
        ("://", "not the URL"),
        ("postgresql://host:port/lists", "not the URL"),
        ("postgresql:/shop:hidden@host/lists", "not the URL"),
        ("postgresql://shop:hid@den@host/lists", "not the URL"),
        ("postgresql://shop:hid@den@one,two/lists", "not the URL"),
        ("postgresql://shop:hid@d/en@one,two/lists", "not the URL"),
    ],
)
def test_urls_that_are_no_store(given: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message) as refused:
        url_of(given)
    assert "den" not in str(refused.value)


def test_any_driver_of_sqlite_means_the_one_that_is_used(tmp_path: Path) -> None:
    assert url_of("sqlite+aiosqlite:///lists.db") == url_of("lists.db")


@pytest.mark.parametrize(
    "given",
    ["shop:hidden@{}/none", "shop@{}/none?password=hidden", "shop@{}/none?sslpassword=hidden"],
)
def test_passwords_are_never_shown(given: str) -> None:
    store = Store.at(f"postgresql://{given.format('127.0.0.1:1')}")
    with pytest.raises(RecloakError) as refused:
        check_chain(store)
    assert "hidden" not in store.where
    assert "hidden" not in str(refused.value)


def test_files_that_are_no_store(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such store"):
        Store.at(str(tmp_path / "none.db"))
    (tmp_path / "text.db").write_text("these are no lists at all, but a text. " * 200)
    for use in (check_chain, lambda one: release_next(one, Shop(1).ratings(), protector())):
        with pytest.raises(InputError, match="is not a store"):
            use(Store.at(str(tmp_path / "text.db")))  # type: ignore[operator]


def test_a_new_store_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "lists.db"
    store, modes = Store.at(str(file), make=True), {}
    with store.writing():
        for path in tmp_path.iterdir():
            modes[path.name] = stat.S_IMODE(path.stat().st_mode)
    assert set(modes) >= {"lists.db", "lists.db-wal"}
    assert set(modes.values()) == {0o600}


def test_who_may_read_an_existing_store_stays_as_it_was_set(tmp_path: Path) -> None:
    file = tmp_path / "lists.db"
    file.touch(mode=0o640)
    file.chmod(0o640)
    with Store.at(str(file), make=True).writing():
        pass
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
