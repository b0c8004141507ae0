"""Writing surveys: a row for each respondent, an empty cell where there is no answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.core.errors import InputError, ParameterError
from recloak.core.frames import label_series
from recloak.core.kernels.layout import expand
from recloak.core.memory import require_memory
from recloak.core.ratings import Ratings
from recloak.io._source import plain_name
from recloak.io.csv import all_whole, quoted_label, quoted_labels

CELLS_PER_BLOCK = 1 << 22
_ID_NAMES = ("respondent", "respondent id", "id")


def write_survey(
    ratings: Ratings, file: IO[bytes], path: Path, *, cells_per_block: int = CELLS_PER_BLOCK
) -> None:
    """As CSV, TSV, Parquet or Arrow, by the ending of the name.

    Text is written a block of respondents at a time, of about ``cells_per_block`` cells.
    """
    name = plain_name(path).lower()
    if ratings.times is not None:
        raise InputError(
            "a survey has no place for times",
            hint="Write the long layout, or leave the times out.",
        )
    if "" in ratings.item_labels.tolist():
        raise InputError("an item without a name cannot be a column", hint="Rename it.")
    if name.endswith((".csv", ".tsv", ".txt")):
        _write_text(ratings, file, "\t" if name.endswith(".tsv") else ",", cells_per_block)
    elif name.endswith((".parquet", ".arrow", ".feather", ".ipc")):
        _write_table(ratings, file, parquet=name.endswith(".parquet"))
    else:
        raise ParameterError(
            f"a survey is not written to files that end in '{path.suffix}'",
            where=str(path),
            hint="End the name with .csv, .tsv, .parquet or .arrow.",
        )


def _write_text(ratings: Ratings, file: IO[bytes], separator: str, cells_per_block: int) -> None:
    names = [_id_name(ratings), *_text_names(ratings, separator)]
    file.write((separator.join(names) + "\n").encode())
    ids = label_series(quoted_labels(ratings.user_labels, separator))
    whole = all_whole(ratings.values)
    for first, last in _blocks(ratings, cells_per_block):
        answers = {
            str(place): column.cast(pl.Int32) if whole else column
            for place, column in enumerate(_columns(ratings, first, last))
        }
        frame = pl.DataFrame({"id": ids[first:last], **answers})
        frame.write_csv(file, include_header=False, separator=separator, quote_style="never")


def _write_table(ratings: Ratings, file: IO[bytes], *, parquet: bool) -> None:
    require_memory(8 * ratings.n_users * ratings.n_items, "the wide layout of these ratings")
    if ratings.item_labels.dtype == object and all(map(_looks_whole, ratings.item_labels)):
        raise InputError(
            "all items are text that looks like numbers, which names of columns cannot tell apart",
            hint="Write CSV, where quotes tell text from numbers.",
        )
    columns = _columns(ratings, 0, ratings.n_users)
    names = [str(label) for label in ratings.item_labels]
    frame = pl.DataFrame(
        {_id_name(ratings): label_series(ratings.user_labels)}
        | dict(zip(names, columns, strict=True))
    )
    if parquet:
        frame.write_parquet(file, compression="zstd")
    else:
        frame.write_ipc(file, compression="zstd")


def _blocks(ratings: Ratings, cells: int) -> Iterator[tuple[int, int]]:
    step = max(1, cells // max(1, ratings.n_items))
    for first in range(0, ratings.n_users, step):
        yield first, min(first + step, ratings.n_users)


def _columns(ratings: Ratings, first: int, last: int) -> Iterator[pl.Series]:
    """The answers of some users to each item, null where there is none."""
    start, end = ratings.offsets[first], ratings.offsets[last]
    dense: NDArray[Any] = np.full((ratings.n_items, last - first), np.nan, np.float32)
    rows = expand(ratings.offsets[first : last + 1] - start)
    dense[ratings.items[start:end], rows] = ratings.values[start:end]
    return (pl.Series(column).fill_nan(None) for column in dense)


def _text_names(ratings: Ratings, separator: str) -> list[str]:
    if ratings.item_labels.dtype == object:
        return [quoted_label(label, separator) for label in ratings.item_labels]
    return [str(label) for label in ratings.item_labels]


def _id_name(ratings: Ratings) -> str:
    taken = {str(label) for label in ratings.item_labels}
    return next(name for name in (*_ID_NAMES, "respondent of this survey") if name not in taken)


def _looks_whole(label: str) -> bool:
    return label.removeprefix("-").isdigit()
