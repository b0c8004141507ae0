"""The data that studies run on: real sets from RECLOAK_DATA, and made-up ones of any size."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recloak.core.errors import InputError, ParameterError
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.io import read
from recloak.simulation import DATASET_MODELS, synthesize

VARIABLE = "RECLOAK_DATA"
REAL = ("ml-100k", "ml-1m", "jester", "ciaodvd", "insteval")
_FILES = {"insteval": "insteval/InstEval.csv"}  # where it is not the folder that is read
_READ_WITH: dict[str, dict[str, Any]] = {
    "insteval": {"columns": {"user": "s", "item": "d", "rating": "y"}},
    "ciaodvd": {"duplicates": "last"},
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
            place, given = folder() / _FILES.get(name, name), _READ_WITH.get(name, {})
            return cls(name, read(place, **given, progress=progress), "Real data.")
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
