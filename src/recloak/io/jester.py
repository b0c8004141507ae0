"""Jester: how funny people find jokes; a row for each person, 99 where a joke is not rated."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from recloak.core.arrays import Values
from recloak.core.errors import InputError
from recloak.core.scale import Scale
from recloak.io._blocks import Block
from recloak.io._cells import answers as numbers_of
from recloak.io._delimited import BlockColumns
from recloak.io._layout import TextLayout
from recloak.io._source import InputPath
from recloak.io._wide import Issues, WideText
from recloak.io.base import Format, Opened
from recloak.io.options import OF_TEXT, ReadOptions

_NOT_RATED = 99
_COUNT = "rated"
_FEWEST_JOKES = 10  # fewer, and a table of something else might fit by chance
_LOOKED_AT = 20  # lines
_LINE = re.compile(r"\d+(?P<mark>[,;\t])-?\d")


class Jester(Format):
    """No header; how many jokes are rated, then a column for each joke, on -10..10.

    People are numbered by their rows, jokes by their columns, both from 1.
    """

    name = "jester"
    summary = "Jester: how many are rated, then a column for each joke, 99 = not rated"

    @classmethod
    def sniff(cls, source: InputPath) -> bool:
        if not source.path.is_file() or b"99" not in source.head[: 1 << 16]:
            return False
        rows = _rows(source.head)
        return bool(rows) and all(_counts_itself(row, len(rows[0])) for row in rows)

    @classmethod
    def open(cls, source: InputPath, options: ReadOptions) -> Opened:
        options.refuse(cls.name, "columns", *OF_TEXT, "order", "id_column", "issues")
        if not source.head:
            raise InputError("the file is empty", where=str(source.path))
        text = source.head.lstrip().decode("utf-8", "replace")
        mark = _LINE.match(text)
        if mark is None:
            raise InputError(
                "a row starts with how many jokes are rated, then come the ratings",
                where=f"{source.path}, line 1",
                hint="Jester has no header, and , ; or tabs between the numbers.",
            )
        separator = mark["mark"]
        width = text.split("\n", 1)[0].count(separator) + 1
        names = [str(joke) for joke in range(1, width)]
        places = {_COUNT: 0} | {name: int(name) for name in names}
        layout = TextLayout(separator, width, places, {role: role for role in places})
        return OpenedJester(source, layout, Issues.of(names, numbers=True))


class OpenedJester(WideText):
    """Rows of Jester, each checked against its count."""

    scale = Scale(-10, 10, None)

    def missing_as_nan(self, answers: Values) -> Values:
        answers = answers.copy()
        answers[answers == _NOT_RATED] = np.nan
        return answers

    def check_rows(self, block: Block, split: BlockColumns, answers: Values) -> None:
        counted = numbers_of(split.columns[_COUNT])
        found = np.count_nonzero(~np.isnan(answers), axis=1)
        wrong = np.flatnonzero(counted != found)
        if len(wrong):
            row = int(wrong[0])
            raise self.row_error(
                block,
                split,
                row,
                f"the row says that {counted[row]:g} jokes are rated, but {found[row]} are",
                f"The first number counts the ratings; {_NOT_RATED} means not rated.",
            )

    def column(self, role: str) -> str:
        return f"joke {role}" if role.isdigit() else role


def _rows(head: bytes) -> list[list[float]]:
    """The first whole lines as numbers; none if they are anything else."""
    text = head.decode("ascii", "replace")
    lines = [line for line in text.split("\n")[: _LOOKED_AT + 1] if line.strip()]
    lines = lines[:-1] if len(lines) > 1 and not text.endswith("\n") else lines
    found = _LINE.match(lines[0]) if lines else None
    if found is None:
        return []
    try:
        return [[float(cell) for cell in line.split(found["mark"])] for line in lines]
    except ValueError:
        return []


def _counts_itself(row: Sequence[float], width: int) -> bool:
    rated = [value for value in row[1:] if value != _NOT_RATED]
    enough = len(row) == width > _FEWEST_JOKES
    return enough and row[0] == len(rated) and all(abs(value) <= 10 for value in rated)
