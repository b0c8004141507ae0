"""k^m-anonymity of disassociated data: conditions under which k people may hold what one may.

Lay the chunks of a cluster beside each other, filled up with empty sub-records: a line is a
person. Someone may hold a set S of at most m terms. Then k lines that hold S are found so: of
each chunk that S touches, k sub-records that hold S's part in it and no item that the other parts
need or could bring along; of each chunk that it does not touch, k that are out of everybody's way;
the terms of the term chunk are written beside. The conditions say that there are as many, that
the rest can still be laid out without anyone having an item twice or nothing at all, and that
every term listed in the term chunk still finds a person. They suffice; they are not necessary, and
where only such a condition fails the verdict says that the claim could not be proven.

The conditions on blocked items, on room and on layout are needed because a person rates an item
once: the other values of what one takes from a chunk may stand elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl

from recloak.core.progress import Progress
from recloak.core.row_classes import identical_groups
from recloak.guarantees.km_anonymity._combinations import weak_sets
from recloak.guarantees.km_anonymity._terms import CheckResult, TermTables, unproven, where
from recloak.releases.disassociated import SHARED, TERM, DisassociatedRelease

Broken = CheckResult | None


def check_clusters(
    release: DisassociatedRelease, k: int, m: int, values: bool, listed: bool, progress: Progress
) -> CheckResult:
    """Each condition in turn, the cheap ones first."""
    conditions = _CONDITIONS if listed else _CONDITIONS_WITHOUT_LISTS
    with progress.task("Checking the clusters", len(conditions) + 2) as task:
        malformed = _malformed(release)
        task.advance()
        if malformed:
            return malformed
        tables = TermTables.of(release, values)
        task.advance()
        for condition in conditions:
            broken = condition(release, tables, k, m)
            task.advance()
            if broken:
                return broken
    weak = weak_sets(release, tables, k, m, progress)
    if weak:
        return weak
    return CheckResult(
        "holds",
        f"{len(release.clusters):,} clusters with {len(tables.chunks):,} chunks of "
        f"{tables.rows.n_users:,} sub-records were looked at: whatever set of up to {m} terms one "
        f"person may hold, {k:,} may.{'' if listed else ' No term is listed.'}",
    )


def _malformed(release: DisassociatedRelease) -> Broken:
    """What no disassociation can have made: broken, with the row as witness."""
    clusters, ratings = release.clusters, release.ratings
    for bad, how in _impossible(release):
        if bad.any():
            row = int(np.argmax(bad))
            return CheckResult("broken", how, {"row": str(ratings.user_labels[row])})
    twice = (np.diff(ratings.items) == 0) & (np.diff(ratings.user_codes()) == 0)
    if twice.any():
        place = int(np.argmax(twice))
        found = {
            "row": str(ratings.user_labels[ratings.user_codes()[place]]),
            "item": str(ratings.item_labels[ratings.items[place]]),
        }
        return CheckResult("broken", "A sub-record holds the same item twice.", found)
    if ratings.n_users and not len(clusters):
        return CheckResult("broken", "There are rows, but no clusters.", {"rows": ratings.n_users})
    return None


def _impossible(release: DisassociatedRelease) -> Iterator[tuple[Any, str]]:
    """Which rows cannot stand where they do, and why."""
    clusters, counts = release.clusters, release.ratings.user_counts
    yield counts == 0, "A sub-record holds nothing."
    yield (clusters.kind == TERM) & (counts > 1), "A row of a term chunk holds more than one term."
    yield (clusters.kind < 0) | (clusters.kind > TERM), "A row stands in no kind of chunk."
    limit = np.where(clusters.kind == SHARED, len(clusters.joint_ids), len(clusters))
    yield (clusters.group < 0) | (clusters.group >= limit), "A row stands in no cluster."


def _sizes(release: DisassociatedRelease, tables: TermTables, k: int, m: int) -> Broken:
    """Each cluster is of k people or more, and no chunk has more sub-records than people."""
    clusters = release.clusters
    if len(clusters) and clusters.records.min() < k:
        small = int(np.argmin(clusters.records))
        found = {
            "cluster": int(clusters.cluster_ids[small]),
            "records": int(clusters.records[small]),
        }
        return CheckResult("broken", f"A cluster stands for fewer than {k:,} records.", found)
    for line in tables.chunks.filter(pl.col("size") > pl.col("records")).head(1).to_dicts():
        found = {**where(release, line), "sub-records": line["size"], "records": line["records"]}
        return CheckResult("broken", "A chunk has more sub-records than people.", found)
    return None


def _listed_once(release: DisassociatedRelease, tables: TermTables, k: int, m: int) -> Broken:
    """A term chunk is a set: a term listed twice would tell how many hold it."""
    clusters = release.clusters
    rows = np.flatnonzero(clusters.kind == TERM)
    terms = release.ratings.take_users(rows)
    listed = pl.DataFrame(
        {
            "cluster": clusters.group[rows],
            "item": terms.items,
            "value": terms.values + np.float32(0),
        }
    )
    counted = listed.group_by(listed.columns).len().filter(pl.col("len") > 1)
    for line in counted.sort("cluster", "item", "value").head(1).to_dicts():
        found = {
            "cluster": int(clusters.cluster_ids[line["cluster"]]),
            "chunk": "term",
            "items": [str(release.ratings.item_labels[line["item"]])],
            "values": [round(line["value"], 6)],
            "times listed": line["len"],
        }
        return CheckResult("broken", "A term chunk lists a term more than once.", found)
    return None


def _nothing_listed(release: DisassociatedRelease, tables: TermTables, k: int, m: int) -> Broken:
    """Term chunks are empty: who knows the method knows that fewer than k hold what they list."""
    clusters = release.clusters
    rows = np.flatnonzero(clusters.kind == TERM)
    if not len(rows):
        return None
    found = {
        "row": str(release.ratings.user_labels[rows[0]]),
        "cluster": int(clusters.cluster_ids[clusters.group[rows[0]]]),
        "terms listed": len(rows),
    }
    how = f"Term chunks list terms, which tells that fewer than {k:,} people hold them."
    return CheckResult("broken", how, found)


def _room(release: DisassociatedRelease, tables: TermTables, k: int, m: int) -> Broken:
    """An item of the term chunk finds k people without it, and one for each other value of it."""
    beside = pl.col("listed") - 1
    needed = k + beside if tables.terms.value is not None else pl.max_horizontal(k, "listed")
    for line in tables.room().filter(pl.col("room") < needed).head(1).to_dicts():
        found = {
            "cluster": int(release.clusters.cluster_ids[line["cluster"]]),
            "chunk": "term",
            "items": [str(release.ratings.item_labels[line["item"]])],
            "values listed": line["listed"],
            "records that may lack it": max(line["room"], 0),
        }
        how = "Too few records are free for an item of the term chunk and its other values."
        return unproven(how, found)
    return None


def _nobody_empty(release: DisassociatedRelease, tables: TermTables, k: int, m: int) -> Broken:
    """Without a term chunk the record chunks must reach everybody, also with k lines made alike.

    Chunks that share items with others do not count: they cannot be laid out freely.
    """
    clusters = release.clusters
    without_terms = np.ones(len(clusters), dtype=bool)
    without_terms[clusters.group[clusters.kind == TERM]] = False
    inside = tables.chunks.filter(~pl.col("shared"))
    free = inside.join(tables.conflicts, on="at", how="anti")
    number = np.bincount(inside["cluster"].to_numpy(), minlength=len(clusters))
    held = np.bincount(free["cluster"].to_numpy(), free["size"].to_numpy(), len(clusters))
    needed = clusters.records + k * (np.clip(number, 1, m) - 1)
    short = np.flatnonzero(without_terms & (held < needed))
    if not len(short):
        return None
    found = {
        "cluster": int(clusters.cluster_ids[short[0]]),
        "records": int(clusters.records[short[0]]),
        "sub-records": int(held[short[0]]),
        "needed": int(needed[short[0]]),
    }
    how = "A cluster without term chunk has too few sub-records: some terms must meet in a record."
    return unproven(how, found)


def _shared_alike(release: DisassociatedRelease, tables: TermTables, k: int, m: int) -> Broken:
    """A shared chunk with items that also stand in record chunks is k-anonymous as a whole."""
    crossing = tables.conflicts.join(tables.chunks.filter(pl.col("shared")), on="at", how="semi")
    for at in crossing["at"].unique().sort():
        start, end = tables.chunk_offsets[at : at + 2]
        rows = tables.rows.take_users(np.arange(start, end))
        values = tables.terms.value is not None
        group, sizes = identical_groups(rows, values=values, times=values)
        if sizes.min() < k:
            terms = tables.terms.of_rating[tables.rows.offsets[start] :]
            first = int(np.argmin(sizes[group]))
            held = terms[rows.offsets[first] : rows.offsets[first + 1]]
            found = {
                **where(release, tables.chunks.row(at, named=True)),
                **tables.terms.labelled(tables.rows, held),
                "sub-records like it": int(sizes.min()),
            }
            how = f"A shared chunk with items of record chunks has a row fewer than {k:,} times."
            return unproven(how, found)
    return None


def _layout(release: DisassociatedRelease, tables: TermTables, k: int, m: int) -> Broken:
    """Chunks that share items can be laid beside each other whichever k lines are made alike.

    By Hall's theorem: a sub-record is barred from at most ``widest`` lines and a line bars at most
    ``rows`` sub-records; if both together are no more than the lines left, all find a place.
    """
    tight = pl.col("widest") + pl.col("rows") > pl.col("records") - k
    for line in tables.layout_conflicts().filter(tight).head(1).to_dicts():
        found = {
            **where(release, line),
            "sub-records with items of other chunks": line["rows"],
            "records that one of them may not be in": line["widest"],
            "records": line["records"],
        }
        how = "Chunks share so many items that they may fit together in few ways."
        return unproven(how, found)
    return None


Condition = Callable[[DisassociatedRelease, TermTables, int, int], Broken]
_CONDITIONS: tuple[Condition, ...] = (
    _sizes,
    _listed_once,
    _nobody_empty,
    _room,
    _shared_alike,
    _layout,
)
# Where terms were left out, nobody need have a sub-record, and there is nothing listed to place.
_CONDITIONS_WITHOUT_LISTS: tuple[Condition, ...] = (
    _sizes,
    _nothing_listed,
    _shared_alike,
    _layout,
)
