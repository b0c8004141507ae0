"""The chunks of a cluster and the shared chunks of a joint: which rating goes to which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Codes, Integers, Mask, places_within
from recloak.core.kernels.bits import bits_of
from recloak.methods.disassociation._chunk_kernels import fill_chunks
from recloak.methods.disassociation._cluster_kernels import FIRST_SHARED, LEFT_OUT, TERM_CHUNK


@dataclass(frozen=True)
class RatingTerms:
    """The term of each rating, in codes that ascend within a person, and the item of each term.

    Terms of an item have codes next to each other. No array can be written to: kernels are
    compiled for this kind alone.
    """

    offsets: Integers
    terms: Codes
    item_of: Codes


@dataclass(frozen=True)
class RatingsByTerm:
    """The ratings of a few people by term.

    Ratings ``ratings[starts[t]:starts[t + 1]]``, by ``holders`` (places among the people), are of
    term ``t`` of these people, a value of their item ``item[t]``; terms of an item stand together.
    """

    ratings: Integers
    holders: Codes
    starts: Integers
    item: Integers
    n_people: int

    @classmethod
    def of(cls, people: Codes, data: RatingTerms, wanted: Mask | None = None) -> RatingsByTerm:
        """All ratings of these people, or the ``wanted`` among `ratings_of` them."""
        ratings = ratings_of(people, data)
        counts = data.offsets[people + 1] - data.offsets[people]
        holders = np.repeat(np.arange(len(people), dtype=np.int32), counts)
        if wanted is not None:
            ratings, holders = ratings[wanted], holders[wanted]
        held = data.terms[ratings]
        order = np.argsort(held, kind="stable")
        first = np.flatnonzero(np.diff(held[order], prepend=-1))
        items = data.item_of[held[order][first]]
        item = np.cumsum(np.diff(items, prepend=-1) != 0) - 1
        starts = np.append(first, len(order)).astype(np.int64)
        return cls(ratings[order], holders[order], starts, item.astype(np.int64), len(people))

    @property
    def support(self) -> Integers:
        """How many people hold each term."""
        return np.diff(self.starts)

    @property
    def raters(self) -> Integers:
        """How many people rated each item."""
        return np.bincount(self.item, self.support).astype(np.int64)

    def write(self, chunk_of: Integers, place: Codes) -> None:
        """From terms to their ratings."""
        place[self.ratings] = np.repeat(chunk_of, self.support)

    def chunks(
        self, tried: Integers, groups: Integers, n_values: Integers, k: int, m: int
    ) -> Integers:
        """The chunk of each of the terms ``tried``, in that order."""
        bits = bits_of(self.starts, self.holders, tried, self.n_people)
        return fill_chunks(bits, self.item[tried], n_values, groups, self.n_people, k, m)


def ratings_of(people: Codes, data: RatingTerms) -> Integers:
    """The places of the ratings of these people, one after another."""
    starts, counts = data.offsets[people], data.offsets[people + 1] - data.offsets[people]
    return np.repeat(starts, counts) + places_within(counts)


def fill_cluster_chunks(
    people: Codes,
    data: RatingTerms,
    k: int,
    m: int,
    place: Codes,
    *,
    spread: bool,
    listing: bool,
) -> bool:
    """Fill the place of each rating of a cluster; returns whether its record chunks stand alone.

    Values of an item go to chunks one by one if they may ``spread``, together otherwise. Without
    ``listing`` no term chunk will be published, so who has no sub-record may have had what is not.
    Chunks stay as with it: if they took all that is then sound, sub-records would be longer and
    give more away (on ml-100k, k = m = 2, clusters of 100, `scoreboard-multi` with 20 known
    ratings gains .34 further ones instead of .10).
    """
    by_term = RatingsByTerm.of(people, data)
    left_out = rare_terms_to_leave_out(by_term, k)
    chunk_of = np.where(left_out, LEFT_OUT, TERM_CHUNK)
    n_values = np.bincount(by_term.item, ~left_out).astype(np.int64)
    tried, groups = terms_in_order(by_term, k) if spread else items_in_order(by_term, k)
    chunk_of[tried] = by_term.chunks(tried, groups, n_values, k, m)
    alone = not listing or stands_alone(by_term, chunk_of, k, m)
    if not alone and not (chunk_of == TERM_CHUNK).any():
        chunk_of = without_rarest_item(by_term, chunk_of)
    by_term.write(chunk_of, place)
    return alone


def terms_in_order(by_term: RatingsByTerm, k: int) -> tuple[Integers, Integers]:
    """Terms that k hold, the most frequent first, each a group of its own."""
    tried = np.argsort(-by_term.support, kind="stable")[: int((by_term.support >= k).sum())]
    return tried, np.arange(len(tried) + 1)


def items_in_order(by_term: RatingsByTerm, k: int) -> tuple[Integers, Integers]:
    """Terms that k hold, those of the item with most raters first; an item's are a group."""
    frequent = np.flatnonzero(by_term.support >= k)
    tried = frequent[np.argsort(-by_term.raters[by_term.item[frequent]], kind="stable")]
    first = np.flatnonzero(np.diff(by_term.item[tried], prepend=-1))
    return tried, np.append(first, len(tried)).astype(np.int64)


def rare_terms_to_leave_out(by_term: RatingsByTerm, k: int) -> Mask:
    """Rare terms that would be forced upon somebody.

    If nearly everyone rated an item and its rare values are all listed, who lacks its frequent
    values must hold just these, each as often as there are people. So at least k - 1 more people
    than further rare values must lack the frequent ones; the least held values are left out.
    """
    support, item = by_term.support, by_term.item
    frequent = support >= k
    lacking = by_term.n_people - np.bincount(item, support * frequent).astype(np.int64)
    rare = np.bincount(item, ~frequent).astype(np.int64)
    excess = rare - np.maximum(lacking - k + 1, 0)
    terms = np.flatnonzero(~frequent)
    terms = terms[np.lexsort((support[terms], item[terms]))]
    rank = places_within(rare)
    left_out = np.zeros(len(item), dtype=np.bool_)
    left_out[terms[rank < excess[item[terms]]]] = True
    return left_out


def stands_alone(by_term: RatingsByTerm, chunk_of: Integers, k: int, m: int) -> bool:
    """Have the record chunks sub-records enough that no record is empty and none is forced?

    Chunks with values of the same item do not count: they cannot be laid out freely.
    """
    n_chunks = max(int(chunk_of.max(initial=-1)) + 1, 0)
    cells = np.unique(np.stack([by_term.item, chunk_of])[:, chunk_of >= 0], axis=1)
    free = np.ones(n_chunks, dtype=np.bool_)
    free[cells[1, np.bincount(cells[0], minlength=1)[cells[0]] > 1]] = False
    chunk = np.repeat(chunk_of, by_term.support)
    present = np.zeros((n_chunks, by_term.n_people), dtype=np.bool_)
    present[chunk[chunk >= 0], by_term.holders[chunk >= 0]] = True
    return bool(present[free].sum() >= by_term.n_people + k * (max(min(m, n_chunks), 1) - 1))


def without_rarest_item(by_term: RatingsByTerm, chunk_of: Integers) -> Integers:
    """The item that fewest people rated moves to the term chunk; chunks are numbered anew."""
    raters = by_term.raters
    raters[by_term.item[chunk_of < 0]] += len(by_term.ratings)  # what was left out stays so
    moved = np.where(by_term.item == np.argmin(raters), TERM_CHUNK, chunk_of)
    _, number = np.unique(moved[moved >= 0], return_inverse=True)
    moved[moved >= 0] = number
    return moved


def fill_shared_chunks(
    people: Codes, data: RatingTerms, k: int, m: int, place: Codes, barred: Mask
) -> None:
    """Put the items of a joint that are not barred into shared chunks, all values together.

    A chunk of its own can always take an item of which all values are held by k, so none is left.
    """
    ratings = ratings_of(people, data)
    wanted = (place[ratings] < 0) & ~barred[data.item_of[data.terms[ratings]]]
    by_term = RatingsByTerm.of(people, data, wanted)
    n_values = np.bincount(by_term.item).astype(np.int64)
    tried, groups = items_in_order(by_term, k)
    chunk_of = np.empty(len(tried), dtype=np.int64)
    chunk_of[tried] = FIRST_SHARED - by_term.chunks(tried, groups, n_values, k, m)
    by_term.write(chunk_of, place)
