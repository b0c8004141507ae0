"""Parts: a large Parquet table as a folder of files, each with the rows of one range of ids.

How many there are follows from the number of ratings alone, so that every engine writes the same.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from recloak.core.arrays import Integers
from recloak.core.errors import InputError
from recloak.core.files import digest_of
from recloak.core.randomness import PSEUDONYM_HIGH, PSEUDONYM_LOW
from recloak.releases.manifest import MANIFEST_NAME, FileEntry, Manifest

TABLE = "ratings.parquet"
READ_BACK = 1 << 21  # rows at a time


@dataclass(frozen=True)
class TableParts:
    """So many ranges of ids, all equally wide: random ids fill them equally."""

    ratings_per_part: ClassVar[int] = 1 << 24
    """About how many ratings a part holds; a table of no more is a single file."""
    count: int

    @classmethod
    def of(cls, n_ratings: int) -> TableParts:
        """The parts of a table with so many ratings."""
        return cls(max(1, -(-n_ratings // cls.ratings_per_part)))

    def edges(self) -> Integers:
        """The first id of each part, and the end of the last."""
        span = PSEUDONYM_HIGH - PSEUDONYM_LOW
        return np.array([PSEUDONYM_LOW + span * at // self.count for at in range(self.count + 1)])

    def part_of(self, ids: Integers) -> Integers:
        """The part that each id falls into."""
        return np.searchsorted(self.edges(), ids, side="right") - 1

    def path(self, folder: Path, at: int) -> Path:
        """The file of a part, or of the table if it has no parts."""
        return folder / TABLE if self.count == 1 else folder / TABLE / f"part-{at:05}.parquet"


def write_part(table: pl.DataFrame, path: Path) -> None:
    """Write a part, or a whole table, in the one canonical way."""
    path.parent.mkdir(exist_ok=True)
    table.write_parquet(path, compression="zstd", statistics=False)


def reads_back(table: pl.DataFrame, path: Path) -> bool:
    """Does a part hold what was to be written? It is read some rows at a time, to save memory."""
    stored = pl.scan_parquet(path)
    if stored.collect_schema() != table.schema or _height(stored) != table.height:
        return False
    return all(
        stored.slice(start, READ_BACK).collect().equals(table.slice(start, READ_BACK))
        for start in range(0, table.height, READ_BACK)
    )


def _height(stored: pl.LazyFrame) -> int:
    return int(stored.select(pl.len()).collect().item())


def files_of(folder: Path) -> Iterator[tuple[str, Path]]:
    """All files of a release in the order of their names; those of parts have a slash in them."""
    for path in sorted(folder.iterdir()):
        inside = sorted(path.iterdir()) if path.is_dir() and not path.is_symlink() else [path]
        for file in inside:
            yield file.relative_to(folder).as_posix(), file


def entries_of(folder: Path, besides: Container[str] = ()) -> dict[str, FileEntry]:
    """The size and the digest of each file, for a manifest."""
    return {
        name: FileEntry(bytes=path.stat().st_size, sha256=digest_of(path))
        for name, path in files_of(folder)
        if name not in besides
    }


def table_names(folder: Path) -> list[str]:
    """The names of what stands in a release folder; those of folders end in a slash."""
    return [f"{path.name}/" if path.is_dir() else path.name for path in folder.iterdir()]


def check_files(folder: Path, manifest: Manifest) -> None:
    """Raise `InputError` if the files of a folder are not exactly those of its manifest."""
    found = {name for name, _ in files_of(folder)} - {MANIFEST_NAME}
    listed = set(manifest.files)
    if found != listed:
        extra, missing = sorted(found - listed), sorted(listed - found)
        problems = [f"'{name}' is not in the manifest" for name in extra]
        problems += [f"'{name}' is missing" for name in missing]
        raise InputError("; ".join(problems), where=str(folder), hint="The release was edited.")
    for name, entry in manifest.files.items():
        if digest_of(folder / name) != entry.sha256:
            raise InputError(
                "does not match its digest in the manifest",
                where=str(folder / name),
                hint="The release was edited or damaged; get it again from whoever published it.",
            )
