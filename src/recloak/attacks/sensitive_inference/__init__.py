"""Attack `sensitive-inference`: state sensitive answers from the others, of members and outsiders.

The field calls it attribute inference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.attacks._respondent_control import RespondentControl, known_answers, with_answers
from recloak.attacks.base import Attack
from recloak.attacks.sensitive_inference._figures import (
    FIGURES,
    confident_sentence,
    excess_sentence,
    inferred_sentence,
)
from recloak.attacks.sensitive_inference._models import log_chances, most_frequent
from recloak.attacks.sensitive_inference._outcomes import StatedAnswers, cross_fitted, figures_of
from recloak.core.arrays import Indices
from recloak.core.issue_names import names_in
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.survey import NULL, Survey, SurveyParameters
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.survey_pairs import SurveyPairs, declares_issues

NOT_SENSITIVE = "No issue was declared sensitive, so there is none to infer: not measured."
_EVERYTHING = "all of a person's non-sensitive answers"
NOBODY_ANSWERED = "Nobody answered a sensitive issue and enough of the others: not measured."
NO_OUTSIDER_ANSWERED = "No respondent left out answered a sensitive issue: there is no control."


class SensitiveInferenceParameters(SurveyParameters):
    """What the adversary knows, and of how many people they state something."""

    known: int = Field(default=0, ge=0)
    """How many non-sensitive answers of a person the adversary knows, picked at random; 0 means
    all of them, and which issues the person left out."""

    targets: int = Field(default=1000, ge=0)
    """How many members and how many outsiders to try; all if there are fewer, or if 0."""


class SensitiveInference(Attack):
    """Knows non-sensitive answers of a person and states the sensitive ones, with a confidence.

    Three models tell a chance of each answer from the release: the rows at the least distance from
    what is known, the rows near to it, and naive Bayes trained on all rows. How far to trust each
    is learnt on half of the people, whose answers the adversary knows, and tried on the other half.
    Members of a rehearsal stand beside respondents who were left out of it; for them the same is
    learnt on their own halves, so that the adversary does as well as they can against both.
    Without a rehearsal there are members alone.
    """

    name: ClassVar[str] = "sensitive-inference"
    summary: ClassVar[str] = (
        "States sensitive answers from the others, of members and of respondents left out."
    )
    reference: ClassVar[str] = (
        "Giomi, Boenisch, Wehmeyer, Tasnádi: A Unified Framework for Quantifying Privacy Risk in "
        "Synthetic Data. PoPETs 2023."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = FIGURES
    applies_to: ClassVar[str] = "of a survey with sensitive issues"
    audited_with: ClassVar[tuple[str, ...]] = ("known=3", "")
    compared_with: ClassVar[tuple[str, ...]] = ()
    adversary_acts: ClassVar[str] = "states sensitive answers"
    Parameters: ClassVar[type[Parameters]] = SensitiveInferenceParameters
    parameters: SensitiveInferenceParameters

    @property
    def label(self) -> str:
        return f"knows {self.parameters.known or 'all'} answers"

    @classmethod
    def sentences(cls, findings: Sequence[Finding], audit: Audit) -> list[str]:
        declared = cls.declared("inferred")
        found = declared.worst(list(findings)) if declared else None
        if found is None:
            return []
        sayings = (inferred_sentence, excess_sentence, confident_sentence)
        return [sentence for say in sayings if (sentence := say(found[0]))]

    def applies(self, context: AuditContext) -> bool:
        public = context.public
        return declares_issues(public) and bool(names_in(str(public["sensitive"] or "")))

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        pairs = SurveyPairs.of(context, self.parameters)
        if isinstance(pairs, str):
            return self._finding((), 0, seed, (pairs,))
        if not pairs.before.hidden_issues:
            return self._finding((), 0, seed, (NOT_SENSITIVE,))
        control = RespondentControl.of(context, pairs, progress)
        if isinstance(control, str):
            members = self._stated(pairs.before, pairs.after, pairs.kept, seed, progress)
            notes: tuple[str, ...] = (*pairs.notes, control)
            return self._finding_of(members, None, seed, notes)
        after = control.rehearsed.after
        members = self._stated(control.rehearsed.before, after, control.members, seed, progress)
        everyone = np.arange(control.outsiders.n)
        outsiders = self._stated(control.outsiders, after, everyone, seed, progress)
        return self._finding_of(members, outsiders, seed, (control.note,))

    def _stated(
        self, before: Survey, after: Survey, among: Indices, seed: int, progress: Progress
    ) -> StatedAnswers:
        """What the adversary states of some people whose true answers are ``before``."""
        rng = Randomness.from_seed(seed).generator(self.name, self.parameters.known, len(among))
        answered = among[(before.hidden[among] != NULL).any(axis=1)]
        known, most = self.parameters.known, self.parameters.targets
        people = with_answers(before.known, answered, known, most, rng)
        truth = before.hidden[people]
        queries = known_answers(before.known[people], known, rng)
        chances = cross_fitted(log_chances(queries, after, progress), truth, rng)
        return StatedAnswers.of(chances, truth, most_frequent(after))

    def _finding_of(
        self,
        members: StatedAnswers,
        outsiders: StatedAnswers | None,
        seed: int,
        notes: tuple[str, ...],
    ) -> Finding:
        if len(members.right) == 0:
            return self._finding((), 0, seed, (*notes, NOBODY_ANSWERED))
        if outsiders is not None and len(outsiders.right) == 0:
            outsiders, notes = None, (*notes, NO_OUTSIDER_ANSWERED)
        return self._finding(figures_of(members, outsiders), len(members.right), seed, notes)

    def _finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        known = self.parameters.known
        what = f"{known} of a person's non-sensitive answers" if known else _EVERYTHING
        summary = f"The adversary knows {what} and states the sensitive ones."
        return self.finding(summary, figures, sample, seed, notes)
