"""How much speaks for each person being a member: a weighted sum and trees, learnt from others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from recloak.attacks._logistic import RIDGE, Logistic
from recloak.attacks._trees import tree_shares
from recloak.core.arrays import Floats, Mask
from recloak.core.progress import Task


class Features(NamedTuple):
    """What speaks for people being members, as it is for trees and as it is for weighted sums.

    The larger the ``ridge``, the less of it a sum may attribute to what may be chance.
    """

    plain: Floats
    summed: Floats
    ridge: float = RIDGE

    def of(self, people: Mask) -> Features:
        return Features(self.plain[people], self.summed[people], self.ridge)


class Scores(NamedTuple):
    """From 0 to 1. Of those taught, trees tell that did not grow on them."""

    taught: Floats
    asked: Floats


def scores(
    taught: Features,
    member: Mask,
    asked: Features,
    rng: np.random.Generator,
    task: Task,
    again: Sequence[Features] = (),
) -> Scores:
    """Learn from those taught, and score those asked: the mean of two ranks among the taught.

    Nobody's score depends on who else is asked. ``again`` are those taught, as they look to one who
    knows other ratings of them: the sum learns from these, too. Trees do not, or they would tell of
    people on whom they grew. ``task`` advances by 1.
    """
    summed = np.concatenate([taught.summed, *(one.summed for one in again)])
    fitted = Logistic.fit(summed, np.tile(member, 1 + len(again)), ridge=taught.ridge)
    sums = Scores(fitted.odds(taught.summed), fitted.odds(asked.summed))
    shares = tree_shares(taught.plain, member, asked.plain, rng, task)
    return Scores(
        (_ranks(sums.taught, sums.taught) + _ranks(shares.examples, shares.examples)) / 2,
        (_ranks(sums.asked, sums.taught) + _ranks(shares.asked, shares.examples)) / 2,
    )


def _ranks(scored: Floats, among: Floats) -> Floats:
    """Which share of ``among`` lies below each score; of those equal to it half."""
    ordered = np.sort(among)
    below, not_above = (np.searchsorted(ordered, scored, side) for side in ("left", "right"))
    return np.asarray((below + not_above) / (2 * len(ordered)))
