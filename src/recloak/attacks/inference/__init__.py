"""Attack `inference`: states facts about people, and as many about people who are not there."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from recloak.attacks.base import Attack
from recloak.attacks.inference._asking import answers_about
from recloak.attacks.inference._figures import (
    DECLARED,
    figures_of,
    too_few_worst_off,
    worst_tenth_figure,
)
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext
from recloak.evaluation.control_group import NoControlGroupError
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding


class InferenceParameters(Parameters):
    """How much the adversary knows of everyone."""

    known: int = Field(default=20, ge=1)
    """How many ratings of a person the adversary knows, picked at random; of those who have few,
    half of them."""

    worst_tenth: bool = True
    """Also measure the tenth of the people who are worst off, on a further rehearsal."""


class Inference(Attack):
    """Knows some ratings of a person and states what else they rated, and how.

    The adversary knows the method and has made releases of people whom they know. From these they
    learn what a person's own row looks like, how well each row explains what they know, and how
    far to trust what fitting rows list. Every statement has a confidence, learnt on half of the
    people, members and outsiders, and tried on the other half. About people who are not in the
    release they state as much: what comes true of these is true of people in general, and the
    difference is what the release gives away.
    """

    name: ClassVar[str] = "inference"
    summary: ClassVar[str] = (
        "States what people rated, beside the same about people who are not in the release."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = DECLARED
    takes_turns: ClassVar[str] = "asked people"
    audited_with: ClassVar[tuple[str, ...]] = ("known=20", "known=8,worst_tenth=no")
    compared_with: ClassVar[tuple[str, ...]] = ("known=20,worst_tenth=no",)
    adversary_acts: ClassVar[str] = "states what else a person rated"
    Parameters: ClassVar[type[Parameters]] = InferenceParameters
    parameters: InferenceParameters

    @property
    def label(self) -> str:
        return f"knows {self.parameters.known} ratings"

    def applies(self, context: AuditContext) -> bool:
        return context.control is not None

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        try:
            return self._measured(context, seed, progress)
        except NoControlGroupError as reason:
            return self._finding((), 0, seed, (str(reason),))

    def _measured(self, context: AuditContext, seed: int, progress: Progress) -> Finding:
        known, values = self.parameters.known, context.original.scale.span > 0
        rng = Randomness.from_seed(seed).generator(self.name, known)
        answers = answers_about(context, known, seed, progress)
        figures, notes = figures_of(answers, values=values, rng=rng), answers.notes
        if self.parameters.worst_tenth:
            fresh = answers_about(context, known, seed, progress, draw=1)
            figures.append(worst_tenth_figure(answers, fresh, values=values, rng=rng))
            notes = (*notes, *too_few_worst_off(answers))
        return self._finding(tuple(figures), answers.pairs, seed, notes)

    def _finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        summary = (
            f"The adversary {self.label} of a person, in the release or not, and states what else "
            "they rated."
        )
        return self.finding(summary, figures, sample, seed, notes)
