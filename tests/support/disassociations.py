"""Small disassociated releases, written out or random."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from recloak.core.ratings import Ratings
from recloak.releases.disassociated import RECORD, SHARED, TERM, Clusters, DisassociatedRelease
from recloak.releases.manifest import Manifest

Term = tuple[str, int]
Subrecord = frozenset[Term]
Chunk = list[Subrecord]


@dataclass
class Cluster:
    records: int
    chunks: list[Chunk] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)


@dataclass
class Joint:
    clusters: list[Cluster]
    shared: list[Chunk] = field(default_factory=list)


def chunk(*subrecords: str) -> Chunk:
    """Sub-records such as ``"a1 b2"``: items and values."""
    return [frozenset((term[0], int(term[1:])) for term in text.split()) for text in subrecords]


def terms(text: str) -> list[Term]:
    return sorted(chunk(text)[0])


def release_of(joints: list[Joint]) -> DisassociatedRelease:
    """The release that says so; rows are numbered as they come."""
    rows: list[tuple[int, int, int, Subrecord]] = []
    clusters = [(at, cluster) for at, joint in enumerate(joints) for cluster in joint.clusters]
    for number, (_, cluster) in enumerate(clusters):
        for at, held in enumerate(cluster.chunks):
            rows += [(RECORD, number, at, subrecord) for subrecord in held]
        rows += [(TERM, number, 0, frozenset([term])) for term in cluster.terms]
    for number, joint in enumerate(joints):
        for at, held in enumerate(joint.shared):
            rows += [(SHARED, number, at, subrecord) for subrecord in held]
    cells = [(row, *term) for row, entry in enumerate(rows) for term in sorted(entry[3])]
    users, items, values = zip(*cells, strict=True) if cells else ((), (), ())
    ratings = Ratings.from_columns(
        np.array(users, np.int64), np.array(items, object), np.array(values, float), scale="1..5"
    )
    clusters = Clusters(
        kind=np.array([row[0] for row in rows], np.int8),
        group=np.array([row[1] for row in rows], np.int64),
        chunk=np.array([row[2] for row in rows], np.int32),
        records=np.array([cluster.records for _, cluster in clusters], np.int64),
        joint=np.array([at for at, _ in clusters], np.int64),
        cluster_ids=np.arange(len(clusters)) + 100,
        joint_ids=np.arange(len(joints)) + 900,
    )
    return DisassociatedRelease(manifest_of(ratings, "disassociated"), ratings, clusters)


def manifest_of(ratings: Ratings, kind: str) -> Manifest:
    """What a release of these ratings would say about itself."""
    return Manifest(
        recloak="1",
        release_id="0" * 32,
        kind=kind,
        method="made-up",
        parameters={},
        claims=[],
        scale="1..5",
        rows=ratings.n_users,
        items=ratings.n_items,
        ratings=ratings.n_ratings,
    )


def random_joint(rng: np.random.Generator) -> Joint:
    """One cluster, or two with a shared chunk; patterns of few items, mostly twice."""
    joined = bool(rng.random() < 0.4)
    sizes = rng.integers(2, 4, 2) if joined else rng.integers(3, 7, 1)
    clusters = [_random_cluster(rng, int(records), 2 - joined) for records in sizes]
    return Joint(clusters, [_random_chunk(rng, int(sizes.sum()))] if joined else [])


def _random_cluster(rng: np.random.Generator, records: int, most_chunks: int) -> Cluster:
    chunks = [_random_chunk(rng, records) for _ in range(rng.integers(1, most_chunks + 1))]
    listed = {_random_term(rng, "axz") for _ in range(rng.integers(3))}
    return Cluster(records, chunks, sorted(listed))


def _random_chunk(rng: np.random.Generator, most: int) -> Chunk:
    held: Chunk = []
    for _ in range(rng.choice([1, 1, 2])):
        pattern = dict(_random_term(rng, "abx") for _ in range(rng.choice([1, 2])))
        held += [frozenset(pattern.items())] * int(rng.choice([1, 2, 2, 2, 2, 3]))
    return held[:most]


def _random_term(rng: np.random.Generator, items: str) -> Term:
    return str(rng.choice(list(items))), int(rng.integers(1, 3))
