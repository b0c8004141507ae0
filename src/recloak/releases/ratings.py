"""RatingsRelease: a table with a row for each rating."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import polars as pl

from recloak.core.frames import to_polars
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.io import read
from recloak.io.csv import write_csv
from recloak.releases.base import Release
from recloak.releases.manifest import Manifest


@dataclass(frozen=True, repr=False)
class RatingsRelease(Release):
    """A table of ratings.

    Rows are in the order of their pseudonyms, then of their items: an order that follows from
    what is published and so tells nothing more.
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
        table = to_polars(self.ratings)
        table.write_parquet(folder / "ratings.parquet", compression="zstd", statistics=False)

    @classmethod
    def read_tables(cls, folder: Path, manifest: Manifest) -> Self:
        parquet, text = folder / "ratings.parquet", folder / "ratings.csv"
        scale = Scale.parse(manifest.scale)
        if parquet.exists():
            return cls(manifest, Ratings.from_frame(pl.read_parquet(parquet), scale=scale))
        return cls(manifest, read(text, format="csv", scale=scale))
