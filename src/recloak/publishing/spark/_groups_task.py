"""Groups tasks: people go to the home they belong to, and are grouped there among themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from recloak.clustering import Sketch
from recloak.clustering.binned import BinPlan
from recloak.core.arrays import Integers, offsets_from
from recloak.core.parallel import at_most_threads
from recloak.core.ratings import Ratings
from recloak.methods import GroupProfiles, HomeGroups
from recloak.methods.microaggregation import Microaggregation
from recloak.methods.predictive import Predictive, PredictivePlan
from recloak.publishing._groups_by_home import (
    FoundHome,
    homes_of_groups,
    in_order,
    profiles_of_groups,
)
from recloak.publishing.spark._block_task import MOST_TASKS, Common, cells_of
from recloak.publishing.spark._packing import Array, packed, unpacked
from recloak.publishing.spark._staged import SparkRatings, each_row

HOME_SCHEMA = "home int, blob binary"


class Grouped(Protocol):
    """Says where people go, and what becomes of those who meet there."""

    def homes(self, bucket: int, block: Ratings) -> tuple[Integers, Integers]:
        """The home of each person of a block, and a number that goes with them."""

    def groups(self, rows: Ratings, numbers: Integers) -> HomeGroups:
        """The groups of those of one home, who are in the order of their names."""


@dataclass(frozen=True)
class InBins:
    """People of one bin are grouped among themselves."""

    recipe: Microaggregation
    plan: BinPlan

    def homes(self, bucket: int, block: Ratings) -> tuple[Integers, Integers]:
        home = self.recipe.homes(block, self.plan).astype(np.int64)
        return home, home

    def groups(self, rows: Ratings, numbers: Integers) -> HomeGroups:
        return self.recipe.groups_of_home(rows, self.plan)


@dataclass(frozen=True)
class ByLabels:
    """Groups are known, and the people of each meet. What is given is by bucket."""

    recipe: Predictive
    plan: PredictivePlan
    labels: dict[int, Integers]
    home: dict[int, Integers]

    def homes(self, bucket: int, block: Ratings) -> tuple[Integers, Integers]:
        return self.home[bucket], self.labels[bucket]

    def groups(self, rows: Ratings, numbers: Integers) -> HomeGroups:
        return profiles_of_groups(self.recipe, rows, numbers, self.plan)


@dataclass(frozen=True)
class HomeTask:
    """Sends the ratings of each block to the homes of its people."""

    common: Common
    grouped: Grouped

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: staged ratings in, the people of each home out."""
        with at_most_threads(1):
            for bucket, block in self.common.blocks(batches):
                home, numbers = self.grouped.homes(bucket, block)
                for one in np.unique(home).tolist():
                    here = np.flatnonzero(home == one)
                    rows = block.take_users(here).without_times()
                    whose = (np.full(len(here), bucket), here, numbers[here], rows.user_labels)
                    yield _home_row(one, *whose, *cells_of(rows))


@dataclass(frozen=True)
class GroupTask:
    """Groups the people of a home."""

    common: Common
    grouped: Grouped

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: the people of one home in, their groups out."""
        found = [(row["home"], unpacked(row["blob"])) for one in batches for row in one.to_pylist()]
        if not found:
            return
        columns = zip(*(blob for _, blob in found), strict=True)
        buckets, places, numbers, names, *cells = (np.concatenate(column) for column in columns)
        order = np.argsort(names, kind="stable")  # as everywhere people are in order
        rows = self.common.ratings(names, *cells).take_users(order)
        with at_most_threads(1):
            labels, profiles = self.grouped.groups(rows, numbers[order])
        whose = (buckets[order], places[order], labels)
        yield _home_row(found[0][0], *whose, np.diff(profiles.offsets), *profiles[1:])


@dataclass(frozen=True)
class PlacesTask:
    """Tells the driver where the padded rows of people lie."""

    common: Common
    recipe: Predictive
    plan: PredictivePlan

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For Spark: staged ratings in, a row for each bucket out."""
        with at_most_threads(1):
            for bucket, block in self.common.blocks(batches):
                yield _home_row(bucket, self.recipe.places(block, self.plan).ravel())


@dataclass(frozen=True)
class HomesInSpark:
    """Puts people together by a shuffle."""

    staged: SparkRatings

    def bins(self, recipe: Microaggregation, plan: BinPlan) -> Iterator[FoundHome]:
        return self._grouped(InBins(recipe, plan), max(len(plan.centres), 1))

    def places(self, recipe: Predictive, plan: PredictivePlan) -> Sketch:
        task, by_bucket = PlacesTask(self.staged.common, recipe, plan), self.staged.people.by_bucket
        with self.staged.steps.step("Comparing padded rows"):
            table = self.staged.blocks.mapInArrow(task.run, HOME_SCHEMA).toArrow()
        found = []
        for row in each_row(table):
            codes = by_bucket[row["home"]]
            found.append((codes, unpacked(row["blob"])[0].reshape(len(codes), -1)))
        return in_order(found)

    def predicted(
        self, recipe: Predictive, plan: PredictivePlan, labels: Integers
    ) -> Iterator[FoundHome]:
        home = homes_of_groups(labels, MOST_TASKS)
        by_bucket = self.staged.people.by_bucket
        parts = [{at: one[codes] for at, codes in by_bucket.items()} for one in (labels, home)]
        return self._grouped(ByLabels(recipe, plan, *parts), int(home.max()) + 1)

    def _grouped(self, grouped: Grouped, count: int) -> Iterator[FoundHome]:
        staged = self.staged
        sent, met = HomeTask(staged.common, grouped), GroupTask(staged.common, grouped)
        with staged.steps.step("Grouping people home by home"):
            moved = staged.blocks.mapInArrow(sent.run, HOME_SCHEMA).repartitionById(count, "home")
            table = moved.mapInArrow(met.run, HOME_SCHEMA).toArrow()
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
