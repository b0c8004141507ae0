"""Arrow and Feather: the IPC file and the IPC stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO

import polars as pl

from recloak.formats.arrow_stream import CONTINUATION, is_ended, messages
from recloak.formats.base import Format, Opened, Options
from recloak.formats.source import read_head
from recloak.formats.tables import RatingsTable, Table
from recloak.frames import to_polars
from recloak.ratings import Ratings

_FILE_MAGIC = b"ARROW1"
_ROWS = 1 << 20


class Arrow(Format):
    """Arrow IPC, as a file (Feather is the same) or a stream, columns under their usual names."""

    name = "arrow"
    summary = "Apache Arrow and Feather: IPC file or stream"
    suffixes = (".arrow", ".feather", ".ipc", ".arrows")
    text = False

    @classmethod
    def sniff(cls, path: Path, head: bytes) -> bool:
        return head.startswith((_FILE_MAGIC, CONTINUATION))

    @classmethod
    def open(cls, path: Path, options: Options) -> Opened:
        return ArrowRatings(path, options)

    @classmethod
    def write(cls, ratings: Ratings, file: IO[bytes], path: Path) -> None:
        frame = to_polars(ratings)
        if path.suffix.lower() == ".arrows":
            frame.write_ipc_stream(file)
        else:
            frame.write_ipc(file, compression="zstd", record_batch_size=_ROWS)


class ArrowTable(Table):
    """How an Arrow file or stream is read, whatever its columns mean."""

    kind = "Arrow"

    def schema_of_file(self) -> Mapping[str, pl.DataType]:
        self._is_file = read_head(self.path, len(_FILE_MAGIC)) == _FILE_MAGIC
        if self._is_file:
            return pl.read_ipc_schema(self.path)
        if not is_ended(self.path):
            self.notes.append("The Arrow stream has no end mark; it may have been cut short.")
        first = next(messages(self.path))
        return pl.read_ipc_stream(BytesIO(first)).schema

    def count(self) -> int | None:
        if not self._is_file:
            return None
        return int(pl.scan_ipc(self.path, glob=False).select(pl.len()).collect().item())

    def frames(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        if self._is_file:
            lazy = pl.scan_ipc(self.path, glob=False).select(names)
            return iter(lazy.collect_batches(maintain_order=True))
        return (pl.read_ipc_stream(BytesIO(part)).select(names) for part in messages(self.path))


class ArrowRatings(RatingsTable, ArrowTable):
    """An Arrow file or stream with a row for each rating."""
