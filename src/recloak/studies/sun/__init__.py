"""Studies of Sun and Sun: (k, ε, l)-anonymity of surveys; here the tables of worked examples."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.core.arrays import Integers
from recloak.core.errors import ParameterError
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.methods import method
from recloak.studies.base import Cell, Column, Study, StudyResult
from recloak.studies.data import PRINTED, DataSet
from recloak.studies.sun._surveys import SurveyData

REFERENCE = (
    "Sun, Sun: Privacy Preserving Large-Scale Rating Data Publishing. ICST Transactions on "
    "Scalable Information Systems, 2013."
)
# The distortion of each interval as printed, by issue; and the ε of the example.
PAPER_TABLES: dict[str, tuple[int, tuple[tuple[int, ...], ...]]] = {
    "printed-table4": (2, ((11, 7, 5, 6),)),
    "printed-table5": (1, ((4, 3, 4, 6), (10, 8, 6, 4, 4))),
}
NOT_PRINTED = (
    "Table 5 says that it anonymises a group of Table 1(a). Its numbers are right for (6, 1), "
    "(3, 6), (4, 5), (2, 5), a table that the paper does not print."
)
ALGORITHM = (
    "As printed, the paper's Algorithm 1 does not give these numbers: its interval is open, so a "
    "value on the edge is moved to the other end. Closed intervals give these numbers."
)


class SunStudy(Study):
    """A study of this paper."""

    reference: ClassVar[str] = REFERENCE
    data_sets: ClassVar[tuple[str, ...]] = ("synthetic-survey", "insteval", "ml-100k")


class SunTable4(SunStudy):
    """Every interval that a group's answers can be moved into, and what that costs."""

    name: ClassVar[str] = "sun-table4"
    summary: ClassVar[str] = "Table 4: moving one group's answers into an interval of width ε."
    data_sets: ClassVar[tuple[str, ...]] = ("printed-table4",)
    Parameters: ClassVar[type[Parameters]] = Parameters
    notes: ClassVar[tuple[str, ...]] = (ALGORITHM,)

    def run(self, data: DataSet, progress: Progress = SILENT) -> StudyResult:
        if data.name not in PRINTED:
            raise ParameterError(
                f"'{data.name}' is not a printed example",
                where="--data",
                hint=f"This table can be made of: {', '.join(PRINTED)}.",
            )
        epsilon, paper = PAPER_TABLES[data.name]
        published = _as_table(_published(data.ratings, epsilon, progress))
        rows: list[tuple[Cell, ...]] = []
        for issue, answers in enumerate(_as_table(data.ratings).T):
            costs = iter(paper[issue])
            for low in range(answers.min(), answers.max() - epsilon + 1):
                moved = np.clip(answers, low, low + epsilon)
                ours = _shown(moved) if np.array_equal(moved, published[:, issue]) else None
                cells = (
                    f"({low}, {low + epsilon})",
                    _shown(moved),
                    int(abs(moved - answers).sum()),
                )
                rows.append((f"issue {issue + 1}", *cells, next(costs), ours and "published"))
        columns = [Column("issue"), Column("interval"), Column("answers"), Column("distortion")]
        columns += [Column("distortion, paper"), Column("by recloak")]
        return self.result(data, columns, rows, notes=self.notes)


class SunTable5(SunTable4):
    """The same for a group that answered two issues."""

    name: ClassVar[str] = "sun-table5"
    summary: ClassVar[str] = "Table 5: the same for a group that answered two issues."
    data_sets: ClassVar[tuple[str, ...]] = ("printed-table5",)
    notes: ClassVar[tuple[str, ...]] = (ALGORITHM, NOT_PRINTED)


def _published(ratings: Ratings, epsilon: int, progress: Progress) -> Ratings:
    """All respondents as one group, in the order of the original."""
    recipe = method("proximity", k=ratings.n_users, epsilon=epsilon, mode="interval")
    applied = recipe.apply(ratings, Randomness.from_seed(0), progress)
    rows = applied.release.as_ratings()
    order = applied.secret.linkage(ratings, rows).first_row(np.arange(ratings.n_users))
    return rows.take_users(order)


def _as_table(ratings: Ratings) -> Integers:
    """Of a table without gaps: a row for each respondent."""
    return ratings.values.reshape(ratings.n_users, -1).astype(np.int64)


def _shown(answers: Integers) -> str:
    return f"({', '.join(map(str, answers.tolist()))})"


def context_of(
    view: SurveyData, recipe: str, progress: Progress, **parameters: object
) -> AuditContext:
    """A release of a survey before attackers and measures, its answers known."""
    made = method(recipe, **view.spelled, **parameters)
    original = view.data.ratings
    applied = made.apply(original, Randomness.from_seed(0), progress)
    rows = applied.release.as_ratings()
    linkage = applied.secret.linkage(original, rows)
    return AuditContext(
        original, rows, linkage, match_items(original, rows), release=applied.release
    )
