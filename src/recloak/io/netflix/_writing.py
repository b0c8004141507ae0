"""Writing the layout of the Netflix Prize, film by film; what does not fit in it is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from recloak.core.arrays import Integers, Labels
from recloak.core.errors import InputError
from recloak.core.files import machine_errors
from recloak.core.kernels.layout import expand, stable_order
from recloak.core.ratings import Ratings
from recloak.io.netflix._kernels import write_lines

_DAY = 86400
_FIRST_DAY, _LAST_DAY = -719162, 2932896  # 0001-01-01 and 9999-12-31
_LONGEST_LINE = 34
_LARGEST_FILM = 9_999_999  # names of files have seven digits
_LARGEST_CUSTOMER = 10**18 - 1


def write_combined(ratings: Ratings, file: IO[bytes]) -> None:
    """All films one after the other in one file."""
    for film, lines in _films(ratings):
        file.write(b"%d:\n" % film)
        file.write(lines)


def write_films(ratings: Ratings, folder: Path) -> None:
    """A file for each film, ``mv_0000001.txt`` and so on."""
    _refuse(ratings.item_labels, "film", _LARGEST_FILM)
    for film, lines in _films(ratings):
        file = folder / f"mv_{film:07d}.txt"
        with machine_errors(file):
            file.write_bytes(b"%d:\n%b" % (film, lines))


def _films(ratings: Ratings) -> Iterator[tuple[int, bytes]]:
    """Each film with its lines, in the order of its number; customers ascend."""
    times = _dated(ratings)
    _refuse_values(ratings)
    _refuse(ratings.user_labels, "customer", _LARGEST_CUSTOMER)
    _refuse(ratings.item_labels, "film", _LARGEST_CUSTOMER)
    users, order = expand(ratings.offsets), stable_order(ratings.items, ratings.n_items)
    ends = np.cumsum(ratings.item_support)
    out = np.empty(_LONGEST_LINE * int(ratings.item_support.max(initial=0)), np.uint8)
    for item, end in enumerate(ends):
        if ratings.item_support[item] == 0:
            continue
        here = order[end - ratings.item_support[item] : end]
        customers = ratings.user_labels[users[here]]
        size = write_lines(customers, ratings.values[here], times[here] // _DAY, out)
        yield int(ratings.item_labels[item]), out[:size].tobytes()


def _dated(ratings: Ratings) -> Integers:
    """The times, which must all be days."""
    times = ratings.times
    if times is None:
        raise _unfit("each rating has a date, and these have none")
    within = times % _DAY != 0
    if within.any():
        raise _unfit(f"times are dates, and {times[np.argmax(within)]} is within a day")
    first, last = times.min(initial=0) // _DAY, times.max(initial=0) // _DAY
    if first < _FIRST_DAY or last > _LAST_DAY:
        raise _unfit("dates have years of four digits")
    return times


def _refuse_values(ratings: Ratings) -> None:
    if ratings.scale.implicit:
        raise _unfit("there is a rating for each pair, and these are implicit")
    values = ratings.values
    fits = (values >= 1) & (values <= 5) & (values == np.rint(values))
    if not fits.all():
        raise _unfit(f"ratings are 1, 2, 3, 4 or 5, and one is {values[np.argmin(fits)]:g}")


def _refuse(labels: Labels, what: str, largest: int) -> None:
    if labels.dtype == object:
        raise _unfit(f"a {what} is a whole number, not text such as '{labels[0]}'")
    bad = labels[(labels < 0) | (labels > largest)]
    if len(bad):
        raise _unfit(f"a {what} is a number from 0 to {largest:,}, and one is {bad[0]}")


def _unfit(why: str) -> InputError:
    return InputError(
        f"the Netflix layout cannot hold these ratings: {why}",
        hint="Write Parquet or CSV, which hold any ratings.",
    )
