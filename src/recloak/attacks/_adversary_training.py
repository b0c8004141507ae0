"""Adversary training: the adversary makes a release of people they know and learns from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recloak.core.arrays import Mask
from recloak.core.errors import Cancelled, RecloakError
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext

NO_METHOD = (
    "It is not known how the release was made, so nothing could be learnt from a rehearsal: "
    "an adversary who knows may do better."
)
HOW = (
    "The adversary knows other people's ratings in full, {share:.0%} of all, makes a release of "
    "these alone by the same method, and learns from it what rows of one person look like. "
    "The other people are attacked."
)


class AdversaryTraining(NamedTuple):
    """The adversary's own release (None if they cannot make one), their targets, and a note."""

    context: AuditContext | None
    targets: Mask
    note: str


def adversary_training(
    context: AuditContext, share: float, seed: int, progress: Progress
) -> AdversaryTraining:
    """Let the adversary know ``share`` of the people; the seed fixes the split for all attacks."""
    rng = Randomness.from_seed(seed).generator("people whom the adversary knows")
    known = rng.random(context.original.n_users) < share
    everyone = np.ones(len(known), dtype=np.bool_)
    if context.rehearse is None:
        return AdversaryTraining(None, everyone, NO_METHOD)
    if share == 0:
        return AdversaryTraining(
            None, everyone, "The adversary knows nobody else: nothing was learnt."
        )
    if not known.any() or known.all():
        return AdversaryTraining(
            None, everyone, "There are too few people to rehearse on some of them."
        )
    try:
        rehearsal = context.rehearse(np.flatnonzero(known), seed, progress)
    except Cancelled:
        raise
    except RecloakError as problem:
        return AdversaryTraining(
            None, everyone, f"A rehearsal on {share:.0%} failed: {problem.what}."
        )
    return AdversaryTraining(rehearsal, ~known, HOW.format(share=share))


def has_several_rows(context: AuditContext) -> bool:
    """Does anyone have more than one row?"""
    return bool((np.diff(context.linkage.offsets) > 1).any())
