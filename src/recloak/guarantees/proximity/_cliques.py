"""Cliques: disjoint groups in which everybody is within ε of everybody.

Answers within ε of each other two by two lie in an interval of width ε, so that a clique is a box.
Whether records can be cut into cliques of k is hard to decide; a grouping can be checked, equal
records are cliques, and a greedy search may find a grouping. If it does not, nothing is proven.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from recloak.core.arrays import Integers
from recloak.core.errors import InputError
from recloak.core.progress import Progress
from recloak.core.survey import NULL, Survey, deviations, least_deviation
from recloak.core.survey.patterns import first_of_each, record_order
from recloak.evaluation.findings import Status
from recloak.guarantees.proximity._clique_kernels import box_cliques, extents
from recloak.guarantees.proximity.routes import GroupDeviations, ProximityRule, moments_of

BUDGET = 2e9
"""Elementary steps that the search for cliques may take: some seconds."""


@dataclass(frozen=True)
class ReadingResult:
    """What was found in one of the readings, and the failing record with what fails about it."""

    status: Status
    how: str
    record: int | None = None
    found: dict[str, Any] | None = None


def check_grouping(survey: Survey, rule: ProximityRule, grouping: Integers) -> ReadingResult:
    """Is each group that the release names a clique of k with a deviation of l?"""
    if len(grouping) != survey.n:
        raise InputError(
            f"the grouping names {len(grouping):,} rows, but there are {survey.n:,}",
            hint="The release was edited or damaged.",
        )
    order = np.argsort(grouping, kind="stable")
    starts, _ = first_of_each(grouping[order][:, None])
    groups, widest, width = _measured(survey, rule, order, starts)
    wide = width > rule.epsilon
    failing = wide | groups.too_small(rule) | groups.lacking_deviation(rule)
    if not failing.any():
        return ReadingResult(
            "holds", f"the release names {len(starts):,} groups, and all are cliques"
        )
    group = int(np.argmax(failing))
    record = int(order[starts[group]])
    found: dict[str, Any] = {"group": int(grouping[record]), "group size": int(groups.sizes[group])}
    if wide[group]:
        found["issue"] = survey.known_issues[widest[group]]
        found["its answers are apart by"] = int(width[group])
    elif not groups.too_small(rule)[group]:
        found |= deviating(survey, groups, group)
    how = f"{int(failing.sum()):,} of {len(starts):,} groups that the release names are no cliques"
    return ReadingResult("broken", f"{how} of {rule.k:,}, or lack deviation", record, found)


def deviating(survey: Survey, groups: GroupDeviations, group: int) -> dict[str, Any]:
    """The sensitive issue of a group that deviates least."""
    return {
        "sensitive issue": survey.hidden_issues[groups.weakest[group]],
        "its deviation": round(float(groups.lowest[group]), 6),
    }


def search_cliques(survey: Survey, rule: ProximityRule, progress: Progress) -> ReadingResult:
    """Equal records first; where they are too few or too alike, boxes around the records."""
    for name, deviation in deviations(survey).items() if not rule.paper else ():
        answered = (survey.hidden[:, survey.hidden_issues.index(name)] != NULL).any()
        if answered and deviation < least_deviation(rule.l):
            how = f"no groups deviate more than all respondents do in '{name}', {deviation:.4g}"
            found = {"sensitive issue": name, "its deviation among all": round(deviation, 6)}
            return ReadingResult("broken", how, None, found)
    order = record_order(survey.known, np.arange(survey.known.shape[1]), survey.r)
    starts, _ = first_of_each(survey.known[order])
    groups, _, _ = _measured(survey, rule, order, starts)
    if not (groups.too_small(rule) | groups.lacking_deviation(rule)).any():
        how = f"{len(starts):,} groups of equal records are cliques of {rule.k:,} or more"
        return ReadingResult("holds", how)
    pattern_starts, _ = first_of_each(survey.known[order] != NULL)
    edges = np.append(pattern_starts, survey.n)
    if _steps(edges, survey, rule) > BUDGET:
        return ReadingResult(
            "undecided",
            "no grouping is given, and there are too many respondents to search for one",
        )
    return _boxes(survey, rule, order, edges, progress)


def _steps(edges: Integers, survey: Survey, rule: ProximityRule) -> float:
    members = np.diff(edges).astype(np.float64)
    return float((members**2).sum() * survey.known.shape[1] * (rule.epsilon + 2) / rule.k)


def _boxes(
    survey: Survey, rule: ProximityRule, order: Integers, edges: Integers, progress: Progress
) -> ReadingResult:
    """Boxes as full as can be, for their deviation; else of k, which leaves fewer over."""
    columns = np.ascontiguousarray(survey.known[order].T)
    outcome = ReadingResult("undecided", "nobody searched")
    with progress.task("Looking for cliques", 2 * (len(edges) - 1)) as task:
        for most in (survey.n, rule.k):
            box, left = np.full(survey.n, -1, np.int64), 0
            for start, end in pairwise(edges.tolist()):
                given = (rule.epsilon, survey.r, rule.k, most)
                left += box_cliques(columns, start, end, *given, box)
                task.advance()
            outcome = _judged(survey, rule, order, box, left)
            if outcome.status == "holds":
                break
    return outcome


def _judged(
    survey: Survey, rule: ProximityRule, order: Integers, box: Integers, left: int
) -> ReadingResult:
    if left:
        return ReadingResult(
            "undecided", f"a search for disjoint cliques left {left:,} records over"
        )
    by_box = np.argsort(box, kind="stable")
    starts, _ = first_of_each(box[by_box][:, None])
    groups, _, _ = _measured(survey, rule, order[by_box], starts)
    if groups.lacking_deviation(rule).any():
        return ReadingResult(
            "undecided", "a search found disjoint cliques, but some lack deviation"
        )
    return ReadingResult("holds", f"a search found {len(starts):,} disjoint cliques")


def _measured(
    survey: Survey, rule: ProximityRule, order: Integers, starts: Integers
) -> tuple[GroupDeviations, Integers, Integers]:
    """Size, deviation, widest issue and its width of groups that are runs of ``order``."""
    moments = moments_of(survey.hidden if rule.l > 0 else survey.hidden[:, :0])
    edges = np.append(starts, survey.n)
    sums = np.zeros((len(starts), moments.shape[1]), np.int64)
    widest, width = extents(survey.known, order, edges, survey.r, moments, sums)
    return GroupDeviations.of(np.diff(edges), sums, rule.paper), widest, width
