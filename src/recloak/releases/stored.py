"""StoredRatings: a table of ratings that stays in its folder and is read a part at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import polars as pl

from recloak.core.arrays import Integers, Labels
from recloak.core.errors import InputError
from recloak.core.memory import require_memory
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.releases.base import KINDS, Counts, Release
from recloak.releases.manifest import Manifest
from recloak.releases.parts import TABLE, check_files, files_of
from recloak.releases.ratings import RatingsRelease

BYTES_PER_RATING = 60


@dataclass(frozen=True, repr=False)
class StoredRatings(Release):
    """A table of ratings on disk; only what is asked for is in memory."""

    kind: ClassVar[str] = "ratings"
    folder: Path

    @property
    def in_memory(self) -> type[RatingsRelease]:
        """What a release of its kind is where it is read as a whole."""
        kind = KINDS.get(self.manifest.kind)
        assert issubclass(kind, RatingsRelease)
        return kind

    @property
    def made_up(self) -> bool:  # type: ignore[override]
        return self.in_memory.made_up

    @property
    def row_word(self) -> str:  # type: ignore[override]
        return self.in_memory.row_word

    @classmethod
    def opened(cls, folder: Path) -> Self:
        """The release in a folder, its digests compared."""
        manifest = Manifest.read(folder)
        check_files(folder, manifest)
        return cls.read_tables(folder, manifest)

    @classmethod
    def read_tables(cls, folder: Path, manifest: Manifest) -> Self:
        return cls(manifest, folder)

    def as_ratings(self) -> Ratings:
        count = self.manifest.ratings
        require_memory(BYTES_PER_RATING * count, f"a release of {count:,} ratings")
        return self.in_memory.read_tables(self.folder, self.manifest).ratings

    def write_tables(self, folder: Path, table_format: str) -> None:
        """As what it holds is written from memory."""
        self.in_memory(self.manifest, self.as_ratings()).write_tables(folder, table_format)

    def parts(self) -> Iterator[Ratings]:
        for at in range(self.part_count):
            yield self.part(at)

    @property
    def part_count(self) -> int:
        """How many files the table has."""
        return len(self._paths())

    def part(self, at: int) -> Ratings:
        """The rows of one of the files."""
        return self._read(pl.scan_parquet(self._paths()[at]))

    def rows_called(self, names: Integers) -> Ratings:
        """Some of its rows, by their ids."""
        wanted = pl.Series(names).implode()
        parts = [pl.scan_parquet(path) for path in self._paths()]
        found = [part.filter(pl.col("user").is_in(wanted)).collect() for part in parts]
        return self._read(pl.concat(found).lazy())

    @cached_property
    def row_labels(self) -> Labels:
        ids = [
            pl.scan_parquet(path).select(pl.col("user").unique(maintain_order=True)).collect()
            for path in self._paths()
        ]
        return np.asarray(pl.concat(ids)["user"].to_numpy())

    @property
    def counts(self) -> Counts:
        items = pl.scan_parquet(self._paths()).select(pl.col("item").n_unique())
        ratings = pl.scan_parquet(self._paths()).select(pl.len())
        found = pl.collect_all([items, ratings], engine="streaming")
        return Counts(len(self.row_labels), *(int(one.item()) for one in found))

    def moved_to(self, folder: Path) -> Self:
        return replace(self, folder=folder)

    def same_tables(self, other: Release) -> bool:
        return isinstance(other, StoredRatings) and np.array_equal(
            self.row_labels, other.row_labels
        )

    def _paths(self) -> list[Path]:
        if self.manifest.encryption is not None:
            raise InputError(
                "is encrypted", where=str(self.folder), hint="Use open_release(…, parts_key=…)."
            )
        return [path for name, path in files_of(self.folder) if name.split("/")[0] == TABLE]

    def _read(self, table: pl.LazyFrame) -> Ratings:
        return Ratings.from_frame(table.collect(), scale=Scale.parse(self.manifest.scale))
