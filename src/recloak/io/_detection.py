"""Detecting the format of a file or folder, and which file of a folder holds the ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl

from recloak.core.columns import ColumnsRefused, Duplicates, names_user, names_user_and_item
from recloak.core.errors import InputError, RecloakError
from recloak.core.progress import Progress
from recloak.io._formats import FORMATS
from recloak.io._given_tables import InputTable
from recloak.io._source import InputPath, file_errors, plain_name
from recloak.io._text_head import is_number
from recloak.io.base import Batch, Format, Opened, Place
from recloak.io.options import ReadOptions


class Concatenated(Opened):
    """Files of one format and the same columns, in the order in which they were given."""

    def __init__(self, parts: Sequence[Opened]) -> None:
        first = parts[0]
        super().__init__(first.path)
        for part in parts[1:]:
            _refuse_other_columns(first, part)
        self._parts = parts
        self._counts: list[int] = []
        self.scale, self.duplicates = first.scale, first.duplicates
        self.dated = all(part.dated for part in parts)
        self.dropped = tuple(dict.fromkeys(name for part in parts for name in part.dropped))
        self.personal = tuple(dict.fromkeys(name for part in parts for name in part.personal))

    @property
    def files(self) -> Sequence[Path]:
        return [file for part in self._parts for file in part.files]

    def bytes_to_hold(self) -> int:
        return sum(part.bytes_to_hold() for part in self._parts)

    def batches(self, progress: Progress) -> Iterator[Batch]:
        self._counts = []
        highest = 0
        for part in self._parts:
            self._counts.append(0)
            before = highest
            for batch in part.batches(progress):
                self._counts[-1] += batch.height
                users = batch.users
                if part.numbers_users and isinstance(users, np.ndarray) and len(users):
                    highest = before + int(users.max())
                    yield batch._replace(users=users + before)
                else:
                    yield batch
        self.silent = sum(part.silent for part in self._parts)
        self.notes = list(dict.fromkeys(note for part in self._parts for note in part.notes))

    def places(self, positions: Sequence[int]) -> list[Place]:
        found: list[Place] = []
        before = 0
        for part, count in zip(self._parts, self._counts, strict=True):
            here = [position - before for position in positions if 0 <= position - before < count]
            found += part.places(here) if here else []
            before += count
        return found

    def written(self, role: str) -> Iterator[pl.Series] | None:
        parts = [part.written(role) for part in self._parts]
        contents = [part for part in parts if part is not None]
        return chain.from_iterable(contents) if len(contents) == len(parts) else None

    def column(self, role: str) -> str:
        return self._parts[0].column(role)

    def merged(self, count: int, duplicates: Duplicates) -> str:
        return self._parts[0].merged(count, duplicates)


def _refuse_other_columns(first: Opened, other: Opened) -> None:
    here, there = sorted(other.column_names), sorted(first.column_names)
    if here != there:
        raise InputError(
            f"the columns are not those of {first.path}: "
            f"{', '.join(here)} here, {', '.join(there)} there",
            where=str(other.path),
            hint="Files that are read as one must have the same columns.",
        )


_RATINGS_ENDINGS = (".csv", ".tsv", ".txt", ".dat", ".data", ".parquet", ".arrow", ".arrows")
_MORE_ENDINGS = (".feather", ".ipc", ".tab", ".jsonl")
_NEVER = ("readme", "license", "licence")
_SHOWN = 5


def open_sources(sources: Sequence[InputPath], options: ReadOptions) -> tuple[str, Opened]:
    """The name of the format, detected from the first file unless named, and the opened files."""
    chosen, opened = _open_first(sources[0], options, alone=len(sources) == 1)
    parts = [opened, *(_opened(chosen, source, options) for source in sources[1:])]
    return chosen.name, parts[0] if len(parts) == 1 else Concatenated(parts)


def _open_first(
    source: InputPath, options: ReadOptions, *, alone: bool
) -> tuple[type[Format], Opened]:
    """The format, and the file or folder opened as such."""
    head, survey = source.head, FORMATS.get("survey")
    if options.format or options.id_column or options.issues:
        chosen = FORMATS.get(options.format) if options.format else survey
        return chosen, _opened(chosen, source, options)
    if not (head and options.declared):
        return _open_detected(source, options, alone=alone)
    opened = _opened_as_survey(source, options)
    if isinstance(opened, Opened):
        return survey, opened
    try:
        return _open_detected(source, options, alone=alone)
    except InputError:
        if opened and _names_no_items(opened.names):
            raise opened from None
        raise


def _open_detected(
    source: InputPath, options: ReadOptions, *, alone: bool
) -> tuple[type[Format], Opened]:
    found = detect_format(source)
    if found is None and alone:
        source = only_ratings_file(source.path)
        found = detect_format(source)
    if found is None:
        raise _unknown_folder(source.path)
    return found, found.open(source, options)


def _opened(chosen: type[Format], source: InputPath, options: ReadOptions) -> Opened:
    source.head  # noqa: B018 - so that a missing file is refused in the same words by all
    if isinstance(source, InputTable):
        source.refuse_other(chosen)
    return chosen.open(source, options)


def _opened_as_survey(source: InputPath, options: ReadOptions) -> Opened | ColumnsRefused | None:
    """The file as a survey, or why not if none of its columns was declared; None if it is none."""
    try:
        return FORMATS.get("survey").open(source, options)
    except ColumnsRefused as problem:
        if set(problem.names) & set(options.declared):
            raise
        return problem  # said only if no other format can read the file
    except RecloakError:
        return None  # it is no survey at all; what it is instead, the other formats say


def _names_no_items(names: Sequence[str]) -> bool:
    """Is this a header of a survey: names, of which one tells the person but none the item?"""
    if not any(map(names_user, names)) and any(map(is_number, names)):
        return False
    return not names_user_and_item(names)


def detect_format(source: InputPath) -> type[Format] | None:
    """The first format that recognises the file or folder; None for a folder that none knows."""
    if isinstance(source, InputTable):
        return source.format
    # csv takes whatever is left, so it comes last, also after the formats of other packages
    formats = (FORMATS.get(name) for name in sorted(FORMATS, key=lambda name: name == "csv"))
    return next((each for each in formats if each.sniff(source)), None)


def only_ratings_file(folder: Path) -> InputPath:
    """The one file in a folder that holds ratings; none or several are refused."""
    with file_errors(folder):
        files = sorted(file for file in folder.iterdir() if _may_hold_ratings(file))
    found = [source for source in map(InputPath, files) if _holds_ratings(source)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise _unknown_folder(folder)
    shown = _shown(source.path.name for source in found)
    raise InputError(
        f"the folder holds several files with ratings: {shown}",
        where=str(folder),
        hint="Give the one that is meant, or those that belong together one after the other.",
    )


def _may_hold_ratings(file: Path) -> bool:
    name = plain_name(file).lower()
    hidden = name.startswith((".", *_NEVER))
    return file.is_file() and not hidden and name.endswith(_RATINGS_ENDINGS + _MORE_ENDINGS)


def _holds_ratings(source: InputPath) -> bool:
    """Can the file be opened without any options?"""
    try:
        chosen = detect_format(source)
        if chosen is None:
            return False
        opened = chosen.open(source, ReadOptions())
    except RecloakError:
        return False
    return not opened.notes  # a note says that something about it was a guess


def _unknown_folder(folder: Path) -> InputError:
    formats = [FORMATS.get(name) for name in FORMATS]
    sought = ", ".join(each.looks_for for each in formats if each.looks_for)
    with file_errors(folder):
        names = sorted(each.name for each in folder.iterdir() if each.is_file())
    within = f"The folder holds: {_shown(names)}." if names else "The folder holds no files."
    return InputError(
        "the folder has no layout that is known",
        where=str(folder),
        hint=f"Looked for {sought}. Give the file with the ratings itself. {within}",
    )


def _shown(names: Iterable[str]) -> str:
    shown = list(names)
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return ", ".join(shown[:_SHOWN]) + more
