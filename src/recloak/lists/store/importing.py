"""Importing: lists that people saw before protection was switched on, as the first releases."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from recloak.core.errors import InputError
from recloak.lists.external import by_release, public_lists
from recloak.lists.store.database import WAIT_SECONDS, no_store
from recloak.lists.store.night import EXTERNAL, now
from recloak.lists.store.records import START, ReleaseRecord, list_texts, lists_digest
from recloak.lists.store.safeguards import Safeguards
from recloak.lists.store.store import Store, StoreTransaction


def import_public(
    store: Store, table: pl.DataFrame, wait: float = WAIT_SECONDS, *, new: bool = False
) -> tuple[ReleaseRecord, ...]:
    """Write down what was public, whole or not at all; the releases after it are compared with it.

    ``table`` has item and related, slot or score, and release if there are several, oldest first.
    ``new``: they must be the first of their store.
    """
    parts = [_ListedPart.of(part) for part in by_release(table)]  # refused before a store is made
    with store.writing(wait) as transaction:
        records = transaction.records()
        Safeguards(new=new).check_first(records, store.where)
        if not records and not store.make:
            raise no_store(store.where)
        if any(record.protected for record in records):
            raise InputError(
                "holds protected releases already, which were not compared with these lists",
                where=store.where,
                hint="Import what was public before the first 'recloak lists release'.",
            )
        return tuple(_added(transaction, part) for part in parts)


class _ListedPart(NamedTuple):
    """One release as people saw it: the slots of a list, and each list as the store keeps it."""

    top: int
    texts: dict[str, str]

    @classmethod
    def of(cls, table: pl.DataFrame) -> _ListedPart:
        lists = public_lists(table)
        has_list = {str(name) for name in table["item"]}
        listed = [name in has_list for name in lists.item_labels]
        return cls(lists.top, list_texts(lists, listed))


def _added(transaction: StoreTransaction, part: _ListedPart) -> ReleaseRecord:
    records = transaction.records()
    record = ReleaseRecord(
        number=len(records),
        published_at=now(),
        protected=False,
        delta=None,
        window=1,
        top=part.top,
        algorithm="none",
        similarity=EXTERNAL,
        n_items=len(part.texts),
        n_ratings=0,
        ratings_digest="",
        lists_digest=lists_digest(part.texts),
    ).chained(records[-1].digest if records else START)
    transaction.add(record, part.texts)
    return record
