"""Attack `survey-linking`: find a respondent by some answers, and learn the sensitive ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.answers import Answers
from recloak.attacks.base import Attack
from recloak.attacks.votes import learned, told_by
from recloak.attacks.worst_tenth import worst_tenth
from recloak.findings import Figure, Finding
from recloak.kernels.linking import UNKNOWN, link
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.randomness import Randomness
from recloak.scene import Codes, Scene
from recloak.statistics import share_figure
from recloak.surveys import NULL, Levels, Survey, SurveyParameters
from recloak.threads import in_threads

PEOPLE_PER_BLOCK = 50

Shares = NDArray[np.float64]


class SurveyLinkingParameters(SurveyParameters):
    """What the adversary knows, how he looks for it, and how many people are attacked."""

    known: int = Field(default=0, ge=0)
    """How many non-sensitive answers of a person the adversary knows, picked at random; 0 means
    all of them, and which issues the person left out."""

    epsilon: int = Field(default=0, ge=0)
    """How far a row may lie from each answer that he knows to count as a match; 0 means exactly."""

    nearest: bool = False
    """If no row matches, does he take the nearest ones (yes), or give up (no)?"""

    targets: int = Field(default=1000, ge=0)
    """How many people to attack; all of them if there are fewer, or if 0."""


@dataclass(frozen=True)
class Found:
    """What came of each try: how many rows fit, is the right one among them, what they answer."""

    rows: Codes
    own: Codes
    votes: NDArray[np.int64]

    @property
    def success(self) -> Shares:
        """One row among several that fit is a share of a success."""
        return np.asarray(self.own / np.maximum(self.rows, 1))


class SurveyLinking(Attack):
    """Looks for the rows that fit some non-sensitive answers, then reads the sensitive ones.

    All rows that fit are equally likely to be the person's: the right one among five is a fifth of
    a success. Of each sensitive issue he takes the answer that most of these rows give, or that
    most of the release gives if none fits. An answer and no answer never fit each other. The same
    tries on the original tell what the release takes from him, and the most frequent answer what
    he would guess without any row.
    """

    name: ClassVar[str] = "survey-linking"
    summary: ClassVar[str] = "Finds respondents by some answers and reads their sensitive ones."
    reference: ClassVar[str] = (
        "Sun, Sun: Privacy Preserving Large-Scale Rating Data Publishing. ICST 2013."
    )
    figures: ClassVar[tuple[str, ...]] = (
        "success",
        "success_original",
        "inconclusive",
        "wrong",
        "worst_tenth",
        "learned",
        "learned_original",
        "learned_guess",
        "learned_near",
        "learned_near_original",
        "learned_near_guess",
    )
    Parameters: ClassVar[type[Parameters]] = SurveyLinkingParameters
    parameters: SurveyLinkingParameters

    @property
    def label(self) -> str:
        known, epsilon = self.parameters.known, self.parameters.epsilon
        how = f" within {epsilon}" if epsilon else ""
        return f"knows {known or 'all'} answers{how}{', nearest' * self.parameters.nearest}"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        answers = Answers.of(scene, self.parameters)
        if isinstance(answers, str):
            return self._finding((), 0, seed, (answers,))
        rng = Randomness.from_seed(seed).generator(self.name, self.parameters.known)
        people = self._people(answers, rng)
        if len(people) == 0:
            trouble = f"Nobody has {self.parameters.known} answers and a known row: not measured."
            return self._finding((), 0, seed, (*answers.notes, trouble))
        asked = _asked(answers.before.known[people], self.parameters.known, rng)
        after = self._link(asked, answers.after, answers.own[people], progress)
        before = self._link(asked, answers.before, people, progress)
        figures = (
            *self._found_figures(after, before),
            *_learned_figures(answers, people, after, before),
        )
        return self._finding(figures, len(people), seed, answers.notes)

    def _people(self, answers: Answers, rng: np.random.Generator) -> Codes:
        given = (answers.before.known[answers.kept] != NULL).sum(axis=1)
        eligible: Codes = answers.kept[given >= max(self.parameters.known, 1)]
        wanted = self.parameters.targets or len(eligible)
        if len(eligible) <= wanted:
            return eligible
        chosen: Codes = np.sort(rng.choice(eligible, wanted, replace=False))
        return chosen

    def _link(self, asked: Levels, survey: Survey, own: Codes, progress: Progress) -> Found:
        people, epsilon = len(asked), self.parameters.epsilon
        rows = np.zeros((people, 2), dtype=np.int64)
        votes = np.zeros((people, len(survey.hidden_issues), survey.r), dtype=np.int64)
        table = (survey.known, survey.hidden, survey.r, own, rows, votes)

        def work(first: int, end: int) -> None:
            link(first, end, asked, epsilon, self.parameters.nearest, *table)

        starts = range(0, people, PEOPLE_PER_BLOCK)
        blocks = [(start, min(start + PEOPLE_PER_BLOCK, people)) for start in starts]
        with progress.task(f"Linking answers, {self.label}", len(blocks)) as task:
            in_threads(work, blocks, task)
        return Found(rows[:, 0], rows[:, 1], votes)

    def _found_figures(self, after: Found, before: Found) -> list[Figure]:
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


def _asked(answers: Levels, known: int, rng: np.random.Generator) -> Levels:
    """What is known of each person: so many of the answers that they gave, or everything."""
    if known == 0:
        return answers
    order = np.where(answers == NULL, 2.0, rng.random(answers.shape))
    rank = order.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    return np.where(rank < known, answers, np.int8(UNKNOWN)).astype(np.int8)


def _learned_figures(answers: Answers, people: Codes, after: Found, before: Found) -> list[Figure]:
    """How often the sensitive answer is right, exactly and within one level."""
    truth = answers.before.hidden[people]
    if not (truth != NULL).any():
        return []
    guess, guess_before = (told_by(side.hidden, side.r) for side in (answers.after, answers.before))
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
