"""Figures of the scoreboard attacks: rates, gains, and how these compare with the original."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

import numpy as np
from numpy.typing import NDArray

from recloak.attacks.gains import Outcome, gain_figures
from recloak.findings import Figure
from recloak.statistics import Z95, mean_figure, share_figure, wilson

FEWEST_MORE = 50


def still_needed(outcomes: Iterable[Outcome], width: float, at_least: int) -> int:
    """About how many more tries until every rate is known to within ``width``; 0 if all are."""
    return max(_missing(outcome, width, at_least) for outcome in outcomes)


def _missing(outcome: Outcome, width: float, at_least: int) -> int:
    tries = len(outcome.success)
    unsure = 0
    for rate in (outcome.success, outcome.inconclusive, outcome.wrong):
        low, high = wilson(float(rate.sum()), tries)
        if high - low > 2 * width:
            share = float(rate.mean())
            wanted = ceil(Z95**2 * share * (1 - share) / width**2)
            unsure = max(unsure, wanted - tries, FEWEST_MORE)
    return max(unsure, at_least - tries, 0)


def figures_of(outcome: Outcome, before: Outcome) -> tuple[Figure, ...]:
    """What the same tries came to on the release and, ``before``, on the unprotected original."""
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


def gain_kept(after: NDArray[np.float64], before: NDArray[np.float64]) -> list[Figure]:
    """The share of the gain that the release leaves, by linearisation: both come from one try."""
    if before.sum() <= 0:
        return []
    kept = float(after.sum() / before.sum())
    apart = (after - kept * before) / before.mean()
    half = Z95 * float(apart.std(ddof=1)) / np.sqrt(len(after))
    meaning = "gain from the release, as a share of that from the original"
    return [Figure("gain_kept", kept, max(kept - half, 0.0), kept + half, "share", meaning)]
