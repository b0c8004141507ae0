"""Spill: records that wait on disk, in a file for each bucket, until the bucket is read."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import offsets_from
from recloak.core.files import machine_errors

Records = NDArray[np.void]


class Spill:
    """Files of records of one type; those of a bucket stay in the order in which they came."""

    def __init__(self, folder: Path, buckets: int, dtype: np.dtype[np.void]) -> None:
        self._folder, self.buckets, self.dtype = folder, buckets, dtype
        self._open: dict[int, IO[bytes]] = {}
        self._closing = ExitStack()
        with machine_errors(folder):
            folder.mkdir(mode=0o700)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def add(self, bucket: NDArray[np.integer[Any]], records: Records) -> None:
        """More records, each for its bucket."""
        small = bucket.astype(np.uint16)  # sorted digit by digit, which is faster
        order = np.argsort(small, kind="stable")
        ends = offsets_from(np.bincount(small, minlength=self.buckets))
        sorted_records = records[order]
        with machine_errors(self._folder):
            for at in np.flatnonzero(np.diff(ends)).tolist():
                self._file(at).write(sorted_records[ends[at] : ends[at + 1]].tobytes())

    def finish(self) -> None:
        """All that was added is in the files."""
        with machine_errors(self._folder):
            self._closing.close()
        self._open = {}

    def read(self, bucket: int) -> Records:
        """The records of a bucket, after `finish`."""
        path = self._path(bucket)
        return np.fromfile(path, self.dtype) if path.exists() else np.empty(0, self.dtype)

    def drop(self, bucket: int) -> None:
        """Give the room of a bucket back."""
        self._path(bucket).unlink(missing_ok=True)

    def _file(self, bucket: int) -> IO[bytes]:
        if bucket not in self._open:
            file = self._closing.enter_context(self._path(bucket).open("ab"))
            self._open[bucket] = file
        return self._open[bucket]

    def _path(self, bucket: int) -> Path:
        return self._folder / f"{bucket:05}"
