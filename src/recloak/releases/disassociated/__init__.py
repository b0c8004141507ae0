"""DisassociatedRelease: records torn into chunks whose rows can no longer be put together.

A cluster stands for so many people. Each of its record chunks holds what these people have of
some items, one sub-record for each who has any, in no order; its term chunk is a set of further
terms, each held by at least one of them. Clusters may form a joint, which has shared chunks whose
sub-records belong to people of any of its clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Integers, Levels
from recloak.core.errors import InputError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.releases.base import Release
from recloak.releases.disassociated._reconstruction import Segments, reconstructed
from recloak.releases.manifest import Manifest
from recloak.releases.ratings import RatingsRelease
from recloak.releases.tables import read_table, write_table

RECORD, SHARED, TERM = 0, 1, 2
CHUNK_KINDS = ("record", "shared", "term")


@dataclass(frozen=True, repr=False)
class Clusters:
    """Where each row of the table stands.

    Row ``r`` (a sub-record, or a single term) is of ``kind[r]`` and of chunk ``chunk[r]`` (0 for
    terms) of cluster ``group[r]``, or of joint ``group[r]`` if it is shared. Cluster ``c`` stands
    for ``records[c]`` people and belongs to joint ``joint[c]``; a cluster by itself is a joint of
    one. ``cluster_ids`` and ``joint_ids`` are random names, ascending.
    """

    kind: Levels
    group: Integers
    chunk: Codes
    records: Integers
    joint: Integers
    cluster_ids: Integers
    joint_ids: Integers

    def __len__(self) -> int:
        return len(self.records)


@dataclass(frozen=True, repr=False)
class DisassociatedRelease(Release):
    """A table of sub-records and single terms, and where in the clusters each stands.

    As ratings, each sub-record is a row and each term a row of its own.
    """

    kind: ClassVar[str] = "disassociated"
    tables: ClassVar[dict[str, tuple[str, ...]]] = {
        "ratings": ("user", "item", "rating"),
        "subrecords": ("user", "kind", "group", "chunk"),
        "clusters": ("cluster", "records", "joint"),
    }
    ratings: Ratings
    clusters: Clusters

    def as_ratings(self) -> Ratings:
        return self.ratings

    def further_ids(self) -> dict[str, tuple[Integers, NDArray[Any]]]:
        placed = self.clusters
        return {
            "cluster": (placed.cluster_ids, placed.records),
            "joint": (placed.joint_ids, np.bincount(placed.joint, placed.records)),
        }

    def write_tables(self, folder: Path, table_format: str) -> None:
        RatingsRelease(self.manifest, self.ratings).write_tables(folder, table_format)
        write_table(self._subrecords(), folder / f"subrecords.{table_format}")
        write_table(self._clusters(), folder / f"clusters.{table_format}")

    @classmethod
    def read_tables(cls, folder: Path, manifest: Manifest) -> Self:
        ratings = RatingsRelease.read_tables(folder, manifest).ratings
        places, clusters = read_table(folder, "subrecords"), read_table(folder, "clusters")
        try:
            placed = _clusters(ratings, places, clusters)
            _refuse_impossible(ratings, placed)
        except (pl.exceptions.PolarsError, ValueError) as problem:
            raise InputError(
                f"its chunks do not fit together: {problem}",
                where=str(folder),
                hint="The release was edited or damaged.",
            ) from None
        return cls(manifest, ratings, placed)

    def sample(self, randomness: Randomness) -> Ratings:
        """Records that the release may have come from, cluster after cluster.

        Sub-records are combined at random and terms given to records that lack the item; no
        record holds an item twice. None is empty if terms are listed; if not, some may have held
        only what was left out.
        """
        generator = randomness.generator("sample")
        return reconstructed(self.ratings, _segments(self.clusters), generator)

    def same_tables(self, other: Release) -> bool:
        return (
            isinstance(other, DisassociatedRelease)
            and self.ratings.equals(other.ratings)
            and self._subrecords().equals(other._subrecords())
            and self._clusters().equals(other._clusters())
        )

    def _subrecords(self) -> pl.DataFrame:
        clusters = self.clusters
        shared = clusters.kind == SHARED
        names = np.empty(len(clusters.kind), dtype=np.int64)
        names[shared] = clusters.joint_ids[clusters.group[shared]]
        names[~shared] = clusters.cluster_ids[clusters.group[~shared]]
        kinds = pl.Series(clusters.kind).replace_strict(
            list(range(len(CHUNK_KINDS))), list(CHUNK_KINDS), return_dtype=pl.String
        )
        users = self.ratings.user_labels
        return pl.DataFrame({"user": users, "kind": kinds, "group": names, "chunk": clusters.chunk})

    def _clusters(self) -> pl.DataFrame:
        clusters = self.clusters
        return pl.DataFrame(
            {
                "cluster": clusters.cluster_ids,
                "records": clusters.records,
                "joint": clusters.joint_ids[clusters.joint],
            }
        )


def _clusters(ratings: Ratings, places: pl.DataFrame, clusters: pl.DataFrame) -> Clusters:
    """Codes for the names in the tables; what does not fit is a `ValueError`."""
    if not np.array_equal(places["user"].to_numpy(), ratings.user_labels):
        raise ValueError("the rows of the two tables differ")
    kinds = list(CHUNK_KINDS)
    kind = places["kind"].replace_strict(kinds, range(len(kinds)), return_dtype=pl.Int8).to_numpy()
    cluster_ids, joint_names = clusters["cluster"].to_numpy(), clusters["joint"].to_numpy()
    if len(np.unique(cluster_ids)) != len(cluster_ids) or (np.diff(cluster_ids) < 0).any():
        raise ValueError("the clusters are not in the order of their ids, each once")
    joint_ids, joint = np.unique(joint_names, return_inverse=True)
    names, shared = places["group"].to_numpy(), kind == SHARED
    group = np.empty(len(names), dtype=np.int64)
    group[shared] = _places(joint_ids, names[shared], "joint")
    group[~shared] = _places(cluster_ids, names[~shared], "cluster")
    return Clusters(
        kind=kind,
        group=group,
        chunk=places["chunk"].cast(pl.Int32).to_numpy(),
        records=clusters["records"].cast(pl.Int64).to_numpy(),
        joint=joint.astype(np.int64),
        cluster_ids=cluster_ids,
        joint_ids=joint_ids,
    )


def _segments(clusters: Clusters) -> Segments:
    """The rows by chunk; records are numbered so that those of a joint stand together."""
    by_joint = np.argsort(clusters.joint, kind="stable")
    low = np.empty(len(clusters), dtype=np.int64)
    low[by_joint] = np.cumsum(clusters.records[by_joint]) - clusters.records[by_joint]
    joint_ends = np.cumsum(np.bincount(clusters.joint, clusters.records)).astype(np.int64)
    order = np.lexsort((clusters.chunk, clusters.group, clusters.kind))
    kind, group, chunk = clusters.kind[order], clusters.group[order], clusters.chunk[order]
    fresh = np.ones(len(order), dtype=np.bool_)
    fresh[1:] = (np.diff(kind) != 0) | (np.diff(group) != 0) | (np.diff(chunk) != 0)
    first = np.flatnonzero(fresh)
    kind, group = kind[first], group[first]
    shared = kind == SHARED
    lows, highs = np.empty(len(first), np.int64), np.empty(len(first), np.int64)
    lows[~shared] = low[group[~shared]]
    highs[~shared] = lows[~shared] + clusters.records[group[~shared]]
    lows[shared] = np.append(0, joint_ends)[group[shared]]
    highs[shared] = joint_ends[group[shared]]
    starts = np.append(first, len(order))
    return Segments(order, starts, lows, highs, kind == TERM, int(clusters.records.sum()))


def _refuse_impossible(ratings: Ratings, clusters: Clusters) -> None:
    """What no people could have left behind is a `ValueError`."""
    if len(clusters) and clusters.records.min() < 1:
        raise ValueError("a cluster stands for nobody")
    if len(clusters.chunk) and clusters.chunk.min() < 0:
        raise ValueError("a chunk has no number")
    terms = clusters.kind == TERM
    if (clusters.chunk[terms] != 0).any() or (ratings.user_counts[terms] != 1).any():
        raise ValueError("a term stands for more than itself")
    segments = _segments(clusters)
    room = segments.high - segments.low
    if (np.diff(segments.starts) > room)[~segments.are_terms].any():
        raise ValueError("a chunk has more sub-records than its cluster has records")
    _refuse_impossible_items(ratings, clusters)


def _refuse_impossible_items(ratings: Ratings, clusters: Clusters) -> None:
    """A term stands in one chunk of a cluster, and an item is rated once by each at most."""
    row = ratings.user_codes()
    own = np.flatnonzero(clusters.kind[row] != SHARED)
    kind, group = clusters.kind[row[own]].astype(np.int64), clusters.group[row[own]]
    cell = group * ratings.n_items + ratings.items[own]
    cells, raters = np.unique(cell, return_counts=True)
    if (raters > clusters.records[cells // max(ratings.n_items, 1)]).any():
        raise ValueError("more people of a cluster rated an item than it has records")
    chunk = np.where(kind == TERM, -1 - row[own], clusters.chunk[row[own]])
    held = pl.DataFrame({"cell": cell, "value": ratings.values[own], "chunk": chunk}).unique()
    if held.select(pl.struct("cell", "value").is_duplicated().any()).item():
        raise ValueError("a term stands in two chunks of a cluster")


def _places(ids: Integers, names: Integers, what: str) -> Integers:
    at = np.minimum(np.searchsorted(ids, names), max(len(ids) - 1, 0))
    if len(names) and (len(ids) == 0 or (ids[at] != names).any()):
        raise ValueError(f"a row stands in a {what} that is not listed")
    return at
