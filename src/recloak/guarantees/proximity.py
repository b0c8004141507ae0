"""Guarantee `proximity`: k respondents are near to everybody, and their secrets differ."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.errors import ParameterError
from recloak.findings import Status, Verdict
from recloak.guarantees.base import Guarantee
from recloak.guarantees.proximity_cliques import Outcome, check_grouping, search_cliques
from recloak.guarantees.proximity_neighbourhoods import check_neighbourhoods
from recloak.guarantees.proximity_routes import Asked
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings
from recloak.release import Release
from recloak.surveys import NULL, SLACK, Survey, SurveyParameters, deviations

WHERE = "guarantee proximity"
WITNESS_ISSUES = 10
_WORST: tuple[Status, ...] = ("broken", "undecided", "holds")


class ProximityParameters(SurveyParameters):
    """How many must be how near, and how their sensitive answers must differ."""

    k: int = Field(default=20, ge=2)
    """Everyone must be within ε of at least k − 1 others."""

    epsilon: float = Field(default=1.0, ge=0)
    """ε: how far two answers to a non-sensitive issue may lie apart to count as near. Between an
    answer and none is the whole scale."""

    l: float = Field(default=0.0, ge=0)  # noqa: E741 - the paper's name
    """Least standard deviation of each sensitive issue among those near to each other; 0 asks for
    none."""

    reading: Literal["neighbourhood", "clique", "both"] = "neighbourhood"
    """Who the k are: everyone near to a respondent (neighbourhood), or a group of which the
    respondent is part and in which all are near to each other (clique). Both are told; this one
    decides."""

    nulls: Literal["present", "paper"] = "present"
    """Deviation among the answers that were given (present), or by the paper's formula, in which
    whoever did not answer adds to it."""

    route: Literal["bitmap", "slicing", "pairwise"] = "bitmap"
    """How neighbours are found; all find the same. The paper's slicing and all pairs are there to
    compare with."""

    quick: bool = False
    """Stop at the first respondent who breaks the claim, without counting the others."""


class Proximity(Guarantee):
    """(k, ε, l)-anonymity: everyone has k − 1 others whose non-sensitive answers are within ε.

    With l, each sensitive issue must deviate by l or more among them (population deviation over
    those who answered; if nobody did, there is nothing to learn). Whoever did not answer is far
    from whoever did, so that only respondents who left out the same questions can be near.

    Neighbourhoods of k do not make disjoint cliques of k, and a deviation of l in cliques does not
    make one of l in neighbourhoods, so the verdict tells about both readings.
    """

    name: ClassVar[str] = "proximity"
    summary: ClassVar[str] = (
        "Surveys: everyone is near to k − 1 others, whose sensitive answers deviate by l."
    )
    reference: ClassVar[str] = (
        "Sun, Sun: Privacy Preserving Large-Scale Rating Data Publishing. EAI Transactions on "
        "Scalable Information Systems 2013."
    )
    Parameters: ClassVar[type[Parameters]] = ProximityParameters
    parameters: ProximityParameters

    def check(self, rows: Ratings, progress: Progress = SILENT) -> Verdict:
        return self._check(rows, None, progress)

    def check_release(self, release: Release, progress: Progress = SILENT) -> Verdict:
        """The same, with the groups that a release names."""
        return self._check(release.as_ratings(), getattr(release, "grouping", None), progress)

    def _check(
        self, rows: Ratings, grouping: NDArray[np.int64] | None, progress: Progress
    ) -> Verdict:
        if rows.n_users == 0:
            return Verdict(self.spec, "holds", "There are no rows.")
        survey = Survey.of(rows, self.parameters, WHERE)
        asked = self._asked(survey)
        near = self._neighbourhoods(survey, asked, progress)
        groups = self._cliques(survey, asked, grouping, near, progress)
        return self._verdict(survey, near, groups)

    def _asked(self, survey: Survey) -> Asked:
        """Refuse what means nothing on this scale."""
        given = self.parameters
        if given.epsilon >= survey.r:
            raise ParameterError(
                f"ε = {given.epsilon:g} asks for nothing on {survey.r} levels",
                where=f"{WHERE}, parameter 'epsilon'",
                hint=f"It must be below {survey.r}; 1 is usual.",
            )
        if given.l > 0 and not survey.hidden_issues:
            raise ParameterError(
                "l is about sensitive issues, and none is declared",
                where=f"{WHERE}, parameter 'l'",
                hint="Name them with --sensitive A,B or as sensitive=A+B in the claim.",
            )
        paper = given.nulls == "paper"
        if not paper and 2 * given.l > survey.r - 1 + SLACK:
            raise ParameterError(
                f"no answers on {survey.r} levels deviate by more than {(survey.r - 1) / 2:g}, "
                f"so l = {given.l:g} cannot be",
                where=f"{WHERE}, parameter 'l'",
                hint=f"It can be {(survey.r - 1) / 2:g} at most, and is usually half of that.",
            )
        return Asked(given.k, min(int(given.epsilon), survey.r - 1), given.l, paper)

    def _neighbourhoods(self, survey: Survey, asked: Asked, progress: Progress) -> Outcome:
        given = self.parameters
        return check_neighbourhoods(survey, asked, given.route, given.quick, progress)

    def _cliques(
        self,
        survey: Survey,
        asked: Asked,
        grouping: NDArray[np.int64] | None,
        near: Outcome,
        progress: Progress,
    ) -> Outcome | None:
        """None if nobody asked and it cannot be told at once."""
        if near.found and near.found.get("group size", asked.k) < asked.k:
            said = f"whoever has fewer than {asked.k:,} near is in no clique of {asked.k:,}"
            return Outcome("broken", said, near.record, near.found)
        if self.parameters.quick and self.parameters.reading == "neighbourhood":
            return None
        if grouping is not None:
            return check_grouping(survey, asked, np.asarray(grouping))
        return search_cliques(survey, asked, progress)

    def _verdict(self, survey: Survey, near: Outcome, groups: Outcome | None) -> Verdict:
        readings = {"neighbourhood": [near], "clique": [groups or near]}
        deciding = readings.get(self.parameters.reading, [near, groups or near])
        worst = min(deciding, key=lambda each: _WORST.index(each.status))
        told = [near.said[:1].upper() + near.said[1:] + "."]
        if groups is not None:
            told.append(f"As disjoint cliques: {groups.status}; {groups.said}.")
        told += self._warnings(survey, worst)
        return Verdict(self.spec, worst.status, " ".join(told), self._witness(survey, worst))

    def _warnings(self, survey: Survey, worst: Outcome) -> list[str]:
        given, told = self.parameters, []
        if given.epsilon >= survey.r - 1:
            told.append("ε is the whole scale: only who answered which issue counts.")
        for name, deviation in deviations(survey).items() if given.l > 0 else ():
            if worst.status != "holds" and deviation < given.l - SLACK:
                told.append(f"Among all respondents '{name}' deviates by {deviation:.4g} only.")
        return told

    def _witness(self, survey: Survey, worst: Outcome) -> dict[str, Any] | None:
        if worst.status != "broken" or worst.record is None:
            return worst.found
        row = survey.known[worst.record]
        given = np.flatnonzero(row != NULL)[:WITNESS_ISSUES]
        answers = {survey.known_issues[at]: int(row[at]) + survey.lowest for at in given}
        return {
            "respondent": str(survey.respondents[worst.record]),
            **(worst.found or {}),
            "first answers": answers,
        }
