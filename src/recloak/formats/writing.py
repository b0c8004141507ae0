"""Writing ratings: a file appears whole or not at all, and is never overwritten unasked."""

from __future__ import annotations

from pathlib import Path

from recloak.errors import ParameterError
from recloak.files import open_whole
from recloak.formats import FORMATS
from recloak.formats.base import Format
from recloak.ratings import Ratings


def write(
    ratings: Ratings,
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the word that users know
    *,
    overwrite: bool = False,
) -> None:
    """Write ``ratings`` as CSV, TSV or Parquet, by the ending of the name unless ``format`` says.

    Columns are user, item, rating (unless implicit) and time (if known, in seconds since 1970).
    The same ratings always give the same bytes, and reading them gives the same ratings.
    """
    final = Path(path)
    chosen = FORMATS.get(format) if format else _by_ending(final)
    with open_whole(final, overwrite=overwrite) as file:
        chosen.write(ratings, file, final)


def _by_ending(path: Path) -> type[Format]:
    endings = {}
    for name in FORMATS:
        for suffix in FORMATS.get(name).suffixes:
            endings[suffix] = FORMATS.get(name)
    if path.suffix.lower() in endings:
        return endings[path.suffix.lower()]
    raise ParameterError(
        f"the ending '{path.suffix}' says no format that can be written",
        where=str(path),
        hint=f"End the name with {', '.join(endings)}, or give the --format.",
    )
