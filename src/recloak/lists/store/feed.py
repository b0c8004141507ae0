"""Feed: purchases from a table or query of the store's own database, in place of a file.

Where the rows have a time or a number that only grows, each night reads those that are new; what
was read before is kept in the store, encrypted. Rows that share the last value are read again: more
of them may come, such as those of a day that is not over.
"""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass

import numpy as np
import polars as pl

from recloak.core.errors import InputError, ParameterError
from recloak.core.ratings import Ratings
from recloak.lists.store._feed_rows import COLUMNS, Last, new_rows
from recloak.lists.store.database import WAIT_SECONDS
from recloak.lists.store.records import ReleaseRecord
from recloak.lists.store.store import FEED, Store

RULES = {
    "last": "the last row counts; of those with the same value of --since, the highest rating",
    "max": "the highest rating counts",
    "count": "how often they bought it is the rating",
    "any": "that they bought it counts as 1",
}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)?")
_FORM = 3  # of what is kept; what was kept in another is read anew


@dataclass(frozen=True)
class Feed:
    """Where purchases are: ``query`` gives user, item and, unless they are counted, a rating.

    ``since`` names a further column that only grows, by which new rows are told from old ones.
    ``rule`` says what several rows of one person and item mean.
    """

    query: str
    rule: str = "last"
    since: str | None = None

    @classmethod
    def of(cls, source: str, rule: str, since: str | None) -> Feed:
        """From sql:SELECT … or table:NAME."""
        kind, _, rest = source.partition(":")
        rest = rest.strip().rstrip(";")
        if kind == "table" and _NAME.fullmatch(rest):
            rest = f"SELECT * FROM {rest}"
        elif kind != "sql" or not rest.lower().startswith(("select", "with")):
            raise ParameterError(
                "must be sql:SELECT … or table:NAME",
                where=f"--from {source}",
                hint="The first columns are the person, the item and the rating, if there is one.",
            )
        if since is not None and not _NAME.fullmatch(since):
            raise ParameterError("is not the name of a column", where=f"--since {since}")
        if rule not in RULES:
            raise ParameterError(
                f"there is no rule '{rule}'", where="--merge", hint=", ".join(RULES)
            )
        return cls(rest, rule, since)

    @property
    def recipe(self) -> str:
        """What was read before counts only if it was read in the same way."""
        return json.dumps([self.query, self.rule, self.since, _FORM])


@dataclass(frozen=True)
class FeedRead:
    """What a feed gave: the ratings, how many rows were new, and what the next night needs."""

    ratings: Ratings
    n_rows: int
    kept: bytes | None


def read_feed(store: Store, feed: Feed, *, anew: bool = False) -> FeedRead:
    """Read what is new since the last night (``anew``: everything) and merge it by the rule."""
    before, last = (None, None) if anew or feed.since is None else _kept(store, feed)
    read = new_rows(store, feed, last)
    settled = _merged(before, read.table[: read.n_settled], feed.rule)
    merged = _merged(settled, read.table[read.n_settled :], feed.rule)
    if not len(merged):
        raise InputError("the query gives no rows", where="--from")
    ratings = Ratings.from_columns(*(_plain(merged[name]) for name in COLUMNS))
    kept = None if feed.since is None else _packed(feed, settled, read.last)
    return FeedRead(ratings, len(read.table), kept)


def keep_feed(
    store: Store, read: FeedRead, record: ReleaseRecord, wait: float = WAIT_SECONDS
) -> None:
    """Keep what was read for the next night, encrypted with the key of the release."""
    sealed = None if read.kept is None else store.key(record.key_name).sealed(read.kept)
    with store.writing(wait) as transaction:
        transaction.set_memory(FEED, sealed)


def _kept(store: Store, feed: Feed) -> tuple[pl.DataFrame | None, Last]:
    """The rows of the nights before, and the last value of the growing column."""
    with store.reading_if_any() as transaction:
        if transaction is None:
            return None, None
        records, sealed = transaction.records(), transaction.memory(FEED)
    name = next((one.key_name for one in reversed(records) if one.key_name), None)
    content = store.key(name).opened(sealed) if sealed is not None and name else None
    if content is None:
        return None, None
    head, _, table = content.partition(b"\n")
    facts = json.loads(head)
    if facts["recipe"] != feed.recipe:
        return None, None
    return pl.read_ipc(io.BytesIO(table)), facts["last"]


def _packed(feed: Feed, merged: pl.DataFrame, last: Last) -> bytes:
    content = io.BytesIO()
    merged.write_ipc(content, compression="zstd")
    head = json.dumps({"recipe": feed.recipe, "last": last})
    return head.encode() + b"\n" + content.getvalue()


def _merged(before: pl.DataFrame | None, rows: pl.DataFrame, rule: str) -> pl.DataFrame:
    """One row for each person and item."""
    if rule in ("count", "any"):
        rows = rows.with_columns(value=pl.lit(1.0))
    together = rows if before is None else pl.concat([before, rows])
    value = pl.col("value")
    merged = {"last": value.last(), "max": value.max(), "count": value.sum(), "any": value.max()}
    return together.group_by("user", "item", maintain_order=True).agg(merged[rule])


def _plain(column: pl.Series) -> np.ndarray:
    """Names that are all whole numbers as such, as from a file."""
    if column.dtype != pl.String:
        return column.to_numpy()
    whole = column.cast(pl.Int64, strict=False)
    same = not whole.null_count() and (whole.cast(pl.String) == column).all()
    return whole.to_numpy() if same else np.array(column.to_list(), dtype=object)
