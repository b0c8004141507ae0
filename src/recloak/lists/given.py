"""Given lists: tables that a shop brings: its own scores, or lists as they were shown to people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from recloak.errors import InputError
from recloak.lists.own import labels_like, own_ranking, with_items
from recloak.lists.related import EMPTY, Lists
from recloak.lists.similarity import Ranked
from recloak.ratings import Ratings

MOST_SLOTS = 1000
_NAMES = ("item", "related", "release")


def read_given(path: str | Path) -> pl.DataFrame:
    """A CSV or Parquet file with a row for each pair; names are kept as texts."""
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
        raise InputError(f"is no table of lists: {first}", where=str(place)) from None


def by_release(table: pl.DataFrame) -> tuple[pl.DataFrame, ...]:
    """A table for each release, in the order in which they appear; one if none is named."""
    if "release" not in table.columns:
        return (table,)
    return tuple(table.partition_by("release", maintain_order=True))


@dataclass(frozen=True, eq=False)
class OwnLists:
    """What a shop's own recommender ranked: scores for each release, or the same for all."""

    tables: tuple[pl.DataFrame, ...]

    @classmethod
    def read(cls, path: str | Path) -> OwnLists:
        """From a file with the columns item, related and score, and release if there are more."""
        return cls(by_release(read_given(path)))

    def known_to(self, ratings: Ratings) -> Ratings:
        """The ratings with all items that are named; whoever rated one of them is in there."""
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
        return own_ranking(table, ratings, top, depth)

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
            said = " and ".join(sorted(columns)) if wanted == 2 else "slot or score"
            raise InputError(f"has no column {said}", where="lists")
    table = table if "slot" in table.columns else _by_score(table)
    slot = table["slot"].cast(pl.Int64, strict=False)
    if table["item"].null_count() or slot.null_count() or not len(table):
        raise InputError("a row lacks its item or its slot", where="lists")
    if not slot.is_between(1, MOST_SLOTS).all():
        raise InputError(f"a slot is not between 1 and {MOST_SLOTS:,}", where="lists")
    return _laid_out(table, slot)


def _by_score(table: pl.DataFrame) -> pl.DataFrame:
    """With slots; of equal scores the row that comes first is nearer."""
    score = pl.col("score").cast(pl.Float64, strict=False)
    if table.select(score.is_finite().all()).item() is not True:
        raise InputError("a score is no number", where="lists, column 'score'")
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
