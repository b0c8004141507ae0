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

from recloak.disassociated import SHARED, TERM, DisassociatedRelease
from recloak.guarantees.km_combinations import weak_sets
from recloak.guarantees.km_places import Places, where
from recloak.guarantees.km_terms import Outcome, unproven
from recloak.identical import identical_groups
from recloak.progress import Progress

Broken = Outcome | None


def check_clusters(
    release: DisassociatedRelease, k: int, m: int, values: bool, progress: Progress
) -> Outcome:
    """Each condition in turn, the cheap ones first."""
    with progress.task("Checking the clusters", len(_CONDITIONS) + 2) as task:
        nonsense = _nonsense(release)
        task.advance()
        if nonsense:
            return nonsense
        places = Places.of(release, values)
        task.advance()
        for condition in _CONDITIONS:
            broken = condition(release, places, k, m)
            task.advance()
            if broken:
                return broken
    weak = weak_sets(release, places, k, m, progress)
    if weak:
        return weak
    return Outcome(
        "holds",
        f"{len(release.clusters):,} clusters with {len(places.chunks):,} chunks of "
        f"{places.rows.n_users:,} sub-records were looked at: whatever set of up to {m} terms one "
        f"person may hold, {k:,} may.",
    )


def _nonsense(release: DisassociatedRelease) -> Broken:
    """What no disassociation can have made."""
    told, ratings = release.clusters, release.ratings
    for bad, said in _impossible(release):
        if bad.any():
            row = int(np.argmax(bad))
            return Outcome("broken", said, {"row": str(ratings.user_labels[row])})
    twice = (np.diff(ratings.items) == 0) & (np.diff(ratings.user_codes()) == 0)
    if twice.any():
        place = int(np.argmax(twice))
        found = {
            "row": str(ratings.user_labels[ratings.user_codes()[place]]),
            "item": str(ratings.item_labels[ratings.items[place]]),
        }
        return Outcome("broken", "A sub-record holds the same item twice.", found)
    if ratings.n_users and not len(told):
        return Outcome("broken", "There are rows, but no clusters.", {"rows": ratings.n_users})
    return None


def _impossible(release: DisassociatedRelease) -> Iterator[tuple[Any, str]]:
    """Which rows cannot stand where they do, and why."""
    told, counts = release.clusters, release.ratings.user_counts
    yield counts == 0, "A sub-record holds nothing."
    yield (told.kind == TERM) & (counts > 1), "A row of a term chunk holds more than one term."
    yield (told.kind < 0) | (told.kind > TERM), "A row stands in no kind of chunk."
    limit = np.where(told.kind == SHARED, len(told.joint_ids), len(told))
    yield (told.group < 0) | (told.group >= limit), "A row stands in no cluster."


def _sizes(release: DisassociatedRelease, places: Places, k: int, m: int) -> Broken:
    """Each cluster is of k people or more, and no chunk has more sub-records than people."""
    told = release.clusters
    if len(told) and told.records.min() < k:
        small = int(np.argmin(told.records))
        found = {"cluster": int(told.cluster_ids[small]), "records": int(told.records[small])}
        return Outcome("broken", f"A cluster stands for fewer than {k:,} records.", found)
    for line in places.chunks.filter(pl.col("size") > pl.col("records")).head(1).to_dicts():
        found = {**where(release, line), "sub-records": line["size"], "records": line["records"]}
        return Outcome("broken", "A chunk has more sub-records than people.", found)
    return None


def _listed_once(release: DisassociatedRelease, places: Places, k: int, m: int) -> Broken:
    """A term chunk is a set: a term listed twice would tell how many hold it."""
    told = release.clusters
    rows = np.flatnonzero(told.kind == TERM)
    terms = release.ratings.take_users(rows)
    listed = pl.DataFrame(
        {
            "cluster": told.group[rows],
            "item": terms.items,
            "value": terms.values + np.float32(0),
        }
    )
    counted = listed.group_by(listed.columns).len().filter(pl.col("len") > 1)
    for line in counted.sort("cluster", "item", "value").head(1).to_dicts():
        found = {
            "cluster": int(told.cluster_ids[line["cluster"]]),
            "chunk": "term",
            "items": [str(release.ratings.item_labels[line["item"]])],
            "values": [round(line["value"], 6)],
            "times listed": line["len"],
        }
        return Outcome("broken", "A term chunk lists a term more than once.", found)
    return None


def _room(release: DisassociatedRelease, places: Places, k: int, m: int) -> Broken:
    """An item of the term chunk finds k people without it, and one for each other value of it."""
    beside = pl.col("listed") - 1
    needed = k + beside if places.terms.value is not None else pl.max_horizontal(k, "listed")
    for line in places.room().filter(pl.col("room") < needed).head(1).to_dicts():
        found = {
            "cluster": int(release.clusters.cluster_ids[line["cluster"]]),
            "chunk": "term",
            "items": [str(release.ratings.item_labels[line["item"]])],
            "values listed": line["listed"],
            "records that may lack it": max(line["room"], 0),
        }
        said = "Too few records are free for an item of the term chunk and its other values."
        return unproven(said, found)
    return None


def _nobody_empty(release: DisassociatedRelease, places: Places, k: int, m: int) -> Broken:
    """Without a term chunk the record chunks must reach everybody, also with k lines made alike.

    Chunks that share items with others do not count: they cannot be laid out freely.
    """
    told = release.clusters
    bare = np.ones(len(told), dtype=bool)
    bare[told.group[told.kind == TERM]] = False
    inside = places.chunks.filter(~pl.col("shared"))
    free = inside.join(places.conflicts, on="at", how="anti")
    number = np.bincount(inside["cluster"].to_numpy(), minlength=len(told))
    held = np.bincount(free["cluster"].to_numpy(), free["size"].to_numpy(), len(told))
    needed = told.records + k * (np.clip(number, 1, m) - 1)
    short = np.flatnonzero(bare & (held < needed))
    if not len(short):
        return None
    found = {
        "cluster": int(told.cluster_ids[short[0]]),
        "records": int(told.records[short[0]]),
        "sub-records": int(held[short[0]]),
        "needed": int(needed[short[0]]),
    }
    said = "A cluster without term chunk has too few sub-records: some terms must meet in a record."
    return unproven(said, found)


def _shared_alike(release: DisassociatedRelease, places: Places, k: int, m: int) -> Broken:
    """A shared chunk with items that also stand in record chunks is k-anonymous as a whole."""
    crossing = places.conflicts.join(places.chunks.filter(pl.col("shared")), on="at", how="semi")
    for at in crossing["at"].unique().sort():
        start, end = places.chunk_offsets[at : at + 2]
        rows = places.rows.take_users(np.arange(start, end))
        group, sizes = identical_groups(rows, values=places.terms.value is not None)
        if sizes.min() < k:
            terms = places.terms.of_rating[places.rows.offsets[start] :]
            first = int(np.argmin(sizes[group]))
            held = terms[rows.offsets[first] : rows.offsets[first + 1]]
            found = {
                **where(release, places.chunks.row(at, named=True)),
                **places.terms.shown(places.rows, held),
                "sub-records like it": int(sizes.min()),
            }
            said = f"A shared chunk with items of record chunks has a row fewer than {k:,} times."
            return unproven(said, found)
    return None


def _layout(release: DisassociatedRelease, places: Places, k: int, m: int) -> Broken:
    """Chunks that share items can be laid beside each other whichever k lines are made alike.

    By Hall's theorem: a sub-record is barred from at most ``widest`` lines and a line bars at most
    ``rows`` sub-records; if both together are no more than the lines left, all find a place.
    """
    tight = pl.col("widest") + pl.col("rows") > pl.col("records") - k
    for line in places.crowding().filter(tight).head(1).to_dicts():
        found = {
            **where(release, line),
            "sub-records with items of other chunks": line["rows"],
            "records that one of them may not be in": line["widest"],
            "records": line["records"],
        }
        said = "Chunks share so many items that they may fit together in few ways."
        return unproven(said, found)
    return None


Condition = Callable[[DisassociatedRelease, Places, int, int], Broken]
_CONDITIONS: tuple[Condition, ...] = (
    _sizes,
    _listed_once,
    _nobody_empty,
    _room,
    _shared_alike,
    _layout,
)
