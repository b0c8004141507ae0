"""External lists: tables from another recommender, with its scores or with lists as shown."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from recloak.core.arrays import Labels, code_by_name, places_within
from recloak.core.errors import InputError
from recloak.core.ratings import Ratings
from recloak.recommenders.similarity import Ranked
from recloak.releases.lists.related import EMPTY, Lists, Slots

COLUMNS = ("item", "related", "score")


def with_items(ratings: Ratings, labels: Iterable[Any]) -> Ratings:
    """The ratings with further items that nobody rated, behind the others."""
    known = {str(label) for label in ratings.item_labels}
    further = [label for label in dict.fromkeys(labels) if str(label) not in known]
    if not further:
        return ratings
    whole = np.issubdtype(ratings.item_labels.dtype, np.integer) and all(
        isinstance(label, int | np.integer) for label in further
    )
    joined: Labels = np.array([*ratings.item_labels, *further], np.int64 if whole else object)
    return replace(ratings, item_labels=joined)


def labels_like(ratings: Ratings, names: Iterable[str]) -> list[Any]:
    """Names as labels of the kind that the ratings have."""
    whole = np.issubdtype(ratings.item_labels.dtype, np.integer)
    return [int(name) if whole and _is_whole(name) else name for name in names]


def _is_whole(name: str) -> bool:
    return name.lstrip("-").isdecimal() and name.isascii() and str(int(name)) == name


def external_ranking(scores: pl.DataFrame, ratings: Ratings, top: int, depth: int = 50) -> Ranked:
    """The ``top`` related items of each item by score, and ``depth`` candidates behind them.

    ``scores`` has the columns item, related and score; of equal scores the item that comes first
    among those of the ratings is nearer. Only positive scores count.
    """
    missing = [name for name in COLUMNS if name not in scores.columns]
    if missing:
        raise InputError(
            f"has no column {', '.join(missing)}",
            where="scores",
            hint="One row for each pair: item, related, score.",
        )
    items, related = (_codes(scores[name], ratings, name) for name in ("item", "related"))
    values = scores["score"].cast(pl.Float64, strict=False).to_numpy()
    _refuse_odd_pairs(items, related, values, ratings)
    kept = values > 0
    order = np.lexsort((related[kept], -values[kept], items[kept]))
    ranked = _in_rows(items[kept][order], related[kept][order], ratings.n_items, top + depth)
    return Ranked(np.ascontiguousarray(ranked[:, :top]), ranked)


def _codes(column: pl.Series, ratings: Ratings, name: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    code_of = code_by_name(ratings.item_labels)
    codes = np.array([code_of.get(str(label), -1) for label in column], dtype=np.int64)
    if (codes < 0).any():
        unknown = column[int(np.argmin(codes))]
        raise InputError(
            f"'{unknown}' is not an item of the ratings",
            where=f"scores, column '{name}'",
            hint="An item with a list must also be an item of the ratings, even if nobody rated "
            "it.",
        )
    return codes


def _refuse_odd_pairs(items: Any, related: Any, values: Any, ratings: Ratings) -> None:
    pairs = items * ratings.n_items + related
    ordered = np.sort(pairs)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not np.isfinite(values).all():
        raise InputError("a score is not a number", where="scores, column 'score'")
    for wrong, fault in ((pairs[items == related], "to itself"), (twice, "more than once")):
        if len(wrong):
            name = ratings.item_labels[int(wrong[0]) // ratings.n_items]
            raise InputError(f"item '{name}' is related {fault}", where="scores")


def _in_rows(items: Any, related: Any, n_items: int, wide: int) -> Slots:
    counts = np.bincount(items, minlength=n_items)
    column = places_within(counts)
    table = np.full((n_items, wide), EMPTY, np.int32)
    fits = column < wide
    table[items[fits], column[fits]] = related[fits]
    return table


MOST_SLOTS = 1000
_NAMES = ("item", "related", "release")


def read_list_table(path: str | Path) -> pl.DataFrame:
    """Read a CSV or Parquet file with a row for each pair; names stay text."""
    place = Path(path)
    if not place.is_file():
        raise InputError("there is no such file", where=str(place))
    try:
        if place.suffix == ".parquet":
            table = pl.read_parquet(place)
        else:
            table = pl.read_csv(place, schema_overrides=dict.fromkeys(_NAMES, pl.String))
        named = [name for name in _NAMES if name in table.columns]
        return table.with_columns(pl.col(named).cast(pl.String))
    except (pl.exceptions.PolarsError, OSError) as problem:
        first = str(problem).splitlines()[0]
        raise InputError(f"is not a table of lists: {first}", where=str(place)) from None


def by_release(table: pl.DataFrame) -> tuple[pl.DataFrame, ...]:
    """A table for each release, in the order in which they appear; one if none is named."""
    if "release" not in table.columns:
        return (table,)
    return tuple(table.partition_by("release", maintain_order=True))


@dataclass(frozen=True, eq=False)
class ExternalLists:
    """What another recommender ranked: scores for each release, or the same for all."""

    tables: tuple[pl.DataFrame, ...]

    @classmethod
    def read(cls, path: str | Path) -> ExternalLists:
        """From a file with the columns item, related and score, and release if there are more."""
        return cls(by_release(read_list_table(path)))

    def known_to(self, ratings: Ratings) -> Ratings:
        """The ratings, with all items that the tables name."""
        columns = [
            table[name].drop_nulls().unique(maintain_order=True).to_list()
            for table in self.tables
            for name in ("item", "related")
            if name in table.columns
        ]
        named = [name for column in columns for name in column]
        return with_items(ratings, labels_like(ratings, map(str, named)))

    def ranked(self, place: int, ratings: Ratings, top: int, depth: int) -> Ranked:
        """The ranking of the release at ``place``, in the codes of the ratings."""
        table = self.tables[place if len(self.tables) > 1 else 0]
        return external_ranking(table, ratings, top, depth)

    def digest(self, key: bytes) -> str:
        """A digest of all pairs and scores, with a key."""
        total = hashlib.blake2b(digest_size=32, key=key)
        for table in self.tables:
            named = [name for name in COLUMNS if name in table.columns]
            total.update(table.select(named).sort(named).write_csv().encode())
        return total.hexdigest()

    def refuse_other_count(self, n_releases: int) -> None:
        """There must be one table, or one for each release."""
        if len(self.tables) not in (1, n_releases):
            raise InputError(
                f"has {len(self.tables)} releases, but {n_releases} are made",
                where="lists, column 'release'",
                hint="Choose --start, --gap and --releases so that they fit, or name no release.",
            )


def public_lists(table: pl.DataFrame) -> Lists:
    """Lists as they were shown: by slot, counted from 1, or the highest score first.

    A slot that is not named, or whose item is null, was empty.
    """
    for wanted, columns in ((2, {"item", "related"}), (1, {"slot", "score"})):
        if len(columns & set(table.columns)) < wanted:
            missing = " and ".join(sorted(columns)) if wanted == 2 else "slot or score"
            raise InputError(f"has no column {missing}", where="lists")
    if not len(table):
        raise InputError("has no rows", where="lists")
    table = table if "slot" in table.columns else _by_score(table)
    if table["item"].null_count() or table["slot"].null_count():
        raise InputError("a row lacks its item or its slot", where="lists")
    return _laid_out(table, _whole_slots(table["slot"]))


def _whole_slots(given: pl.Series) -> pl.Series:
    """Slots as whole numbers, whatever they were read as; 1.7 is none."""
    number = given.cast(pl.String).cast(pl.Float64, strict=False)  # true is no number
    odd = ((number != number.round()) | ~number.is_finite()).fill_null(True)
    if odd.any():
        first = given.filter(odd)[0]
        raise InputError(f"'{first}' is not a slot: slots are whole numbers from 1", where="lists")
    if not number.is_between(1, MOST_SLOTS).all():
        raise InputError(f"a slot is not between 1 and {MOST_SLOTS:,}", where="lists")
    return number.cast(pl.Int64)


def _by_score(table: pl.DataFrame) -> pl.DataFrame:
    """With slots; of equal scores the row that comes first is nearer."""
    score = pl.col("score").cast(pl.Float64, strict=False)
    if table.select(score.is_finite().all()).item() is not True:
        raise InputError("a score is not a number", where="lists, column 'score'")
    ordered = table.with_columns(score).sort("score", descending=True, maintain_order=True)
    return ordered.with_columns(slot=pl.int_range(pl.len()).over("item") + 1)


def _laid_out(table: pl.DataFrame, slot: pl.Series) -> Lists:
    named = pl.concat([table["item"], table["related"].drop_nulls()]).unique().sort()
    code_of = {name: code for code, name in enumerate(named)}
    items = np.array([code_of[name] for name in table["item"]])
    places = slot.to_numpy() - 1
    if len(np.unique(items * MOST_SLOTS + places)) < len(table):
        raise InputError("a list has a slot twice", where="lists")
    slots = np.full((len(named), int(places.max()) + 1), EMPTY, np.int32)
    slots[items, places] = [EMPTY if name is None else code_of[name] for name in table["related"]]
    return Lists(slots, np.array(named.to_list(), dtype=object))
