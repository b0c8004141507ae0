"""Survey pairs: what respondents answered, and what a release says that they did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recloak.core.arrays import Indices
from recloak.core.errors import InputError, ParameterError
from recloak.core.ratings import Ratings
from recloak.core.survey import Survey, SurveyParameters
from recloak.evaluation.context import AuditContext, in_codes

NOT_DECLARED = "No issue was declared sensitive or non-sensitive, so this is not a survey."
NO_ANSWERS = "There are no answers."
ROUNDED = "Answers of the release that are not whole levels were rounded to the nearest level."


@dataclass(frozen=True)
class SurveyPairs:
    """The same issues in the original (``before``) and in the release (``after``).

    ``own`` is the row of each respondent in the release, -1 for those who have none. What a
    release says off the levels of the original counts as the nearest level.
    """

    before: Survey
    after: Survey
    own: Indices
    notes: tuple[str, ...]

    @classmethod
    def of(cls, context: AuditContext, declared: SurveyParameters) -> SurveyPairs | str:
        """Both sides of a context, or the reason why there are none."""
        stated = _stated(context.public, declared)
        if stated is None:
            return NOT_DECLARED
        if len(context.original) == 0:
            return NO_ANSWERS
        try:
            before = Survey.of(context.original, stated, "original")
            after = Survey.of(_released(context), stated, "release")
        except (InputError, ParameterError) as problem:
            return f"Not measured: {problem.what}."
        own = context.linkage.first_row(np.arange(context.original.n_users))
        whole = context.rows.scale.step == context.original.scale.step
        return cls(before, after, own, (context.linkage.note, *([] if whole else [ROUNDED])))

    @property
    def kept(self) -> Indices:
        """The respondents who have a row in the release."""
        return np.flatnonzero(self.own >= 0)


def declares_issues(public: Mapping[str, Any]) -> bool:
    """Does a release say of itself that it holds issues, sensitive or not?"""
    return "sensitive" in public


def _stated(public: Mapping[str, Any], declared: SurveyParameters) -> SurveyParameters | None:
    """What is declared by hand, else by the release itself."""
    if declared.sensitive or declared.non_sensitive:
        return SurveyParameters(sensitive=declared.sensitive, non_sensitive=declared.non_sensitive)
    if not declares_issues(public):
        return None
    return SurveyParameters(
        sensitive=str(public["sensitive"] or ""),
        non_sensitive=str(public.get("non_sensitive") or ""),
    )


def _released(context: AuditContext) -> Ratings:
    """The rows with the items and the levels of the original."""
    scale, rows = context.original.scale, context.rows
    listed = np.flatnonzero(context.item_in_release >= 0)
    code = np.full(rows.n_items, -1, dtype=np.int64)
    code[context.item_in_release[listed]] = listed
    if not np.array_equal(code, np.arange(context.original.n_items)):
        rows = in_codes(rows, code, context.original.item_labels)
    levels = np.rint(np.clip(rows.values, scale.low, scale.high) - scale.low) + scale.low
    return replace(rows, values=levels.astype(np.float32), scale=scale)
