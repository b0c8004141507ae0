"""The state that an extension starts from: all ratings, and the published row of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from recloak.core.arrays import Indices, Labels
from recloak.core.errors import InputError, SecretError
from recloak.core.frames import label_series, to_polars
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.releases.base import Release
from recloak.releases.linkage import row_codes
from recloak.releases.secret import Secret

ChangedRatings = Literal["refuse", "keep"]

_CELL = ["user", "item"]
_ONE = pl.lit(1.0, pl.Float32).alias("rating")


@dataclass(frozen=True)
class ExtensionState:
    """Ratings by person; ``row`` is the published row of each, -1 for those that are new.

    ``owners`` and ``founders`` tell of each published row whose it is and the item (code) that it
    was made around; ``names`` are the rows' pseudonyms.
    """

    ratings: Ratings
    row: Indices
    names: Labels
    owners: Indices
    founders: Indices


class NewCells(NamedTuple):
    """The ratings to add, as a table, and how many of the given ones are published already."""

    table: pl.DataFrame
    repeated: int
    kept: int


def published_cells(release: Release, secret: Secret) -> pl.DataFrame:
    """Every rating of a release with its person and the code of its row.

    Refused if the secret does not know each row of the release exactly once.
    """
    rows = release.as_ratings()
    codes = row_codes(rows.user_labels, secret.pseudonyms)
    owner = np.full(rows.n_users, -1, dtype=np.int64)
    owner[codes] = secret.owners
    if len(codes) != rows.n_users or (owner < 0).any():
        raise SecretError(
            f"knows {len(np.unique(codes)):,} of the {rows.n_users:,} rows of the release",
            hint="It is incomplete, or belongs to another release.",
        )
    people = label_series(secret.user_labels).gather(pl.Series(owner[rows.user_codes()]))
    return to_polars(rows).with_columns(people.alias("user"), pl.Series("row", rows.user_codes()))


def new_cells(
    given: Ratings, waiting: pl.DataFrame | None, published: pl.DataFrame, changed: ChangedRatings
) -> NewCells:
    """The given ratings and those that waited, without what is published already.

    A rating that was published, or waits to be, is never changed: one that says the same is
    skipped, one that says otherwise is refused, or skipped too if ``changed`` is keep.
    """
    table = to_polars(given)
    known = published.drop("row")
    if waiting is not None:
        known = pl.concat(alike([known, waiting]), how="diagonal")
    table, known = alike([table, known])
    met = table.join(known.select(*_CELL, pl.col("rating").alias("before")), on=_CELL)
    other = met.filter(pl.col("rating") != pl.col("before"))
    if other.height and changed == "refuse":
        first = other.sort(_CELL).row(0, named=True)
        raise InputError(
            f"{other.height:,} ratings were published before with another value, first user "
            f"{first['user']} item {first['item']}: {first['before']:g}, now {first['rating']:g}",
            hint="What was published is never changed. Leave them out, or say --changed keep.",
        )
    fresh = table.join(met.select(_CELL), on=_CELL, how="anti")
    if waiting is not None:
        fresh = pl.concat(alike([fresh, waiting]), how="diagonal")
    return NewCells(fresh, met.height - other.height, other.height)


def alike(tables: list[pl.DataFrame]) -> list[pl.DataFrame]:
    """Tables whose users and items have names of one kind: text, unless all are numbers.

    What was rated without a value is rated 1, as everywhere.
    """
    for column in _CELL:
        if any(table[column].dtype == pl.String for table in tables):
            tables = [table.with_columns(pl.col(column).cast(pl.String)) for table in tables]
    return [
        table.with_columns(pl.col("rating").cast(pl.Float32) if "rating" in table.columns else _ONE)
        for table in tables
    ]


def extension_state_of(
    release: Release, secret: Secret, published: pl.DataFrame, fresh: pl.DataFrame
) -> ExtensionState:
    """Published and new ratings by person."""
    rows = release.as_ratings()
    before, new = alike([published, fresh])
    whole = pl.concat([before, new.with_columns(pl.lit(-1, pl.Int32).alias("row"))], how="diagonal")
    ratings = Ratings.from_frame(whole.drop("row"), scale=Scale.parse(release.manifest.scale))
    user, item = (
        _codes(ratings.user_labels, whole["user"]),
        _codes(ratings.item_labels, whole["item"]),
    )
    row = whole["row"].to_numpy().astype(np.int64)[np.lexsort((item, user))]
    owners = np.full(rows.n_users, -1, dtype=np.int64)
    owners[row[row >= 0]] = ratings.user_codes()[row >= 0]
    return ExtensionState(
        ratings, row, rows.user_labels, owners, _founders(rows, secret, ratings, row)
    )


def _codes(labels: Labels, column: pl.Series) -> Indices:
    """The code of each name; ``labels`` are in order."""
    if column.dtype != pl.String:
        return np.searchsorted(labels, column.to_numpy()).astype(np.int64)
    return column.cast(pl.Enum(labels.tolist())).to_physical().to_numpy().astype(np.int64)


def _founders(rows: Ratings, secret: Secret, ratings: Ratings, row: Indices) -> Indices:
    """What each row was made around: as the secret says, else its rarest item."""
    if secret.founders is not None:
        found = np.empty(rows.n_users, dtype=np.int64)
        named = label_series(secret.founders)
        if ratings.item_labels.dtype == object:
            named = named.cast(pl.String)
        found[row_codes(rows.user_labels, secret.pseudonyms)] = _codes(ratings.item_labels, named)
        return found
    there = row >= 0
    support = np.bincount(ratings.items[there], minlength=ratings.n_items)
    rarity = np.argsort(np.argsort(support, kind="stable"), kind="stable")[ratings.items[there]]
    order = np.lexsort((rarity, row[there]))
    first = np.unique(row[there][order], return_index=True)[1]
    return ratings.items[there][order][first].astype(np.int64)
