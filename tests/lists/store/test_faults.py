"""Databases that hang, and runs that meet: nobody waits for ever, and nothing is lost."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from recloak.core.errors import MachineError
from recloak.lists.store import database, night
from recloak.lists.store.checking import check_chain, verify_store
from recloak.lists.store.store import Store, StoreTransaction
from tests.lists.service.test_faults import stopped
from tests.lists.store.shop import Shop, protector, release_next
from tests.support.databases import emptied


def test_a_server_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_CONNECT_SECONDS", 2)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        store = Store.at(f"postgresql://shop@127.0.0.1:{mute.getsockname()[1]}/none")
        with pytest.raises(MachineError):
            release_next(store, Shop(1).ratings(), protector())


def test_a_server_that_hangs_in_a_transaction_is_given_up(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_MARGIN_SECONDS", 0.5)
    store = Store.at(emptied(postgresql), make=True)
    release_next(store, Shop(1).ratings(), protector())
    for transaction in (database.reading(store.engine, 1), database.writing(store.engine, 1)):
        monkeypatch.setattr(database, "_WRITE_SECONDS", 1)
        with pytest.raises(MachineError), transaction as connection, stopped(postgresql):
            connection.exec_driver_sql("SELECT 1")
    assert len(check_chain(store)) == 1


def test_a_statement_that_takes_too_long_is_ended_by_the_server(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_MARGIN_SECONDS", 600)  # not by us, however busy the machine is
    store = Store.at(emptied(postgresql), make=True)
    with pytest.raises(MachineError, match="timeout"), database.reading(store.engine, 1) as one:
        one.exec_driver_sql("SELECT pg_sleep(600)")


def test_a_window_may_take_longer_to_read_than_one_answer(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The releases of a long window are read one after the other; each has the time by itself."""
    store = Store.at(emptied(postgresql), make=True)
    record = release_next(store, Shop(1).ratings(), protector()).record
    monkeypatch.setattr(database, "_MARGIN_SECONDS", -597)  # the server's own limits stay long
    with database.reading(store.engine, 600) as connection:
        transaction = StoreTransaction(connection, store.where)
        for _ in range(6):
            time.sleep(0.7)
            assert transaction.texts(record)


def test_nothing_is_locked_while_lists_are_made(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run may publish meanwhile; lists are then made anew, against what it published."""
    store, shop = Store.at(url, make=True), Shop(1)
    nights = [shop.night() for _ in range(3)]
    release_next(store, nights[0], protector())
    protect, calls = night.protect, []

    def meeting(*given: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            other = Store.at(url)
            assert release_next(other, nights[1], protector(), wait=600).record.number == 1
        return protect(*given, **options)

    monkeypatch.setattr(night, "protect", meeting)
    assert release_next(store, nights[2], protector()).record.number == 2
    assert len(calls) == 3
    assert [one.status for one in verify_store(store, nights)] == ["holds"] * 3
