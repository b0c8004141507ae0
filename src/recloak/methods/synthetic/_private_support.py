"""What people rate together, by noisy answers: first a head of items, then all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from recloak.core.arrays import Codes, Floats, Indices
from recloak.methods.synthetic._calibration import fame_for
from recloak.methods.synthetic._exact_fit import shortened
from recloak.methods.synthetic._private_data import Queryable
from recloak.methods.synthetic._public import PublicFacts
from recloak.methods.synthetic._queries import Support, SupportStep
from recloak.methods.synthetic._shrinkage import kept_share
from recloak.methods.synthetic._simulated import (
    SimulatedPeople,
    beyond_fame,
    fitted_sizes,
    strength_along,
)
from recloak.methods.synthetic._spectrum import Spectrum, spectrum_of

if TYPE_CHECKING:
    from recloak.methods.synthetic._private_fit import Estimates

HEAD_PART = 0.5  # of the share: for the head, if there are items beside it


@dataclass(frozen=True)
class HeadItems:
    """The most famous items: codes, where each item stands among them (-1: not), own shares."""

    items: Codes
    place: Indices
    share: Floats

    @classmethod
    def of(cls, shares: Floats, size: int) -> HeadItems:
        items = np.sort(np.argsort(-shares, kind="stable")[:size]).astype(np.int32)
        place = np.full(len(shares), -1, np.int64)
        place[items] = np.arange(len(items))
        return cls(items, place, shares[items] / shares[items].sum())

    def shares_of_others(self, shares: Floats) -> Floats:
        """The shares that the other items have among themselves; 0 for those of the head."""
        others = np.where(self.place < 0, shares, 0.0)
        return np.asarray(others / max(float(others.sum()), 1e-300))

    def parts(self, share: float) -> tuple[float, float]:
        """What to spend on the head, and what on the step to the others."""
        inside = HEAD_PART if len(self.items) < len(self.place) else 1.0
        return share * inside, share * (1 - inside)


class SupportFit:
    """Learns F, with which an item is rated with weight p·exp(F·z)."""

    def __init__(
        self, queryable: Queryable, public: PublicFacts, known: Estimates, rng: np.random.Generator
    ) -> None:
        self.queryable, self.public, self.known, self.rng = queryable, public, known, rng

    def directions(self, share: float, size: int, most: int) -> Floats:
        """Directions of all items; no column if nothing stands out from the noise."""
        none = np.zeros((self.public.n_items, 0))
        if not size:
            return none
        head = HeadItems.of(self.known.shares, size)
        for_head, for_others = head.parts(share)
        products = self.queryable.ask(Support(head.items, head.place, head.share), for_head)
        sigma = self.queryable.budget.sigma(np.sqrt(0.5), for_head)
        found = spectrum_of(products, len(head.items), sigma, most)
        rank = len(found.values)
        if not rank:
            return none
        people = self._simulated(rank)
        sizes = self._sizes(people, head, found)
        directions = np.zeros((self.public.n_items, rank))
        directions[head.items] = shrunk_head(found, sizes, head.share)
        if for_others > 0:
            directions += self._of_others(
                people, head, found.vectors * sizes, directions, for_others
            )
        return shortened(directions)

    def _simulated(self, rank: int) -> SimulatedPeople:
        known, none = self.known, np.zeros((self.public.n_items, 0))
        fame = np.log(np.maximum(known.shares, 1e-12))
        if self.public.question is None:
            fame = fame_for(known.shares, none, known.sizes, self.rng)
        return SimulatedPeople(self.public, known.sizes, fame, rank, self.rng)

    def _sizes(self, people: SimulatedPeople, head: HeadItems, found: Spectrum) -> Floats:
        """How long directions are: for small ones Σ y·yᵀ = Σ (held · factor)² (p·F)(p·F)ᵀ."""
        held = people.held(people.items(), head.place, len(head.items))
        rows, factors = beyond_fame(held, head.share)
        wanted = found.values / self.known.people
        start = np.sqrt(wanted / np.mean((held.sum(axis=1) * factors) ** 2))
        if self.public.question is not None:  # calibration will make up for what saturates
            return np.asarray(start)

        def measured(sizes: Floats) -> Floats:
            tried = np.zeros((self.public.n_items, len(sizes)))
            tried[head.items] = found.vectors * sizes / head.share[:, None]
            items = people.items(shortened(tried))
            held = people.held(items, head.place, len(head.items))
            return strength_along(beyond_fame(held, head.share)[0], found.vectors)

        return fitted_sizes(start, wanted, strength_along(rows, found.vectors), measured)

    def _of_others(
        self, people: SimulatedPeople, head: HeadItems, axes: Floats, known: Floats, share: float
    ) -> Floats:
        """F of the items outside of the head, from the people who rate them."""
        step = SupportStep(head.place, axes, head.share @ axes)
        answer = self.queryable.ask(step, share)
        noise = self.queryable.budget.sigma(step.sensitivity, share)
        shares = head.shares_of_others(self.known.shares)
        answer = answer - np.outer(shares, answer.sum(axis=0))
        items = people.items(shortened(known))
        held = people.held(items, head.place, len(head.items))
        stands = held @ axes - held.sum(axis=1, keepdims=True) * step.average
        others = np.maximum(np.diff(people.offsets) - held.sum(axis=1), 0)
        response = step_response(people.interests, stands, np.sqrt(others), self.known.people)
        return solved_step(answer, response, shares, noise)


def shrunk_head(found: Spectrum, sizes: Floats, share: Floats) -> Floats:
    """Vectors of the head at their sizes, over the items' shares, as far as they are known."""
    values = found.vectors * sizes / share[:, None]
    unsure = sizes**2 * (1 - found.known) / len(share) / share[:, None] ** 2
    for trait in range(values.shape[1]):
        values[:, trait] *= kept_share(values[:, trait], unsure[:, trait])
    return np.asarray(values)


def step_response(true: Floats, seen: Floats, weights: Floats, people: float) -> Floats:
    """What a step answers for an item that all people rate, for each true trait (a row)."""
    lengths = np.linalg.norm(seen, axis=1, keepdims=True)
    units = seen / np.maximum(lengths, 1e-12)
    return np.asarray((true * weights[:, None]).T @ units * (people / len(true)))


def solved_step(answer: Floats, response: Floats, shares: Floats, noise: float) -> Floats:
    """The traits of items whose answers are shares · traits · response + noise."""
    turn, strengths, back = np.linalg.svd(response)
    asked = shares > 0
    counts = shares[asked, None] * np.maximum(strengths, 1e-9)
    found, unsure = (answer[asked] @ back.T) / counts, (noise / counts) ** 2
    for trait in range(found.shape[1]):
        found[:, trait] *= kept_share(found[:, trait], unsure[:, trait])
    traits = np.zeros(answer.shape)
    traits[asked] = found @ turn.T
    return traits
