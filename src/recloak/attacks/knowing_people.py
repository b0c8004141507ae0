"""People whom an adversary knows: he makes a release of them alone, and learns from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.errors import Cancelled, RecloakError
from recloak.progress import Progress
from recloak.randomness import Randomness
from recloak.scene import Scene

NO_METHOD = (
    "How the release was made is not known, so that nothing could be learnt from a rehearsal: an "
    "adversary who knows may do better."
)
HOW = (
    "He knows other people's ratings in full, {share:.0%} of all, makes a release of these alone "
    "by the same method, and learns from it what rows of one person look like. Attacked are the "
    "rest."
)


class Rehearsal(NamedTuple):
    """The adversary's own release (None if he cannot make one), whom he attacks, and why so."""

    scene: Scene | None
    targets: NDArray[np.bool_]
    note: str


def rehearsal(scene: Scene, share: float, seed: int, progress: Progress) -> Rehearsal:
    """Let the adversary know ``share`` of the people; the split is the same for every attack."""
    rng = Randomness.from_seed(seed).generator("people whom the adversary knows")
    known = rng.random(scene.original.n_users) < share
    everyone = np.ones(len(known), dtype=np.bool_)
    if scene.rehearse is None:
        return Rehearsal(None, everyone, NO_METHOD)
    if share == 0:
        return Rehearsal(None, everyone, "He knows nobody else: nothing was learnt.")
    if not known.any() or known.all():
        return Rehearsal(None, everyone, "There are too few people for a rehearsal by some.")
    try:
        made = scene.rehearse(np.flatnonzero(known), seed, progress)
    except Cancelled:
        raise
    except RecloakError as problem:
        return Rehearsal(None, everyone, f"A rehearsal on {share:.0%} failed: {problem.what}.")
    return Rehearsal(made, ~known, HOW.format(share=share))


def has_several_rows(scene: Scene) -> bool:
    """Does anyone have more than one row?"""
    return bool((np.diff(scene.linkage.offsets) > 1).any())
