"""Importing: lists that people saw before protection was switched on, as the first releases."""

from __future__ import annotations

import polars as pl

from recloak.core.errors import InputError
from recloak.lists.external import by_release, public_lists
from recloak.lists.store.database import WAIT_SECONDS, no_store
from recloak.lists.store.night import EXTERNAL, now
from recloak.lists.store.records import START, ReleaseRecord, list_texts, lists_digest
from recloak.lists.store.store import Store, StoreTransaction


def import_public(
    store: Store, table: pl.DataFrame, wait: float = WAIT_SECONDS
) -> tuple[ReleaseRecord, ...]:
    """Write down what was public, whole or not at all; the releases after it are compared with it.

    ``table`` has item and related, slot or score, and release if there are several, oldest first.
    """
    with store.writing(wait) as transaction:
        records = transaction.records()
        if not records and not store.make:
            raise no_store(store.where)
        if any(record.protected for record in records):
            raise InputError(
                "holds protected releases already, which were not compared with these lists",
                where=store.where,
                hint="Import what was public before the first 'recloak lists release'.",
            )
        return tuple(_added(transaction, part) for part in by_release(table))


def _added(transaction: StoreTransaction, table: pl.DataFrame) -> ReleaseRecord:
    lists = public_lists(table)
    has_list = {str(name) for name in table["item"]}
    texts = list_texts(lists, [name in has_list for name in lists.item_labels])
    records = transaction.records()
    record = ReleaseRecord(
        number=len(records),
        published_at=now(),
        protected=False,
        delta=None,
        window=1,
        top=lists.top,
        algorithm="none",
        similarity=EXTERNAL,
        n_items=len(texts),
        n_ratings=0,
        ratings_digest="",
        lists_digest=lists_digest(texts),
    ).chained(records[-1].digest if records else START)
    transaction.add(record, texts)
    return record
