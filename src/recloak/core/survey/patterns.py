"""Null patterns: who left the same questions out, and who gave the same answers.

With ε below the number of levels, only records of one null pattern can be proximate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Indices, Levels, Mask
from recloak.core.survey import NULL, Survey, deviation_of

_ROOM = 2**62
MOSTLY = 0.5  # of the respondents: from here on null patterns are what decides
ADVICE = (
    "two respondents can be near only if they left out the same questions, so declare fewer "
    "issues, such as the 10 to 20 most rated (--most-rated 20)"
)


@dataclass(frozen=True)
class Patterns:
    """For each record the number of its null pattern, and for each pattern its size."""

    of_record: Indices
    sizes: Indices

    @classmethod
    def of(cls, known: Levels) -> Patterns:
        """The patterns of records that are rows."""
        order = record_order(known, np.empty(0, np.int64), 1)
        starts, number = first_of_each(known[order] != NULL)
        of_record = np.empty(len(known), np.int64)
        of_record[order] = number
        return cls(of_record, np.diff(np.append(starts, len(known))))

    @property
    def alone(self) -> int:
        """How many records are the only one with their pattern."""
        return int((self.sizes == 1).sum())

    def below(self, k: int) -> int:
        """How many records share their pattern with fewer than ``k − 1`` others."""
        return int(self.sizes[self.sizes < k].sum())

    def summary(self) -> str:
        """How many patterns there are, and how many are the only ones with theirs."""
        share = self.alone / max(len(self.of_record), 1)
        alone = f"{share:.1%} of respondents are the only ones with theirs"
        plural = "" if len(self.sizes) == 1 else "s"
        return f"{len(self.sizes):,} null pattern{plural}, {alone}"

    def why_not(self, k: int) -> str | None:
        """Why so few can be near to k − 1 others, if for most that is their null pattern."""
        lonely, people = self.below(k), len(self.of_record)
        if lonely <= MOSTLY * people:
            return None
        advice = f"; {ADVICE}" if len(self.sizes) > 1 else ""
        return f"{self.too_few(k)}; {self.summary()}{advice}"

    def too_few(self, k: int) -> str:
        """How many share their pattern with too few."""
        return (
            f"{self.below(k):,} of {len(self.of_record):,} respondents share their null pattern "
            f"with too few to have {k:,} near"
        )


def record_order(known: Levels, issues: Indices, r: int) -> Indices:
    """Records by null pattern, then by their answers to ``issues``, the first one first."""
    everything = np.arange(known.shape[1])
    patterns = _keys(known != NULL, everything, 2)
    answers = _keys(known + np.int8(1), issues, r + 1)
    return np.lexsort([*reversed(answers), *reversed(patterns)])


def first_of_each(rows: NDArray[np.generic]) -> tuple[Indices, Indices]:
    """Where each run of equal rows starts, and the number of the run that each row is in."""
    new = np.ones(len(rows), np.bool_)
    new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return np.flatnonzero(new), np.cumsum(new) - 1


def _keys(cells: Levels | Mask, columns: Indices, base: int) -> list[Indices]:
    """Columns as digits of as few whole numbers as hold them; at least one."""
    keys, room = [np.zeros(len(cells), np.int64)], _ROOM
    for column in columns:
        room //= base
        if room == 0:
            keys.append(np.zeros(len(cells), np.int64))
            room = _ROOM // base
        keys[-1] *= base
        keys[-1] += cells[:, column]
    return keys


@dataclass(frozen=True)
class IssueFacts:
    """How many answered an issue, and how much their answers deviate."""

    name: str
    sensitive: bool
    answered: float
    deviation: float


@dataclass(frozen=True)
class SurveyFacts:
    """What a survey looks like before anyone is grouped."""

    respondents: int
    levels: int
    patterns: int
    alone: float
    largest: int
    issues: tuple[IssueFacts, ...]

    @classmethod
    def of(cls, survey: Survey) -> SurveyFacts:
        """Its null patterns over the non-sensitive issues, and each issue."""
        patterns = Patterns.of(survey.known)
        sides = ((survey.known_issues, survey.known), (survey.hidden_issues, survey.hidden))
        return cls(
            respondents=survey.n,
            levels=survey.r,
            patterns=len(patterns.sizes),
            alone=patterns.alone / max(survey.n, 1),
            largest=int(patterns.sizes.max(initial=0)),
            issues=tuple(
                IssueFacts(name, at == 1, _answered(column), deviation_of(column))
                for at, (names, answers) in enumerate(sides)
                for name, column in zip(names, answers.T, strict=True)
            ),
        )


def _answered(column: Levels) -> float:
    return float((column != NULL).mean()) if len(column) else 0.0
