"""Table: numbers as text, beside a chart or by themselves."""

from __future__ import annotations

from dataclasses import dataclass

MISSING = "—"


@dataclass(frozen=True)
class Table:
    """Numbers as text; the first column names the row."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
