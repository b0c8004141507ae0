"""What is handed over for publication: ratings, a frame that holds them, or a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recloak.core.columns import find_columns
from recloak.core.errors import InputError, ParameterError
from recloak.core.frames import as_polars
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.io import load


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


def _no_ratings(source: Any) -> ParameterError:
    return ParameterError(
        f"a {type(source).__name__} holds no ratings that could be published",
        where="publish",
        hint="Give what recloak.read returns, a Polars, pandas or Arrow table with columns such as "
        "user, item and rating, or the path of a file.",
    )
