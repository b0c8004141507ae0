"""What several rows taken together come to, and the figures of `scoreboard-multi`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recloak.attacks.crowd import Tries
from recloak.attacks.gains import Outcome, told
from recloak.attacks.scoring import Table
from recloak.attacks.scoring_figures import gain_kept
from recloak.findings import Figure
from recloak.kernels.scoreboard import owned
from recloak.statistics import mean_figure, ratio_figure, share_figure


def outcome_of_many(table: Table, tries: Tries, taken: NDArray[np.int64]) -> Outcome:
    """What tries come to that take candidates (-1: no further one) which share no item."""
    scene, postings = table.scene, table.postings
    success, learned = np.zeros(len(taken)), np.zeros((len(taken), 3))
    for column in taken.T[: int((taken >= 0).sum(axis=1).max(initial=0))]:
        chosen = np.ascontiguousarray(column)
        links = (postings.candidate_of, scene.linkage.offsets, scene.linkage.rows)
        own = owned(chosen, *links, tries.users) / postings.sizes[chosen]
        success = np.maximum(success, np.where(chosen >= 0, own, 0.0))
        rows = np.where(chosen >= 0, postings.first[chosen], -1)
        learned += told(scene, tries.users, tries.offsets, tries.positions, rows)
    wrong = ((taken >= 0).any(axis=1) & (success == 0)).astype(np.float64)
    return Outcome(success, 1 - success - wrong, wrong, *learned.T)


def multi_figures(
    best: Outcome, repeated: Outcome, single: Outcome, before: Outcome
) -> tuple[Figure, ...]:
    """The strongest adversary's figures, and those of the others and of the original beside."""
    once, again = "one row named by Scoreboard-RH", "Scoreboard-RH, repeated"
    gains = (
        ("gain", best.gain, "further items of the person that the rows gave away together"),
        ("gain_values", best.gain_values, "of these, with a rating within half a step"),
        ("false_items", best.false_items, "items in the rows taken that the person never rated"),
        ("gain_repeated", repeated.gain, f"gain of {again}"),
        ("gain_single", single.gain, f"gain from {once}"),
        ("gain_original", before.gain, "gain from the unprotected original, one row"),
    )
    shares = (
        ("success", best.success, "tries in which a row of the person was among those taken"),
        ("inconclusive", best.inconclusive, "tries that took no row"),
        ("wrong", best.wrong, "tries that took rows of others only"),
        ("success_repeated", repeated.success, f"success of {again}"),
        ("success_single", single.success, f"success of {once}"),
        ("success_original", before.success, "success on the unprotected original"),
    )
    stated = best.gain + best.false_items
    meaning = "of the further items in the rows taken, the share that the person rated"
    return (
        *(share_figure(*one) for one in shares),
        *(made for name, one, said in gains for made in mean_figure(name, one, "count", said)),
        ratio_figure("item_precision", best.gain, stated, meaning),
        *gain_kept(best.gain, before.gain),
    )
