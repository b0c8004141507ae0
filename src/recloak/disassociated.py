"""DisassociatedRelease: records torn into chunks whose rows can no longer be put together.

A cluster stands for so many people. Each of its record chunks holds what these people have of
some items, one sub-record for each who has any, in no order; its term chunk is a set of further
terms, each held by at least one of them. Clusters may form a joint, which has shared chunks whose
sub-records belong to people of any of its clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.errors import InputError
from recloak.manifest import Manifest
from recloak.ratings import Ratings
from recloak.release import RatingsRelease, Release, read_table, write_table

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

    kind: NDArray[np.int8]
    group: NDArray[np.int64]
    chunk: NDArray[np.int32]
    records: NDArray[np.int64]
    joint: NDArray[np.int64]
    cluster_ids: NDArray[np.int64]
    joint_ids: NDArray[np.int64]

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
        except (pl.exceptions.PolarsError, ValueError) as problem:
            raise InputError(
                f"its chunks do not fit together: {problem}",
                where=str(folder),
                hint="The release was edited or damaged.",
            ) from None
        return cls(manifest, ratings, placed)

    def same_tables(self, other: Release) -> bool:
        return (
            isinstance(other, DisassociatedRelease)
            and self.ratings.equals(other.ratings)
            and self._subrecords().equals(other._subrecords())
            and self._clusters().equals(other._clusters())
        )

    def _subrecords(self) -> pl.DataFrame:
        told = self.clusters
        shared = told.kind == SHARED
        names = np.empty(len(told.kind), dtype=np.int64)
        names[shared] = told.joint_ids[told.group[shared]]
        names[~shared] = told.cluster_ids[told.group[~shared]]
        kinds = pl.Series(told.kind).replace_strict(
            list(range(len(CHUNK_KINDS))), list(CHUNK_KINDS), return_dtype=pl.String
        )
        users = self.ratings.user_labels
        return pl.DataFrame({"user": users, "kind": kinds, "group": names, "chunk": told.chunk})

    def _clusters(self) -> pl.DataFrame:
        told = self.clusters
        return pl.DataFrame(
            {
                "cluster": told.cluster_ids,
                "records": told.records,
                "joint": told.joint_ids[told.joint],
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


def _places(ids: NDArray[np.int64], names: NDArray[np.int64], what: str) -> NDArray[np.int64]:
    at = np.minimum(np.searchsorted(ids, names), max(len(ids) - 1, 0))
    if len(names) and (len(ids) == 0 or (ids[at] != names).any()):
        raise ValueError(f"a row stands in a {what} that is not listed")
    return at
