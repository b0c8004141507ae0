"""Loading: find the format, gather its batches, build Ratings, and say where a problem stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np

from recloak.building import DuplicatePairs, OffScale, assemble
from recloak.errors import InputError, RecloakError
from recloak.formats.base import Opened, Options
from recloak.formats.gathering import Gathered
from recloak.formats.recognising import open_all
from recloak.formats.source import Stamp, file_errors
from recloak.formats.standard_input import spooled
from recloak.memory import need
from recloak.progress import SILENT, Progress
from recloak.ratings import Duplicates, Ratings
from recloak.scale import Scale
from recloak.surveys import only_most_rated

Source = str | Path | Sequence[str | Path]

MEMORY_PER_BYTE = 2  # a rating takes some 20 bytes of text, and 40 while it is put in order


@dataclass(frozen=True)
class Loaded:
    """Ratings from a file, and what was noticed on the way.

    ``dropped`` are columns left behind, ``personal`` those of them (and tables beside the ratings)
    that are about the person, ``notes`` are sentences for the user, ``source`` is the file's name,
    ``repeated`` is how many ratings repeated a pair and were merged, ``silent`` how many rows of a
    survey hold no answer and are no users, ``explicit`` whether the file says how items were rated.
    """

    ratings: Ratings
    format: str
    source: str
    dropped: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    repeated: int = 0
    silent: int = 0
    explicit: bool = True

    @property
    def every_row(self) -> Ratings:
        """The ratings, and an empty row for each row of a survey that holds no answer.

        Nothing can be published about such a row, but who checks a file must count it. Where
        respondents are called by names, they have their rows already.
        """
        named = int((self.ratings.user_counts == 0).sum())
        if self.silent <= named:
            return self.ratings
        labels, ends = self.ratings.user_labels, self.ratings.offsets
        more = np.arange(1, self.silent - named + 1)
        names = (
            more + labels.max()
            if labels.dtype.kind == "i"
            else np.array([f"row without answers {number}" for number in more], dtype=labels.dtype)
        )
        wider = replace(
            self.ratings,
            offsets=np.concatenate([ends, np.full(len(more), ends[-1])]),
            user_labels=np.concatenate([labels, names]),
        )
        return wider.relabel_users(wider.user_labels)


class Reading(TypedDict, total=False):
    """What may be said about a source; see `read`."""

    format: str | None
    columns: Mapping[str, str] | None
    scale: Scale | str | None
    duplicates: Duplicates | None
    separator: str | None
    encoding: str | None
    id_column: str | None
    issues: Sequence[str]
    declared: Sequence[str]
    most_rated: int | None
    progress: Progress


def read(source: Source, **options: Unpack[Reading]) -> Ratings:
    """Ratings from files or a folder of any known format; see `load` for what was noticed.

    Parameters
    ----------
    source
        A file, a folder, a list of files that are one set of ratings, or ``-``: standard input.
    format
        A name of ``FORMATS``; found out if left out.
    columns
        Which column plays a role (user, item, rating, time), by name or by place counted from 1.
    scale
        Such as ``1..5``; inferred if neither given nor fixed by the format.
    duplicates
        What to do with a user who rated an item more than once: error (the default), last, mean
        or max.
    separator, encoding
        Of text files; found out if left out.
    id_column, issues
        Of surveys with a row for each respondent: who they are, and the columns to take.
    declared
        Names of issues that were declared sensitive or not: a table with such a column is a
        survey, and they are taken even if they are about the person.
    most_rated
        Keep only so many items, the most rated ones, beside those declared.
    progress
        Where to report how far the reading is.

    """
    return load(source, **options).ratings


def load(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002 - the word that users know
    columns: Mapping[str, str] | None = None,
    scale: Scale | str | None = None,
    duplicates: Duplicates | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    id_column: str | None = None,
    issues: Sequence[str] = (),
    declared: Sequence[str] = (),
    most_rated: int | None = None,
    progress: Progress = SILENT,
) -> Loaded:
    """As `read`, with what was noticed on the way."""
    roles = {role: str(name) for role, name in (columns or {}).items()}
    options = Options(roles, separator, encoding, id_column, tuple(issues), tuple(declared))
    with spooled(source) as paths:
        name, opened = open_all(paths, format, options)
        gathered, ratings = _read(opened, scale, duplicates, progress)
    notes = [*opened.notes, *gathered.notes]
    if repeated := len(gathered) - ratings.n_ratings:
        notes.append(opened.merged(repeated, duplicates or opened.duplicates or "error"))
    if most_rated is not None:
        ratings, said = only_most_rated(ratings, most_rated, declared)
        notes.append(said)
    first = paths[0].name or paths[0].resolve().name
    named = first if len(paths) == 1 else f"{first} and {len(paths) - 1} more"
    return Loaded(
        ratings,
        name,
        named,
        opened.dropped,
        opened.personal,
        tuple(notes),
        repeated,
        opened.silent,
        gathered.explicit,
    )


def _read(
    opened: Opened, scale: Scale | str | None, duplicates: Duplicates | None, progress: Progress
) -> tuple[Gathered, Ratings]:
    _refuse_twice(opened.files)
    stamps = [Stamp.of(file) for file in opened.files]
    size = sum(stamp.size for stamp in stamps)
    need(MEMORY_PER_BYTE * size, f"reading {opened.path.name}")
    try:
        gathered = Gathered(opened.batches(progress), dated=opened.dated)
        how = duplicates or opened.duplicates or "error"
        ratings = _built(opened, gathered, scale or opened.scale, how)
    except RecloakError:
        _check(stamps)  # a file under someone's pen explains any other complaint
        raise
    _check(stamps)
    return gathered, ratings


def _refuse_twice(files: Sequence[Path]) -> None:
    """The same file under two names would count everybody twice."""
    seen: dict[tuple[int, int], Path] = {}
    for file in files:
        with file_errors(file):
            state = file.stat()
        same = seen.setdefault((state.st_dev, state.st_ino), file)
        if same is not file:
            raise InputError(f"is the same file as {same}", where=str(file))


def _check(stamps: Sequence[Stamp]) -> None:
    for stamp in stamps:
        stamp.check()


def _built(
    opened: Opened, gathered: Gathered, scale: Scale | str | None, duplicates: Duplicates
) -> Ratings:
    if len(gathered) == 0:
        raise InputError("there are no ratings", where=str(opened.path))
    try:
        return assemble(gathered.coded(), scale=scale, duplicates=duplicates)
    except OffScale as problem:
        place = opened.places([problem.position])[0]
        where = f"{place}, column {place.column or opened.column('rating')}"
        raise OffScale(problem.value, problem.scale, problem.position, where) from None
    except DuplicatePairs as problem:
        raise _located(problem, opened, gathered) from None


def _located(problem: DuplicatePairs, opened: Opened, gathered: Gathered) -> DuplicatePairs:
    """The same complaint, with the place of each repetition that it names."""
    standing = [gathered.positions(*pair) for pair in problem.pairs]
    ascending = sorted(position for positions in standing for position in positions)
    place = dict(zip(ascending, opened.places(ascending), strict=True))
    one_file = len({found.path for found in place.values()}) == 1
    spot = {at: found.spot if one_file else str(found) for at, found in place.items()}
    said = ", ".join(
        f"user {user} item {item} ({' and '.join(spot[position] for position in positions)})"
        for (user, item), positions in zip(problem.pairs, standing, strict=True)
    )
    located = DuplicatePairs(problem.count, problem.pairs, str(place[standing[0][-1]]))
    located.what = f"{problem.count:,} ratings repeat a (user, item) pair, first: {said}"
    return located
