"""What is wanted of a comparison: settings, protocol and policy, from names as the flags have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from recloak.auditing.policy import Policy
from recloak.comparison.options import ComparisonOptions
from recloak.comparison.protocol import Protocol
from recloak.comparison.settings import (
    Setting,
    chosen,
    default_settings,
    read_grid,
    settings_from,
    with_declared,
)
from recloak.core.errors import ParameterError
from recloak.core.issue_names import joined
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.core.survey import SurveyParameters
from recloak.io import Loaded
from recloak.io.given import Given
from recloak.io.options import SIDES, ReadOptions


@dataclass(frozen=True)
class ComparisonRequest:
    """Data, and the settings to try on them: one by one, by the names of methods, or in a file.

    ``data`` are ratings, what `recloak.io.load` gave, or whatever can be read; ``reading`` are
    options of reading. By default all settings that suit the data are tried.
    """

    data: Any
    settings: Sequence[Setting | str] | None
    options: ComparisonOptions
    reading: Mapping[str, Any]

    def __post_init__(self) -> None:
        if self.settings is not None and self.options.grid is not None:
            raise ParameterError("give either settings or a grid file", where="--grid")
        if self.options.seed < 0:
            raise ParameterError("a seed is a whole number, 0 or more", where="--seed")
        if self.options.protocol is not None and self.options.seed:
            raise ParameterError("the protocol has a seed of its own", where="--seed")

    @cached_property
    def survey(self) -> SurveyParameters | None:
        """What is declared of the issues, if the data are a survey.

        Of ratings that were read before, only what is declared with them is known.
        """
        given = dict(self._sides if isinstance(self.data, Ratings) else self.reading)
        if not given:
            return None
        return survey_in(ReadOptions.of("read", given.pop("options", None), given).settled())

    @cached_property
    def judged(self) -> Policy:
        """The policy; where nobody names one, ours, which is another one for a survey."""
        policy = self.options.policy
        if policy is None:
            return default_policy(self.survey)
        return policy if isinstance(policy, Policy) else Policy.read(policy)

    @cached_property
    def followed(self) -> Protocol:
        """The protocol, by default the usual one under the seed."""
        seed, survey = self.options.seed, self.survey is not None
        return self.options.protocol or Protocol.usual(seed, survey=survey)

    @property
    def is_listed(self) -> bool:
        """Does somebody say which settings?"""
        return self.settings is not None or self.options.grid is not None

    def prepared(self, progress: Progress) -> tuple[Ratings, list[Setting]]:
        """The data, read now, and what is tried; a grid that is wrong is refused before."""
        grid, methods = self.options.grid, self.options.methods
        listed = read_grid(grid) if grid is not None else None
        names = None if methods is None else names_in(methods)
        reading = {} if isinstance(self.data, Loaded) else self._beside_sides
        ratings = Given.of(self.data, reading, progress=progress).ratings
        if self.settings is not None:
            listed = settings_from(self.settings, ratings)
        return ratings, settings_for(ratings, listed, names, self.survey)

    @property
    def _sides(self) -> dict[str, Any]:
        return {side: self.reading[side] for side in SIDES if side in self.reading}

    @property
    def _beside_sides(self) -> Mapping[str, Any]:
        """What is left to say about reading; what is sensitive is also said of read ratings."""
        if not isinstance(self.data, Ratings):
            return self.reading
        return {name: value for name, value in self.reading.items() if name not in SIDES}


def settings_for(
    ratings: Ratings,
    listed: list[Setting] | None,
    names: Sequence[str] | None,
    survey: SurveyParameters | None,
) -> list[Setting]:
    """Those that are listed or the default ones, only of the methods called ``names`` if any are.

    Of a survey they come with what is declared of it.
    """
    found = default_settings(ratings, survey) if listed is None else listed
    found = chosen(found, names) if names is not None else found
    return with_declared(found, survey) if survey is not None else found


def names_in(methods: Sequence[str] | str) -> list[str]:
    """The names of methods, from a list or a text with commas; none are refused."""
    parts = methods.split(",") if isinstance(methods, str) else methods
    names = [name.strip() for name in parts if name.strip()]
    if not names:
        raise ParameterError("names no method", where="--methods", hint="See 'recloak methods'.")
    return names


def survey_in(options: ReadOptions) -> SurveyParameters | None:
    """What is declared of the issues, if the options say that the data are a survey."""
    sides = {side: joined(getattr(options, side)) for side in SIDES if getattr(options, side)}
    if not (sides or options.format == "survey" or options.id_column or options.issues):
        return None
    return SurveyParameters(**sides)


def default_policy(survey: SurveyParameters | None) -> Policy:
    """What is required where nobody says so: of a survey other things than of ratings."""
    return Policy.default_for(survey.model_dump() if survey is not None else {})
