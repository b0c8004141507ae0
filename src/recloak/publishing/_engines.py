"""Engines: where ratings are while a release is made: in memory, on disk, or in Spark."""

from __future__ import annotations

from typing import Literal, NamedTuple

from recloak.core import memory
from recloak.core.errors import ParameterError
from recloak.core.parallel import thread_count
from recloak.core.staged_ratings import RatingsElsewhere, StagedRatings
from recloak.methods import SAMPLE_RATINGS, BlockMethod, Method, TableMethod
from recloak.methods.predictive import Predictive
from recloak.methods.synthetic import Synthetic
from recloak.publishing import _all_rows
from recloak.publishing._disk_audit import SampledPeople
from recloak.publishing._disk_release import ByBlocks
from recloak.publishing._groups_by_home import Grouping
from recloak.publishing.options import PublishOptions
from recloak.releases.parts import TableParts

# The most that is held beside the original while a release is made, as measured at 100M ratings.
BYTES_PER_RATING = {"published": 60, "audited": 90}
ON_DISK = 60  # bytes of a rating in the block, part or sample that the disk engine holds
SUMS_OF_ITEM = 6_000  # bytes of what is added up for an item, to learn what people like together
GROUPED = 40  # bytes of a rating in profiles, which are in memory, while they are written
OF_SAMPLE = 160  # bytes of a rating that an audit looks at: with a rehearsal, and what is learnt
BESIDE = 65  # the same for each further evaluation that runs at the same time
PROGRAM = 350 * 2**20  # bytes of all attacks and measures themselves, and of their kernels
EXPORTED = 30  # bytes of a rating in a frame that is written into a database
BYTES_OF_PLACE = 144  # where a person lies among those whom `predictive` compares
BYTES_PER_PERSON = 100  # names, draws and counts, which are always in memory


class Engine(NamedTuple):
    """The engine in use, and a note for the user if nobody asked for it."""

    name: Literal["memory", "disk", "spark"]
    note: str | None = None


def bytes_in_memory(n_ratings: int, *, audited: bool) -> int:
    """What a publication in memory needs beside the ratings."""
    return BYTES_PER_RATING["audited" if audited else "published"] * n_ratings


def memory_of_disk_engine(staged: StagedRatings, recipe: ByBlocks, options: PublishOptions) -> int:
    """The most that the disk engine holds at a time: names, and a block, a part or a sample."""
    largest = max(staged.largest_block, min(staged.n_ratings, TableParts.ratings_per_part))
    return memory_beside_blocks(staged, recipe, options, largest)


def memory_beside_blocks(
    staged: RatingsElsewhere, recipe: ByBlocks, options: PublishOptions, largest: int = 0
) -> int:
    """The same where no block is larger: that of a driver of Spark, which holds none at all."""
    read = largest
    if isinstance(recipe, BlockMethod) and recipe.needs_sample:
        largest = max(largest, min(staged.n_ratings, SAMPLE_RATINGS))
    held = ON_DISK * largest
    if isinstance(recipe, Grouping):
        held = GROUPED * staged.n_ratings + ON_DISK * min(staged.n_ratings, SAMPLE_RATINGS)
    if isinstance(recipe, Predictive):
        held += BYTES_OF_PLACE * staged.n_users
    if isinstance(recipe, Synthetic):
        held += (thread_count() + 1) * SUMS_OF_ITEM * staged.n_items
    if options.export is not None:
        held = max(held, EXPORTED * staged.n_ratings)  # the whole table, as a frame
    if options.audited:
        held = max(held, _memory_of_audit(staged.n_ratings, read))
    return held + BYTES_PER_PERSON * staged.n_users


def _memory_of_audit(n_ratings: int, largest: int) -> int:
    """What an audit holds: a sample of people, and beside it some of all rows where these are read.

    ``largest`` is the largest block or part that is read here.
    """
    looked_at = min(n_ratings, SampledPeople.most_ratings)
    if n_ratings <= SampledPeople.most_ratings:  # then evaluations run side by side
        return PROGRAM + (OF_SAMPLE + (thread_count() - 1) * BESIDE) * looked_at
    scanned = thread_count() * _all_rows.RATINGS_AT_A_TIME * _all_rows.BYTES_PER_RATING
    return PROGRAM + OF_SAMPLE * looked_at + ON_DISK * largest + scanned


def engine_for(
    wanted: str, recipe: Method, n_ratings: int, needed: float, table_format: str
) -> Engine:
    """The engine for about so many ratings, which need so many bytes in memory.

    One that was asked for and cannot do it is a `ParameterError`, before any work.
    """
    reason = why_not_on_disk(recipe, table_format)
    if wanted in ("disk", "spark") and reason:
        raise ParameterError(
            f"the {wanted} engine cannot do this: {reason}",
            where=f"--engine {wanted}",
            hint="Use --engine memory, or one of pseudonymize, gaussian-noise, uniform-noise, "
            "fragmentation, synthetic, predictive and microaggregation --clustering binned, which "
            "need not see all people at once.",
        )
    if wanted == "spark":
        return Engine("spark")
    if wanted != "auto":
        return Engine("disk" if wanted == "disk" else "memory")
    free = memory.available()
    if needed <= free or reason:
        return Engine("memory")
    return Engine(
        "disk",
        f"The disk engine was used: about {n_ratings:,} ratings need "
        f"{memory.needed_text(needed)} in memory, and {memory.free_text(free)} are free. The "
        "release is the same.",
    )


def why_not_on_disk(recipe: Method, table_format: str) -> str | None:
    """Why a method, or what is asked of it, needs all ratings in memory; None if it does not."""
    if isinstance(recipe, BlockMethod) and type(recipe).names is not TableMethod.names:
        return f"the method {recipe.name} gives rows names of its own"
    if table_format != "parquet":
        return "a CSV table is written as a whole"
    return recipe.why_not_by_blocks()
