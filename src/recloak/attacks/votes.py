"""Votes: what rows that may be somebody's say of a sensitive issue, and how often it is true."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.surveys import NULL, Levels

Votes = NDArray[np.int64]


def told_by(hidden: Levels, levels: int) -> Votes:
    """How many rows of a whole table give each answer, by issue and level."""
    table = [
        np.bincount(answers[answers != NULL], minlength=levels) for answers in hidden.T.astype(int)
    ]
    return np.array(table, dtype=np.int64).reshape(-1, levels)


def learned(votes: Votes, truth: Levels, otherwise: Votes, off: int) -> NDArray[np.float64]:
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
