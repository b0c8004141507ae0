"""Ratings as CSV that reads back exactly as it was, in blocks, the same bytes every time."""

from __future__ import annotations

import re
from typing import IO, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.errors import InputError
from recloak.formats.cells import MISSING
from recloak.frames import label_series
from recloak.ratings import Labels, Ratings

_BLOCK = 1 << 20  # ratings
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_WHOLE = re.compile(r"-?\d+", re.ASCII)
_LARGEST_WHOLE = 2.0**24  # beyond, float32 leaves whole numbers out


def write_csv(ratings: Ratings, file: IO[bytes], separator: str) -> None:
    """A header and one line per rating: user, item, rating unless implicit, time if known."""
    names = {
        "user": label_series(quoted_labels(ratings.user_labels, separator)),
        "item": label_series(quoted_labels(ratings.item_labels, separator)),
    }
    users, whole = ratings.user_codes(), all_whole(ratings.values)
    for start in range(0, max(len(ratings), 1), _BLOCK):
        here = slice(start, start + _BLOCK)
        columns = {
            "user": names["user"].gather(pl.Series(users[here])),
            "item": names["item"].gather(pl.Series(ratings.items[here])),
        }
        if not ratings.scale.implicit:
            values = ratings.values[here]
            columns["rating"] = pl.Series(values.astype(np.int32) if whole else values)
        if ratings.times is not None:
            columns["time"] = pl.Series(ratings.times[here])
        pl.DataFrame(columns).write_csv(
            file, include_header=start == 0, separator=separator, quote_style="never"
        )


def quoted_label(label: str, separator: str) -> str:
    """A text label as it stands in the file: in quotes wherever it could be misread without."""
    if _CONTROL.search(label):
        raise InputError(
            f"the label {label!r} has a control character, which text files cannot hold",
            hint="Write Parquet, or rename it.",
        )
    misread = label != label.strip(" ") or label in ("", *MISSING) or _WHOLE.fullmatch(label)
    if misread or any(mark in label for mark in (separator, '"', "\n", "\r")):
        return '"' + label.replace('"', '""') + '"'
    return label


def quoted_labels(labels: Labels, separator: str) -> Labels:
    """Labels as they stand in a text file."""
    if labels.dtype != object:
        return labels
    out: NDArray[Any] = np.empty(len(labels), dtype=object)
    out[:] = [quoted_label(label, separator) for label in labels]
    return out


def all_whole(values: NDArray[np.float32]) -> bool:
    """Can the values be written without a point? A negative zero cannot."""
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        fits = (block == np.rint(block)) & (np.abs(block) <= _LARGEST_WHOLE)
        if not bool((fits & ~(np.signbit(block) & (block == 0))).all()):
            return False
    return True
