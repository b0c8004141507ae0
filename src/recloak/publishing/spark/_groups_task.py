"""Groups tasks: people go to the home they belong to, and are grouped there among themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from recloak.clustering.binned import BinPlan
from recloak.core.arrays import offsets_from
from recloak.core.parallel import at_most_threads
from recloak.methods import GroupProfiles, HomeGroups
from recloak.methods.microaggregation import Microaggregation
from recloak.publishing._groups_by_home import FoundHome
from recloak.publishing.spark._block_task import Common, cells_of
from recloak.publishing.spark._packing import Array, packed, unpacked
from recloak.publishing.spark._staged import SparkRatings, each_row

HOME_SCHEMA = "home int, blob binary"


@dataclass(frozen=True)
class HomeTask:
    """Sends the ratings of each block to the homes of its people."""

    common: Common
    recipe: Microaggregation
    plan: BinPlan

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: staged ratings in, the people of each home out."""
        with at_most_threads(1):
            for bucket, block in self.common.blocks(batches):
                home = self.recipe.homes(block, self.plan)
                for one in np.unique(home).tolist():
                    here = np.flatnonzero(home == one)
                    rows = block.take_users(here).without_times()
                    whose = (np.full(len(here), bucket), here, rows.user_labels)
                    yield _home_row(one, *whose, *cells_of(rows))


@dataclass(frozen=True)
class GroupTask:
    """Groups the people of each home."""

    common: Common
    recipe: Microaggregation
    plan: BinPlan

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: the people of one home in, their groups out."""
        found = [
            (row["home"], unpacked(row["blob"])) for each in batches for row in each.to_pylist()
        ]
        if not found:
            return
        columns = [
            np.concatenate(column) for column in zip(*(one for _, one in found), strict=True)
        ]
        buckets, places, names, counts, items, values = columns
        rows = self.common.ratings(names, counts, items, values)
        order = np.argsort(names, kind="stable")  # as everywhere people are in order
        with at_most_threads(1):
            labels, profiles = self.recipe.groups_of_home(rows.take_users(order), self.plan)
        whose = (buckets[order], places[order], labels)
        yield _home_row(found[0][0], *whose, np.diff(profiles.offsets), *profiles[1:])


def homes_in_spark(
    recipe: Microaggregation, staged: SparkRatings, plan: BinPlan
) -> Iterator[FoundHome]:
    """The groups of all homes, which tasks make."""
    count = max(len(plan.centres), 1)
    home, group = (kind(staged.common, recipe, plan) for kind in (HomeTask, GroupTask))
    with staged.steps.step("Grouping people home by home"):
        sent = staged.blocks.mapInArrow(home.run, HOME_SCHEMA).repartitionById(count, "home")
        table = sent.mapInArrow(group.run, HOME_SCHEMA).toArrow()
    for row in each_row(table):
        buckets, places, labels, counts, items, values = unpacked(row["blob"])
        people = np.empty(len(buckets), np.int64)
        for bucket in np.unique(buckets).tolist():
            here = buckets == bucket
            people[here] = staged.people.by_bucket[bucket][places[here]]
        profiles = GroupProfiles(offsets_from(counts), items, values)
        yield FoundHome(people, HomeGroups(labels, profiles))


def _home_row(home: int, *arrays: Array) -> pa.RecordBatch:
    columns = [pa.array([home], pa.int32()), pa.array([packed(*arrays)], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, ["home", "blob"])
