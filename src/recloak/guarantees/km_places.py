"""Where terms stand in a disassociated release, as tables: what the conditions are read off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.disassociated import SHARED, TERM, DisassociatedRelease
from recloak.guarantees.km_terms import Terms
from recloak.ratings import Ratings

ALL_CLUSTERS = -1


@dataclass(frozen=True)
class Places:
    """The chunks of a release: record chunks by joint and cluster, then those the joint shares.

    ``chunks`` has a line for each chunk; its sub-records are the rows
    ``chunk_offsets[c]:chunk_offsets[c + 1]`` of ``rows``. ``entries`` says which items each holds,
    ``term_items`` which items stand in term chunks and in how many values, and ``conflicts``
    which items of a chunk stand also in another chunk of the same people.
    """

    rows: Ratings
    terms: Terms
    chunk_offsets: NDArray[np.int64]
    chunks: pl.DataFrame
    entries: pl.DataFrame
    term_items: pl.DataFrame
    conflicts: pl.DataFrame

    @classmethod
    def of(cls, release: DisassociatedRelease, values: bool) -> Places:
        """Chunks in the order in which they are laid beside each other."""
        order, chunk_offsets, chunks = _chunks(release)
        rows = release.ratings.take_users(order)
        chunk_of_row = np.repeat(np.arange(len(chunks)), np.diff(chunk_offsets))
        entries = (
            pl.DataFrame({"at": np.repeat(chunk_of_row, rows.user_counts), "item": rows.items})
            .group_by("at", "item")
            .len("support")
            .join(chunks, on="at")
        )
        terms = Terms.of(rows, values)
        listed = _term_items(release)
        return cls(rows, terms, chunk_offsets, chunks, entries, listed, _conflicts(entries))

    def elsewhere(self) -> pl.DataFrame:
        """The items of each chunk that someone may also get from a term chunk or a later chunk."""
        from_terms = [
            self._of_kind(False).join(self.term_items, on=["cluster", "item"], how="semi"),
            self._of_kind(True).join(self.term_items, on=["joint", "item"], how="semi"),
        ]
        later = self.conflicts.filter(pl.col("other") > pl.col("at"))
        found = pl.concat([frame.select("at", "item") for frame in (*from_terms, later)])
        return found.unique().sort("at", "item")

    def repeated(self) -> pl.DataFrame:
        """The items of each chunk that stand in an earlier chunk of the same people."""
        earlier = self.conflicts.filter(pl.col("other") < pl.col("at"))
        return earlier.select("at", "item").unique().sort("at", "item")

    def room(self) -> pl.DataFrame:
        """For each item of each term chunk how many of the cluster's records surely lack it."""
        inside = self._of_kind(False).group_by("cluster", "item").agg(pl.col("support").sum())
        shared = self._of_kind(True).group_by("joint", "item").agg(pl.col("support").sum())
        taken = pl.col("support").fill_null(0) + pl.col("support_shared").fill_null(0)
        return (
            self.term_items.join(inside, on=["cluster", "item"], how="left")
            .join(shared, on=["joint", "item"], how="left", suffix="_shared")
            .with_columns(room=pl.col("records") - taken)
            .sort("cluster", "item")
        )

    def crowding(self) -> pl.DataFrame:
        """How far each chunk with conflicts gets in the way of the chunks laid out before it.

        ``widest``: the most records that one of its sub-records may not go to; ``rows``: how many
        of its sub-records have any such record.
        """
        before = self.conflicts.filter(pl.col("other") < pl.col("at"))
        barred = before.group_by("at", "item").agg(barred=pl.col("other_support").sum())
        row = np.repeat(np.arange(self.rows.n_users), self.rows.user_counts)
        chunk = np.repeat(np.arange(len(self.chunks)), np.diff(self.chunk_offsets))
        cells = pl.DataFrame({"row": row, "at": chunk[row], "item": self.rows.items})
        by_row = (
            cells.join(barred, on=["at", "item"]).group_by("at", "row").agg(pl.col("barred").sum())
        )
        by_chunk = by_row.group_by("at").agg(widest=pl.col("barred").max(), rows=pl.len())
        return by_chunk.join(self.chunks, on="at").sort("at")

    def _of_kind(self, shared: bool) -> pl.DataFrame:
        return self.entries.filter(pl.col("shared") == shared)


def where(release: DisassociatedRelease, line: dict[str, Any]) -> dict[str, Any]:
    """The names of a chunk."""
    told = release.clusters
    if line["shared"]:
        return {"joint": int(told.joint_ids[line["joint"]]), "chunk": f"shared {line['chunk']}"}
    return {"cluster": int(told.cluster_ids[line["cluster"]]), "chunk": f"record {line['chunk']}"}


def _chunks(
    release: DisassociatedRelease,
) -> tuple[NDArray[np.int64], NDArray[np.int64], pl.DataFrame]:
    """The rows of sub-records chunk by chunk, where each chunk starts, and what each is."""
    told = release.clusters
    rows = np.flatnonzero(told.kind != TERM)
    shared = told.kind[rows] == SHARED
    joint = told.group[rows].copy()
    joint[~shared] = told.joint[joint[~shared]]
    cluster = np.where(shared, ALL_CLUSTERS, told.group[rows])
    order = np.lexsort((told.chunk[rows], cluster, shared, joint))
    keys = np.stack([joint, cluster, told.chunk[rows]])[:, order]
    starts = np.flatnonzero(np.diff(keys, axis=1, prepend=-2).any(axis=0))
    joint, cluster, chunk = keys[:, starts]
    of_joint = np.bincount(told.joint, told.records, len(told.joint_ids)).astype(np.int64)
    offsets = np.append(starts, len(rows)).astype(np.int64)
    is_shared = cluster == ALL_CLUSTERS
    inside = told.records[np.where(is_shared, 0, cluster)] if len(told) else joint
    chunks = pl.DataFrame(
        {
            "at": np.arange(len(starts)),
            "joint": joint,
            "cluster": cluster,
            "chunk": chunk,
            "shared": is_shared,
            "size": np.diff(offsets),
            "records": np.where(is_shared, of_joint[joint], inside),
        }
    )
    return rows[order], offsets, chunks


def _term_items(release: DisassociatedRelease) -> pl.DataFrame:
    """The items of each term chunk, and how many of their values it lists."""
    told = release.clusters
    listed = release.ratings.take_users(np.flatnonzero(told.kind == TERM))
    cluster = told.group[told.kind == TERM]
    table = {
        "cluster": cluster,
        "joint": told.joint[cluster],
        "item": listed.items,
        "records": told.records[cluster],
    }
    return pl.DataFrame(table).group_by("cluster", "joint", "item", "records").len("listed")


def _conflicts(entries: pl.DataFrame) -> pl.DataFrame:
    """Pairs of chunks of the same people that know the same item, in both directions."""
    wanted = ["at", "item", "joint", "cluster", "support"]
    inside = entries.filter(~pl.col("shared")).select(wanted)
    shared = entries.filter(pl.col("shared")).select(wanted)
    pairs = [
        inside.join(inside, on=["cluster", "item"], suffix="_other"),
        shared.join(inside, on=["joint", "item"], suffix="_other"),
        inside.join(shared, on=["joint", "item"], suffix="_other"),
        shared.join(shared, on=["joint", "item"], suffix="_other"),
    ]
    shown = [
        pair.select("at", "item", other="at_other", other_support="support_other") for pair in pairs
    ]
    return pl.concat(shown).filter(pl.col("at") != pl.col("other"))
