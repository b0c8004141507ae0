"""Loading: find the format, gather its batches, build Ratings, and say where a problem stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recloak.building import DuplicatePairs, OffScale
from recloak.errors import InputError, RecloakError
from recloak.formats import FORMATS
from recloak.formats.base import Format, Opened, Options
from recloak.formats.gathering import Gathered, gather
from recloak.formats.source import Stamp, read_head
from recloak.progress import SILENT, Progress
from recloak.ratings import Duplicates, Ratings
from recloak.scale import Scale


@dataclass(frozen=True)
class Loaded:
    """Ratings from a file, and what was noticed on the way.

    ``dropped`` are columns left behind, ``personal`` those of them (and tables beside the ratings)
    that are about the person, ``notes`` are sentences for the user, ``source`` is the file's name.
    """

    ratings: Ratings
    format: str
    source: str
    dropped: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read(
    source: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word that users know
    columns: Mapping[str, str] | None = None,
    scale: Scale | str | None = None,
    duplicates: Duplicates = "error",
    separator: str | None = None,
    encoding: str | None = None,
    progress: Progress = SILENT,
) -> Ratings:
    """Ratings from a file or folder of any known format; see `load` for what was noticed.

    Parameters
    ----------
    source
        A file or folder.
    format
        A name of ``FORMATS``; found out if left out.
    columns
        Which column plays a role (user, item, rating, time), by name or by place counted from 1.
    scale
        Such as ``1..5``; inferred if neither given nor fixed by the format.
    duplicates
        What to do with a user who rated an item more than once.
    separator, encoding
        Of text files; found out if left out.
    progress
        Where to report how far the reading is.

    """
    return load(
        source,
        format=format,
        columns=columns,
        scale=scale,
        duplicates=duplicates,
        separator=separator,
        encoding=encoding,
        progress=progress,
    ).ratings


def load(
    source: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word that users know
    columns: Mapping[str, str] | None = None,
    scale: Scale | str | None = None,
    duplicates: Duplicates = "error",
    separator: str | None = None,
    encoding: str | None = None,
    progress: Progress = SILENT,
) -> Loaded:
    """As `read`, with what was noticed on the way."""
    path = Path(source)
    options = Options(
        {role: str(name) for role, name in (columns or {}).items()}, separator, encoding
    )
    head = read_head(path)
    chosen = FORMATS.get(format) if format else sniffed(path, head)
    opened = chosen.open(path, options)
    stamp = Stamp.of(opened.path)
    try:
        gathered = gather(opened.batches(progress))
        ratings = _built(opened, gathered, scale or opened.scale, duplicates)
    except RecloakError:
        stamp.check()  # a file under someone's pen explains any other complaint
        raise
    stamp.check()
    notes = (*opened.notes, *gathered.notes, *_merged(gathered, ratings, duplicates))
    return Loaded(
        ratings,
        chosen.name,
        path.name or path.resolve().name,
        opened.dropped,
        opened.personal,
        notes,
    )


def sniffed(path: Path, head: bytes) -> type[Format]:
    """The first format that recognises the file or folder."""
    for name in FORMATS:
        if FORMATS.get(name).sniff(path, head):
            return FORMATS.get(name)
    sought = ", ".join(
        FORMATS.get(name).looks_for for name in FORMATS if FORMATS.get(name).looks_for
    )
    inside = sorted(each.name for each in path.iterdir() if each.is_file())[:5]
    within = f" The folder holds: {', '.join(inside)}." if inside else " The folder holds no files."
    raise InputError(
        "the folder has no layout that is known",
        where=str(path),
        hint=f"Looked for {sought}. Give the file with the ratings itself.{within}",
    )


def _built(
    opened: Opened, gathered: Gathered, scale: Scale | str | None, duplicates: Duplicates
) -> Ratings:
    if len(gathered) == 0:
        raise InputError("there are no ratings", where=str(opened.path))
    try:
        return Ratings.from_columns(
            gathered.users,
            gathered.items,
            gathered.values,
            gathered.times,
            scale=scale,
            duplicates=duplicates,
        )
    except OffScale as problem:
        place = opened.places([problem.position])[0]
        where = f"{opened.path}, {place}, column {opened.column('rating')}"
        raise OffScale(problem.value, problem.scale, problem.position, where) from None
    except DuplicatePairs as problem:
        raise _located(problem, opened, gathered) from None


def _located(problem: DuplicatePairs, opened: Opened, gathered: Gathered) -> DuplicatePairs:
    """The same complaint, with the place of each repetition that it names."""
    standing = [_positions(gathered, *pair) for pair in problem.pairs]
    ascending = sorted(position for positions in standing for position in positions)
    place = dict(zip(ascending, opened.places(ascending), strict=True))
    said = ", ".join(
        f"user {user} item {item} ({' and '.join(place[position] for position in positions)})"
        for (user, item), positions in zip(problem.pairs, standing, strict=True)
    )
    located = DuplicatePairs(
        problem.count, problem.pairs, f"{opened.path}, {place[standing[0][-1]]}"
    )
    located.what = f"{problem.count:,} ratings repeat a (user, item) pair, first: {said}"
    return located


def _positions(gathered: Gathered, user: Any, item: Any) -> list[int]:
    """Where the first two ratings of an item by a user stand."""
    both = (gathered.users == user) & (gathered.items == item)
    return [int(position) for position in both.arg_true()[:2]]


def _merged(gathered: Gathered, ratings: Ratings, duplicates: Duplicates) -> tuple[str, ...]:
    repeated = len(gathered) - ratings.n_ratings
    return (f"{repeated:,} repeated pairs merged by {duplicates}.",) if repeated else ()
