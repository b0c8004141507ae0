"""The Spark engine: ratings stay with the workers, and the driver knows names and counts.

Nothing here imports Spark until a publication asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recloak.core import memory
from recloak.core.errors import ParameterError
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.io.options import ReadOptions
from recloak.io.staging import StagedFile
from recloak.publishing._engines import memory_beside_blocks
from recloak.publishing._original import refuse_nobody
from recloak.publishing.options import PublishOptions
from recloak.publishing.spark._session import is_spark_frame, refuse_unencrypted, session

if TYPE_CHECKING:
    from recloak.publishing._disk_release import AppliedByBlocks, ByBlocks
    from recloak.publishing.spark._staged import SparkRatings

__all__ = ["SparkSource", "applied_in_spark", "is_spark_frame"]


@dataclass(frozen=True)
class SparkSource:
    """A DataFrame of Spark, or what Spark is to read, and what is said about it."""

    given: Any
    reading: ReadOptions

    @property
    def name(self) -> str:
        """What the data are called, if nobody says."""
        paths = self.paths
        return Path(str(paths[0])).name if paths else ""

    @property
    def paths(self) -> Sequence[Any]:
        """The files, or the table; none of a DataFrame."""
        if is_spark_frame(self.given):
            return ()
        one = isinstance(self.given, str | Path)
        paths = [self.given] if one else list(self.given) if isinstance(self.given, list) else []
        if not paths or not all(isinstance(path, str | Path) for path in paths):
            raise ParameterError(
                f"Spark cannot read a {type(self.given).__name__}",
                where="--engine spark",
                hint="Give a DataFrame of Spark, or the paths of files.",
            )
        return paths


@contextmanager
def applied_in_spark(
    source: SparkSource,
    recipe: ByBlocks,
    options: PublishOptions,
    folder: Path,
    progress: Progress,
) -> Iterator[tuple[StagedFile[SparkRatings], AppliedByBlocks]]:
    """What a method makes of ratings in Spark, for as long as the workers keep it.

    ``folder`` is one that driver and workers share.
    """
    paths = source.paths
    with session(source.given, options.master) as spark:
        refuse_unencrypted(spark, allowed=options.unencrypted_shuffle)
        from recloak.publishing.spark._frames import frame_of
        from recloak.publishing.spark._release import apply_in_spark
        from recloak.publishing.spark._staging import Staging
        from recloak.publishing.spark._steps import Steps

        steps = Steps(spark, progress)
        frame = frame_of(steps, paths, source.reading) if paths else source.given
        randomness = Randomness.from_seed(options.seed)
        staging = Staging(source.reading, options.exclude_users, randomness, folder, steps)
        try:
            file = staging.staged(frame)
            refuse_nobody(file.ratings.n_users)
            memory.require_memory(
                memory_beside_blocks(file.ratings, recipe, options), "the driver of Spark"
            )
            made = apply_in_spark(recipe, file.ratings, randomness, progress)
            yield file, made
        finally:
            steps.forget()
