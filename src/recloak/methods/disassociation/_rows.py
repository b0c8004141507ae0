"""From a disassociation's plan to the rows of its release, and back to their people."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recloak.core.arrays import Codes, Indices, Integers
from recloak.core.kernels.layout import offsets_of, stable_order
from recloak.core.people_draws import PeopleDraws
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods.disassociation._chunks import RatingTerms
from recloak.methods.disassociation._cluster_kernels import FIRST_SHARED, LEFT_OUT, TERM_CHUNK
from recloak.methods.disassociation._plan import DisassociationPlan
from recloak.releases.disassociated import RECORD, SHARED, TERM, Clusters


@dataclass(frozen=True)
class RowKeys:
    """Keys that rows are known by, ascending.

    A sub-record's key is its person's ``user * width`` plus a code: the number of its record
    chunk, or ``n_record_chunks`` plus that of its shared chunk. Terms follow after all people, by
    cluster, then term.
    """

    width: int
    n_record_chunks: int
    n_users: int
    n_terms: int

    @classmethod
    def of(cls, place: Codes, n_users: int, n_terms: int) -> RowKeys:
        n_record = max(int(place.max(initial=-1)) + 1, 0)
        n_shared = max(FIRST_SHARED - int(place.min(initial=0)) + 1, 0)
        return cls(n_record + n_shared, n_record, n_users, n_terms)

    def codes(self, place: Codes) -> Indices:
        shared = self.n_record_chunks + FIRST_SHARED - place
        return np.where(place <= FIRST_SHARED, shared, place).astype(np.int64)

    def keys(self, users: Codes, place: Codes) -> Indices:
        """Of sub-records; where a term is listed, what comes out means nothing."""
        keys = users.astype(np.int64)
        keys *= self.width
        keys += self.codes(place)
        return keys

    def term_keys(self, clusters: Indices, terms: Codes) -> Indices:
        """Of terms that are listed."""
        return self.n_users * self.width + clusters * self.n_terms + terms


@dataclass(frozen=True)
class RowOwners:
    """Whose each row is: pairs of people and pseudonyms, those of sub-records first.

    ``keys`` are those of the sub-records, in the order of their pairs.
    """

    row_keys: RowKeys
    keys: Indices
    owners: Indices
    pseudonyms: Indices


def cluster_of_users(plan: DisassociationPlan, n_users: int) -> Indices:
    """The cluster of each person, -1 for who rated nothing."""
    found = np.full(n_users, -1, dtype=np.int64)
    sizes = np.diff(plan.clusters.starts)
    found[plan.clusters.people] = np.repeat(np.arange(len(sizes)), sizes)
    return found


def published_rows(
    ratings: Ratings, data: RatingTerms, plan: DisassociationPlan, randomness: Randomness
) -> tuple[Ratings, Clusters, RowOwners]:
    """The rows under their new names, where they stand, and whose they are."""
    row_keys = RowKeys.of(plan.place, ratings.n_users, len(data.item_of))
    kept = np.flatnonzero(plan.place != LEFT_OUT)
    users, place = ratings.user_codes()[kept], plan.place[kept]
    cluster_of = cluster_of_users(plan, ratings.n_users)
    listed = place == TERM_CHUNK
    all_keys = row_keys.keys(users, place)
    all_keys[listed] = row_keys.term_keys(cluster_of[users[listed]], data.terms[kept[listed]])
    keys, first, row = _distinct(all_keys)
    del all_keys  # what is as long as the table goes as soon as it has served
    people = PeopleDraws.of(randomness, ratings.user_labels)
    n_subrecords = int(np.searchsorted(keys, row_keys.n_users * row_keys.width))
    names = _names(row_keys, keys, n_subrecords, plan, people)
    row_owners = RowOwners(
        row_keys=row_keys,
        keys=keys[:n_subrecords],
        owners=np.concatenate([keys[:n_subrecords] // max(row_keys.width, 1), users[listed]]),
        pseudonyms=np.concatenate([names[:n_subrecords], names[row[listed]]]),
    )
    order = np.argsort(names)
    rank = np.empty(len(names), dtype=np.int32)
    rank[order] = np.arange(len(names), dtype=np.int32)
    chosen = first[order]
    places = _places(plan, place[chosen], cluster_of[users[chosen]], people)
    shown = ~listed
    shown[first] = True  # a term is listed once, whoever else holds it
    kept, row = kept[shown], rank[row[shown]]
    del users, place, listed, keys, first, chosen, rank, shown
    return _rows(ratings, kept, row, names[order]), places, row_owners


def _names(
    row_keys: RowKeys,
    keys: Indices,
    n_subrecords: int,
    plan: DisassociationPlan,
    people: PeopleDraws,
) -> Integers:
    """Names of all rows: a sub-record's is drawn by its person, a term's by its cluster's first."""
    owners = keys[:n_subrecords] // max(row_keys.width, 1)
    own = people.pseudonyms(np.bincount(owners, minlength=len(people)), "pseudonyms")
    of_terms = keys[n_subrecords:] - row_keys.n_users * row_keys.width
    listed = np.bincount(of_terms // max(row_keys.n_terms, 1), minlength=len(plan.clusters))
    terms = people[_first_people(plan)].pseudonyms(listed, "terms", taken=own)
    return np.concatenate([own, terms])


def _first_people(plan: DisassociationPlan) -> Codes:
    """The first person of each cluster, who draws for it."""
    return plan.clusters.people[plan.clusters.starts[:-1]]


def _distinct(keys: Indices) -> tuple[Indices, Indices, Codes]:
    """Distinct keys, ascending; where each occurs first; the place among them of each key."""
    order = np.argsort(keys, kind="stable")
    ascending = keys[order]
    fresh = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=fresh[1:])
    place = np.empty(len(keys), dtype=np.int32)
    place[order] = np.cumsum(fresh, dtype=np.int32) - 1
    return ascending[fresh], order[fresh], place


def _rows(ratings: Ratings, kept: Indices, row: Codes, names: Integers) -> Ratings:
    """The ratings ``kept``, each in its row; items stay ascending within a row."""
    order = kept[stable_order(row, len(names))]
    values = ratings.scale.canonical(ratings.values[order])
    return Ratings(
        offsets=offsets_of(row, len(names)),
        items=ratings.items[order],
        values=np.asarray(values, dtype=np.float32),
        scale=ratings.scale,
        user_labels=names,
        item_labels=ratings.item_labels,
        scale_inferred=ratings.scale_inferred,
    ).compact()


def _places(
    plan: DisassociationPlan, place: Codes, cluster: Indices, people: PeopleDraws
) -> Clusters:
    """Where each row stands, clusters and joints in the order of their random names."""
    first = people[_first_people(plan)]
    cluster_ids, cluster_rank = _ranked(first.one_pseudonym("clusters"))
    first_of_joint = np.unique(plan.joint, return_index=True)[1]
    joint_ids, joint_rank = _ranked(first[first_of_joint].one_pseudonym("joints"))
    shared, term = place <= FIRST_SHARED, place == TERM_CHUNK
    by_id = np.argsort(cluster_rank)
    group = np.where(shared, joint_rank[plan.joint[cluster]], cluster_rank[cluster])
    number = np.where(shared, FIRST_SHARED - place, place)
    return Clusters(
        kind=np.select([shared, term], [SHARED, TERM], RECORD).astype(np.int8),
        group=group,
        chunk=np.where(term, 0, number).astype(np.int32),
        records=np.diff(plan.clusters.starts)[by_id],
        joint=joint_rank[plan.joint[by_id]],
        cluster_ids=cluster_ids,
        joint_ids=joint_ids,
    )


def _ranked(names: Integers) -> tuple[Integers, Indices]:
    """Names in ascending order, and the place there of each."""
    order = np.argsort(names)
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    return names[order], rank


class SubrecordChooser:
    """The sub-record that predicts for a person and an item.

    It is the person's sub-record in the chunk of their cluster that has most ratings of the item,
    else in a shared chunk of their joint; there is none where the item stands in term chunks.
    """

    def __init__(self, ratings: Ratings, plan: DisassociationPlan, row_owners: RowOwners) -> None:
        self.ratings, self.plan, self.row_owners = ratings, plan, row_owners

    def __call__(self, users: Indices, items: Indices) -> Indices:
        cluster = self._cluster[users]
        known = (cluster >= 0) & (items >= 0)
        code = np.full(len(users), -1, dtype=np.int64)
        code[known] = self._code(cluster[known], items[known])
        joint = len(self.plan.clusters) + self.plan.joint[cluster]
        missing = known & (code < 0)
        code[missing] = self._code(joint[missing], items[missing])
        found = _positions(self.row_owners.keys, users * self.row_owners.row_keys.width + code)
        return np.where(code >= 0, found, -1)

    def _code(self, group: Indices, items: Indices) -> Indices:
        cells, codes = self._chunks
        at = _positions(cells, group * self.ratings.n_items + items)
        return np.where(at >= 0, np.append(codes, -1)[at], -1)

    @cached_property
    def _cluster(self) -> Indices:
        return cluster_of_users(self.plan, self.ratings.n_users)

    @cached_property
    def _chunks(self) -> tuple[Indices, Indices]:
        """Cells (cluster or, counted on from there, joint, times items), and their chunk's code."""
        place, row_keys = self.plan.place, self.row_owners.row_keys
        kept = np.flatnonzero((place >= 0) | (place <= FIRST_SHARED))
        cluster = self._cluster[self.ratings.user_codes()[kept]]
        joint = len(self.plan.clusters) + self.plan.joint[cluster]
        group = np.where(place[kept] <= FIRST_SHARED, joint, cluster)
        cell = group * self.ratings.n_items + self.ratings.items[kept]
        keys, counts = np.unique(
            cell * row_keys.width + row_keys.codes(place[kept]), return_counts=True
        )
        order = np.lexsort((-counts, keys // max(row_keys.width, 1)))
        cells, first = np.unique(keys[order] // max(row_keys.width, 1), return_index=True)
        return cells, keys[order][first] % max(row_keys.width, 1)


def _positions(ascending: Indices, wanted: Indices) -> Indices:
    """Where each wanted number stands, -1 for those that are not there."""
    if len(ascending) == 0:
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return np.where(ascending[at] == wanted, at, -1)
