"""CSV and its kin: text with a separator, with or without a header, columns found or declared."""

from __future__ import annotations

import re
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.core.arrays import Labels, Values
from recloak.core.errors import InputError
from recloak.core.frames import label_series
from recloak.core.ratings import Ratings
from recloak.io._cells import MISSING
from recloak.io._delimited import Delimited
from recloak.io._sniffing import sniff_layout
from recloak.io._source import InputPath, plain_name
from recloak.io.base import Format, Opened
from recloak.io.options import ReadOptions

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


def all_whole(values: Values) -> bool:
    """Can the values be written without a point? A negative zero cannot."""
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        fits = (block == np.rint(block)) & (np.abs(block) <= _LARGEST_WHOLE)
        if not bool((fits & ~(np.signbit(block) & (block == 0))).all()):
            return False
    return True


class Csv(Format):
    """Comma, tab, semicolon, bar, space or ``::`` between the fields; quotes as in RFC 4180.

    Ids that are all whole numbers become numbers, others (``007`` too) stay text. Quotes mark
    text, so ``"7"`` is a name, unless the file puts its ratings in quotes as well.
    """

    name = "csv"
    summary = "text with a separator (CSV, TSV, ;, |, ::), with or without a header"
    suffixes = (".csv", ".tsv")

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        return source.path.is_file()

    @classmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        options.refuse(cls.name, "id_column", "issues")
        sniffed = sniff_layout(source.path, source.head, options)
        opened = Delimited(source, sniffed.layout)
        opened.dropped = sniffed.columns.dropped
        opened.personal = sniffed.columns.personal
        opened.scale = sniffed.layout.written.scale
        opened.notes.extend(sniffed.notes)
        return opened

    @classmethod
    def write(cls, ratings: Ratings, file: IO[bytes], path: Path) -> None:

        write_csv(ratings, file, "\t" if plain_name(path).lower().endswith(".tsv") else ",")
