"""Perturbed lists: the baseline of noise on ratings, which hides tastes but not who rated what.

Polat, Du: Privacy-Preserving Collaborative Filtering Using Randomized Perturbation Techniques.
ICDM 2003.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from recloak.core.errors import ParameterError
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.core.timeline import Timeline
from recloak.recommenders.similarity import Similarity
from recloak.releases.lists.history import History
from recloak.releases.lists.unprotected import raw_at


def perturbed(ratings: Ratings, variance: float = 1.0, seed: int = 0) -> Ratings:
    """The ratings with uniform noise of mean 0, drawn once for each and kept from then on."""
    if not 0 < variance < 1e6:
        raise ParameterError("must be above 0", where="variance")
    reach = sqrt(3 * variance)
    drawn = Randomness.from_seed(seed).stream("perturbed lists").uniform(ratings.n_ratings)
    noisy = ratings.values + (2 * drawn - 1) * reach
    scale = Scale(ratings.scale.low - reach, ratings.scale.high + reach, None)
    return ratings.with_values(noisy.astype(np.float32), scale)


def perturbed_history(
    ratings: Ratings,
    cuts: Sequence[int],
    top: int,
    *,
    window: int = 4,
    variance: float = 1.0,
    seed: int = 0,
    similarity: Similarity | str = "cosine",
    progress: Progress = SILENT,
) -> History:
    """Lists at the given cuts as they follow from the noisy ratings; nothing is promised."""
    timeline = Timeline(perturbed(ratings, variance, seed))
    return raw_at(timeline, cuts, top, similarity, progress, window)
