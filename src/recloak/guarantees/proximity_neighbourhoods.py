"""Neighbourhoods: does everyone, with all who are within ε, have k people and a deviation of l?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.guarantees.proximity_cliques import Outcome, deviating
from recloak.guarantees.proximity_routes import ROUTES, Asked, Groups, first_failing, moments_of
from recloak.progress import Progress
from recloak.survey_patterns import Patterns
from recloak.surveys import NULL, Survey

SHOWN = 5


def check_neighbourhoods(
    survey: Survey, asked: Asked, route: str, quick: bool, progress: Progress
) -> Outcome:
    """Null patterns first: they tell at once who can have no neighbours."""
    if survey.n < asked.k:
        said = f"{survey.n:,} respondents cannot be {asked.k:,} that are near to each other"
        return Outcome("broken", said, 0, _around(survey, asked, 0))
    with progress.task("Comparing which questions were left out") as task:
        patterns = Patterns.of(survey.known)
        task.advance()
    lonely, told = patterns.why_not(asked.k), patterns.told()
    if quick and lonely is None and patterns.below(asked.k):
        lonely = f"{patterns.too_few(asked.k)}; {told}"
    if lonely is not None:
        record = int(np.argmin(patterns.sizes[patterns.of_record]))
        return Outcome("broken", lonely, record, _around(survey, asked, record))
    if quick:
        failing = first_failing(survey, asked, progress)
        if failing is not None:
            found = _around(survey, asked, failing)
            return Outcome("broken", "a respondent was found who breaks it", failing, found)
        return Outcome("holds", f"nobody among {survey.n:,} respondents breaks it; {told}")
    return _judged(survey, asked, ROUTES[route](survey, asked, progress), told)


def _judged(survey: Survey, asked: Asked, groups: Groups, told: str) -> Outcome:
    short, alike = groups.short(asked), groups.alike(asked)
    looked = f"all {survey.n:,} respondents were compared; {told}"
    if not (short.any() or alike.any()):
        deviation = f" and deviation {asked.l:g}" if asked.l > 0 else ""
        return Outcome("holds", f"{looked}; everyone has {asked.k:,} near{deviation}")
    parts = [f"{int(short.sum()):,} have fewer than {asked.k:,} near"] if short.any() else []
    if alike.any():
        parts.append(f"{int(alike.sum()):,} have {asked.k:,}, but with less deviation than l")
    record = int(np.argmin(np.where(short, groups.sizes, np.iinfo(np.int64).max)))
    if not short.any():
        record = int(np.argmin(np.where(alike, groups.lowest, np.inf)))
    found = _around(survey, asked, record) | _others(survey, short | alike, record)
    return Outcome("broken", f"{looked}; {', '.join(parts)}", record, found)


def _around(survey: Survey, asked: Asked, record: int) -> dict[str, Any]:
    """The neighbourhood of one record, looked at anew."""
    near = np.ones(survey.n, np.bool_)
    for column in survey.known.T:
        if column[record] == NULL:
            near &= column == NULL
        else:
            near &= (column != NULL) & (np.abs(column - column[record]) <= asked.epsilon)
    members = np.flatnonzero(near)
    others = members[members != record]
    found: dict[str, Any] = {
        "group size": len(members),
        "first of those near": [str(survey.respondents[other]) for other in others[:SHOWN]],
    }
    if asked.l > 0 and len(members) >= asked.k:
        sums = moments_of(survey.hidden[members]).sum(axis=0, keepdims=True)
        found |= deviating(survey, Groups.of(np.array([len(members)]), sums, asked.paper), 0)
    return found


def _others(survey: Survey, failing: NDArray[np.bool_], record: int) -> dict[str, Any]:
    rest = [int(other) for other in np.flatnonzero(failing)[: SHOWN + 1] if other != record]
    if not rest:
        return {}
    return {"others who break it": [str(survey.respondents[other]) for other in rest[:SHOWN]]}
