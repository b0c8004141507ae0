"""Neighbourhoods: does everyone, with all who are within ε, have k people and a deviation of l?"""

from __future__ import annotations

from typing import Any

import numpy as np

from recloak.core.arrays import Mask
from recloak.core.progress import Progress
from recloak.core.survey import NULL, Survey
from recloak.core.survey.patterns import Patterns
from recloak.guarantees.proximity._cliques import ReadingResult, deviating
from recloak.guarantees.proximity.routes import (
    ROUTES,
    GroupDeviations,
    ProximityRule,
    first_failing,
    moments_of,
)

SHOWN = 5


def check_neighbourhoods(
    survey: Survey, rule: ProximityRule, route: str, quick: bool, progress: Progress
) -> ReadingResult:
    """Null patterns first: they tell at once who can have no neighbours."""
    if survey.n < rule.k:
        how = f"{survey.n:,} respondents cannot be {rule.k:,} that are near to each other"
        return ReadingResult("broken", how, 0, _neighbourhood(survey, rule, 0))
    with progress.task("Comparing which questions were left out") as task:
        patterns = Patterns.of(survey.known)
        task.advance()
    lonely, summary = patterns.why_not(rule.k), patterns.summary()
    if quick and lonely is None and patterns.below(rule.k):
        lonely = f"{patterns.too_few(rule.k)}; {summary}"
    if lonely is not None:
        record = int(np.argmin(patterns.sizes[patterns.of_record]))
        return ReadingResult("broken", lonely, record, _neighbourhood(survey, rule, record))
    if quick:
        failing = first_failing(survey, rule, progress)
        if failing is not None:
            found = _neighbourhood(survey, rule, failing)
            return ReadingResult("broken", "a respondent was found who breaks it", failing, found)
        return ReadingResult("holds", f"nobody among {survey.n:,} respondents breaks it; {summary}")
    return _judged(survey, rule, ROUTES[route](survey, rule, progress), summary)


def _judged(
    survey: Survey, rule: ProximityRule, groups: GroupDeviations, summary: str
) -> ReadingResult:
    too_small, lacking_deviation = groups.too_small(rule), groups.lacking_deviation(rule)
    looked = f"all {survey.n:,} respondents were compared; {summary}"
    if not (too_small.any() or lacking_deviation.any()):
        deviation = f", whose sensitive answers deviate by {rule.l:g} or more" if rule.l > 0 else ""
        return ReadingResult("holds", f"{looked}; everyone has {rule.k:,} near{deviation}")
    parts = [f"{int(too_small.sum()):,} have fewer than {rule.k:,} near"] if too_small.any() else []
    if lacking_deviation.any():
        parts.append(
            f"{int(lacking_deviation.sum()):,} have {rule.k:,}, but with less deviation than l"
        )
    record = int(np.argmin(np.where(too_small, groups.sizes, np.iinfo(np.int64).max)))
    if not too_small.any():
        record = int(np.argmin(np.where(lacking_deviation, groups.lowest, np.inf)))
    found = _neighbourhood(survey, rule, record) | _others(
        survey, too_small | lacking_deviation, record
    )
    return ReadingResult("broken", f"{looked}; {', '.join(parts)}", record, found)


def _neighbourhood(survey: Survey, rule: ProximityRule, record: int) -> dict[str, Any]:
    """The neighbourhood of one record, looked at anew."""
    near = np.ones(survey.n, np.bool_)
    for column in survey.known.T:
        if column[record] == NULL:
            near &= column == NULL
        else:
            near &= (column != NULL) & (np.abs(column - column[record]) <= rule.epsilon)
    members = np.flatnonzero(near)
    others = members[members != record]
    found: dict[str, Any] = {
        "group size": len(members),
        "first of those near": [str(survey.respondents[other]) for other in others[:SHOWN]],
    }
    if rule.l > 0 and len(members) >= rule.k:
        sums = moments_of(survey.hidden[members]).sum(axis=0, keepdims=True)
        found |= deviating(
            survey, GroupDeviations.of(np.array([len(members)]), sums, rule.paper), 0
        )
    return found


def _others(survey: Survey, failing: Mask, record: int) -> dict[str, Any]:
    rest = [int(other) for other in np.flatnonzero(failing)[: SHOWN + 1] if other != record]
    if not rest:
        return {}
    return {"others who break it": [str(survey.respondents[other]) for other in rest[:SHOWN]]}
