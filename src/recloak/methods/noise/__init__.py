"""Methods `gaussian-noise` and `uniform-noise`: random noise on ratings, or on every cell."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from recloak.core.arrays import Floats, Integers
from recloak.core.errors import InputError
from recloak.core.parallel import row_blocks
from recloak.core.parameters import Parameters
from recloak.core.people_draws import PeopleDraws, PeopleStream
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.methods._blocks import BlockMethod, Statistics
from recloak.methods._tables import OwnedRows, TableParameters, one_row_each
from recloak.methods.noise._dense import (
    Clipping,
    ItemStandardisation,
    refuse_too_large,
    with_every_cell,
)

HUNDREDTHS = 100.0
ROOT_OF_THREE = 3.0**0.5  # uniform noise this wide on either side has deviation 1


class NoiseParameters(TableParameters):
    """How much noise, and what the noisy values look like."""

    sigma: float = Field(default=1.0, gt=0, le=1e9)
    """Standard deviation of the noise, in units of the rating scale; with `cells` all, in units of
    each item's own deviation."""

    cells: Literal["rated", "all"] = "rated"
    """Noise on the ratings that were given, or on every cell of the table: a missing one counts as
    the middle of the scale, items are standardised over all people, and the full table is
    published. Who trains on it takes what was filled in for ratings."""

    clipping: Clipping = "once"
    """With `cells` all: clip to the scale once, at the end, or twice as in the figures of the
    paper, which also clips standardised values to the ends of the rating scale, by mistake."""

    rounding: Literal["hundredth", "step"] = "hundredth"
    """Round noisy values to two decimals, or to the scale's own steps so that they look like
    ratings again. Unrounded digits are never published."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.cells == "all" and self.times != "drop":
            raise ValueError(f"times = {self.times} needs cells = rated: other cells have no time")
        if self.cells == "rated" and self.clipping != "once":
            raise ValueError(f"clipping = {self.clipping} needs cells = all")
        return self


class _Noise(BlockMethod):
    """Adds noise to the rated cells, clips once to the scale, rounds, and gives new ids.

    The cells that a person rated stay visible: which items someone rated identifies them too.
    With ``cells`` all, every cell of the table is published instead: missing ratings count as the
    middle of the scale, each item is standardised over all people (by its deviation, imputed cells
    included), noise is added there, and the values go back to the scale; an item that does not
    vary stays as it is.
    What was rated no longer stands apart by its presence, yet a value far from the middle still
    tells of a rating; and a recommender takes the many filled cells for ratings.
    """

    Parameters: ClassVar[type[Parameters]] = NoiseParameters
    parameters: NoiseParameters
    cells_per_block: ClassVar[int] = 1 << 20
    """About how many cells get their noise at a time; the noise does not depend on it."""
    promise: ClassVar[str] = (
        "Single values are uncertain; no formal claim. Which items a person rated stays visible, "
        "unless every cell gets a value: then values far from the middle hint at it."
    )

    @abstractmethod
    def standard(self, stream: PeopleStream, counts: Integers) -> Floats:
        """Noise of mean 0 and deviation 1, for each person so much."""

    def most_ratings(self, ratings: Ratings) -> int:
        every = ratings.n_users * ratings.n_items
        return every if self.parameters.cells == "all" else ratings.n_ratings

    def why_not_by_blocks(self) -> str | None:
        if self.parameters.cells == "all":
            return "cells = all fills a table of all people and items"
        return None

    def learn(
        self, statistics: Statistics, sample: Ratings, randomness: Randomness, progress: Progress
    ) -> ItemStandardisation | None:
        """How items are standardised, if every cell gets noise."""
        if statistics.scale.implicit:
            raise InputError(
                "these data have no values to add noise to",
                where=f"method {self.name}",
                hint="Choose a method for implicit data, such as pseudonymize.",
            )
        if self.parameters.cells == "rated":
            return None
        refuse_too_large(statistics.n_users, len(statistics.item_support))
        return ItemStandardisation.of(sample)

    def part(
        self,
        rows: Ratings,
        shared: ItemStandardisation | None,
        people: PeopleDraws,
        progress: Progress,
    ) -> OwnedRows:
        if shared is None:
            changed = self._rated_cells(rows, people, progress)
        else:
            changed = self._every_cell(rows, shared, people, progress)
        return one_row_each(changed.with_values(changed.values, self._published_scale(rows.scale)))

    def _rated_cells(self, ratings: Ratings, people: PeopleDraws, progress: Progress) -> Ratings:
        values = np.empty(ratings.n_ratings, dtype=np.float32)
        blocks = row_blocks(ratings.offsets, self.cells_per_block)
        with progress.task("Adding noise", len(blocks)) as task:
            for start, end in blocks:
                here = slice(ratings.offsets[start], ratings.offsets[end])
                noise = self._noise(people[start:end], ratings.user_counts[start:end])
                values[here] = self._written(ratings.values[here] + noise, ratings.scale)
                task.advance()
        return ratings.with_values(values)

    def _every_cell(
        self, ratings: Ratings, shared: ItemStandardisation, people: PeopleDraws, progress: Progress
    ) -> Ratings:
        def noisy(table: Floats, start: int, end: int) -> Floats:
            counts = np.full(end - start, ratings.n_items)
            drawn = self._noise(people[start:end], counts).reshape(table.shape)
            clipped = shared.noisy(table, drawn, self.parameters.clipping)
            return self._written(clipped.ravel(), ratings.scale)

        return with_every_cell(ratings, noisy, progress, cells_per_block=self.cells_per_block)

    def _noise(self, people: PeopleDraws, counts: Integers) -> Floats:
        return self.parameters.sigma * self.standard(people.stream("noise"), counts)

    def _written(self, values: Floats, scale: Scale) -> Floats:
        """Values as they are published: rounded, and on the scale."""
        if self.parameters.rounding == "step" and scale.step is not None:
            return scale.snap(values)
        return scale.clip(np.rint(values * HUNDREDTHS) / HUNDREDTHS)

    def _published_scale(self, scale: Scale) -> Scale:
        if self.parameters.rounding == "step":
            return scale
        return Scale(scale.low, scale.high, None)


class GaussianNoise(_Noise):
    """Normal noise."""

    name: ClassVar[str] = "gaussian-noise"
    summary: ClassVar[str] = "Normal noise on every rating, clipped to the scale, under new ids."
    reference: ClassVar[str] = (
        "Casino et al.: A k-Anonymous Approach to Privacy Preserving Collaborative Filtering. "
        "JCSS 2015 (its comparison method)."
    )

    def standard(self, stream: PeopleStream, counts: Integers) -> Floats:
        return stream.normal(counts)


class UniformNoise(_Noise):
    """Uniform noise between -√3 and √3 deviations."""

    name: ClassVar[str] = "uniform-noise"
    summary: ClassVar[str] = "Uniform noise on every rating, clipped to the scale, under new ids."
    reference: ClassVar[str] = (
        "Polat, Du: Privacy-Preserving Collaborative Filtering using Randomized Perturbation "
        "Techniques. ICDM 2003."
    )

    def standard(self, stream: PeopleStream, counts: Integers) -> Floats:
        return ROOT_OF_THREE * (2.0 * stream.uniform(counts) - 1.0)
