"""Own lists: what any other recommender ranked, with the ratings that its supports come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from recloak.errors import InputError
from recloak.lists.related import EMPTY, Slots
from recloak.lists.similarity import Ranked
from recloak.ratings import Labels, Ratings

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


def own_ranking(scores: pl.DataFrame, ratings: Ratings, top: int, depth: int = 50) -> Ranked:
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
    code_of = {str(label): code for code, label in enumerate(ratings.item_labels)}
    codes = np.array([code_of.get(str(label), -1) for label in column], dtype=np.int64)
    if (codes < 0).any():
        unknown = column[int(np.argmin(codes))]
        raise InputError(
            f"'{unknown}' is no item of the ratings",
            where=f"scores, column '{name}'",
            hint="Lists of items that nobody rated need them among the ratings' items.",
        )
    return codes


def _refuse_odd_pairs(items: Any, related: Any, values: Any, ratings: Ratings) -> None:
    pairs = items * ratings.n_items + related
    ordered = np.sort(pairs)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not np.isfinite(values).all():
        raise InputError("a score is no number", where="scores, column 'score'")
    for wrong, said in ((pairs[items == related], "to itself"), (twice, "more than once")):
        if len(wrong):
            name = ratings.item_labels[int(wrong[0]) // ratings.n_items]
            raise InputError(f"item '{name}' is related {said}", where="scores")


def _in_rows(items: Any, related: Any, n_items: int, wide: int) -> Slots:
    counts = np.bincount(items, minlength=n_items)
    column = np.arange(len(items)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.full((n_items, wide), EMPTY, np.int32)
    fits = column < wide
    table[items[fits], column[fits]] = related[fits]
    return table
