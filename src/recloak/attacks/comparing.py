"""Ways to compare what is known with the ratings of a row, for releases that change values too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from recloak.attacks.crowd import Tries
from recloak.attacks.gains import Units
from recloak.kernels.postings import Asked, ranks_of
from recloak.ratings import Ratings
from recloak.scene import Scene

Matching = Literal["strongest", "values", "noise", "items"]

MOST_NOISE = 1.645  # deviations; nine of ten normal errors are smaller
SECONDS_PER_DAY = 86_400
_SLACK = 1e-6
_WORDS = {
    "values": "ratings within half a step",
    "noise": "ratings within the noise that the release states",
    "exact": "the same rating, as far as the release is exact",
    "step": "ratings within a step",
    "items": "items alone",
}


@dataclass(frozen=True)
class Way:
    """Ratings match within ``tolerance``, on the scale of the rows; any do if it is None."""

    name: str
    tolerance: float | None

    def __str__(self) -> str:
        return _WORDS[self.name]


def ways_of(scene: Scene, wanted: Matching) -> list[Way]:
    """The ways that are ``wanted`` and make sense for a table.

    Where values cannot be compared at all, the items are what is left of them.
    """
    units = Units.between(scene.original.scale, scene.rows.scale)
    usable = [Way("items", None)]
    if units.comparable:
        usable.insert(0, Way("values", units.tolerance))
        noise = MOST_NOISE * _stated_noise(scene) * units.factor
        if noise > units.tolerance:
            usable.insert(1, Way("noise", noise))
    if wanted == "strongest":
        return usable
    chosen = [way for way in usable if way.name == wanted]
    return usable[-1:] if wanted == "values" and not chosen else chosen


def _stated_noise(scene: Scene) -> float:
    """The deviation of the noise as the release itself states it, 0 if it does not."""
    sigma = scene.public.get("sigma")
    if not isinstance(sigma, (int, float)) or sigma <= 0:
        return 0.0
    if scene.public.get("cells") != "all":
        return float(sigma)
    return float(sigma) * _usual_deviation(scene.rows) / float(np.sqrt(1 + sigma**2))


def _usual_deviation(rows: Ratings) -> float:
    """The mean over items of how far their published values spread.

    Noise on full tables is stated in deviations of the item, and adds to the spread itself.
    """
    support = np.maximum(rows.item_support, 1)
    sums, squares = (
        np.bincount(rows.items, powers, minlength=rows.n_items) / support
        for powers in (rows.values, np.square(rows.values.astype(np.float64)))
    )
    return float(np.sqrt(np.maximum(squares - sums**2, 0.0)).mean()) if rows.n_items else 0.0


def asked(scene: Scene, tries: Tries, way: Way, days: float) -> Asked:
    """What is known in each try, in codes and units of the rows; times within ``days``, if any."""
    original, positions = scene.original, tries.positions
    items = scene.item_in_release[original.items[positions]].astype(np.int32)
    timed = days > 0 and has_times(scene)
    times = original.times[positions] if timed and original.times is not None else np.empty(0, int)
    if way.tolerance is None:
        ends = np.iinfo(np.int32)
        lows, highs = (np.full(len(items), end, np.int32) for end in (ends.min, ends.max))
    else:
        units = Units.between(original.scale, scene.rows.scale)
        middle = units.converted(tries.values).astype(np.float64)
        reach = way.tolerance + _SLACK * (1 + np.abs(middle))  # float32 must not lose an edge
        lows, highs = (
            ranks_of(end.astype(np.float32).view(np.int32))
            for end in (middle - reach, middle + reach)
        )
    seconds = round(days * SECONDS_PER_DAY) if timed else -1
    return Asked(tries.offsets, items, lows, highs, times, seconds)


def has_times(scene: Scene) -> bool:
    """Do both original and rows tell when ratings were given?"""
    return scene.original.times is not None and scene.rows.times is not None
