"""Tables for notebooks: results as small tables, with a word and a mark for each verdict.

A mark says in words what its colour says, on its own background, so that it can be read on light
and on dark pages. Everything that comes from data is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from recloak.core.page_text import printable

GOOD, BAD, OPEN = "✔", "✘", "?"
_GROUNDS = {GOOD: "#1b6640", BAD: "#a3252b", OPEN: "#735400"}
_MARKS = {"pass": GOOD, "holds": GOOD, "fail": BAD, "broken": BAD}


class StatusMark(NamedTuple):
    """A word, and whether it is good, bad or open."""

    word: str
    mark: str

    @classmethod
    def of(cls, status: str) -> StatusMark:
        """The mark of a status: what neither passes nor fails is open."""
        return cls(status, _MARKS.get(status, OPEN))

    def html(self) -> str:
        """The mark as it stands in a cell."""
        return (
            f'<span style="background:{_GROUNDS[self.mark]};color:#fff;border-radius:3px;'
            f'padding:0 .45em;white-space:nowrap">{self.mark} {text(self.word)}</span>'
        )


Cell = str | StatusMark


def text(value: object) -> str:
    """A value as text of a page, whatever it holds."""
    return escape(printable(str(value)))


def table(
    caption: str,
    rows: Iterable[Sequence[Cell]],
    head: Sequence[str] = (),
    mark: StatusMark | None = None,
) -> str:
    """A table whose first column names its rows; ``caption`` may have a mark before it."""
    shown = f"{mark.html()} " if mark else ""
    named = "".join(f'<th scope="col" style="text-align:left">{text(name)}</th>' for name in head)
    top = f"<thead><tr>{named}</tr></thead>" if head else ""
    return (
        '<table style="overflow-wrap:anywhere"><caption style="text-align:left;caption-side:top">'
        f"{shown}<b>{text(caption)}</b></caption>{top}"
        f"<tbody>{''.join(map(_row, rows))}</tbody></table>"
    )


def folded(summary: str, content: str) -> str:
    """What is shown when somebody asks for it."""
    return f"<details><summary>{text(summary)}</summary>{content}</details>"


def _row(cells: Sequence[Cell]) -> str:
    first, *others = cells
    shown = "".join(f'<td style="text-align:left">{_cell(one)}</td>' for one in others)
    return f'<tr><th scope="row" style="text-align:left">{_cell(first)}</th>{shown}</tr>'


def _cell(cell: Cell) -> str:
    return cell.html() if isinstance(cell, StatusMark) else text(cell)
