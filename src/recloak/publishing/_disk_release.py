"""The release that the disk engine makes: rows on disk, written part after part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from recloak.core.arrays import Indices, Integers, Labels
from recloak.core.errors import MachineError
from recloak.core.frames import to_polars
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.staged_ratings import RatingsElsewhere, StagedRatings
from recloak.evaluation.all_rows import AllRows
from recloak.methods import Applied, BlockMethod, Statistics, sample_of
from recloak.methods.synthetic import Synthetic
from recloak.methods.synthetic.model import SyntheticModel
from recloak.publishing._all_rows import ReaderOnDisk
from recloak.publishing._disk_rows import (
    BlockRows,
    RowsOnDisk,
    blocks_of,
    drawn_block,
    make_rows,
    refuse_other_count,
)
from recloak.publishing._groups_by_home import Grouping, HomesOnDisk, apply_to_groups
from recloak.releases.base import Counts, Release
from recloak.releases.manifest import Manifest
from recloak.releases.parts import TableParts, reads_back, write_part
from recloak.releases.ratings import RatingsRelease
from recloak.releases.secret import NoSecret, Secret
from recloak.releases.stored import StoredRatings

ByBlocks = BlockMethod | Synthetic | Grouping
"""Methods that need not have all ratings in memory."""


@dataclass(frozen=True, repr=False)
class DiskRelease(StoredRatings):
    """A release whose rows wait on disk; each part is read back as soon as it is written."""

    rows: RowsOnDisk
    progress: Progress

    @property
    def row_labels(self) -> Labels:
        return np.sort(self.rows.names)

    def write_tables(self, folder: Path, table_format: str) -> None:
        count = self.rows.parts.count
        with self.progress.task("Writing parts", count) as task:
            for at in range(count):
                path = self.rows.parts.path(folder, at)
                table = to_polars(self.rows.part(at))
                write_part(table, path)
                if not reads_back(table, path):
                    what = "what is read back differs from what was written"
                    raise MachineError(what, where=str(path))
                task.advance()

    def read_back(self, folder: Path) -> Release:
        return StoredRatings.opened(folder)


class RowsReader(Protocol):
    """Reads all rows for an audit, by the engine that keeps them."""

    def people(self) -> AllRows:
        """The people of the original."""

    def rows(self, release: StoredRatings, blank: Ratings) -> AllRows:
        """The rows of a release, in the items that ``blank`` has."""


class AppliedByBlocks(NamedTuple):
    """What a method made by blocks, and what is needed to make the rows of some people again.

    ``reader`` reads all rows, if they are rows of people each of whom may be sought.
    """

    applied: Applied
    shared: Any
    people: PeopleDraws
    reader: RowsReader | None = None


def apply_on_disk(
    recipe: ByBlocks,
    staged: StagedRatings,
    randomness: Randomness,
    folder: Path,
    progress: Progress,
) -> AppliedByBlocks:
    """As ``recipe.apply``, of ratings on disk; rows wait in ``folder``."""
    if isinstance(recipe, Synthetic):
        return _drawn_on_disk(recipe, staged, randomness, folder, progress)
    people = PeopleDraws.of(randomness, staged.user_labels)
    if isinstance(recipe, Grouping):
        homes = HomesOnDisk(staged, folder, progress)
        applied = apply_to_groups(recipe, staged, homes, people, randomness, progress)
        return AppliedByBlocks(applied, None, people)
    shared = learnt(recipe, staged, people, randomness, progress)
    blocks = blocks_of(staged, recipe, shared, people, progress)
    rows = make_rows(blocks, people, TableParts.of(staged.n_ratings), folder)
    refuse_other_count(recipe, rows.n_ratings, staged.n_ratings, "disk")
    manifest, secret = described(recipe, staged, rows, randomness)
    release = DiskRelease(manifest, folder, rows, progress)
    return AppliedByBlocks(Applied(release, secret), shared, people, ReaderOnDisk(staged))


def _drawn_on_disk(
    recipe: Synthetic,
    staged: StagedRatings,
    randomness: Randomness,
    folder: Path,
    progress: Progress,
) -> AppliedByBlocks:
    """Made-up people: learnt from block after block, and drawn a block at a time."""
    model = recipe.fit(staged, randomness, progress)
    made_up = recipe.people_to_draw(model, randomness)
    everyone = made_up.draws(0, made_up.count)
    rated = np.zeros(len(model.item_labels), np.bool_)

    def blocks() -> Iterator[BlockRows]:
        ranges = made_up.blocks()
        with progress.task("Drawing people, block after block", len(ranges)) as task:
            for start, end in ranges:
                block = drawn_block(made_up, start, end)
                rated[block.rows.items] = True
                yield block
                task.advance()

    parts = TableParts.of(int(made_up.sizes(everyone).sum()))
    rows = make_rows(blocks(), everyone, parts, folder)
    counts = Counts(made_up.count, int(rated.sum()), rows.n_ratings)
    manifest = recipe.manifest_of(rows.blank, model, randomness)
    release = DiskRelease(with_counts(manifest, counts), folder, rows, progress)
    return made_up_applied(recipe, model, release, staged, randomness)


def made_up_applied(
    recipe: Synthetic,
    model: SyntheticModel,
    release: StoredRatings,
    staged: RatingsElsewhere,
    randomness: Randomness,
) -> AppliedByBlocks:
    """What was learnt from staged ratings, and the release of whom was drawn from it."""
    named = release.manifest.release_id
    secret = NoSecret.of(named, randomness.root, staged.user_labels, model)
    people = PeopleDraws.of(randomness, staged.user_labels)
    return AppliedByBlocks(Applied(release, secret, recipe.notes_on(model)), model, people)


def with_counts(manifest: Manifest, counts: Counts) -> Manifest:
    """The manifest of a release that holds so much."""
    return manifest.model_copy(update=counts._asdict())


def learnt(
    recipe: BlockMethod,
    staged: RatingsElsewhere,
    people: PeopleDraws,
    randomness: Randomness,
    progress: Progress,
) -> Any:
    """What all parts share, from the same people as for ratings in memory."""
    statistics = Statistics(staged.scale, staged.item_support, staged.n_users, staged.n_ratings)
    return recipe.learn(statistics, _sample(recipe, staged, people), randomness, progress)


class NamedRows(Protocol):
    """What is known of all rows: their names, whose they are, and the items they began with.

    ``blank`` is a table of none of them, which says what they have in common.
    """

    @property
    def blank(self) -> Ratings: ...

    @property
    def names(self) -> Integers: ...

    @property
    def owners(self) -> Indices: ...

    @property
    def founders(self) -> Indices | None: ...


def described(
    recipe: BlockMethod, staged: RatingsElsewhere, rows: NamedRows, randomness: Randomness
) -> tuple[Manifest, Secret]:
    """The manifest and the secret of rows that are not in memory."""
    manifest = recipe.manifest(
        rows.blank, randomness, RatingsRelease.kind, recipe.times_of(rows.blank)
    )
    counts = Counts(len(rows.names), staged.n_items, staged.n_ratings)
    order = np.argsort(rows.owners, kind="stable")
    founders = None if rows.founders is None else staged.item_labels[rows.founders[order]]
    secret = Secret(
        release_id=manifest.release_id,
        root=randomness.root,
        user_labels=staged.user_labels,
        owners=rows.owners[order],
        pseudonyms=rows.names[order],
        founders=founders,
    )
    return with_counts(manifest, counts), secret


def _sample(recipe: BlockMethod, staged: RatingsElsewhere, people: PeopleDraws) -> Ratings:
    """The people whom `learn` looks at: the same as for ratings in memory."""
    if not recipe.needs_sample:
        return staged.of_people(np.empty(0, np.int64))
    return sample_of(staged, people)
