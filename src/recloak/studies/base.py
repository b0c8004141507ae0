"""What every study offers, and the data that studies run on: real sets and made-up ones."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

import recloak
from recloak.core.component import Component
from recloak.core.errors import InputError, ParameterError
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.io import read
from recloak.simulation import DATASET_MODELS, synthesize

VARIABLE = "RECLOAK_DATA"
REAL = ("ml-100k", "ml-1m", "jester", "insteval")
_FILES: dict[str, tuple[str, dict[str, str]]] = {
    "insteval": ("insteval/InstEval.csv", {"user": "s", "item": "d", "rating": "y"}),
}
SYNTHETIC = "synthetic-"
# Examples that papers print: a row of answers for each respondent, and the scale.
PRINTED: dict[str, tuple[tuple[tuple[int, ...], ...], str]] = {
    "printed-table4": (((3,), (4,), (5,), (6,), (7,), (7,), (8,), (8,)), "1..8"),
    "printed-table5": (((6, 1), (3, 6), (4, 5), (2, 5)), "1..6"),
}
SEED = 1


@dataclass(frozen=True)
class DataSet:
    """Ratings under the name that results are kept by."""

    name: str
    ratings: Ratings
    note: str

    @classmethod
    def named(cls, name: str, progress: Progress = SILENT) -> DataSet:
        """A real set, or ``synthetic-`` and the name of what it is like."""
        if name in REAL:
            place, columns = _FILES.get(name, (name, None))
            return cls(
                name, read(folder() / place, columns=columns, progress=progress), "Real data."
            )
        if name in PRINTED:
            return cls(name, _printed(*PRINTED[name]), "The example that the paper prints.")
        if not name.startswith(SYNTHETIC) or name.removeprefix(SYNTHETIC) not in DATASET_MODELS:
            known = ", ".join([*REAL, *PRINTED, *(f"{SYNTHETIC}{like}" for like in DATASET_MODELS)])
            raise ParameterError(
                f"there is no data set '{name}'", where="--data", hint=f"Known: {known}."
            )
        made = synthesize(name.removeprefix(SYNTHETIC), seed=SEED, progress=progress)
        return cls(name, made, "Made-up data of the same size and long tails as the real set.")

    @property
    def in_whole_stars(self) -> DataSet:
        """Half stars rounded up, as the protocol of Gonçalves et al. has it."""
        if self.ratings.scale.step != 0.5:
            return self
        whole = np.ceil(self.ratings.values)
        scale = Scale(np.ceil(self.ratings.scale.low), self.ratings.scale.high, 1.0)
        note = f"{self.note} Half stars were rounded up."
        return DataSet(self.name, self.ratings.with_values(whole, scale), note)


def _printed(rows: tuple[tuple[int, ...], ...], scale: str) -> Ratings:
    cells = [
        (at, f"issue {issue + 1}", level)
        for at, row in enumerate(rows)
        for issue, level in enumerate(row)
    ]
    people, issues, levels = zip(*cells, strict=True)
    return Ratings.from_columns(list(people), list(issues), list(levels), scale=scale)


def folder() -> Path:
    """Where the real sets are; refused if nothing says it."""
    found = os.environ.get(VARIABLE)
    if not found:
        raise InputError(
            f"the real data are not there: {VARIABLE} is not set",
            where="--data",
            hint=f"Set {VARIABLE} to a folder with the sets, or take {SYNTHETIC}ml-1m.",
        )
    return Path(found)


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
