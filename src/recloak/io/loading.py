"""Loading: find the format, gather its batches, build Ratings, and say where a problem stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from recloak.core.building import DuplicatePairs, OffScale, assemble
from recloak.core.columns import Duplicates
from recloak.core.errors import InputError
from recloak.core.memory import require_memory
from recloak.core.options import takes
from recloak.core.progress import SILENT, Progress
from recloak.core.progress.shown import SHOWN
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.core.survey import only_most_rated
from recloak.io._collector import Collector
from recloak.io._detection import open_sources
from recloak.io._inputs import inputs_of
from recloak.io._not_rated import RatedOnly, zeros_note
from recloak.io._source import FileStamp, InputPath, file_errors
from recloak.io._values import words_note
from recloak.io.base import Opened
from recloak.io.options import ReadOptions
from recloak.io.reservations import Reservation, reservations_of

Source = Any
"""A path, a URL, a frame, or a list of these; frames are of packages that need not be there."""

MEMORY_PER_BYTE = 2  # a rating takes some 20 bytes of text, and 40 while it is put in order


@dataclass(frozen=True)
class Loaded:
    """Ratings from a file, and what was noticed on the way.

    ``dropped`` are columns left behind, ``personal`` those of them (and tables beside the ratings)
    that are about the person, ``notes`` are sentences for the user, ``source`` is the file's name,
    ``repeated`` is how many ratings repeated a pair and were merged, ``silent`` how many rows of a
    survey hold no answer and are no users, ``explicit`` whether the file says how items were rated.
    ``reservations`` say what was not read as it stands in the file; only `load_to_verify` looks.
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
    reservations: tuple[Reservation, ...] = ()

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


@takes(ReadOptions)
def read(
    source: Source,
    options: ReadOptions | None = None,
    *,
    progress: Progress = SHOWN,
    **keywords: Any,
) -> Ratings:
    """Ratings from files or a folder of any known format; see `load` for what was noticed.

    Parameters
    ----------
    source
        A file, a folder or ``-`` (standard input); a Polars, pandas or Arrow table; the URL of a
        table or query in DuckDB, such as ``duckdb:///ratings.db?table=votes``; or a list of such
        that are one set of ratings.
    options
        All that is said about the source, or what the keywords below change.
    progress
        Where to report how far the reading is.
    **keywords
        The options one by one.

    Returns
    -------
    Ratings
        The ratings; `load` also gives the format, and columns that were left out.

    Raises
    ------
    InputError
        The file cannot be read; file, line and column are named.
    ParameterError
        An option is wrong, or the format has no use for it.

    Examples
    --------
    >>> import tempfile, polars, recloak
    >>> file = f"{tempfile.mkdtemp()}/ratings.csv"
    >>> frame = polars.DataFrame({"uid": [1, 2, 2], "film": list("aab"), "stars": [3, 5, 4]})
    >>> frame.write_csv(file)
    >>> recloak.read(file, columns="user=uid,item=film,rating=stars", scale="1..5")
    Ratings(3 ratings of 2 items by 2 users, scale 1..5, density 75.000%)

    """
    return load(source, options, progress=progress, **keywords).ratings


def load(
    source: Source,
    options: ReadOptions | None = None,
    *,
    progress: Progress = SILENT,
    **keywords: Any,
) -> Loaded:
    """As `read`, with what was noticed on the way."""
    chosen = ReadOptions.of("read", options, keywords).settled()
    with inputs_of(source) as inputs:
        return _loaded(inputs, chosen, progress)


def load_to_verify(
    source: Source,
    options: ReadOptions | None = None,
    *,
    progress: Progress = SILENT,
    **keywords: Any,
) -> Loaded:
    """As `load`, with reservations: what a claim on these ratings does not tell about the file.

    Ratings and times are read twice, the second time as they are written.
    """
    chosen = ReadOptions.of("read", options, keywords).settled()
    with inputs_of(source) as inputs:
        return _loaded(inputs, chosen, progress, to_verify=True)


def _loaded(
    inputs: Sequence[InputPath], chosen: ReadOptions, progress: Progress, *, to_verify: bool = False
) -> Loaded:
    name, opened = open_sources(inputs, chosen)
    if chosen.not_rated is not None:
        opened = RatedOnly(opened, chosen.not_rated)
    gathered, ratings = _read(opened, chosen, progress)
    notes = [*opened.notes, *gathered.notes]
    repeated = len(gathered) - ratings.n_ratings
    reservations = reservations_of(opened, chosen, ratings, repeated, notes) if to_verify else ()
    notes.extend(words_note(chosen))
    if repeated:
        notes.append(opened.merged(repeated, opened.duplicates_by(chosen.duplicates)))
    if chosen.not_rated is None and chosen.scale is None and opened.scale is None:
        notes.extend(zeros_note(ratings))
    if chosen.most_rated is not None:
        ratings, note = only_most_rated(ratings, chosen.most_rated, chosen.declared)
        notes.append(note)
    first = inputs[0].name
    return Loaded(
        ratings,
        format=name,
        source=first if len(inputs) == 1 else f"{first} and {len(inputs) - 1} more",
        dropped=opened.dropped,
        personal=opened.personal,
        notes=tuple(notes),
        repeated=repeated,
        silent=opened.silent,
        explicit=gathered.explicit,
        reservations=reservations,
    )


def _read(opened: Opened, options: ReadOptions, progress: Progress) -> tuple[Collector, Ratings]:
    with unchanged(opened) as stamps:
        size = sum(stamp.size for stamp in stamps)
        needed = max(MEMORY_PER_BYTE * size, opened.bytes_to_hold())
        require_memory(needed, f"reading {opened.path.name}")
        gathered = Collector(opened.batches(progress), dated=opened.dated)
        how = opened.duplicates_by(options.duplicates)
        return gathered, _built(opened, gathered, options.scale or opened.scale, how)


@contextmanager
def unchanged(opened: Opened) -> Iterator[list[FileStamp]]:
    """Refuse files that change while they are read, or that are the same twice."""
    _refuse_twice(opened.files)
    stamps = [FileStamp.of(file) for file in opened.files]
    try:
        yield stamps
    finally:
        _check(stamps)  # a file under someone's pen explains any other complaint


def _refuse_twice(files: Sequence[Path]) -> None:
    """The same file under two names would count everybody twice."""
    seen: dict[tuple[int, int], Path] = {}
    for file in files:
        with file_errors(file):
            state = file.stat()
        same = seen.setdefault((state.st_dev, state.st_ino), file)
        if same is not file:
            raise InputError(f"is the same file as {same}", where=str(file))


def _check(stamps: Sequence[FileStamp]) -> None:
    for stamp in stamps:
        stamp.check()


def _built(
    opened: Opened, gathered: Collector, scale: Scale | str | None, duplicates: Duplicates
) -> Ratings:
    if len(gathered) == 0:
        raise InputError("there are no ratings", where=str(opened.path))
    with located(opened, gathered.positions):
        return assemble(Ratings, gathered.coded(), scale=scale, duplicates=duplicates)


@contextmanager
def located(opened: Opened, positions: Callable[[Any, Any], list[int]]) -> Iterator[None]:
    """Complaints about single ratings, with their places in the file.

    ``positions`` gives those of the first ratings of an item by a user.
    """
    try:
        yield
    except OffScale as problem:
        place = opened.places([problem.position])[0]
        where = f"{place}, column {place.column or opened.column('rating')}"
        raise OffScale(problem.value, problem.scale, problem.position, where) from None
    except DuplicatePairs as problem:
        raise _located(problem, opened, positions) from None


def _located(
    problem: DuplicatePairs, opened: Opened, positions: Callable[[Any, Any], list[int]]
) -> DuplicatePairs:
    """The same complaint, with the place of each repetition that it names."""
    found_at = [positions(*pair) for pair in problem.pairs]
    ascending = sorted(position for positions in found_at for position in positions)
    place = dict(zip(ascending, opened.places(ascending), strict=True))
    one_file = len({found.path for found in place.values()}) == 1
    spot = {at: found.spot if one_file else str(found) for at, found in place.items()}
    pairs = ", ".join(
        f"user {user} item {item} ({' and '.join(spot[position] for position in positions)})"
        for (user, item), positions in zip(problem.pairs, found_at, strict=True)
    )
    located = DuplicatePairs(problem.count, problem.pairs, str(place[found_at[0][-1]]))
    located.what = f"{problem.count:,} ratings repeat a (user, item) pair, first: {pairs}"
    return located
