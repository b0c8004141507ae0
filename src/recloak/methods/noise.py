"""Methods `gaussian-noise` and `uniform-noise`: random noise on every rating that was given."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recloak.errors import InputError
from recloak.methods.tables import TableMethod, TableParameters
from recloak.parameters import Parameters
from recloak.progress import Progress
from recloak.randomness import Randomness, Stream
from recloak.ratings import Ratings
from recloak.scale import Scale

USERS_PER_BLOCK = 8192
HUNDREDTHS = 100.0
ROOT_OF_THREE = 3.0**0.5  # uniform noise this wide on either side has deviation 1


class NoiseParameters(TableParameters):
    """How much noise, and what the noisy values look like."""

    sigma: float = Field(default=1.0, gt=0, le=1e9)
    """Standard deviation of the noise, in units of the rating scale."""

    rounding: Literal["hundredth", "step"] = "hundredth"
    """Round noisy values to two decimals, or to the scale's own steps so that they look like
    ratings again. Unrounded digits are never published."""


class _Noise(TableMethod):
    """Adds noise to the rated cells, clips once to the scale, rounds, and gives new ids.

    The cells that a person rated stay visible: which items someone rated identifies them too.
    """

    Parameters: ClassVar[type[Parameters]] = NoiseParameters
    parameters: NoiseParameters
    promise: ClassVar[str] = (
        "Single values are uncertain; no formal claim. Which items a person rated stays visible."
    )

    @abstractmethod
    def standard(self, stream: Stream, count: int) -> NDArray[np.float64]:
        """Noise of mean 0 and deviation 1."""

    def changed(self, ratings: Ratings, randomness: Randomness, progress: Progress) -> Ratings:
        if ratings.scale.implicit:
            raise InputError(
                "these data have no values to add noise to",
                where=f"method {self.name}",
                hint="Choose a method for implicit data, such as pseudonymize.",
            )
        values = np.empty(ratings.n_ratings, dtype=np.float32)
        starts = range(0, ratings.n_users, USERS_PER_BLOCK)
        with progress.task("Adding noise", len(starts)) as task:
            for block, start in enumerate(starts):
                end = min(start + USERS_PER_BLOCK, ratings.n_users)
                here = slice(ratings.offsets[start], ratings.offsets[end])
                stream = randomness.stream("noise", block)
                values[here] = self._noisy(ratings.values[here], ratings.scale, stream)
                task.advance()
        return ratings.with_values(values, self._published_scale(ratings.scale))

    def _noisy(
        self, values: NDArray[np.float32], scale: Scale, stream: Stream
    ) -> NDArray[np.float64]:
        noise = self.parameters.sigma * self.standard(stream, len(values))
        noisy = values.astype(np.float64) + noise
        if self.parameters.rounding == "step" and scale.step is not None:
            return scale.snap(noisy)
        return scale.clip(np.rint(noisy * HUNDREDTHS) / HUNDREDTHS)

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

    def standard(self, stream: Stream, count: int) -> NDArray[np.float64]:
        return stream.normal(count)


class UniformNoise(_Noise):
    """Uniform noise between -√3 and √3 deviations."""

    name: ClassVar[str] = "uniform-noise"
    summary: ClassVar[str] = "Uniform noise on every rating, clipped to the scale, under new ids."
    reference: ClassVar[str] = (
        "Polat, Du: Privacy-Preserving Collaborative Filtering using Randomized Perturbation "
        "Techniques. ICDM 2003."
    )

    def standard(self, stream: Stream, count: int) -> NDArray[np.float64]:
        return ROOT_OF_THREE * (2.0 * stream.uniform(count) - 1.0)
