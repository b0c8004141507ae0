"""Guarantee `proximity`: k respondents are near to everybody, and their secrets differ."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from recloak.core.arrays import Integers
from recloak.core.errors import ParameterError
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.core.survey import NULL, SLACK, Survey, SurveyParameters, deviations, least_deviation
from recloak.evaluation.findings import Status, Verdict
from recloak.guarantees.base import Guarantee
from recloak.guarantees.proximity._cliques import ReadingResult, check_grouping, search_cliques
from recloak.guarantees.proximity._neighbourhoods import check_neighbourhoods
from recloak.guarantees.proximity.routes import ProximityRule
from recloak.io.reservations import Subject
from recloak.releases.base import Release

WHERE = "guarantee proximity"
WITNESS_ISSUES = 10
_WORST: tuple[Status, ...] = ("broken", "undecided", "holds")
_SAID: dict[Status, str] = {
    "broken": "is broken",
    "undecided": "is undecided",
    "holds": "holds",
}


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
    """What k counts: everyone near a respondent (neighbourhood), or a group of which the
    respondent is part and in which all are near each other (clique). Both are reported; this one
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

    @property
    def about(self) -> frozenset[Subject]:
        """Everything, or the issues that ``non_sensitive`` names."""
        return frozenset({"values"}) if self.parameters.non_sensitive else super().about

    def check(self, rows: Ratings, progress: Progress = SILENT) -> Verdict:
        return self._check(rows, None, progress)

    def check_release(self, release: Release, progress: Progress = SILENT) -> Verdict:
        """The same, with the groups that a release names."""
        return self._check(release.as_ratings(), getattr(release, "grouping", None), progress)

    def _check(self, rows: Ratings, grouping: Integers | None, progress: Progress) -> Verdict:
        if rows.n_users == 0:
            return Verdict(self.spec, "holds", "There are no rows.")
        survey = Survey.of(rows, self.parameters, WHERE)
        rule = self._rule(survey)
        near = self._neighbourhoods(survey, rule, progress)
        groups = self._cliques(survey, rule, grouping, near, progress)
        return self._verdict(survey, near, groups)

    def _rule(self, survey: Survey) -> ProximityRule:
        """Refuse what means nothing on this scale."""
        given = self.parameters
        if given.epsilon >= survey.r:
            raise ParameterError(
                f"ε = {given.epsilon:g} requires nothing of answers on {survey.r} levels",
                where=f"{WHERE}, parameter 'epsilon'",
                hint=f"It must be below {survey.r}; 1 is usual.",
            )
        if given.l > 0 and not survey.hidden_issues:
            raise ParameterError(
                "l needs a sensitive issue, and none is declared",
                where=f"{WHERE}, parameter 'l'",
                hint="Name them with --sensitive A,B or as sensitive=A+B in the claim.",
            )
        paper = given.nulls == "paper"
        if not paper and 2 * given.l > survey.r - 1 + SLACK:
            raise ParameterError(
                f"no answers on {survey.r} levels deviate by more than {(survey.r - 1) / 2:g}, "
                f"so l = {given.l:g} is impossible",
                where=f"{WHERE}, parameter 'l'",
                hint=f"It can be {(survey.r - 1) / 2:g} at most, and is usually half of that.",
            )
        return ProximityRule(given.k, min(int(given.epsilon), survey.r - 1), given.l, paper)

    def _neighbourhoods(
        self, survey: Survey, rule: ProximityRule, progress: Progress
    ) -> ReadingResult:
        given = self.parameters
        return check_neighbourhoods(survey, rule, given.route, given.quick, progress)

    def _cliques(
        self,
        survey: Survey,
        rule: ProximityRule,
        grouping: Integers | None,
        near: ReadingResult,
        progress: Progress,
    ) -> ReadingResult | None:
        """None if nobody asked and it cannot be told at once."""
        if near.found and near.found.get("group size", rule.k) < rule.k:
            how = f"whoever has fewer than {rule.k:,} near is in no clique of {rule.k:,}"
            return ReadingResult("broken", how, near.record, near.found)
        if self.parameters.quick and self.parameters.reading == "neighbourhood":
            return None
        if grouping is not None:
            return check_grouping(survey, rule, np.asarray(grouping))
        return search_cliques(survey, rule, progress)

    def _verdict(
        self, survey: Survey, near: ReadingResult, groups: ReadingResult | None
    ) -> Verdict:
        readings = {"neighbourhood": [near], "clique": [groups or near]}
        deciding = readings.get(self.parameters.reading, [near, groups or near])
        worst = min(deciding, key=lambda each: _WORST.index(each.status))
        sentences = [near.how[:1].upper() + near.how[1:] + "."]
        if groups is not None:
            sentences.append(f"In disjoint cliques it {_SAID[groups.status]}: {groups.how}.")
        sentences += self._warnings(survey, worst)
        return Verdict(self.spec, worst.status, " ".join(sentences), self._witness(survey, worst))

    def _warnings(self, survey: Survey, worst: ReadingResult) -> list[str]:
        given, sentences = self.parameters, []
        if given.epsilon >= survey.r - 1:
            sentences.append("ε is the whole scale: only who answered which issue counts.")
        for name, deviation in deviations(survey).items() if given.l > 0 else ():
            if worst.status != "holds" and deviation < least_deviation(given.l):
                sentences.append(
                    f"Among all respondents '{name}' deviates by {deviation:.4g} only."
                )
        return sentences

    def _witness(self, survey: Survey, worst: ReadingResult) -> dict[str, Any] | None:
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
