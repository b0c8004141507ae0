"""Outcomes of tries, and the gain: what the rows that an attack names tell of a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np

from recloak.attacks._knowledge_kernels import count_learned
from recloak.core.arrays import Floats, Indices, Integers, Offsets
from recloak.evaluation.context import AuditContext
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import Z95, mean_figure, share_figure, wilson
from recloak.evaluation.units import Units

GAIN_MEANINGS = {
    "gain": "further items of the person that the row gave away",
    "gain_values": "of these, with a rating within half a step",
    "false_items": "items in the row that was named which the person never rated",
}


class TrialOutcomes(NamedTuple):
    """One number for each try."""

    success: Floats
    inconclusive: Floats
    wrong: Floats
    gain: Floats
    gain_values: Floats
    false_items: Floats


def concatenated(parts: Sequence[TrialOutcomes]) -> TrialOutcomes:
    """The tries of all parts, one after the other."""
    if not parts:
        return TrialOutcomes(*(np.empty(0) for _ in TrialOutcomes._fields))
    return TrialOutcomes(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def gain_figures(outcome: TrialOutcomes) -> list[Figure]:
    """What was learned, on average, true and false."""
    return [
        figure
        for name, meaning in GAIN_MEANINGS.items()
        for figure in mean_figure(name, getattr(outcome, name), "count", meaning)
    ]


def learned_from_row(
    context: AuditContext,
    users: Integers,
    known_offsets: Offsets,
    known_positions: Integers,
    rows: Indices,
) -> Floats:
    """For each try the true items, true values and false items that its named row tells."""
    units = Units.between(context.original.scale, context.rows.scale)
    return count_learned(
        rows,
        users,
        known_offsets,
        known_positions,
        context.original.offsets,
        context.original.items,
        context.original.values,
        context.item_in_release,
        context.rows.offsets,
        context.rows.items,
        context.rows.values,
        context.rows.n_items,
        units.factor,
        units.shift,
        units.tolerance,
    )


FEWEST_MORE = 50


def trials_needed(outcomes: Iterable[TrialOutcomes], width: float, at_least: int) -> int:
    """About how many more tries are needed to know every rate to within ``width``; 0 if none."""
    return max(_missing(outcome, width, at_least) for outcome in outcomes)


def most_trials(width: float, at_least: int) -> int:
    """About how many tries are needed to know any rate to within ``width``: one half needs most."""
    return max(at_least, ceil(Z95**2 / 4 / width**2))


def _missing(outcome: TrialOutcomes, width: float, at_least: int) -> int:
    trials = len(outcome.success)
    unsure = 0
    for rate in (outcome.success, outcome.inconclusive, outcome.wrong):
        low, high = wilson(float(rate.sum()), trials)
        if high - low > 2 * width:
            share = float(rate.mean())
            wanted = ceil(Z95**2 * share * (1 - share) / width**2)
            unsure = max(unsure, wanted - trials, FEWEST_MORE)
    return max(unsure, at_least - trials, 0)


def figures_of(outcome: TrialOutcomes, before: TrialOutcomes) -> tuple[Figure, ...]:
    """Figures of the same tries on the release and, ``before``, on the unprotected original."""
    return (
        share_figure("success", outcome.success, "tries that named a row of the person"),
        share_figure(
            "inconclusive", outcome.inconclusive, "tries in which no row stood out, or too many did"
        ),
        share_figure("wrong", outcome.wrong, "tries that named someone else's row"),
        *gain_figures(outcome),
        share_figure("success_original", before.success, "success on the unprotected original"),
        *mean_figure("gain_original", before.gain, "count", "gain from the unprotected original"),
        *gain_kept(outcome.gain, before.gain),
    )


def gain_kept(after: Floats, before: Floats) -> list[Figure]:
    """The share of the gain that the release leaves, by linearisation: both come from one try."""
    if before.sum() <= 0:
        return []
    kept = float(after.sum() / before.sum())
    apart = (after - kept * before) / before.mean()
    half = Z95 * float(apart.std(ddof=1)) / np.sqrt(len(after))
    meaning = "gain from the release, as a share of that from the original"
    return [Figure("gain_kept", kept, max(kept - half, 0.0), kept + half, "share", meaning)]
