"""The release that Spark makes: rows made by tasks, parts written by tasks, the rest as ever."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recloak.core.arrays import Indices, Integers, Labels, Mask
from recloak.core.errors import MachineError
from recloak.core.files import machine_errors
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.methods import Applied
from recloak.methods.synthetic import Synthetic
from recloak.publishing._disk_release import (
    AppliedByBlocks,
    ByBlocks,
    described,
    learnt,
    made_up_applied,
    with_counts,
)
from recloak.publishing._disk_rows import distinct_names, refuse_other_count
from recloak.publishing._groups_by_home import Grouping, apply_to_groups
from recloak.publishing.spark._all_rows import ReaderInSpark
from recloak.publishing.spark._block_task import MOST_TASKS
from recloak.publishing.spark._groups_task import HomesInSpark
from recloak.publishing.spark._packing import unpacked
from recloak.publishing.spark._parts_writer import PartsWriter, committed, source_of
from recloak.publishing.spark._rows_task import HEAD, ROWS_SCHEMA, DrawTask, RowsTask
from recloak.publishing.spark._staged import SparkRatings, each_row
from recloak.releases.base import Counts, Release
from recloak.releases.parts import TableParts
from recloak.releases.stored import StoredRatings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class RowsInSpark:
    """Rows in a persisted DataFrame, sorted by the part that they go to; their names are final."""

    frame: DataFrame
    blank: Ratings
    names: Integers
    owners: Indices
    founders: Indices | None
    starts: dict[int, int]
    """The number of the first row of each bucket."""
    rated: Mask
    """Which items occur."""
    n_ratings: int

    def renamed(self, names: Integers) -> dict[int, tuple[Indices, Integers]]:
        """The rows of each bucket that have another name among ``names``, and these."""
        again = np.flatnonzero(names != self.names)
        buckets = np.array(list(self.starts))
        starts = np.array(list(self.starts.values()))
        at = np.searchsorted(starts, again, side="right") - 1
        return {
            int(buckets[one]): (again[at == one] - starts[one], names[again[at == one]])
            for one in np.unique(at).tolist()
        }


@dataclass(frozen=True, repr=False)
class SparkRelease(StoredRatings):
    """A release whose rows wait in Spark, until tasks write its parts."""

    rows: RowsInSpark
    parts_of_table: TableParts
    staged: SparkRatings

    @property
    def row_labels(self) -> Labels:
        return np.sort(self.rows.names)

    def write_tables(self, folder: Path, table_format: str) -> None:
        work, parts = folder.parent / "parts", self.parts_of_table
        with machine_errors(work):
            work.mkdir(mode=0o700)
        spark = self.staged.steps.spark
        with self.staged.steps.step("Writing parts"):
            source = source_of(PartsWriter(self.rows.blank, work.absolute()))
            spark.dataSource.register(source)
            made = self.rows.frame.where(f"part <> {HEAD}").select("part", "blob")
            moved = made.repartitionById(parts.count, "part")
            moved.write.format(source.name()).mode("append").save()
        written = committed(work, parts.count)
        if sum(one.ratings for one in written) != self.manifest.ratings:
            raise MachineError("parts hold a different number of ratings than the method made")
        with machine_errors(folder):
            for one in written:
                final = parts.path(folder, one.part)
                final.parent.mkdir(exist_ok=True)
                (work / one.file).rename(final)
                final.chmod(0o644)

    def read_back(self, folder: Path) -> Release:
        return StoredRatings.opened(folder)


def apply_in_spark(
    recipe: ByBlocks, staged: SparkRatings, randomness: Randomness, progress: Progress
) -> AppliedByBlocks:
    """As ``recipe.apply``, of ratings in Spark."""
    if isinstance(recipe, Synthetic):
        return _drawn_in_spark(recipe, staged, randomness, progress)
    people = PeopleDraws.of(randomness, staged.user_labels)
    if isinstance(recipe, Grouping):
        homes = HomesInSpark(staged)
        applied = apply_to_groups(recipe, staged, homes, people, randomness, progress)
        return AppliedByBlocks(applied, None, people)
    shared = learnt(recipe, staged, people, randomness, progress)
    parts = TableParts.of(staged.n_ratings)
    task = RowsTask(staged.common, recipe, shared, randomness, parts, renamed={})
    rows = _made_rows(staged, staged.blocks, task, people)
    refuse_other_count(recipe, rows.n_ratings, staged.n_ratings, "spark")
    manifest, secret = described(recipe, staged, rows, randomness)
    release = SparkRelease(manifest, Path(), rows, parts, staged)
    return AppliedByBlocks(Applied(release, secret), shared, people, ReaderInSpark(staged))


def _drawn_in_spark(
    recipe: Synthetic, staged: SparkRatings, randomness: Randomness, progress: Progress
) -> AppliedByBlocks:
    """Made-up people: tasks add up what they are learnt from, and draw them."""
    model = recipe.fit(staged, randomness, progress)
    made_up = recipe.people_to_draw(model, randomness)
    everyone = made_up.draws(0, made_up.count)
    parts = TableParts.of(int(made_up.sizes(everyone).sum()))
    blocks = len(made_up.blocks())
    numbers = staged.steps.spark.range(0, blocks, 1, min(blocks, MOST_TASKS))
    rows = _made_rows(staged, numbers, DrawTask(made_up, parts, renamed={}), everyone)
    counts = Counts(made_up.count, int(rows.rated.sum()), rows.n_ratings)
    manifest = with_counts(recipe.manifest_of(rows.blank, model, randomness), counts)
    release = SparkRelease(manifest, Path(), rows, parts, staged)
    return made_up_applied(recipe, model, release, staged, randomness)


def _made_rows(
    staged: SparkRatings, blocks: DataFrame, task: RowsTask | DrawTask, people: PeopleDraws
) -> RowsInSpark:
    """Run the task on all blocks; again if a few of very many rows drew the same name."""
    rows = _run(staged, blocks, task)
    renamed = rows.renamed(distinct_names(rows.names, rows.owners, people))
    return _run(staged, blocks, replace(task, renamed=renamed)) if renamed else rows


def _run(staged: SparkRatings, blocks: DataFrame, task: RowsTask | DrawTask) -> RowsInSpark:
    """Run the task on all blocks, and learn what the rows are called and whose they are."""
    with staged.steps.step("Making rows"):
        frame = staged.steps.kept(blocks.mapInArrow(task.run, ROWS_SCHEMA))
        table = frame.where(f"part = {HEAD}").toArrow()
    heads = sorted(each_row(table), key=lambda row: int(row["bucket"]))
    facts = [json.loads(row["told"]) for row in heads]
    names, owners, rated, *founders = zip(*(unpacked(row["blob"]) for row in heads), strict=True)
    ends = np.cumsum([0, *(len(one) for one in names)]).tolist()
    buckets = [row["bucket"] for row in heads]
    blank = _blank(staged, facts[0], task)
    found = np.zeros(blank.n_items, np.bool_)
    found[np.concatenate(rated)] = True
    if isinstance(task, RowsTask):  # each bucket knows its people by their places in it
        by_bucket = staged.people.by_bucket
        pairs = zip(buckets, owners, strict=True)
        owners = tuple(by_bucket[bucket][mine] for bucket, mine in pairs)
    return RowsInSpark(
        frame=frame,
        blank=blank,
        names=np.concatenate(names),
        owners=np.concatenate(owners),
        founders=np.concatenate(founders[0]) if founders else None,
        starts=dict(zip(buckets, ends[:-1], strict=True)),
        rated=found,
        n_ratings=sum(fact["ratings"] for fact in facts),
    )


def _blank(staged: SparkRatings, fact: dict[str, Any], task: RowsTask | DrawTask) -> Ratings:
    none, items = np.empty(0, np.int64), staged.item_labels
    if isinstance(task, DrawTask):
        items = task.made_up.listed_items
    return Ratings(
        offsets=np.zeros(1, np.int64),
        items=np.empty(0, np.int32),
        values=np.empty(0, np.float32),
        scale=Scale(*fact["scale"]),
        user_labels=none,
        item_labels=items,
        times=np.empty(0, np.int64) if fact["timed"] else None,
        scale_inferred=staged.common.scale_inferred,
    )
