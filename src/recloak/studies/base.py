"""What every study offers: run on a data set, and give a table, a picture and notes."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

import recloak
from recloak.core.component import Component
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.studies.data import DataSet

Cell = str | float | int | None
MISSING = "—"


@dataclass(frozen=True)
class Measured:
    """A figure over several seeds: its mean and how far single runs lie from it."""

    mean: float
    deviation: float
    runs: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Measured:
        """From one value for each seed."""
        found = np.array(list(values), dtype=np.float64)
        spread = float(found.std(ddof=1)) if len(found) > 1 else 0.0
        return cls(float(found.mean()), spread, len(found))

    def shown(self, digits: int) -> str:
        """The mean, with the deviation if there are several runs."""
        if self.runs == 1:
            return f"{self.mean:.{digits}f}"
        return f"{self.mean:.{digits}f} ± {self.deviation:.{digits}f}"


@dataclass(frozen=True)
class Column:
    """A column of the table; ``digits`` are those of its numbers."""

    name: str
    digits: int = 3


@dataclass(frozen=True)
class Picture:
    """What the chart shows: for each series its points (x, y), or one bar for each group.

    ``x_ticks`` are the places that a line chart names, and its left and right end; without them it
    begins at 0 and names every point.
    """

    kind: str
    x_name: str
    y_name: str
    series: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    groups: tuple[str, ...] = ()
    logarithmic: bool = False
    x_ticks: tuple[float, ...] = ()


@dataclass(frozen=True)
class StudyResult:
    """What a study found on one data set."""

    study: str
    title: str
    reference: str
    data: str
    data_note: str
    parameters: dict[str, Any]
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell | Measured, ...], ...]
    pictures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """The stem of its files."""
        return f"{self.study}-{self.data}"

    def texts(self) -> list[tuple[str, ...]]:
        """The rows as they are shown."""
        return [
            tuple(_shown(cell, column) for cell, column in zip(row, self.columns, strict=True))
            for row in self.rows
        ]

    def to_json(self) -> str:
        """All of it, for programs."""
        content = {"recloak": recloak.__version__, **asdict(self)}
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    def to_markdown(self, pictures: Sequence[str] = ()) -> str:
        """A page; ``pictures`` are the names of the charts beside it."""
        names = [column.name for column in self.columns]
        lines = [f"# {self.title}: {self.data}", "", self.data_note, ""]
        lines += [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
        lines += [f"| {' | '.join(row)} |" for row in self.texts()]
        lines += [part for file in pictures for part in ("", f"![{self.title}]({file})")]
        lines += [part for note in self.notes for part in ("", note)]
        settings = " ".join(f"--{key} {value}" for key, value in self.parameters.items())
        command = f"recloak study {self.study} --data {self.data} {settings}".strip()
        lines += ["", f"Made by `{command}` in {self.seconds:,.0f} s.", "", self.reference]
        return "\n".join(lines) + "\n"


class StudyParameters(Parameters):
    """How often a study is repeated."""

    seeds: int = Field(default=3, ge=1, le=100)
    """Number of runs, with seeds 0, 1, …; the table shows their mean and deviation."""


class Study(Component, ABC):
    """Makes a table or figure of a paper again, on data of one's choice."""

    family: ClassVar[str] = "study"
    data_sets: ClassVar[tuple[str, ...]]
    """The data sets that its kept results are made of."""
    Parameters: ClassVar[type[Parameters]] = StudyParameters
    parameters: StudyParameters

    @abstractmethod
    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        """Do it on one data set.

        Raises `InputError` if the study cannot use the data.
        """

    def result(
        self,
        data: DataSet,
        columns: Sequence[Column],
        rows: Iterable[tuple[Cell | Measured, ...]],
        pictures: Sequence[Picture] = (),
        notes: Sequence[str] = (),
    ) -> StudyResult:
        """What was found, with all that the study itself says."""
        return StudyResult(
            study=self.name,
            title=self.summary.rstrip("."),
            reference=self.reference,
            data=data.name,
            data_note=data.note,
            parameters=self.parameters.public(),
            columns=tuple(columns),
            rows=tuple(rows),
            pictures=tuple(pictures),
            notes=tuple(notes),
        )


def _shown(cell: Cell | Measured, column: Column) -> str:
    if cell is None:
        return MISSING
    if isinstance(cell, Measured):
        return cell.shown(column.digits)
    if isinstance(cell, int):
        return f"{cell:,}"
    return cell if isinstance(cell, str) else f"{cell:,.{column.digits}f}"
