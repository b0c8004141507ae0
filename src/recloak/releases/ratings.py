"""RatingsRelease: a table with a row for each rating, in one file or in parts by ranges of ids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import polars as pl

from recloak.core.frames import to_polars
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.io import read
from recloak.io.csv import write_csv
from recloak.releases.base import Release
from recloak.releases.manifest import Manifest
from recloak.releases.parts import TableParts, write_part


@dataclass(frozen=True, repr=False)
class RatingsRelease(Release):
    """A table of ratings.

    Rows are in the order of their pseudonyms, then of their items: an order that follows from
    what is published and so tells nothing more. A Parquet table of many ratings under random ids is
    a folder of parts.
    """

    kind: ClassVar[str] = "ratings"
    ratings: Ratings

    def as_ratings(self) -> Ratings:
        return self.ratings

    def write_tables(self, folder: Path, table_format: str) -> None:
        if table_format == "csv":
            with (folder / "ratings.csv").open("wb") as file:
                write_csv(self.ratings, file, ",")
            return
        split = self.manifest.row_ids == "random"
        parts = TableParts.of(self.ratings.n_ratings if split else 0)
        for at, rows in enumerate(self._parts(parts)):
            write_part(to_polars(rows), parts.path(folder, at))

    def _parts(self, parts: TableParts) -> Iterator[Ratings]:
        if parts.count == 1:
            yield self.ratings
            return
        edges = np.searchsorted(self.ratings.user_labels, parts.edges())
        for start, end in pairwise(edges):
            yield self.ratings.take_users(np.arange(start, end))

    @classmethod
    def read_tables(cls, folder: Path, manifest: Manifest) -> Self:
        parquet, text = folder / "ratings.parquet", folder / "ratings.csv"
        scale = Scale.parse(manifest.scale)
        if parquet.exists():
            return cls(manifest, Ratings.from_frame(pl.read_parquet(parquet), scale=scale))
        return cls(manifest, read(text, format="csv", scale=scale))
