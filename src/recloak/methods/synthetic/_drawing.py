"""Drawing made-up people from a model."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Codes, Floats, Integers, Labels, Offsets, Values, offsets_from
from recloak.core.parallel import in_threads
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.methods.synthetic._draw_kernels import draw_items, draw_values
from recloak.methods.synthetic._traits import Traits

PEOPLE_PER_BLOCK = 2048
_HUNDREDTHS = 100.0


def draw_ratings(
    traits: Traits,
    scale: Scale,
    item_labels: Labels,
    count: int,
    calm: float,
    randomness: Randomness,
    progress: Progress = SILENT,
) -> Ratings:
    """``count`` made-up people: random names, the items that they rate, what they give.

    Each block of people has its own stream and each person a generator that the stream seeds.
    """
    degrees = np.minimum(traits.sizes.draw(randomness.stream("sizes"), count), len(traits.items))
    offsets = offsets_from(degrees)
    items = np.empty(offsets[-1], np.int32)
    values = np.ones(offsets[-1], np.float32)
    blocks = [
        (start, min(start + PEOPLE_PER_BLOCK, count)) for start in range(0, count, PEOPLE_PER_BLOCK)
    ]
    drawn = _Drawn(traits, scale, calm, randomness, offsets, items, values)
    with progress.task("Drawing people", len(blocks)) as task:
        in_threads(drawn.fill, blocks, task)
    return Ratings(
        offsets,
        items,
        values,
        scale,
        np.arange(count),
        item_labels[traits.items],
        times=_times(traits, degrees, randomness),
    )


class _Drawn:
    """Fills in block after block; which block comes first makes no difference."""

    def __init__(
        self,
        traits: Traits,
        scale: Scale,
        calm: float,
        randomness: Randomness,
        offsets: Offsets,
        items: Codes,
        values: Values,
    ) -> None:
        self.traits, self.scale, self.randomness = traits, scale, randomness
        self.offsets, self.items, self.values = offsets, items, values
        self.residual = calm * traits.residual
        self.fame = traits.fame.astype(np.float32)
        self.directions = np.ascontiguousarray(traits.directions.T, dtype=np.float32)
        self.effects = traits.effects.astype(np.float32)
        self.likes = np.ascontiguousarray(traits.likes, dtype=np.float32)

    def fill(self, start: int, end: int) -> None:
        """Draw the people from ``start`` up to ``end``."""
        stream = self.randomness.stream("people", start)
        people = end - start
        states = stream.words(4 * people).reshape(people, 4).copy()
        interests = _normal(stream.normal(people * len(self.directions)), people)
        tastes = _normal(stream.normal(people * self.likes.shape[1]), people)
        generosity = (self.traits.generosity * stream.normal(people)).astype(np.float32)
        first, last = self.offsets[start], self.offsets[end]
        offsets = self.offsets[start : end + 1] - first
        items, values = self.items[first:last], self.values[first:last]
        draw_items(states, offsets, self.fame, self.directions, interests, items)
        if self.scale.implicit:
            return
        draw_values(
            states,
            offsets,
            items,
            self.effects,
            generosity,
            self.likes,
            tastes,
            self.residual,
            values,
        )
        values[:] = written_values(values, self.scale)


def written_values(values: Values, scale: Scale) -> Values:
    """On the scale, in its steps, or in hundredths where it has none."""
    if scale.step is not None:
        return scale.snap(values.astype(np.float64)).astype(np.float32)
    return scale.clip(np.rint(values * _HUNDREDTHS) / _HUNDREDTHS).astype(np.float32)


def _normal(drawn: Floats, people: int) -> Values:
    return drawn.reshape(people, -1).astype(np.float32)


def _times(traits: Traits, degrees: Integers, randomness: Randomness) -> Integers | None:
    """One coarse time for each person, for all of their ratings."""
    if traits.periods is None or traits.period_shares is None:
        return None
    ends = np.cumsum(traits.period_shares)
    chances = randomness.stream("times").uniform(len(degrees)) * ends[-1]
    period = np.minimum(np.searchsorted(ends, chances), len(ends) - 1)
    return np.repeat(traits.periods[period], degrees)
