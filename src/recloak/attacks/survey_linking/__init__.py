"""Attack `survey-linking`: find a respondent by some answers, and learn the sensitive ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pydantic import Field

from recloak.attacks._figures import INCONCLUSIVE, SUCCESS, SUCCESS_ORIGINAL, WORST_TENTH, WRONG
from recloak.attacks._worst_tenth import worst_tenth
from recloak.attacks.base import Attack
from recloak.attacks.survey_linking._kernels import UNKNOWN, link
from recloak.attacks.survey_linking._sentences import learned_sentence, linked_sentence
from recloak.core.arrays import Floats, Indices, Integers, Levels
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


def answer_counts(hidden: Levels, levels: int) -> Integers:
    """How many rows of a whole table give each answer, by issue and level."""
    table = [
        np.bincount(answers[answers != NULL], minlength=levels) for answers in hidden.T.astype(int)
    ]
    return np.array(table, dtype=np.int64).reshape(-1, levels)


def learned(votes: Integers, truth: Levels, otherwise: Integers, off: int) -> Floats:
    """For each person the share of sensitive answers that the most frequent vote hits.

    Answers with equally many votes are guessed among. Where nobody voted, ``otherwise`` does.
    Issues that a person left out do not count, nor do people who left out all.
    """
    cast = np.where(votes.any(axis=2, keepdims=True), votes, otherwise[None])
    modal = (cast == cast.max(axis=2, keepdims=True)) & (cast > 0)
    apart = np.abs(np.arange(votes.shape[2]) - truth[:, :, None].astype(np.int64))
    hit = (modal & (apart <= off)).sum(axis=2) / np.maximum(modal.sum(axis=2), 1)
    given = truth != NULL
    answered = given.sum(axis=1)
    shares = np.where(given, hit, 0.0).sum(axis=1)
    return np.asarray(shares[answered > 0] / answered[answered > 0])


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


@dataclass(frozen=True)
class AnswerMatches:
    """For each try: how many rows fit, is the right one among them, what they answer."""

    rows: Indices
    own: Indices
    votes: Integers

    @property
    def success(self) -> Floats:
        """One row among several that fit is a share of a success."""
        return np.asarray(self.own / np.maximum(self.rows, 1))


_FIGURES = (
    SUCCESS,
    SUCCESS_ORIGINAL,
    INCONCLUSIVE,
    WRONG,
    WORST_TENTH,
    DeclaredFigure(
        "learned",
        worse="more",
        heading="Learned, learned near",
        meaning="The share of sensitive answers that the attacker names rightly, exactly or "
        "within one level: they say what most of the rows say that fit what they know, and the "
        "most frequent answer of all where no row fits. They need not know whose row it is.",
    ),
    DeclaredFigure("learned_original"),
    DeclaredFigure(
        "learned_guess",
        heading="Learned guess, learned near guess",
        meaning="The same for someone who always says the most frequent answer. What lies above "
        "it is what the rows give away.",
    ),
    DeclaredFigure("learned_near", worse="more"),
    DeclaredFigure("learned_near_original"),
    DeclaredFigure("learned_near_guess"),
)


class SurveyLinking(Attack):
    """Looks for the rows that fit some non-sensitive answers, then reads the sensitive ones.

    All rows that fit are equally likely to be the person's: the right one among five is a fifth of
    a success. For each sensitive issue the adversary takes the answer that most of these rows give,
    or that most of the release gives if none fits. An answer and no answer never fit each other.
    The same tries are made on the original. The most frequent answer shows what they would guess
    without any row.
    """

    name: ClassVar[str] = "survey-linking"
    summary: ClassVar[str] = "Finds respondents by some answers and reads their sensitive ones."
    reference: ClassVar[str] = (
        "Sun, Sun: Privacy Preserving Large-Scale Rating Data Publishing. ICST 2013."
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
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
        return [said for said in (linked_sentence(findings), learned_sentence(findings)) if said]

    def applies(self, context: AuditContext) -> bool:
        return declares_issues(context.public)

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        answers = SurveyPairs.of(context, self.parameters)
        if isinstance(answers, str):
            return self._finding((), 0, seed, (answers,))
        rng = Randomness.from_seed(seed).generator(self.name, self.parameters.known)
        people = self._people(answers, rng)
        if len(people) == 0:
            reason = f"Nobody has {self.parameters.known} answers and a known row: not measured."
            return self._finding((), 0, seed, (*answers.notes, reason))
        queries = _queries(answers.before.known[people], self.parameters.known, rng)
        after = self._link(queries, answers.after, answers.own[people], progress)
        before = self._link(queries, answers.before, people, progress)
        figures = (
            *self._found_figures(after, before),
            *_learned_figures(answers, people, after, before),
        )
        return self._finding(figures, len(people), seed, answers.notes)

    def _people(self, answers: SurveyPairs, rng: np.random.Generator) -> Indices:
        given = (answers.before.known[answers.kept] != NULL).sum(axis=1)
        eligible: Indices = answers.kept[given >= max(self.parameters.known, 1)]
        wanted = self.parameters.targets or len(eligible)
        if len(eligible) <= wanted:
            return eligible
        chosen: Indices = np.sort(rng.choice(eligible, wanted, replace=False))
        return chosen

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


def _queries(answers: Levels, known: int, rng: np.random.Generator) -> Levels:
    """What is known of each person: so many of the answers that they gave, or everything."""
    if known == 0:
        return answers
    order = np.where(answers == NULL, 2.0, rng.random(answers.shape))
    rank = order.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    return np.where(rank < known, answers, np.int8(UNKNOWN)).astype(np.int8)


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
    said = {
        "": (after.votes, guess, "sensitive answers told by the rows that fit"),
        "_original": (before.votes, guess_before, "the same on the original"),
        "_guess": (0 * after.votes, guess, "the same by guessing the most frequent answer"),
    }
    return [
        share_figure(f"{name}{side}", learned(votes, truth, fallback, off), f"{meaning}{how}")
        for name, off, how in (("learned", 0, ", exactly"), ("learned_near", 1, ", within one"))
        for side, (votes, fallback, meaning) in said.items()
    ]
