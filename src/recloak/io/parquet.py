"""Parquet: columns found by name, ids kept as they are typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import polars as pl

from recloak.core.frames import to_polars
from recloak.core.ratings import Ratings
from recloak.io._source import InputPath
from recloak.io._tables import RatingsTable, TypedTable
from recloak.io.base import Format, Opened
from recloak.io.options import ReadOptions

_MAGIC = b"PAR1"
_ROW_GROUP = 1 << 20


class Parquet(Format):
    """A Parquet file with columns user, item, rating and time under their usual names."""

    name = "parquet"
    summary = "Apache Parquet"
    suffixes = (".parquet",)
    text = False

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        return source.head.startswith(_MAGIC)

    @classmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        return ParquetRatings(source, options)

    @classmethod
    def write(cls, ratings: Ratings, file: IO[bytes], path: Path) -> None:
        to_polars(ratings).write_parquet(file, compression="zstd", row_group_size=_ROW_GROUP)


class ParquetTable(TypedTable):
    """How a Parquet file is read, whatever its columns mean."""

    kind = "Parquet"

    def schema_of_file(self, head: bytes) -> Mapping[str, pl.DataType]:
        return pl.read_parquet_schema(self.path)

    def count(self) -> int:
        return int(pl.scan_parquet(self.path, glob=False).select(pl.len()).collect().item())

    def frames(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        lazy = pl.scan_parquet(self.path, glob=False).select(names)
        return iter(lazy.collect_batches(maintain_order=True))


class ParquetRatings(RatingsTable, ParquetTable):
    """A Parquet file with a row for each rating."""
