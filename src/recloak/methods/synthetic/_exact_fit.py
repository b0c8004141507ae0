"""The fit without noise: exact sums, and nothing from fewer people than the floor."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from recloak.core.arrays import Floats, Indices, Integers
from recloak.core.errors import InputError
from recloak.methods._linear_kernels import make_orthonormal
from recloak.methods.synthetic._calibration import calibrated
from recloak.methods.synthetic._exact_queries import (
    ItemsKept,
    SupportProducts,
    TasteMoments,
    WeightedItemCounts,
)
from recloak.methods.synthetic._private_data import Queryable
from recloak.methods.synthetic._public import PublicFacts
from recloak.methods.synthetic._queries import DegreeHistogram
from recloak.methods.synthetic._shrinkage import kept_share
from recloak.methods.synthetic._traits import Sizes, Traits

SUPPORT_RANK = 20
_MOST_TASTES = 24
_PEOPLE_PER_TASTE = 150.0  # of the square of their number: 2 tastes for 850, 6 for 5,400
_CHANCE = 2.0  # of an item's direction, the variance times its ratings; 1 if people were alike
_POWER_STEPS = 12
_SPARE = 8  # directions beyond those that are kept, so that these settle sooner
_LONGEST = 2.5  # of an item's directions: beyond it, exp makes of a lift more than was there
_EM_STEPS = 8
_IN_RANGES = 0.9  # of all people
_EFFECT_VARIANCE, _RESIDUAL_VARIANCE = 0.04, 0.2  # in half scales, before anything is known
_PRIOR = 0.3  # of what the likes' own spread would ask for: it understates them


@dataclass(frozen=True)
class ExactCounts:
    """The items that have enough people, and exact counts of these alone."""

    sizes: Sizes
    people: float
    counts: Floats
    kept: ItemsKept

    @property
    def n_items(self) -> int:
        """How many have enough people."""
        return self.kept.count

    @property
    def ratings(self) -> float:
        """How many these items have."""
        return float(self.counts[0].sum())

    @property
    def shares(self) -> Floats:
        """Of each item in all counts weighted by 1/√ratings."""
        return np.asarray(self.counts[1] / max(self.counts[1].sum(), 1e-300))


def fit_exactly(
    queryable: Queryable,
    public: PublicFacts,
    floor: int,
    rank: int | None,
    rng: np.random.Generator,
) -> Traits:
    """What people are drawn from, by exact answers."""
    counted = count(queryable, public, floor)
    if not counted.n_items or not len(counted.sizes.low):
        raise InputError(
            f"no statistic of these data is about {floor} people or more",
            where="method synthetic, parameter 'floor'",
            hint="Lower the floor, or publish nothing: so few people cannot be hidden.",
        )
    kept = np.flatnonzero(counted.kept.place >= 0)
    about = replace(public, n_items=len(kept), question=_of_kept(public.question, kept))
    directions = support_directions(queryable, counted, rank or SUPPORT_RANK, rng)
    if public.explicit:
        taste = _Tastes.of_means(queryable, about, counted)
        taste = taste.with_likes(rank or tastes_for(counted.people), rng)
        for _ in range(_EM_STEPS):
            taste = taste.improved(queryable, about, counted)
    else:
        taste = _Tastes(np.zeros(len(kept)), np.zeros((len(kept), 1)), 0.0, np.zeros(0))
    fame, directions = calibrated(
        about, np.arange(len(kept)), counted.shares, directions, counted.sizes, rng
    )
    return Traits(
        items=kept,
        sizes=counted.sizes,
        people=counted.people,
        fame=fame,
        directions=directions,
        effects=public.middle + public.half * taste.centre,
        generosity=float(public.half * taste.likes[0, 0]),
        likes=public.half * taste.likes[:, 1:],
        residual=public.half * float(np.sqrt(taste.variance)),
        question=about.question,
    )


def _of_kept(question: Indices | None, kept: Indices) -> Indices | None:
    return None if question is None else question[kept]


def tastes_for(people: float) -> int:
    """How many tastes so many people can tell apart."""
    return int(np.clip(round(np.sqrt(people / _PEOPLE_PER_TASTE)), 1, _MOST_TASTES))


def count(queryable: Queryable, public: PublicFacts, floor: int) -> ExactCounts:
    """How many ratings people have, and how many people items have.

    Whatever else is asked leaves out ratings of items below the floor, as if nobody had given them.
    """
    degrees = queryable.ask(DegreeHistogram(public.size_edges))[:-1]
    people = float(degrees.sum())
    kept = ItemsKept.of(np.ones(public.n_items, np.bool_))
    counts = queryable.ask(WeightedItemCounts(kept, people))
    if (counts[0] < floor).any():
        kept = ItemsKept.of(counts[0] >= floor)
        counts = queryable.ask(WeightedItemCounts(kept, people))
    sizes = merged_sizes(public.size_edges, degrees, floor)
    if public.question is None:
        sizes = sizes.up_to(kept.count)
    return ExactCounts(sizes, people, counts, kept)


def merged_sizes(edges: Integers, people: Floats, floor: int) -> Sizes:
    """The ranges that hold ``floor`` people each; where these are few, ranges twice as wide.

    People in other ranges are left out of the sizes: even the bounds of a range would tell of
    them.
    """
    while True:
        enough = people >= floor
        if people[enough].sum() >= _IN_RANGES * people.sum() or len(people) == 1:
            break
        edges = np.append(edges[:-1:2], edges[-1])
        people = np.add.reduceat(people, np.arange(0, len(people), 2))
    share = people[enough] / max(people[enough].sum(), 1.0)
    return Sizes(edges[:-1][enough], edges[1:][enough], share)


def support_directions(
    queryable: Queryable, counted: ExactCounts, rank: int, rng: np.random.Generator
) -> Floats:
    """The directions in which what people rate differs from fame, by subspace iteration.

    With y = (x − d·p) / √(d·p), the products Σ y·yᵀ beside the diagonal are D·(√p F)(√p F)ᵀ for
    people who rate item j with a weight of p·(1 + F·z); D is the number of ratings.
    """
    n_items, ratings = counted.n_items, counted.ratings
    rank = min(rank, max(n_items - 1, 0))
    if rank == 0:
        return np.zeros((n_items, 0))
    whitened = 1 / np.sqrt(np.maximum(counted.shares, 1e-300))
    own = whitened**2 * counted.counts[2]
    basis = rng.standard_normal((n_items, min(rank + _SPARE, n_items)))
    image = basis
    for _ in range(_POWER_STEPS):
        basis = image
        make_orthonormal(basis)
        image = _image(queryable, basis, whitened, counted, own)
    strengths, turn = np.linalg.eigh(basis.T @ image)
    order = np.argsort(-strengths)[:rank]
    vectors = image @ turn[:, order]
    vectors /= np.maximum(np.linalg.norm(vectors, axis=0), 1e-300)
    sizes = np.sqrt(np.maximum(strengths[order], 0) / ratings)
    return shortened(without_chance(vectors * whitened[:, None] * sizes, counted.counts[0]))


def without_chance(directions: Floats, supports: Floats) -> Floats:
    """Directions of items, shorter by what the few people who rated an item make of it by chance.

    What is learnt from chance is true of these people alone: it tells who is in the data, and
    serves nobody else.
    """
    variances = _CHANCE / np.maximum(supports, 1.0)
    shares = [kept_share(direction, variances) for direction in directions.T]
    return np.asarray(directions * np.column_stack(shares))


def shortened(directions: Floats) -> Floats:
    """Directions of items, none longer than what can be drawn from."""
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    return np.asarray(directions * np.minimum(1, _LONGEST / np.maximum(lengths, 1e-300)))


def _image(
    queryable: Queryable, basis: Floats, whitened: Floats, counted: ExactCounts, own: Floats
) -> Floats:
    """The products of people's rows, less what each item has with itself, times the basis."""
    scaled, shares = basis * whitened[:, None], counted.shares
    products = queryable.ask(SupportProducts(counted.kept, scaled, shares @ scaled, counted.people))
    centred = products - np.outer(shares, products.sum(axis=0))
    return np.asarray(centred * whitened[:, None] - own[:, None] * basis)


@dataclass(frozen=True)
class _Tastes:
    """Effects and likes of the items, in half scales; the first like is generosity."""

    centre: Floats
    likes: Floats
    variance: float
    prior: Floats

    @classmethod
    def of_means(cls, queryable: Queryable, public: PublicFacts, counted: ExactCounts) -> _Tastes:
        """The mean of each item, before anything is known of tastes."""
        nothing, centre = np.full((public.n_items, 1), 1e-9), np.zeros(public.n_items)
        size = (counted.people, counted.ratings)
        answer = queryable.ask(
            TasteMoments(counted.kept, public.units, centre, nothing, 1.0, *size)
        )
        sums, supports = answer[:, 0], counted.counts[0]
        mean = float(sums.sum() / max(supports.sum(), 1.0))
        few = float(_RESIDUAL_VARIANCE / _EFFECT_VARIANCE)
        centre = (sums + few * mean) / (supports + few)
        return cls(centre, np.full((public.n_items, 1), 0.25), _RESIDUAL_VARIANCE, np.zeros(0))

    def with_likes(self, rank: int, rng: np.random.Generator) -> _Tastes:
        """Small random likes to begin with."""
        rank = min(rank, len(self.centre) - 1)
        drawn = 0.1 * rng.standard_normal((len(self.centre), rank))
        return replace(self, likes=np.hstack([self.likes, drawn]), prior=np.full(rank, 0.01))

    def improved(self, queryable: Queryable, public: PublicFacts, counted: ExactCounts) -> _Tastes:
        """One step of expectation and maximisation, over all items at once."""
        size = (counted.people, counted.ratings)
        moments = (public.units, self.centre, self.likes, self.variance)
        query = TasteMoments(counted.kept, *moments, *size)
        answer, rank = queryable.ask(query), query.rank
        products, triangle = answer[:, :rank], answer[:, rank:-1]
        squares = np.zeros((public.n_items, rank, rank))
        rows, columns = np.tril_indices(rank)
        squares[:, rows, columns] = squares[:, columns, rows] = triangle
        variance = max(float(answer[0, -1]) / max(counted.ratings, 1.0), 1e-6)
        return self._solved(products, squares, variance, counted)

    def _solved(
        self, products: Floats, squares: Floats, variance: float, counted: ExactCounts
    ) -> _Tastes:
        others = np.r_[0, 2 : squares.shape[1]]  # all but generosity, which items share
        penalty = np.r_[variance / _EFFECT_VARIANCE, _PRIOR * variance / self.prior]
        matrix = squares[:, others][:, :, others] + np.diag(penalty)
        right = products[:, others] - squares[:, others, 1] * self.likes[:, :1]
        supports = counted.counts[0]
        level = float((supports * self.centre).sum() / max(supports.sum(), 1.0))
        right[:, 0] += penalty[0] * (level - self.centre)
        inverse = np.linalg.inv(matrix)
        found = (inverse @ right[:, :, None])[:, :, 0]
        unsure = variance * np.einsum("jkk->jk", inverse)[:, 1:]
        prior = (found[:, 1:] ** 2 + unsure).mean(axis=0)
        explained = squares[:, 1, 0] * found[:, 0] + (squares[:, 1, 2:] * found[:, 1:]).sum(axis=1)
        generosity = (products[:, 1] - explained).sum() / max(squares[:, 1, 1].sum(), 1e-300)
        likes = np.hstack([np.full((len(found), 1), max(generosity, 1e-3)), found[:, 1:]])
        return _Tastes(self.centre + found[:, 0], likes, variance, np.maximum(prior, 1e-8))
