"""What people like, by noisy answers: the loud directions of a head, then a step over all items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from recloak.core.arrays import Floats
from recloak.methods.synthetic._private_data import Queryable
from recloak.methods.synthetic._public import PublicFacts
from recloak.methods.synthetic._queries import Taste, TasteStep
from recloak.methods.synthetic._shrinkage import kept_share
from recloak.methods.synthetic._spectrum import spectrum_of
from recloak.methods.synthetic._taste_kernels import taste_squares

if TYPE_CHECKING:
    from recloak.methods.synthetic._private_fit import Estimates

_PEOPLE = 1500


class TasteFit:
    """Learns likes, given what is known of people and items so far."""

    def __init__(
        self, queryable: Queryable, public: PublicFacts, known: Estimates, rng: np.random.Generator
    ) -> None:
        self.queryable, self.public, self.known, self.rng = queryable, public, known, rng

    def likes(self, share: float, size: int, most: int) -> Floats:
        """Likes of all items, in half scales; no column if nothing stands out from the noise."""
        none = np.zeros((self.public.n_items, 0))
        if not size or not self.public.explicit:
            return none
        first = self._of_head(share / 2, size, most)
        return self._of_all(first, share / 2) if first.shape[1] else none

    def _of_head(self, share: float, size: int, most: int) -> Floats:
        """Σ y·yᵀ is about D·(p·Q)(p·Q)ᵀ / s² beside the diagonal, D the number of ratings."""
        known = self.known
        head = np.sort(np.argsort(-known.shares, kind="stable")[:size]).astype(np.int32)
        place = np.full(self.public.n_items, -1, np.int64)
        place[head] = np.arange(len(head))
        centre = known.level + known.effects
        products = self.queryable.ask(
            Taste(head, place, self.public.units, centre, known.spread), share
        )
        sigma = self.queryable.budget.sigma(np.sqrt(0.5), share)
        vectors, values, seen = spectrum_of(products, len(head), sigma, most)
        sizes = np.sqrt(values * seen * known.residual_variance / known.ratings)
        likes = np.zeros((self.public.n_items, len(values)))
        likes[head] = vectors * sizes / known.shares[head][:, None]
        variance = known.residual_variance * np.maximum(values, 1e-9) / known.ratings
        for trait in range(len(values)):
            unsure = variance[trait] * (1 - seen[trait]) / len(head) / known.shares[head] ** 2
            likes[head, trait] *= kept_share(likes[head, trait], unsure)
        return likes

    def _of_all(self, likes: Floats, share: float) -> Floats:
        """Q from Σ w·e·t, with the squares of tastes that people like these would have."""
        known = self.known
        query = TasteStep(self.public.units, known.level + known.effects, known.spread, likes)
        answer = self.queryable.ask(query, share)
        sigma = self.queryable.budget.sigma(query.sensitivity, share)
        squares, weight = self._expected_squares(likes)
        strength, turn = np.linalg.eigh(squares)
        strength = np.maximum(strength, 1e-3)
        counts = np.maximum(known.shares * weight, 1e-9)[:, None] * strength
        found, unsure = (answer @ turn) / counts, (sigma / counts) ** 2
        for trait in range(found.shape[1]):
            found[:, trait] *= kept_share(found[:, trait], unsure[:, trait])
        return np.asarray(found @ turn.T)

    def _expected_squares(self, likes: Floats) -> tuple[Floats, float]:
        """The mean of t·tᵀ over ratings, weighted as in the query, and the sum of the weights.

        From made-up people with the numbers of ratings and the likes known so far: the real ones
        are not asked.
        """
        known = self.known
        degrees = known.sizes.spread(_PEOPLE)
        items = self.rng.choice(len(likes), size=int(degrees.sum()), p=known.shares)
        taste = self.rng.standard_normal((_PEOPLE, likes.shape[1]))
        owner = np.repeat(np.arange(_PEOPLE), degrees)
        signal = (likes[items] * taste[owner]).sum(axis=1)
        noise = np.sqrt(known.residual_variance) * self.rng.standard_normal(len(items))
        offsets = np.concatenate([[0], np.cumsum(degrees)])
        squares = np.zeros((likes.shape[1], likes.shape[1]))
        weights = taste_squares(
            offsets, items.astype(np.int32), signal + noise, likes, known.residual_variance, squares
        )
        everyone = known.people / _PEOPLE
        return squares / weights, weights * everyone
