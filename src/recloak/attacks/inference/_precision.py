"""Average precision, and true statements at a given precision, with intervals over people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Floats, Indices, Integers, Mask, Values

BUCKETS = 1500


@dataclass(frozen=True, eq=False)
class PrecisionCurve:
    """How many statements, and how many true ones, each person has by falling confidence.

    Statements are put into buckets, which are smallest where confidence is highest: a row for
    each person, a column for each bucket.
    """

    made: Floats
    true: Floats

    def of(self, people: Indices) -> PrecisionCurve:
        """The same for some people."""
        return PrecisionCurve(self.made[people], self.true[people])

    def average_precision(self, weights: Floats) -> Floats:
        """For each row of ``weights``, one weight a person: the average precision."""
        true, precision, _ = self._running(weights)
        total = np.maximum(true.sum(axis=1), 1e-12)
        return np.asarray((true * precision).sum(axis=1) / total)

    def each(self) -> Floats:
        """The average precision of each person by themselves."""
        precision = np.cumsum(self.true, axis=1) / np.maximum(np.cumsum(self.made, axis=1), 1)
        total = np.maximum(self.true.sum(axis=1), 1)
        return np.asarray((self.true * precision).sum(axis=1) / total)

    def true_at(self, least: float, weights: Floats) -> Floats:
        """True statements a person, as many as can be made with ``least`` of all true."""
        _, precision, true = self._running(weights)
        best = np.where(precision >= least, true, 0).max(axis=1, initial=0)
        return np.asarray(best / np.maximum(weights.sum(axis=1), 1e-12))

    def _running(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        made, true = weights @ self.made, weights @ self.true
        so_far = np.cumsum(true, axis=1)
        return true, so_far / np.maximum(np.cumsum(made, axis=1), 1e-12), so_far


def precision_curve(
    confidence: Floats, truth: Mask, person: Integers, n: int, times: Values | None = None
) -> PrecisionCurve:
    """The curve of statements about ``n`` people; equal confidences stand in one bucket.

    ``times`` are as how many each statement counts, else as one.
    """
    ends = np.unique(np.geomspace(1, max(len(truth), 1), BUCKETS).astype(np.int64))
    limits = np.sort(confidence)[np.maximum(len(truth) - ends[::-1], 0)] if len(truth) else ends
    bucket = len(ends) - np.searchsorted(limits, confidence, side="right")
    cell = person * len(ends) + bucket
    counted = np.ones(len(truth), np.float32) if times is None else times
    made, true = (
        np.asarray(np.bincount(cell[some], counted[some], minlength=n * len(ends)), np.float64)
        for some in (slice(None), truth)
    )
    return PrecisionCurve(made.reshape(n, -1), true.reshape(n, -1))
