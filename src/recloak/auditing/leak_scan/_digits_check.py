"""Digits check: are values written in their one way, to the last bit?"""

from __future__ import annotations

import numpy as np

from recloak.auditing.leak_scan._randomness_tests import differs_by_row
from recloak.clustering import item_variances
from recloak.core.arrays import Mask
from recloak.core.kernels.record_groups import item_moments
from recloak.core.ratings import Ratings
from recloak.releases.manifest import Manifest

HUNDREDTHS = 100.0


def odd_digits(rows: Ratings, manifest: Manifest) -> str | None:
    """Values must be written in their one way, to the last bit."""
    values, scale = rows.values, rows.scale
    if not np.array_equal(values.view(np.uint32), scale.canonical(values).view(np.uint32)):
        return "some values differ in their last bits from how they should be written"
    if scale.step is not None or manifest.parameters.get("rounding") != "hundredth":
        return None  # else the digits are those of the original
    hundredths = np.rint(values.astype(np.float64) * HUNDREDTHS)
    ends = np.array([scale.low, scale.high], dtype=np.float32)
    if not ((values == (hundredths / HUNDREDTHS).astype(np.float32)) | np.isin(values, ends)).all():
        return "values have more than two decimals"
    inside = (values > ends[0]) & (values < ends[1])  # clipped values end in zeros
    inside &= _last_digits_are_random(rows, manifest)[rows.items]
    told_apart = np.spacing(np.abs(ends).max()) < 1 / HUNDREDTHS / 4
    last = np.mod(hundredths, 10)[inside]
    if told_apart and differs_by_row(last, rows.user_codes()[inside]):
        return "the last digit of the values differs from row to row more than chance allows"
    return None


def _last_digits_are_random(rows: Ratings, manifest: Manifest) -> Mask:
    """The items whose noise is wide beside a last digit.

    In a full table the noise of an item follows its deviation. Where that is small, what was rated
    and what was filled in end in different digits, which is the method's doing and no mark; and
    values that the paper's way clips are all the same.
    """
    given = manifest.parameters
    if given.get("cells") != "all" or len(rows) == 0:
        return np.ones(rows.n_items, dtype=np.bool_)
    if given.get("clipping") == "paper":
        return np.zeros(rows.n_items, dtype=np.bool_)
    base = np.full(rows.n_items, rows.scale.middle)
    moments = item_moments(0, rows.n_users, rows.offsets, rows.items, rows.values, base)
    deviations = np.sqrt(item_variances(moments, rows.n_users))
    sigma = float(given["sigma"])
    return np.asarray(deviations * sigma / np.sqrt(1 + sigma**2) >= 10 / HUNDREDTHS)
