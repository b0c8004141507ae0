"""What methods share that publish a survey: declared issues, refusals, and the release."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Self

import numpy as np
from pydantic import Field

from recloak.core.arrays import Indices, Levels, Mask, code_by_name, offsets_from
from recloak.core.claim import Claim
from recloak.core.errors import InputError, ParameterError
from recloak.core.issue_names import joined, names_in
from recloak.core.parameters import Parameters
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.survey import NULL, Survey, SurveyParameters, deviations, feasibility
from recloak.core.survey.patterns import Patterns
from recloak.methods.base import Applied, Method
from recloak.releases.secret import Secret
from recloak.releases.survey import SurveyRelease, as_columns

DEFAULT_SHARE = 0.5  # of a deviation; docs/explanation/proximity.md has the figures


class SurveyMethodParameters(SurveyParameters):
    """How many must be how near to everybody, and how their sensitive answers must differ."""

    k: int = Field(default=5, ge=2)
    """Everyone is within ε of at least k − 1 others (the paper's default is 20)."""

    epsilon: float = Field(default=1.0, ge=0)
    """ε: how far two answers to a non-sensitive issue may lie apart to count as near."""

    l: float | None = Field(default=None, ge=0)  # noqa: E741
    """Least standard deviation of each sensitive issue among those near to each other. Left out, it
    is half of what the least deviating one has among all respondents. 0 asks for none: all who are
    near to each other may then have given the same sensitive answer. The paper's 2 is the most that
    answers of 1 to 5 can have."""


class SurveyMethod(Method):
    """Changes or leaves out answers of a survey and publishes the rest as a wide table."""

    rehearses_whole_rows: ClassVar[bool] = True
    Parameters: ClassVar[type[Parameters]] = SurveyMethodParameters
    parameters: SurveyMethodParameters

    def apply(
        self,
        ratings: Ratings,
        randomness: Randomness | None = None,
        progress: Progress = SILENT,
    ) -> Applied:
        drawn = randomness or Randomness.from_entropy()
        return self._with_deviation(ratings).protect(ratings, drawn, progress)

    @abstractmethod
    def protect(self, ratings: Ratings, drawn: Randomness, progress: Progress) -> Applied:
        """Make the release, once it is known by how much sensitive answers must deviate."""

    @property
    def least(self) -> float:
        """l, the least deviation of sensitive answers."""
        return self.parameters.l or 0.0

    def _with_deviation(self, ratings: Ratings) -> Self:
        """The same method with a number for l: what was asked for, or what the answers allow."""
        given = self.parameters
        if given.l is not None:
            return self
        least = 0.0
        if names_in(given.sensitive) and ratings.n_users:
            least = _default_deviation(Survey.of(ratings, given, f"method {self.name}"), self.name)
        return type(self)(**{**given.model_dump(), "l": least})

    def claim(self, reading: str, epsilon: float) -> Claim:
        """That the release is proximate to within ε, in one of the two readings."""
        given = self.parameters
        stated = {
            "k": given.k,
            "epsilon": epsilon,
            "l": self.least,
            "sensitive": joined(names_in(given.sensitive)),
            "non_sensitive": joined(names_in(given.non_sensitive)),
            "reading": reading,
        }
        return Claim("proximity", stated)

    def survey(self, ratings: Ratings, progress: Progress) -> tuple[Survey, list[str]]:
        """The declared answers, and what to say about them; what cannot be reached is refused."""
        given, where = self.parameters, f"method {self.name}"
        if self.least > 0 and not names_in(given.sensitive):
            raise ParameterError(
                "l needs a sensitive issue, and none is declared",
                where=where,
                hint="Name them with --sensitive, with + between them.",
            )
        if ratings.n_users == 0:
            raise InputError("there are no respondents", where=where)
        survey = Survey.of(ratings, given, where)
        if given.epsilon >= survey.r:
            raise ParameterError(
                f"ε = {given.epsilon:g} requires nothing of answers on {survey.r} levels",
                where="--epsilon",
                hint=f"It must be below {survey.r}; 1 is usual.",
            )
        notes = [*_of_sensitive(survey, self.least)]
        notes += feasibility(survey, given.k, self.least, where)
        if given.epsilon >= survey.r - 1:
            notes.append(
                f"ε = {given.epsilon:g} is the whole scale: only who answered which issue counts."
            )
        notes += _left_out(ratings, survey)
        with progress.task("Comparing which questions were left out", 1) as task:
            patterns = Patterns.of(survey.known)
            task.advance()
        lonely = patterns.why_not(given.k)
        if lonely is None:
            return survey, notes
        with progress.task(patterns.summary(), 1) as task:  # to be read before the long part
            task.advance()
        return survey, [*notes, f"{lonely}."]

    def released(
        self,
        ratings: Ratings,
        survey: Survey,
        known: Levels,
        kept: Indices,
        groups: Indices | None,
        drawn: Randomness,
        notes: list[str],
    ) -> Applied:
        """The release of the respondents ``kept`` with the non-sensitive answers ``known``."""
        people = PeopleDraws.of(drawn, ratings.user_labels[kept])
        names = people.one_pseudonym("pseudonyms")
        answers = np.concatenate([known, survey.hidden[kept]], axis=1)
        issues = [*survey.known_issues, *survey.hidden_issues]
        rows = as_columns(_as_ratings(ratings, answers, issues).relabel_users(names))
        manifest = self.manifest(rows, drawn, SurveyRelease.kind)
        grouping = None
        if groups is not None:
            _, first, group = np.unique(groups, return_index=True, return_inverse=True)
            ids = people[first].one_pseudonym("groups")
            grouping = ids[group][np.argsort(names)]
        secret = Secret(
            release_id=manifest.release_id,
            root=drawn.root,
            user_labels=ratings.user_labels,
            owners=kept,
            pseudonyms=names,
        )
        return Applied(SurveyRelease(manifest, rows, grouping), secret, tuple(notes))


def _default_deviation(survey: Survey, name: str) -> float:
    """Half of what the sensitive issue that deviates least has among all respondents."""
    answered = (survey.hidden != NULL).any(axis=0)
    found = [
        (deviation, issue)
        for (issue, deviation), any_answer in zip(deviations(survey).items(), answered, strict=True)
        if any_answer
    ]
    least, issue = min(found, default=(0.0, ""))
    if issue and least == 0:
        raise InputError(
            f"everybody gave the same answer to '{issue}', so no group can hide it",
            where=f"method {name}",
            hint="Leave this issue out, or say --l 0 to publish it all the same.",
        )
    return float(f"{DEFAULT_SHARE * least:.2g}")


def _of_sensitive(survey: Survey, least: float) -> list[str]:
    """What is, or is not, done about the sensitive answers: the first thing to be said."""
    if not survey.hidden_issues:
        return []
    named = ", ".join(survey.hidden_issues)
    if least == 0:
        return [
            f"SENSITIVE ANSWERS ARE NOT PROTECTED ({named}): l = 0 lets all who are alike in the "
            "other issues have given the same one."
        ]
    return [
        f"Sensitive: {named}. Their answers are published as given; among those who are alike in "
        f"the other issues they deviate by at least l = {least:g}."
    ]


def telling_alike(labels: Indices, hidden: Levels, groups: int) -> Mask:
    """In which groups all who answered a sensitive issue gave the same answer."""
    alike = np.zeros(groups, dtype=np.bool_)
    for column in hidden.T:
        given = column != NULL
        lowest = np.full(groups, np.iinfo(np.int8).max, dtype=np.int8)
        highest = np.full(groups, NULL, dtype=np.int8)
        np.minimum.at(lowest, labels[given], column[given])
        np.maximum.at(highest, labels[given], column[given])
        alike |= lowest == highest
    return alike


def _left_out(ratings: Ratings, survey: Survey) -> list[str]:
    """Say which issues are not published because nobody declared them."""
    declared = {*survey.known_issues, *survey.hidden_issues}
    names = [str(label) for label in ratings.item_labels if str(label) not in declared]
    if not names:
        return []
    return [
        f"{len(names):,} issues were declared neither way and are left out: {', '.join(names)}."
    ]


def _as_ratings(ratings: Ratings, answers: Levels, issues: list[str]) -> Ratings:
    """A wide array of levels as ratings, its columns in the order of the original's items."""
    code_of = code_by_name(ratings.item_labels)
    codes = np.array([code_of[name] for name in issues], dtype=np.int64)
    answers = answers[:, np.argsort(codes)]
    answered = answers != NULL
    return Ratings(
        offsets=offsets_from(answered.sum(axis=1)),
        items=np.nonzero(answered)[1].astype(np.int32),
        values=(answers[answered] + ratings.scale.low).astype(np.float32),
        scale=ratings.scale,
        user_labels=np.arange(len(answers)),
        item_labels=ratings.item_labels[np.sort(codes)],
    )
