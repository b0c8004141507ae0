"""Recognising: which format a file or a folder has, and which file of a folder has the ratings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from recloak.errors import InputError, RecloakError
from recloak.formats import FORMATS
from recloak.formats.base import Format, Opened, Options
from recloak.formats.several import Several
from recloak.formats.source import file_errors, plain_name, read_head

_RATINGS_ENDINGS = (".csv", ".tsv", ".txt", ".dat", ".data", ".parquet", ".arrow", ".arrows")
_MORE_ENDINGS = (".feather", ".ipc", ".tab")
_NEVER = ("readme", "license", "licence")
_SHOWN = 5


def open_all(
    paths: Sequence[Path], format_name: str | None, options: Options
) -> tuple[str, Opened]:
    """The format of all the files, found from the first unless named, and what they hold."""
    path, head = paths[0], read_head(paths[0])
    if format_name is None and (options.id_column or options.issues):
        format_name = "survey"
    if format_name is None and head and _names_columns(path, options):
        format_name = "survey"
    if format_name is None and not head and (chosen := recognised(path, head)) is None:
        path = paths[0] if len(paths) > 1 else only_file(path)
        head = read_head(path)
    chosen = FORMATS.get(format_name) if format_name else recognised(path, head)
    if chosen is None:
        raise _unknown_folder(path)
    parts = [_opened(chosen, each, options) for each in (path, *paths[1:])]
    return chosen.name, parts[0] if len(parts) == 1 else Several(parts)


def recognised(path: Path, head: bytes) -> type[Format] | None:
    """The first format that recognises the file or folder; None for a folder that none knows."""
    formats = (FORMATS.get(name) for name in FORMATS)
    return next((each for each in formats if each.sniff(path, head)), None)


def only_file(folder: Path) -> Path:
    """The one file in a folder that holds ratings; none or several are refused."""
    if not folder.is_dir():
        return folder
    with file_errors(folder):
        files = sorted(file for file in folder.iterdir() if _may_hold_ratings(file))
    found = [file for file in files if _holds_ratings(file)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise _unknown_folder(folder)
    shown = _shown(file.name for file in found)
    raise InputError(
        f"the folder holds several files with ratings: {shown}",
        where=str(folder),
        hint="Give the one that is meant, or those that belong together one after the other.",
    )


def _opened(chosen: type[Format], path: Path, options: Options) -> Opened:
    read_head(path, 1)  # so that a file that is not there is refused in the same words by all
    return chosen.open(path, options)


def _names_columns(path: Path, options: Options) -> bool:
    """Is one of the issues that were declared a column of the file, as in a survey?"""
    for name in options.declared:
        try:
            FORMATS.get("survey").open(path, replace(options, issues=(name,), declared=()))
        except RecloakError:
            continue
        return True
    return False


def _may_hold_ratings(file: Path) -> bool:
    name = plain_name(file).lower()
    hidden = name.startswith((".", *_NEVER))
    return file.is_file() and not hidden and name.endswith(_RATINGS_ENDINGS + _MORE_ENDINGS)


def _holds_ratings(file: Path) -> bool:
    """Can the file be opened without being told anything about it?"""
    try:
        chosen = recognised(file, read_head(file))
        if chosen is None:
            return False
        opened = chosen.open(file, Options())
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
