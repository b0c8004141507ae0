"""Preview: the first rows of a file as they stand there, and what it is taken for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import polars as pl

from recloak.core.columns import ROLES
from recloak.core.errors import RecloakError
from recloak.io._delimited import Delimited
from recloak.io._detection import open_sources
from recloak.io._layout import checked_separator
from recloak.io._sniffing import distinct, has_header, likeliest_separator
from recloak.io._source import InputPath
from recloak.io._tables import TypedTable
from recloak.io._text_head import TextHead
from recloak.io.base import Opened
from recloak.io.options import ReadOptions

ROWS = 8
_PARQUET = b"PAR1"


@dataclass(frozen=True)
class Preview:
    """What a file looks like, and what it would be read as; or ``problem``: why it would not."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    format: str = ""
    roles: dict[str, str] = field(default_factory=dict)
    scale: str = ""
    dropped: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problem: RecloakError | None = None


def preview(paths: Sequence[Path], options: ReadOptions) -> Preview:
    r"""Look at the start of the first file; only that is read, so that large files are quick too.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "stars.csv"
    >>> _ = file.write_text("who,film,stars\n1,a,4\n2,a,5\n")
    >>> preview([file], ReadOptions()).columns
    ('who', 'film', 'stars')

    """
    try:
        opened: Opened | None
        name, opened = open_sources(list(map(InputPath, paths)), options.settled())
        problem = None
    except RecloakError as found:
        name, opened, problem = "", None, found
    columns, rows = _rows(paths[0], opened, options)
    if opened is None:
        return Preview(columns, rows, problem=problem)
    return Preview(
        columns,
        rows,
        format=name,
        roles=_roles(opened, columns),
        scale=str(options.scale or opened.scale or ""),
        dropped=tuple(opened.dropped),
        personal=tuple(opened.personal),
        notes=tuple(opened.notes),
    )


def _roles(opened: Opened, columns: Sequence[str]) -> dict[str, str]:
    """Which column plays which role; a column of a text file without a header is told by place."""
    if isinstance(opened, Delimited):
        places = opened.layout.places
        known = [role for role in ROLES if places.get(role, len(columns)) < len(columns)]
        return {role: columns[places[role]] for role in known}
    found = {}
    for role in ROLES:
        with suppress(KeyError):  # the file has no such column
            found[role] = opened.column(role)
    return {role: column for role, column in found.items() if column in columns}


def _rows(
    path: Path, opened: Opened | None, options: ReadOptions
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Columns and rows as they stand in the file; none of what is no table."""
    try:
        source = InputPath(opened.path if opened else path)
        if source.head.startswith(_PARQUET):
            return _of_frame(pl.scan_parquet(source.path, glob=False).head(ROWS).collect())
        if isinstance(opened, TypedTable):
            return _of_frame(next(iter(opened.frames(list(opened.column_names)))).head(ROWS))
        return _of_text(source, options) if source.head else ((), ())
    except (RecloakError, pl.exceptions.PolarsError, OSError, StopIteration):
        return (), ()


def _of_frame(frame: pl.DataFrame) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    rows = tuple(tuple("" if cell is None else str(cell) for cell in row) for row in frame.rows())
    return tuple(frame.columns), rows


def _of_text(
    source: InputPath, options: ReadOptions
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    head = TextHead.of(source.path, source.head, options.encoding, options.quotes)
    separator = (
        checked_separator(options.separator) if options.separator else likeliest_separator(head)
    )
    records = head.records(separator)
    texts = [tuple(head.readable(text) for text in record.texts) for record in records]
    if has_header(records, options.columns):
        return tuple(distinct(list(texts[0]))), tuple(islice(texts, 1, ROWS + 1))
    width = max(map(len, texts[:ROWS]))
    return tuple(f"column {place + 1}" for place in range(width)), tuple(texts[:ROWS])
