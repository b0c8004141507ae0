"""The control group of a survey: members of a rehearsal, and respondents who were left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.attacks._answer_distances import UNKNOWN
from recloak.core.arrays import Indices, Levels
from recloak.core.errors import InputError, ParameterError
from recloak.core.issue_names import joined
from recloak.core.progress import Progress
from recloak.core.survey import NULL, Survey, SurveyParameters
from recloak.evaluation.context import AuditContext
from recloak.evaluation.control_group import NoControlGroupError, control_of
from recloak.evaluation.survey_pairs import SurveyPairs


@dataclass(frozen=True)
class RespondentControl:
    """A rehearsed release of a survey, members of it, and the answers of those left out.

    ``members`` are those of the matched members, by number, who have a row in the release.
    """

    rehearsed: SurveyPairs
    members: Indices
    outsiders: Survey
    note: str

    @classmethod
    def of(
        cls, context: AuditContext, pairs: SurveyPairs, progress: Progress
    ) -> RespondentControl | str:
        """The control group of a release, or the reason why there is none.

        Its issues are those of ``pairs``: a method that knows no issues declares none when it is
        rehearsed.
        """
        declared = issues_of(pairs.before)
        try:
            group = control_of(context, progress)
            rehearsed = SurveyPairs.of(group.rehearsed, declared)
            if isinstance(rehearsed, str):
                return rehearsed
            outsiders = Survey.of(group.outsiders, declared, "outsiders")
        except NoControlGroupError as reason:
            return str(reason)
        except (InputError, ParameterError) as problem:
            return f"There is no control group ({problem.what}): not measured."
        members = group.matched[rehearsed.own[group.matched] >= 0]
        return cls(rehearsed, members, outsiders, group.note)


def issues_of(survey: Survey) -> SurveyParameters:
    """The declaration of a survey's issues."""
    return SurveyParameters(
        sensitive=joined(survey.hidden_issues), non_sensitive=joined(survey.known_issues)
    )


def with_answers(
    answers: Levels, among: Indices, known: int, most: int, rng: np.random.Generator
) -> Indices:
    """Those among whom so many answers can be known, and at most so many of them; 0 for all."""
    given = (answers[among] != NULL).sum(axis=1)
    eligible: Indices = among[given >= max(known, 1)]
    if len(eligible) <= (most or len(eligible)):
        return eligible
    chosen: Indices = np.sort(rng.choice(eligible, most, replace=False))
    return chosen


def known_answers(answers: Levels, known: int, rng: np.random.Generator) -> Levels:
    """What is known of each person: so many of the answers that they gave, or everything."""
    if known == 0:
        return answers
    order = np.where(answers == NULL, 2.0, rng.random(answers.shape))
    rank = order.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    return np.where(rank < known, answers, np.int8(UNKNOWN)).astype(np.int8)
