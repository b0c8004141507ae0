"""What is handed over for publication: ratings, a frame that holds them, or a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from recloak.core.arrays import Codes, Labels
from recloak.core.columns import find_columns
from recloak.core.errors import InputError, ParameterError
from recloak.core.frames import as_polars, label_series
from recloak.core.id_encoder import Ids, ids_of
from recloak.core.parallel import row_blocks
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.staging import Stager
from recloak.io import load
from recloak.io.staging import FileToRead, StagedFile, stage

BYTES_TO_READ = 40  # a rating while it is read and put in order
RATINGS_AT_A_TIME = 1_000_000


class Given(NamedTuple):
    """Ratings, the columns that were left out on the way, and what the data are called."""

    ratings: Ratings
    left_out: Sequence[str] = ()
    name: str = ""

    @classmethod
    def of(cls, source: Any, progress: Progress) -> Given:
        """From whatever holds ratings; `ParameterError` for what holds none."""
        if isinstance(source, Ratings):
            return cls(source)
        if isinstance(source, str | Path):
            loaded = load(source, progress=progress)
            left_out = dict.fromkeys((*loaded.dropped, *loaded.personal))
            return cls(loaded.ratings, list(left_out), Path(source).name)
        if isinstance(source, Mapping | Sequence):
            raise _no_ratings(source)
        try:
            frame = as_polars(source)
        except InputError:
            raise _no_ratings(source) from None
        return cls(Ratings.from_frame(frame), find_columns(frame.columns, {}).dropped)


def name_of(source: FileToRead | Ratings) -> str:
    """What the data are called, if nobody says."""
    path = source.paths if isinstance(source, FileToRead) else None
    return Path(path).name if isinstance(path, str | Path) else ""


def staged_from(
    source: FileToRead | Ratings, folder: Path, excluded: Sequence[Any], progress: Progress
) -> StagedFile:
    """The ratings in blocks on disk, in ``folder``, without those of the ``excluded``."""
    if isinstance(source, FileToRead):
        return stage(source, folder, excluded, progress)
    stager = Stager(folder)
    scale = None if source.scale_inferred else source.scale
    for start, end in row_blocks(source.offsets, RATINGS_AT_A_TIME):
        rows = source.take_users(np.arange(start, end))
        users = _ids(rows.user_labels, rows.user_codes())
        items = _ids(rows.item_labels, rows.items)
        values = None if rows.scale.implicit else rows.values
        stager.add(users, items, values, rows.times, scale)
    return StagedFile(stager.staged(scale, "error", excluded, progress))


def _ids(labels: Labels, codes: Codes) -> Ids:
    column = label_series(labels).gather(pl.Series(codes))
    return ids_of(column)


def _no_ratings(source: Any) -> ParameterError:
    return ParameterError(
        f"a {type(source).__name__} holds no ratings that could be published",
        where="publish",
        hint="Give what recloak.read returns, a Polars, pandas or Arrow table with columns such as "
        "user, item and rating, or the path of a file.",
    )
