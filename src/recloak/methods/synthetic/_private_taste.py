"""What people like together, by noisy answers: first a head of items, then all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from recloak.core.arrays import Codes, Floats
from recloak.methods.synthetic._private_data import Queryable
from recloak.methods.synthetic._private_support import (
    HeadItems,
    shrunk_head,
    solved_step,
    step_response,
)
from recloak.methods.synthetic._public import PublicFacts
from recloak.methods.synthetic._queries import Taste, TasteStep
from recloak.methods.synthetic._simulated import SimulatedPeople, fitted_sizes, strength_along
from recloak.methods.synthetic._spectrum import Spectrum, spectrum_of
from recloak.methods.synthetic._taste_kernels import tastes_of

if TYPE_CHECKING:
    from recloak.methods.synthetic._private_fit import Estimates


class TasteFit:
    """Learns likes, given what is known of people and items so far."""

    def __init__(
        self, queryable: Queryable, public: PublicFacts, known: Estimates, rng: np.random.Generator
    ) -> None:
        self.queryable, self.public, self.known, self.rng = queryable, public, known, rng

    def likes(self, fame: Floats, directions: Floats, share: float, size: int, most: int) -> Floats:
        """Likes of all items, in half scales; no column if nothing stands out from the noise."""
        none = np.zeros((self.public.n_items, 0))
        if not size or not self.public.explicit:
            return none
        known = self.known
        head = HeadItems.of(known.shares, size)
        for_head, for_others = head.parts(share)
        centre = known.level + known.effects
        query = Taste(head.items, head.place, self.public.units, centre, known.spread)
        products = self.queryable.ask(query, for_head)
        sigma = self.queryable.budget.sigma(np.sqrt(0.5), for_head)
        found = spectrum_of(products, len(head.items), sigma, most)
        if not len(found.values):
            return none
        raters = _Raters(self.public, known, fame, directions, self.rng)
        sizes = raters.sizes(head, found, found.values / known.people)
        likes = np.zeros((self.public.n_items, len(found.values)))
        likes[head.items] = shrunk_head(found, sizes, head.share)
        if for_others > 0:
            likes += self._of_others(raters, head, likes, for_others)
        return likes

    def _of_others(self, raters: _Raters, head: HeadItems, likes: Floats, share: float) -> Floats:
        """Likes of the items outside of the head, from the tastes that the head tells."""
        known = self.known
        centre = known.level + known.effects
        query = TasteStep(self.public.units, centre, known.spread, head.place, likes)
        answer = self.queryable.ask(query, share)
        noise = self.queryable.budget.sigma(query.sensitivity, share)
        response = raters.response(head, query.likes)
        return solved_step(answer, response, head.shares_of_others(known.shares), noise)


class _Raters:
    """Simulated people who rate by likes that are tried."""

    def __init__(
        self,
        public: PublicFacts,
        known: Estimates,
        fame: Floats,
        directions: Floats,
        rng: np.random.Generator,
    ) -> None:
        self.known, self.rng = known, rng
        self.people = SimulatedPeople(public, known.sizes, fame, directions.shape[1], rng)
        self.items: Codes = self.people.items(directions)
        self.owner = np.repeat(np.arange(len(self.people.interests)), np.diff(self.people.offsets))
        self.errors = rng.standard_normal(len(self.items))
        self.tastes = np.zeros((len(self.people.interests), 0))

    def residuals(self, likes: Floats) -> Floats:
        """What they give beyond items and their own offset."""
        if self.tastes.shape[1] != likes.shape[1]:
            self.tastes = self.rng.standard_normal((len(self.tastes), likes.shape[1]))
        liked = np.einsum("ak,ak->a", likes[self.items], self.tastes[self.owner])
        variance = self.known.residual_variance
        left = max(variance - float(liked.var()), 0.25 * variance)
        rest = liked + np.sqrt(left) * self.errors
        counts = np.diff(self.people.offsets)
        means = np.bincount(self.owner, rest, len(counts)) / counts
        offset, residual = self.known.spread
        return np.asarray(rest - (means * offset / (offset + residual / counts))[self.owner])

    def sizes(self, head: HeadItems, found: Spectrum, wanted: Floats) -> Floats:
        """How large the likes are that make people differ as much as ``wanted``."""
        inside = head.place[self.items] >= 0
        at = self.owner[inside], head.place[self.items[inside]]
        count = len(self.people.interests)

        def measured(sizes: Floats) -> Floats:
            likes = np.zeros((len(head.place), len(sizes)))
            likes[head.items] = found.vectors * sizes / head.share[:, None]
            rows = np.zeros((count, len(head.items)))
            rows[at] = self.residuals(likes)[inside]
            rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
            return strength_along(rows, found.vectors)

        held = np.bincount(at[0], minlength=count)
        start = np.sqrt(wanted * self.known.residual_variance / held.mean())
        return fitted_sizes(start, wanted, measured(0.0 * start), measured)

    def response(self, head: HeadItems, likes: Floats) -> Floats:
        """How a step answers to likes of the items outside of the head."""
        rest = self.residuals(likes)
        seen = np.zeros(self.tastes.shape)
        tastes_of(self.people.offsets, self.items, rest, likes, self.known.residual_variance, seen)
        outside = head.place[self.items] < 0
        count = len(seen)
        others = np.bincount(self.owner[outside], minlength=count)
        lengths = np.sqrt(np.bincount(self.owner[outside], rest[outside] ** 2, count))
        weights = others / np.maximum(lengths, 1e-9)
        return step_response(self.tastes, seen, weights, self.known.people)
