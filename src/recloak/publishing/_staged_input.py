"""What is put on disk in blocks before it is published: ratings, or a file of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from recloak.core.arrays import Codes, Labels
from recloak.core.frames import label_series
from recloak.core.id_encoder import Ids, ids_of
from recloak.core.parallel import row_blocks
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import StagedRatings
from recloak.core.staged_ratings.staging import Stager
from recloak.io.staging import FileToRead, StagedFile, stage

BYTES_TO_READ = 40  # a rating while it is read and put in order
RATINGS_AT_A_TIME = 1_000_000


def name_of(source: FileToRead | Ratings) -> str:
    """What the data are called, if nobody says."""
    path = source.paths if isinstance(source, FileToRead) else None
    return Path(path).name if isinstance(path, str | Path) else ""


def staged_from(
    source: FileToRead | Ratings, folder: Path, excluded: Sequence[Any], progress: Progress
) -> StagedFile[StagedRatings]:
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
