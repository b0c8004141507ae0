"""Tables of the terms in each chunk of a disassociated release, for the conditions to check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from recloak.core.arrays import Codes, Floats, Integers, Offsets, Values
from recloak.core.ratings import Ratings
from recloak.evaluation.findings import Status
from recloak.releases.disassociated import SHARED, TERM, DisassociatedRelease

BUDGET = 2e10
"""Elementary steps that a check may take: a few minutes. Beyond it the verdict is undecided."""


@dataclass(frozen=True)
class CheckResult:
    """A status, how it was found and a witness: a verdict without the name of its claim."""

    status: Status
    how: str
    witness: Mapping[str, Any] | None = None


def unproven(how: str, found: Mapping[str, Any]) -> CheckResult:
    """A condition that would prove the claim is not met; whether anybody is exposed is open."""
    return CheckResult("broken", f"It could not be proven to hold. {how}", found)


def set_counts(lengths: Integers, m: int) -> Floats:
    """How many sets of 1 to ``m`` there are of so many."""
    total = np.zeros(len(lengths))
    sets = np.ones(len(lengths))
    for size in range(1, min(m, int(lengths.max(initial=0))) + 1):
        with np.errstate(over="ignore"):
            sets = sets * np.maximum(lengths - size + 1, 0) / size
        total += sets
    return total


@dataclass(frozen=True)
class TermCodes:
    """A code for the term of each rating; term ``t`` is of item ``item[t]``, its value and time."""

    of_rating: Codes
    item: Codes
    value: Values | None
    time: Integers | None = None

    @classmethod
    def of(cls, ratings: Ratings, values: bool) -> TermCodes:
        """Items with their values (and times, if there are any), or items alone.

        Items keep their codes and terms their order.
        """
        if not values:
            return cls(ratings.items, np.arange(ratings.n_items, dtype=np.int32), None)
        levels, level = np.unique(ratings.values + np.float32(0), return_inverse=True)
        keys = ratings.items.astype(np.int64) * max(len(levels), 1) + level
        found, codes = _coded(keys, ratings.n_items * len(levels))
        item, value = found // max(len(levels), 1), levels[found % max(len(levels), 1)]
        terms = cls(codes, item.astype(np.int32), value)
        return terms if ratings.times is None else terms._timed(ratings.times)

    def _timed(self, times: Integers) -> TermCodes:
        """The same terms, told apart by their times too."""
        assert self.value is not None
        moments, moment = np.unique(times, return_inverse=True)
        keys = self.of_rating.astype(np.int64) * max(len(moments), 1) + moment
        found, codes = _coded(keys, len(self) * len(moments))
        term, when = found // max(len(moments), 1), moments[found % max(len(moments), 1)]
        return TermCodes(codes, self.item[term], self.value[term], when)

    def __len__(self) -> int:
        return len(self.item)

    def labelled(self, ratings: Ratings, terms: Iterable[int]) -> dict[str, Any]:
        """The items of ``terms`` by name, with their values and times if these matter."""
        named = list(terms)
        names: dict[str, Any] = {"items": [str(ratings.item_labels[self.item[t]]) for t in named]}
        if self.value is not None:
            names["values"] = [round(float(self.value[t]), 6) for t in named]
        if self.time is not None:
            names["times"] = [int(self.time[t]) for t in named]
        return names


def _coded(keys: Integers, top: int) -> tuple[Integers, Codes]:
    """The distinct keys, ascending, and for each key its number; keys are below ``top``."""
    if top > max(4 * len(keys), 1 << 24):
        found, codes = np.unique(keys, return_inverse=True)
        return found, codes.astype(np.int32)
    used = np.zeros(top, dtype=bool)
    used[keys] = True
    return np.flatnonzero(used), (np.cumsum(used, dtype=np.int32) - np.int32(1))[keys]


ALL_CLUSTERS = -1


@dataclass(frozen=True)
class TermTables:
    """The chunks of a release: record chunks by joint and cluster, then those the joint shares.

    ``chunks`` has a line for each chunk; its sub-records are the rows
    ``chunk_offsets[c]:chunk_offsets[c + 1]`` of ``rows``. ``entries`` says which items each holds,
    ``term_items`` which items stand in term chunks and in how many values, and ``conflicts``
    which items of a chunk stand also in another chunk of the same people.
    """

    rows: Ratings
    terms: TermCodes
    chunk_offsets: Offsets
    chunks: pl.DataFrame
    entries: pl.DataFrame
    term_items: pl.DataFrame
    conflicts: pl.DataFrame

    @classmethod
    def of(cls, release: DisassociatedRelease, values: bool) -> TermTables:
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
        terms = TermCodes.of(rows, values)
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

    def layout_conflicts(self) -> pl.DataFrame:
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
    clusters = release.clusters
    if line["shared"]:
        return {"joint": int(clusters.joint_ids[line["joint"]]), "chunk": f"shared {line['chunk']}"}
    return {
        "cluster": int(clusters.cluster_ids[line["cluster"]]),
        "chunk": f"record {line['chunk']}",
    }


def _chunks(
    release: DisassociatedRelease,
) -> tuple[Integers, Integers, pl.DataFrame]:
    """The rows of sub-records chunk by chunk, where each chunk starts, and what each is."""
    clusters = release.clusters
    rows = np.flatnonzero(clusters.kind != TERM)
    shared = clusters.kind[rows] == SHARED
    joint = clusters.group[rows].copy()
    joint[~shared] = clusters.joint[joint[~shared]]
    cluster = np.where(shared, ALL_CLUSTERS, clusters.group[rows])
    order = np.lexsort((clusters.chunk[rows], cluster, shared, joint))
    keys = np.stack([joint, cluster, clusters.chunk[rows]])[:, order]
    starts = np.flatnonzero(np.diff(keys, axis=1, prepend=-2).any(axis=0))
    joint, cluster, chunk = keys[:, starts]
    of_joint = np.bincount(clusters.joint, clusters.records, len(clusters.joint_ids)).astype(
        np.int64
    )
    offsets = np.append(starts, len(rows)).astype(np.int64)
    is_shared = cluster == ALL_CLUSTERS
    inside = clusters.records[np.where(is_shared, 0, cluster)] if len(clusters) else joint
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
    clusters = release.clusters
    listed = release.ratings.take_users(np.flatnonzero(clusters.kind == TERM))
    cluster = clusters.group[clusters.kind == TERM]
    table = {
        "cluster": cluster,
        "joint": clusters.joint[cluster],
        "item": listed.items,
        "records": clusters.records[cluster],
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
    columns = [
        pair.select("at", "item", other="at_other", other_support="support_other") for pair in pairs
    ]
    return pl.concat(columns).filter(pl.col("at") != pl.col("other"))
