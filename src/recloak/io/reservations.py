"""Reservations: what of a file was not read as it stands there, for whoever verifies claims on it.

Reading merges, rounds and leaves behind, which is fine to train on. A claim, however, is about what
stands in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import numpy as np

from recloak.core.ratings import Ratings
from recloak.io.base import Opened
from recloak.io.options import ReadOptions

Subject = Literal["values", "columns"]
_TOLD_APART = {
    "rating": "in single precision",
    "time": "in whole seconds",
    "item": "without the quotes and spaces around them",
    "missing answer": "once they are read",
}
_SHOWN = 10


class Reservation(NamedTuple):
    """A sentence for a verdict, and what it concerns.

    Those about ``items`` concern every claim, those about ``values`` and ``columns`` the claims
    that are about these, and a ``note`` none.
    """

    sentence: str
    about: Subject | Literal["items", "note"]


def reservations_of(
    opened: Opened,
    options: ReadOptions,
    ratings: Ratings,
    repeated: int,
    notes: Iterable[str],
) -> tuple[Reservation, ...]:
    """All there is to say about ratings that were just read, the weighty first.

    ``repeated`` is how many of them were merged with others, ``notes`` what was noticed on the way.
    """
    found = [*_left_out(options), *_merged(opened, options, repeated), *_columns(opened)]
    if not found or found[0].about != "items":  # else less is read than is written anyway
        found += _collapsed(opened, ratings)
    return (*found, *(Reservation(note, "note") for note in notes))


def _left_out(options: ReadOptions) -> Iterator[Reservation]:
    if options.most_rated is not None:
        yield Reservation(
            f"Only the {options.most_rated:,} most rated items were looked at, and not the whole "
            "file. Verify it without --most-rated.",
            "items",
        )
    if options.not_rated is not None:
        yield Reservation(
            f"Ratings of {options.not_rated:g} were left aside as not rated, though they stand in "
            "the file. Verify it without --not-rated.",
            "items",
        )


def _merged(opened: Opened, options: ReadOptions, repeated: int) -> Iterator[Reservation]:
    if repeated:
        how = options.duplicates or opened.duplicates
        yield Reservation(
            f"{repeated:,} ratings repeat a (user, item) pair and were merged by {how}: the merged "
            "table was looked at, which does not stand in the file. Merge them in the file.",
            "items",
        )


def _columns(opened: Opened) -> Iterator[Reservation]:
    names = list(dict.fromkeys([*opened.dropped, *opened.personal]))
    if names:
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        yield Reservation(
            f"Further columns were not compared, and rows that are alike may differ in them: "
            f"{', '.join(names[:_SHOWN])}{more}. Verify the file without them.",
            "columns",
        )


def _collapsed(opened: Opened, ratings: Ratings) -> Iterator[Reservation]:
    """What is written differently and is read as the same."""
    as_read = {
        "rating": ratings.values + np.float32(0),
        "time": ratings.times,
        "item": ratings.items,
        "missing answer": np.zeros(1),
    }
    for role, read in as_read.items():
        written = _written(opened, role)
        if written is None and role in ("rating", "time"):
            yield Reservation(
                f"How a {role} is written was not compared, for files of this format are read as "
                "numbers only. Verify the file as CSV or Parquet.",
                "values",
            )
        elif written and read is not None and len(written) > len(np.unique(read)):
            yield Reservation(
                f"The file writes {len(written):,} different {role}s, of which "
                f"{len(np.unique(read)):,} can be told apart {_TOLD_APART[role]}: rows that are "
                f"alike may differ in the file. Write each {role} in one way.",
                "items" if role == "item" else "values",
            )


def _written(opened: Opened, role: str) -> set[str] | None:
    """All ways in which the values of a role are written; None if the format does not tell."""
    parts = opened.written(role)
    return None if parts is None else {text for part in parts for text in part.unique().to_list()}
