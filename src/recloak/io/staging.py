"""Staging of files: ratings of any known format as blocks of people on disk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import polars as pl

from recloak.core.arrays import Values
from recloak.core.errors import InputError, ParameterError
from recloak.core.progress import SILENT, Progress
from recloak.core.scale import Scale
from recloak.core.staged_ratings import RatingsElsewhere, StagedRatings
from recloak.core.staged_ratings.staging import Stager
from recloak.io._collector import time_unit
from recloak.io._detection import open_sources
from recloak.io._inputs import inputs_of
from recloak.io._not_rated import RatedOnly, many_zeros, not_rated_note
from recloak.io._source import PACKED_ENDINGS, InputPath
from recloak.io._values import words_note
from recloak.io.base import Opened
from recloak.io.loading import Source, located, unchanged
from recloak.io.options import ReadOptions

__all__ = [
    "FileToRead",
    "StagedFile",
    "not_rated_note",
    "stage",
    "unit_of_times",
    "zeros_notes",
]
TEXT_BYTES = 20  # of a rating
PACKED = 4  # times as large unpacked, about


@dataclass(frozen=True)
class FileToRead:
    """A file, or files, whose ratings need not all be in memory, and how they are read."""

    paths: Source
    options: ReadOptions

    def estimated_ratings(self) -> int:
        """About how many ratings there are, by the sizes of files; 0 where these do not tell."""
        given = [self.paths] if isinstance(self.paths, str | Path) else self.paths
        return sum(_estimate(Path(one)) for one in given)


Staged = TypeVar("Staged", bound=RatingsElsewhere, covariant=True)


@dataclass(frozen=True)
class StagedFile(Generic[Staged]):
    """Ratings that are not in memory, and what was noticed on the way, as `Loaded` has it."""

    ratings: Staged
    dropped: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def stage(
    file: FileToRead, folder: Path, excluded: Iterable[Any], progress: Progress
) -> StagedFile[StagedRatings]:
    """Put the ratings of a file into ``folder``, without those of users who are ``excluded``.

    What is wrong in a file is refused as `recloak.io.load` refuses it.
    """
    chosen = file.options.settled()
    if chosen.most_rated is not None:
        raise ParameterError(
            "needs all ratings in memory",
            where="--most-rated",
            hint="Use --engine memory, or leave it out.",
        )
    with inputs_of(file.paths) as inputs:
        return _staged(inputs, chosen, folder, list(excluded), progress)


def _staged(
    inputs: Sequence[InputPath],
    chosen: ReadOptions,
    folder: Path,
    excluded: list[Any],
    progress: Progress,
) -> StagedFile[StagedRatings]:
    _, opened = open_sources(inputs, chosen)
    if chosen.not_rated is not None:
        opened = RatedOnly(opened, chosen.not_rated)
    given = chosen.scale or opened.scale
    scale = Scale.parse(given) if isinstance(given, str) else given
    how = opened.duplicates_by(chosen.duplicates)
    stager = Stager(folder)

    def positions(user: Any, item: Any) -> list[int]:
        return _positions(opened, stager, user, item)

    with unchanged(opened), located(opened, positions):
        for batch in opened.batches(progress):
            stager.add(batch.users, batch.items, batch.values, batch.times, scale)
        if stager.count == 0:
            raise InputError("there are no ratings", where=str(opened.path))
        unit, in_seconds = unit_of_times(stager.latest, dated=opened.dated)
        staged = stager.staged(scale, how, excluded, progress, time_unit=unit)
    notes = [*opened.notes, *in_seconds, *words_note(chosen)]
    if stager.repeated:
        notes.append(opened.merged(stager.repeated, how))
    if chosen.not_rated is None and scale is None:
        notes.extend(zeros_notes(staged, staged.levels, staged.zeros))
    return StagedFile(staged, opened.dropped, opened.personal, tuple(notes))


def unit_of_times(latest: int, *, dated: bool) -> tuple[int, tuple[str, ...]]:
    """By what times are divided to be seconds, and a note if by anything; dates are seconds."""
    return (1, ()) if dated else time_unit(latest)


def zeros_notes(ratings: RatingsElsewhere, levels: Values, zeros: int) -> tuple[str, ...]:
    """A note if so many ``zeros`` may mean "not rated"; ``levels`` are the values that occur."""
    return many_zeros(zeros, ratings.n_ratings, levels[levels != 0], ratings.scale)


def _estimate(path: Path) -> int:
    if path.is_dir():
        return sum(_estimate(one) for one in path.iterdir() if one.is_file())
    if not path.is_file():
        return 0
    if path.suffix == ".parquet":
        try:
            return int(pl.scan_parquet(path).select(pl.len()).collect().item())
        except pl.exceptions.PolarsError:
            return 0
    return path.stat().st_size * (PACKED if path.suffix in PACKED_ENDINGS else 1) // TEXT_BYTES


def _positions(opened: Opened, stager: Stager, user: Any, item: Any) -> list[int]:
    """The positions of the first two ratings of an item by a user: the file is read again."""
    from_users, from_items = stager.users.code_of(user), stager.items.code_of(item)
    found: list[int] = []
    before = 0
    for batch in opened.batches(SILENT):
        users, items = stager.users.codes(batch.users), stager.items.codes(batch.items)
        found += (before + np.flatnonzero((users == from_users) & (items == from_items))).tolist()
        before += len(users)
    return found[:2]
