"""Parts: what is looked for part by part, so that a table need not be in memory as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from recloak.auditing.leak_scan._digits_check import odd_digits
from recloak.auditing.leak_scan._manifest_check import odd_times
from recloak.auditing.leak_scan._randomness_tests import ENOUGH_ROWS, ids_follow_rows
from recloak.core.arrays import Integers, Labels
from recloak.core.ratings import Ratings
from recloak.releases.base import Release
from recloak.releases.parts import TableParts


@dataclass(frozen=True)
class RowFacts:
    """What the rows of all parts tell: their names and lengths, all items, and the first traces."""

    row_labels: Labels
    user_counts: Integers
    items: frozenset[str]
    traces: dict[str, str | None]

    @classmethod
    def of(cls, release: Release) -> RowFacts:
        """One pass over all parts; a release in memory is one part."""
        labels: list[Labels] = []
        counts: list[Integers] = []
        items: set[str] = set()
        traces: dict[str, str | None] = dict.fromkeys(("times", "digits", "order of ids"))
        for rows in release.parts():
            labels.append(rows.user_labels)
            counts.append(rows.user_counts)
            items.update(map(str, rows.item_labels))
            for name, trace in _traces(rows, release).items():
                traces[name] = traces[name] or trace
        return cls(np.concatenate(labels), np.concatenate(counts), frozenset(items), traces)


def _traces(rows: Ratings, release: Release) -> dict[str, str | None]:
    original = release.manifest.row_ids == "original" or rows.n_users < ENOUGH_ROWS
    return {
        "times": odd_times(rows.times, release.manifest.times),
        "digits": odd_digits(rows, release.manifest),
        "order of ids": None if original else ids_follow_rows(rows),
    }


def odd_parts(folder: Path, n_ratings: int, names: list[str]) -> str | None:
    """A table has as many parts as its number of ratings asks for, each with its range of ids."""
    parts = TableParts.of(n_ratings)
    wanted = [parts.path(folder, at).relative_to(folder).as_posix() for at in range(parts.count)]
    if names != wanted:
        return f"a table of {n_ratings:,} ratings has other parts than these"
    edges = parts.edges()
    for at, name in enumerate(names):
        ids = pl.scan_parquet(folder / name).select(
            inside=pl.col("user").is_between(edges[at], edges[at + 1], closed="left").all()
        )
        if not ids.collect().item():
            return f"{name} holds rows of another range of ids"
    return None
