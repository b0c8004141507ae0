"""Showing: one list of a release."""

from __future__ import annotations

from recloak.errors import InputError
from recloak.store.keeping import Store
from recloak.store.records import Record


def list_of(store: Store, item: str, number: int | None = None) -> tuple[Record, str]:
    """The list of an item as it is kept, of the release in force or of an earlier one."""
    with store.reading() as kept:
        records = kept.records()
        if not records:
            raise InputError("holds no lists yet", where=store.where)
        wanted = records[-1].number if number is None else number
        if not 0 <= wanted < len(records):
            raise InputError(
                f"there is no release {wanted}",
                where=store.where,
                hint=f"There are those from 0 to {len(records) - 1}.",
            )
        if wanted in kept.rotated():
            raise InputError(f"the lists of release {wanted} were put away", where=store.where)
        texts = kept.texts(records[wanted])
    if item not in texts:
        raise InputError(f"there is no item called '{item}' in release {wanted}", where=store.where)
    return records[wanted], texts[item]
