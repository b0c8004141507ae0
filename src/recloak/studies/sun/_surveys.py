"""Data sets as surveys: the most rated items as issues, and a sensitive one beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.core.arrays import Integers
from recloak.core.errors import InputError
from recloak.core.issue_names import joined
from recloak.core.ratings import Ratings
from recloak.core.survey import Survey, SurveyParameters
from recloak.studies.data import DataSet, folder

_AGES = (25, 35, 45, 55)  # where bands of age begin, after the first
_FILM, _LECTURER = "film", "lecturer"


@dataclass(frozen=True)
class SurveyData:
    """A data set whose issues are declared; ``data`` holds these issues alone."""

    data: DataSet
    declared: SurveyParameters

    @classmethod
    def of(cls, data: DataSet, issues: int) -> SurveyData:
        """The ``issues`` most rated items, and what is known about the person, if anything.

        Where nothing is, the next most rated item is the sensitive issue.
        """
        if data.name in _PERSONAL:
            return _PERSONAL[data.name](data, issues)
        if data.ratings.n_items < 2:
            raise InputError("a survey needs two issues, one of them sensitive", where=data.name)
        order = np.argsort(-data.ratings.item_support, kind="stable")
        count = min(issues, data.ratings.n_items - 1)
        chosen, hidden = order[:count], order[count : count + 1]
        kept = data.ratings.keep(np.isin(data.ratings.items, [*chosen, *hidden])).compact()
        labels = data.ratings.item_labels
        note = f"Issues: the {len(chosen)} most answered ones; sensitive: '{labels[hidden][0]}'."
        view = DataSet(data.name, kept, f"{data.note} {note}")
        return cls(view, _declared(labels[np.sort(chosen)], labels[hidden]))

    @property
    def survey(self) -> Survey:
        """The answers as levels."""
        return Survey.of(self.data.ratings, self.declared)

    @property
    def spelled(self) -> dict[str, str]:
        """The declaration as parameters of a method or a guarantee."""
        return self.declared.public()

    def only(self, respondents: Integers) -> SurveyData:
        """Those respondents (codes), under new names: one who is taken twice is two."""
        rows = self.data.ratings.take_users(respondents)
        renamed = rows.relabel_users(np.arange(len(respondents)))
        return SurveyData(DataSet(self.data.name, renamed, self.data.note), self.declared)

    def sample(self, count: int, rng: np.random.Generator) -> SurveyData:
        """So many respondents at random; with repetition if there are fewer."""
        n = self.data.ratings.n_users
        return self.only(np.sort(rng.choice(n, count, replace=count > n)))


def _declared(known: NDArray[np.generic], hidden: NDArray[np.generic]) -> SurveyParameters:
    return SurveyParameters(
        sensitive=joined(map(str, hidden)), non_sensitive=joined(map(str, known))
    )


def _movielens(data: DataSet, issues: int) -> SurveyData:
    """Films as issues; the age is in a file of its own, which the reader leaves aside."""
    people = pl.read_csv(
        folder() / data.name / "u.user",
        separator="|",
        has_header=False,
        new_columns=["person", "age", "gender", "occupation", "zip"],
    )
    ages = np.searchsorted(_AGES, people["age"].to_numpy(), side="right") + 1
    level = dict(zip(people["person"].to_list(), ages.tolist(), strict=True))
    sensitive = "sensitive: the person's age in five bands (under 25, 35, 45, 55, and older)"
    return _with_person(data, issues, level, _FILM, "age", sensitive)


def _insteval(data: DataSet, issues: int) -> SurveyData:
    """Lecturers as issues; how long a student has studied is a column about the person."""
    table = pl.read_csv(folder() / "insteval" / "InstEval.csv")
    years = table.group_by("s").agg(pl.col("studage").first() // 2)
    level = dict(zip(years["s"].to_list(), years["studage"].to_list(), strict=True))
    sensitive = "sensitive: how long the student has studied, in four steps"
    return _with_person(data, issues, level, _LECTURER, "study time", sensitive)


_PERSONAL: dict[str, Callable[[DataSet, int], SurveyData]] = {
    "ml-100k": _movielens,
    "insteval": _insteval,
}


def _with_person(
    data: DataSet, issues: int, level: dict[int, int], item: str, name: str, sensitive: str
) -> SurveyData:
    ratings = data.ratings
    chosen = np.sort(np.argsort(-ratings.item_support, kind="stable")[:issues])
    mask = np.isin(ratings.items, chosen)
    labels = np.array([f"{item} {label}" for label in ratings.item_labels], dtype=object)
    users = ratings.user_labels[ratings.user_codes()[mask]]
    built = Ratings.from_columns(
        np.concatenate([users, ratings.user_labels]),
        np.concatenate([labels[ratings.items[mask]], np.full(ratings.n_users, name, dtype=object)]),
        np.concatenate([ratings.values[mask], [level[user] for user in ratings.user_labels]]),
        scale=ratings.scale,
    )
    note = f"Issues: the {len(chosen)} most rated {item}s; {sensitive}."
    view = DataSet(data.name, built, f"{data.note} {note}")
    return SurveyData(view, _declared(labels[chosen], np.array([name], dtype=object)))
