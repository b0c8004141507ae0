"""Proximity as its definitions say it, record by record; and tables to try it on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.core.ratings import Ratings
from recloak.core.survey import NULL, Survey

Row = tuple[int | None, ...]


def ratings_of(rows: list[Row], r: int = 5) -> Ratings:
    """Respondents t1, t2, … and issues i1, i2, …; None was not answered."""
    cells = [
        (f"t{at + 1}", f"i{issue + 1}", value)
        for at, row in enumerate(rows)
        for issue, value in enumerate(row)
        if value is not None
    ]
    users, items, values = zip(*cells, strict=True)
    return Ratings.from_columns(users, items, values, scale=f"1..{r}")


def survey(known: list[Row] | np.ndarray, hidden: list[Row] | np.ndarray, r: int) -> Survey:
    """From levels that count from 0, or None."""
    return Survey(
        known=as_levels(known),
        hidden=as_levels(hidden),
        known_issues=tuple(f"k{at}" for at in range(len(known[0]))),
        hidden_issues=tuple(f"h{at}" for at in range(len(hidden[0]))),
        r=r,
        respondents=np.arange(len(known)),
    )


def as_levels(rows: list[Row] | np.ndarray) -> np.ndarray:
    if isinstance(rows, np.ndarray):
        return rows.astype(np.int8)
    levels = [[NULL if cell is None else cell for cell in row] for row in rows]
    return np.array(levels, np.int8).reshape(len(rows), -1)


def random_survey(rng: np.random.Generator, n: int, issues: int, r: int) -> Survey:
    """Answers around a few tastes, with questions left out in a few ways."""
    tastes = rng.integers(0, r, (3, issues + 2))
    answers = tastes[rng.integers(0, 3, n)] + rng.integers(-1, 2, (n, issues + 2))
    answers = np.clip(answers, 0, r - 1)
    left_out = rng.random((2, issues)) < 0.3
    answers[:, :issues][left_out[rng.integers(0, 2, n)] & (rng.random(n) < 0.6)[:, None]] = NULL
    answers[:, issues:][rng.random((n, 2)) < 0.2] = NULL
    return survey(answers[:, :issues], answers[:, issues:], r)


@dataclass(frozen=True)
class Group:
    size: int
    deviations: tuple[float, ...]

    def fails(self, k: int, l: float) -> bool:  # noqa: E741
        return self.size < k or any(each < l - 1e-9 for each in self.deviations)


def distance(one: int, other: int, r: int) -> int:
    if one == NULL and other == NULL:
        return 0
    return r if NULL in (one, other) else abs(int(one) - int(other))


def proximate(one: np.ndarray, other: np.ndarray, epsilon: float, r: int) -> bool:
    return all(distance(a, b, r) <= epsilon for a, b in zip(one, other, strict=True))


def deviation(values: list[int], paper: bool) -> float:
    """Of values from 1 on, with NULL; all-null has nothing to tell."""
    given = [value for value in values if value != NULL]
    if not given:
        return float("inf")
    mean = sum(given) / len(given)
    gaps = [(value - mean) ** 2 for value in given]
    if paper:
        gaps += [mean**2] * (len(values) - len(given))
    return float(np.sqrt(sum(gaps) / len(gaps)))


def group_of(survey: Survey, members: list[int], paper: bool = False) -> Group:
    columns = survey.hidden[members].T
    values = [[NULL if level == NULL else level + 1 for level in column] for column in columns]
    return Group(len(members), tuple(deviation(column, paper) for column in values))


def neighbourhoods(survey: Survey, epsilon: float, paper: bool = False) -> list[Group]:
    return [
        group_of(
            survey,
            [
                at
                for at, other in enumerate(survey.known)
                if proximate(row, other, epsilon, survey.r)
            ],
            paper,
        )
        for row in survey.known
    ]
