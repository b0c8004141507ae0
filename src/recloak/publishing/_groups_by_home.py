"""Groups by home: who shares a profile is decided home by home, wherever the ratings are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recloak.clustering.binned import BinPlan
from recloak.core.arrays import Codes, Indices, Integers
from recloak.core.parallel import in_threads
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.staged_ratings import PeopleBlock, RatingsElsewhere, StagedRatings
from recloak.core.staged_ratings.staging import BUCKETS
from recloak.methods import Applied, GroupProfiles, HomeGroups, joined_profiles
from recloak.methods.microaggregation import Microaggregation
from recloak.publishing._regrouping import regrouped


class FoundHome(NamedTuple):
    """The people of a home (codes), and their groups."""

    people: Indices
    groups: HomeGroups


def applied_to_homes(
    recipe: Microaggregation,
    staged: RatingsElsewhere,
    plan: BinPlan,
    homes: Iterable[FoundHome],
    randomness: Randomness,
) -> Applied:
    """The release and the secret of groups that were found home by home; profiles are in memory."""
    labels, profiles = _joined(homes, staged.n_users)
    return recipe.grouped(staged, labels, profiles, plan.space.base, randomness)


def _joined(homes: Iterable[FoundHome], n_users: int) -> tuple[Integers, GroupProfiles]:
    """The group of each person, and the profiles of all groups."""
    labels, groups = np.full(n_users, -1, np.int64), 0
    parts: list[GroupProfiles] = []
    for people, found in homes:
        labels[people] = groups + found.labels
        groups += len(found.profiles.offsets) - 1
        parts.append(found.profiles)
    if (labels < 0).any():
        raise RuntimeError("somebody has no home")
    return labels, joined_profiles(parts)


def homes_on_disk(
    recipe: Microaggregation,
    staged: StagedRatings,
    plan: BinPlan,
    folder: Path,
    progress: Progress,
) -> Iterator[FoundHome]:
    """The groups of home after home, whose people are put together on disk first."""
    home = np.empty(staged.n_users, np.int32)
    with progress.task("Seeking the home of everyone", len(staged.files)) as task:
        for block in staged.blocks():
            home[block.people] = recipe.homes(block.ratings, plan)
            task.advance()
    count = int(home.max()) + 1
    together = home.astype(np.int64) * min(count, BUCKETS) // count
    blocks = regrouped(staged, together, folder / "homes", progress)
    with progress.task("Grouping people, home by home", count) as task:
        for block in blocks.blocks():
            here = _split(block, home[block.people])

            def grouped(at: int, _: int, here: list[PeopleBlock] = here) -> FoundHome:
                people, ratings = here[at]
                return FoundHome(people, recipe.groups_of_home(ratings, plan))

            yield from in_threads(grouped, [(at, at + 1) for at in range(len(here))], task)


def _split(block: PeopleBlock, home: Codes) -> list[PeopleBlock]:
    """The block, home by home."""
    places = [np.flatnonzero(home == one) for one in np.unique(home)]
    return [PeopleBlock(block.people[here], block.ratings.take_users(here)) for here in places]
