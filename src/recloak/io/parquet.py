"""Parquet: columns found by name, ids kept as they are typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import polars as pl
from polars.io.plugins import register_io_source

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
    by_blocks = True
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

    @classmethod
    def write_blocks(cls, blocks: Iterator[Ratings], file: IO[bytes], path: Path) -> None:
        first, stopped = to_polars(next(blocks)), list[BaseException]()

        def frames(*_: Any) -> Iterator[pl.DataFrame]:
            try:
                yield first
                yield from map(to_polars, blocks)
            except BaseException as reason:  # of which polars would make an error of its own
                stopped.append(reason)
                raise

        lazy = register_io_source(frames, schema=first.schema)
        try:
            lazy.sink_parquet(file, compression="zstd", row_group_size=_ROW_GROUP)
        except Exception:
            if stopped:
                raise stopped[0] from None
            raise


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
