"""Staging in Spark: a DataFrame in any order becomes blocks of people, checked in one pass."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from recloak.core.arrays import Integers, Labels
from recloak.core.errors import InputError, ParameterError
from recloak.core.files import machine_errors
from recloak.core.randomness import Randomness
from recloak.core.scale import IMPLICIT, Scale
from recloak.core.staged_ratings.staging import inferred_scale
from recloak.io.options import ReadOptions
from recloak.io.staging import StagedFile, not_rated_note, unit_of_times, zeros_notes
from recloak.io.typed_columns import TypedColumns
from recloak.publishing.spark import _bucket_task, _reading_task
from recloak.publishing.spark._block_task import SUPPORT_SCHEMA, Common, support_of_items
from recloak.publishing.spark._bucket_task import BucketTask
from recloak.publishing.spark._collected import COLUMNS, FRAME, CollectedBuckets
from recloak.publishing.spark._frames import refuse_ambiguous, schema_of, whole_ids
from recloak.publishing.spark._reading_task import ReadingTask
from recloak.publishing.spark._staged import SparkRatings, each_row
from recloak.publishing.spark._steps import Steps
from recloak.publishing.spark._text_files import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Staging:
    """Puts the ratings of a DataFrame into buckets of people that the workers keep."""

    options: ReadOptions
    excluded: Sequence[Any]
    randomness: Randomness
    folder: Path
    steps: Steps
    ratings_per_bucket: ClassVar[int] = 1 << 20
    most_buckets: ClassVar[int] = 1 << 11
    """Of very many ratings buckets are larger instead, or blobs would be too small."""

    def staged(self, frame: DataFrame) -> StagedFile[SparkRatings]:
        """The ratings, and what was noticed on the way; `InputError` for what cannot be used."""
        columns = self._columns(frame)
        with self.steps.step("Counting ratings"):
            picked = frame.select(*(quoted(name) for name in columns.roles.values()))
            picked = whole_ids(picked, [columns.roles["user"], columns.roles["item"]])
            picked = picked.toDF(*columns.roles)  # Spark fails at names with points later on
            count = picked.count()
        if count == 0:
            raise InputError("there are no ratings", where=FRAME)
        buckets = max(1, min(-(-count // self.ratings_per_bucket), self.most_buckets))
        with self.steps.step("Staging ratings by person"):
            kept = self._buckets(picked, columns, buckets)
            rows = list(each_row(kept.select(*COLUMNS).toArrow()))
        found = CollectedBuckets(rows)
        found.refuse_bad(self._scale(columns), self.excluded)
        found.refuse_other_count(count)
        return self._known(kept, found, columns)

    def _columns(self, frame: DataFrame) -> TypedColumns:
        self.options.refuse("Spark", "id_column", "issues")
        if self.options.most_rated is not None:
            raise ParameterError(
                "needs all ratings in memory", where="--most-rated", hint="Use --engine memory."
            )
        try:
            columns = TypedColumns.of(schema_of(frame), self.options)
        except InputError as problem:
            raise InputError(problem.what, where=FRAME, hint=problem.hint) from None
        refuse_ambiguous(frame, columns.roles.values())
        if self.options.duplicates == "last" and "time" not in columns.roles:
            raise ParameterError(
                "a DataFrame has no order, so without times no rating is the last",
                where="--duplicates last",
                hint="Use mean or max, or remove repeated pairs first.",
            )
        return columns

    def _buckets(self, picked: DataFrame, columns: TypedColumns, buckets: int) -> DataFrame:
        """A row for each bucket; once made, none is made again unless a worker is lost."""
        reading = ReadingTask(
            columns=columns,
            scale=self._scale(columns),
            not_rated=self.options.not_rated,
            buckets=buckets,
            key=self.randomness.child("buckets").root,
            shared_file=self._shared_file(),
        )
        bucket = BucketTask(
            explicit="rating" in columns.roles,
            timed="time" in columns.roles,
            duplicates=self.options.duplicates or "error",
            excluded=frozenset(str(name) for name in self.excluded),
        )
        blobs = picked.mapInArrow(reading.run, _reading_task.SCHEMA)
        moved = blobs.repartitionById(buckets, "bucket")
        return self.steps.kept(moved.mapInArrow(bucket.run, _bucket_task.SCHEMA))

    def _scale(self, columns: TypedColumns) -> Scale | None:
        given = self.options.scale or columns.written.scale
        return Scale.parse(given) if isinstance(given, str) else given

    def _shared_file(self) -> Path:
        path = self.folder.absolute() / f"seen-{secrets.token_hex(8)}"
        with machine_errors(path):
            path.touch()
        return path

    def _known(
        self, kept: DataFrame, found: CollectedBuckets, columns: TypedColumns
    ) -> StagedFile[SparkRatings]:
        """What is known of all, with which nothing is wrong."""
        declared = self._scale(columns)
        explicit, people, levels = "rating" in columns.roles, found.people, found.levels
        unit, in_seconds = unit_of_times(found.latest, dated=columns.dated)
        items, support = self._support(kept)
        common = Common(
            item_labels=items,
            scale=declared or (inferred_scale(levels) if explicit else IMPLICIT),
            scale_inferred=declared is None,
            time_unit=unit,
            digests=found.digests,
        )
        ratings = SparkRatings(kept, common, people, support, "time" in columns.roles, self.steps)
        notes = [*columns.notes, *not_rated_note(found.not_rated, self.options.not_rated or 0)]
        notes += in_seconds
        if merged := found.total("repeated"):
            notes.append(f"{merged:,} repeated pairs merged by {self.options.duplicates}.")
        if self.options.not_rated is None and declared is None:
            notes += zeros_notes(ratings, levels, found.total("zeros"))
        left = columns.columns
        return StagedFile(ratings, left.dropped, left.personal, tuple(notes))

    def _support(self, kept: DataFrame) -> tuple[Labels, Integers]:
        """All items in the order of their names, and how often each was rated."""
        from pyspark.sql import functions

        with self.steps.step("Counting items"):
            counted = kept.select("items").mapInArrow(support_of_items, SUPPORT_SCHEMA)
            summed = counted.groupBy("number", "text").agg(functions.sum("count").alias("count"))
            table = summed.toArrow()
        column = table["number"] if table["text"].null_count else table["text"]
        labels = np.array(column.to_pylist(), dtype=object if table["number"].null_count else None)
        order = np.argsort(labels, kind="stable")
        return labels[order], table["count"].to_numpy()[order]
