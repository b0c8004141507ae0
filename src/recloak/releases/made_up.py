"""MadeUpRelease and MadeUpSurvey: tables of people who were drawn from a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from recloak.releases.ratings import RatingsRelease
from recloak.releases.survey import SurveyRelease


@dataclass(frozen=True, repr=False)
class MadeUpRelease(RatingsRelease):
    """A table of ratings by made-up people."""

    kind: ClassVar[str] = "made-up"
    made_up: ClassVar[bool] = True
    row_word: ClassVar[str] = "made-up person"


@dataclass(frozen=True, repr=False)
class MadeUpSurvey(SurveyRelease):
    """A survey with the answers of made-up respondents."""

    kind: ClassVar[str] = "made-up-survey"
    made_up: ClassVar[bool] = True
    row_word: ClassVar[str] = "made-up respondent"
