"""Attack `survey-linking`: find a respondent by some answers, and learn the sensitive ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.attacks._figures import worst_tenth
from recloak.attacks._respondent_control import RespondentControl, known_answers, with_answers
from recloak.attacks.base import Attack
from recloak.attacks.survey_linking._figures import (
    FIGURES,
    fits_sentence,
    learned_control_sentence,
    learned_sentence,
    linked_sentence,
)
from recloak.attacks.survey_linking._kernels import link
from recloak.attacks.survey_linking._matches import (
    AnswerMatches,
    answer_counts,
    control_figures,
    learned,
)
from recloak.core.arrays import Indices, Levels
from recloak.core.parallel import in_threads
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.survey import NULL, Survey, SurveyParameters
from recloak.evaluation.context import AuditContext
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Audit, Figure, Finding
from recloak.evaluation.intervals import share_figure
from recloak.evaluation.survey_pairs import SurveyPairs, declares_issues

PEOPLE_PER_BLOCK = 50


class SurveyLinkingParameters(SurveyParameters):
    """What the adversary knows, how they search, and how many people are attacked."""

    known: int = Field(default=0, ge=0)
    """How many non-sensitive answers of a person the adversary knows, picked at random; 0 means
    all of them, and which issues the person left out."""

    epsilon: int = Field(default=0, ge=0)
    """How far a row may lie from each known answer to count as a match; 0 means exactly."""

    nearest: bool = False
    """If no row matches, do they take the nearest ones (yes), or give up (no)?"""

    targets: int = Field(default=1000, ge=0)
    """How many people to attack; all of them if there are fewer, or if 0."""


class SurveyLinking(Attack):
    """Looks for the rows that fit some non-sensitive answers, then reads the sensitive ones.

    All rows that fit are equally likely to be the person's: the right one among five is a fifth of
    a success. For each sensitive issue the adversary takes the answer that most of these rows give,
    or that most of the release gives if none fits. An answer and no answer never fit each other.
    The same tries are made on the original. The most frequent answer shows what they would guess
    without any row. The same adversary is tried against members of a rehearsal and against
    respondents who were left out of it.
    """

    name: ClassVar[str] = "survey-linking"
    summary: ClassVar[str] = "Finds respondents by some answers and reads their sensitive ones."
    reference: ClassVar[str] = (
        "Sun, Sun: Privacy Preserving Large-Scale Rating Data Publishing. ICST 2013."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = FIGURES
    applies_to: ClassVar[str] = "of a survey"
    audited_with: ClassVar[tuple[str, ...]] = ("known=3", "known=5", "", "epsilon=1", "nearest=yes")
    compared_with: ClassVar[tuple[str, ...]] = ()
    Parameters: ClassVar[type[Parameters]] = SurveyLinkingParameters
    parameters: SurveyLinkingParameters

    @property
    def label(self) -> str:
        known, epsilon = self.parameters.known, self.parameters.epsilon
        how = f" within {epsilon}" if epsilon else ""
        return f"knows {known or 'all'} answers{how}{', nearest' * self.parameters.nearest}"

    @classmethod
    def sentences(cls, findings: Sequence[Finding], audit: Audit) -> list[str]:
        sayings = (linked_sentence, fits_sentence, learned_sentence, learned_control_sentence)
        return [sentence for say in sayings if (sentence := say(findings))]

    def applies(self, context: AuditContext) -> bool:
        return declares_issues(context.public)

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        answers = SurveyPairs.of(context, self.parameters)
        if isinstance(answers, str):
            return self._finding((), 0, seed, (answers,))
        rng = Randomness.from_seed(seed).generator(self.name, self.parameters.known)
        people = self._chosen(answers.before.known, answers.kept, rng)
        if len(people) == 0:
            reason = f"Nobody has {self.parameters.known} answers and a known row: not measured."
            return self._finding((), 0, seed, (*answers.notes, reason))
        queries = known_answers(answers.before.known[people], self.parameters.known, rng)
        after = self._link(queries, answers.after, answers.own[people], progress)
        before = self._link(queries, answers.before, people, progress)
        control, note = self._control_figures(context, answers, seed, progress)
        figures = (
            *self._found_figures(after, before),
            *_learned_figures(answers, people, after, before),
            *control,
        )
        return self._finding(figures, len(people), seed, (*answers.notes, note))

    def _chosen(self, answers: Levels, among: Indices, rng: np.random.Generator) -> Indices:
        return with_answers(answers, among, self.parameters.known, self.parameters.targets, rng)

    def _control_figures(
        self, context: AuditContext, answers: SurveyPairs, seed: int, progress: Progress
    ) -> tuple[list[Figure], str]:
        """Members of a rehearsal beside respondents left out, and a note on them."""
        control = RespondentControl.of(context, answers, progress)
        if isinstance(control, str):
            return [], control
        rng = Randomness.from_seed(seed).generator(self.name, "control", self.parameters.known)
        before, after = control.rehearsed.before, control.rehearsed.after
        sides = []
        for survey, among in (
            (before, control.members),
            (control.outsiders, np.arange(control.outsiders.n)),
        ):
            people = self._chosen(survey.known, among, rng)
            queries = known_answers(survey.known[people], self.parameters.known, rng)
            found = self._link(queries, after, np.full(len(people), -1), progress)
            sides.append((found, survey.hidden[people]))
        if min(len(truth) for _, truth in sides) == 0:
            return [], f"{control.note} Too few answered to compare members with outsiders."
        members, outsiders = sides
        figures = control_figures(members, outsiders, after, fits=not self.parameters.nearest)
        return list(figures), control.note

    def _link(
        self, queries: Levels, survey: Survey, own: Indices, progress: Progress
    ) -> AnswerMatches:
        people, epsilon = len(queries), self.parameters.epsilon
        rows = np.zeros((people, 2), dtype=np.int64)
        votes = np.zeros((people, len(survey.hidden_issues), survey.r), dtype=np.int64)
        table = (survey.known, survey.hidden, survey.r, own, rows, votes)

        def work(first: int, end: int) -> None:
            link(first, end, queries, epsilon, self.parameters.nearest, *table)

        starts = range(0, people, PEOPLE_PER_BLOCK)
        blocks = [(start, min(start + PEOPLE_PER_BLOCK, people)) for start in starts]
        with progress.task(f"Linking answers, {self.label}", len(blocks)) as task:
            in_threads(work, blocks, task)
        return AnswerMatches(rows[:, 0], rows[:, 1], votes)

    def _found_figures(self, after: AnswerMatches, before: AnswerMatches) -> list[Figure]:
        fits, right = after.rows > 0, after.own > 0
        unsure = np.where(right, 1 - after.success, ~fits)
        figures = [
            share_figure("success", after.success, "people whose row was found"),
            share_figure("success_original", before.success, "the same on the original"),
            share_figure(
                "inconclusive",
                unsure,
                "tries where no row fits, or the right one is among several and the guess fell on "
                "another",
            ),
            share_figure(
                "wrong", (fits & ~right).astype(np.float64), "tries where only others' rows fit"
            ),
        ]
        # Of answers picked at random one try does not show what chance a person has.
        return [*figures, *([] if self.parameters.known else [worst_tenth(after.success[None, :])])]

    def _finding(
        self, figures: tuple[Figure, ...], sample: int, seed: int, notes: tuple[str, ...]
    ) -> Finding:
        known = self.parameters.known
        what = f"{known} of a person's non-sensitive answers" if known else _EVERYTHING
        summary = f"The adversary knows {what}."
        return self.finding(summary, figures, sample, seed, notes)


_EVERYTHING = "all of a person's non-sensitive answers, and which issues they left out"


def _learned_figures(
    answers: SurveyPairs, people: Indices, after: AnswerMatches, before: AnswerMatches
) -> list[Figure]:
    """How often the sensitive answer is right, exactly and within one level."""
    truth = answers.before.hidden[people]
    if not (truth != NULL).any():
        return []
    guess, guess_before = (
        answer_counts(side.hidden, side.r) for side in (answers.after, answers.before)
    )
    guesses = {
        "": (after.votes, guess, "sensitive answers given by the rows that fit"),
        "_original": (before.votes, guess_before, "the same on the original"),
        "_guess": (0 * after.votes, guess, "the same by guessing the most frequent answer"),
    }
    return [
        share_figure(f"{name}{side}", learned(votes, truth, fallback, off), f"{meaning}{how}")
        for name, off, how in (("learned", 0, ", exactly"), ("learned_near", 1, ", within one"))
        for side, (votes, fallback, meaning) in guesses.items()
    ]
