"""Rows that fit what is known: what they tell, and the same of respondents who were left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from recloak.attacks._figures import excess_figure
from recloak.core.arrays import Floats, Indices, Integers, Levels
from recloak.core.survey import NULL, Survey
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import share_figure


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


Side = tuple[AnswerMatches, Levels]  # what fits, and the true sensitive answers


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


def control_figures(
    members: Side, outsiders: Side, after: Survey, *, fits: bool
) -> Iterator[Figure]:
    """Members of a rehearsal beside respondents left out of it.

    For whoever takes the nearest rows some always fit, and that need not be said (``fits``).
    """
    if fits:
        yield from _fits(members[0], outsiders[0])
    yield from _learned_control(members, outsiders, after)


def _fits(members: AnswerMatches, outsiders: AnswerMatches) -> Iterator[Figure]:
    """How often some row fits: of members, of those left out, and the difference."""
    one, other = ((side.rows > 0).astype(np.float64) for side in (members, outsiders))
    meaning = "for whom some row fits"
    yield share_figure("fits", one, f"members {meaning}")
    yield share_figure("fits_outsiders", other, f"respondents left out {meaning}")
    yield excess_figure("fits_excess", one, other, f"members {meaning}, more than those left out")


def _learned_control(members: Side, outsiders: Side, after: Survey) -> Iterator[Figure]:
    """What is learned of members, of those left out, and the difference."""
    guess = answer_counts(after.hidden, after.r)
    one, other = (learned(found.votes, truth, guess, 0) for found, truth in (members, outsiders))
    if min(len(one), len(other)) == 0:
        return
    meaning = "sensitive answers given by the rows that fit"
    yield share_figure("learned_members", one, f"{meaning}, of members")
    yield share_figure("learned_outsiders", other, f"{meaning}, of respondents left out")
    yield excess_figure(
        "learned_excess", one, other, f"{meaning}, of members more than of those left out"
    )
