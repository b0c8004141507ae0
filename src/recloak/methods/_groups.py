"""What methods share that publish one profile for each group of people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from recloak.core.arrays import (
    Codes,
    Floats,
    Integers,
    Mask,
    Offsets,
    Values,
    offsets_from,
    places_within,
)
from recloak.core.errors import InputError
from recloak.core.parameters import Parameters
from recloak.core.people_draws import PeopleDraws
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.core.staged_ratings import RatingsElsewhere
from recloak.methods.base import Applied, Method
from recloak.releases.grouped import ROWS_PER_GROUP, GroupedRelease
from recloak.releases.secret import Secret


class GroupParameters(Parameters):
    """Parameters of every method that publishes groups."""

    k: int = Field(default=5, ge=2)
    """Everyone shares a profile with at least k − 1 others."""

    publish: Literal["sizes", "members"] = "sizes"
    """Beside the profiles: how many people each group has, or a pseudonym for every member."""

    floor: int = Field(default=0, ge=0)
    """Least number of members who must have rated an item for the profile to tell of it; 0 and 1
    tell of every rating, and a cell that one member rated can then be read back."""

    grid: float | None = Field(default=0.0, ge=0, le=1e6)
    """Round all values of profiles to one grid of this step, so that a value does not tell how
    many people it is the mean of; 0 publishes them as they are."""


class GroupProfiles(NamedTuple):
    """Sparse profiles: a row for each group; cells that are left out are implied."""

    offsets: Offsets
    items: Codes
    values: Values


class HomeGroups(NamedTuple):
    """Groups that were made of some people alone: the label of each, and a profile for each label.

    Labels count from 0.
    """

    labels: Integers
    profiles: GroupProfiles


def joined_profiles(parts: Sequence[GroupProfiles]) -> GroupProfiles:
    """Profiles one after the other."""
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    return GroupProfiles(
        offsets_from(counts),
        np.concatenate([part.items for part in parts]),
        np.concatenate([part.values for part in parts]),
    )


def most_ratings_of_groups(ratings: Ratings, k: int) -> int:
    """As ratings everyone has all that any of their group rated; groups have up to 2k members."""
    return min(2 * k * ratings.n_ratings, ratings.n_users * ratings.n_items)


def refuse_without_values(ratings: Ratings | RatingsElsewhere, method: str) -> None:
    """Means need something to average."""
    if ratings.scale.implicit:
        raise InputError(
            "these data have no values to average",
            where=f"method {method}",
            hint="Choose a method for implicit data, such as fragmentation.",
        )


def refuse_impossible(ratings: Ratings | RatingsElsewhere, given: GroupParameters) -> None:
    """Groups that cannot be made, and floors that nobody reaches, are refused with the numbers."""
    if ratings.n_users < given.k:
        raise InputError(
            f"{ratings.n_users:,} people cannot make a group of k = {given.k:,}",
            where="--k",
            hint="Ask for a smaller k; it can be no more than the number of people.",
        )
    if given.publish == "sizes" and given.k > ROWS_PER_GROUP:
        raise _too_many_members(given.k)
    if given.grid is not None and given.grid > ratings.scale.span > 0:
        raise InputError(
            f"a grid of {given.grid:g} leaves a single value on the scale {ratings.scale}",
            where="--grid",
            hint="Half a step of the scale is usual.",
        )
    if given.floor > given.k:
        raise InputError(
            f"a floor of {given.floor} raters is more than a group of k = {given.k} has members",
            where="--floor",
            hint="The floor can be no more than k.",
        )


def _too_many_members(members: int) -> InputError:
    return InputError(
        f"a group has {members:,} members, more than {ROWS_PER_GROUP:,}",
        where="--publish sizes",
        hint="Publish members, or ask for a smaller k.",
    )


def on_grid(values: Floats, scale: Scale, grid: float) -> Values:
    """Values as they are published: on the grid, which starts at the low end of the scale."""
    if grid > 0:
        values = scale.low + grid * np.rint((values - scale.low) / grid)
        values = np.clip(values, scale.low, scale.high)
    return (values + 0.0).astype(np.float32)


def published_scale(scale: Scale, values: Values, grid: float) -> Scale:
    """The scale of profiles: the original's range in steps of the grid, or without steps.

    Means that were not clipped may lie outside; the range then grows to hold them. A grid that is
    too fine for single precision is none.
    """
    low = min(scale.low, float(values.min())) if len(values) else scale.low
    high = max(scale.high, float(values.max())) if len(values) else scale.high
    whole = grid > 0 and abs(round(scale.span / grid) * grid - scale.span) < 1e-9
    stepped = Scale(low, high, grid if whole else None)
    return stepped if stepped.holds(values).all() else Scale(low, high, None)


def grouped(
    method: Method,
    ratings: Ratings | RatingsElsewhere,
    labels: Integers,
    profiles: GroupProfiles,
    implied: Floats | None,
    scale: Scale,
    publish: str,
    drawn: Randomness,
) -> Applied:
    """The release of a partition, groups in the order of their random ids, and its secret."""
    sizes = np.bincount(labels)
    people = PeopleDraws.of(drawn, ratings.user_labels)
    first = np.unique(labels, return_index=True)[1]  # a group draws as its first member
    ids = people[first].one_pseudonym("groups")
    order = np.argsort(ids)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    table = Ratings(
        offsets=profiles.offsets,
        items=profiles.items,
        values=profiles.values,
        scale=scale,
        user_labels=np.arange(len(sizes)),
        item_labels=ratings.item_labels,
    ).relabel_users(ids)
    names = _names(labels, ids, publish, people)
    members = np.sort(names) if publish == "members" else None
    group_of = place[labels][np.argsort(names)] if publish == "members" else None
    manifest = method.manifest(table, drawn, GroupedRelease.kind)
    counts = {"rows": len(labels), "ratings": int((table.user_counts * sizes[order]).sum())}
    release = GroupedRelease(
        manifest.model_copy(update=counts), table, sizes[order], implied, members, group_of
    )
    secret = Secret(
        release_id=manifest.release_id,
        root=drawn.root,
        user_labels=ratings.user_labels,
        owners=np.arange(len(labels)),
        pseudonyms=names,
    )
    return Applied(release, secret)


def _names(labels: Integers, ids: Integers, publish: str, people: PeopleDraws) -> Integers:
    """The name of each person's row: a pseudonym, or the number of a row in their group."""
    if publish == "members":
        return people.one_pseudonym("pseudonyms")
    sizes = np.bincount(labels)
    if sizes.max() > ROWS_PER_GROUP:
        raise _too_many_members(int(sizes.max()))
    order = people.order("places")
    by_group = order[np.argsort(labels[order], kind="stable")]
    within = np.empty(len(labels), dtype=np.int64)
    within[by_group] = places_within(sizes)
    return ids[labels] * ROWS_PER_GROUP + within


def without_cells(profiles: GroupProfiles, kept: Mask) -> GroupProfiles:
    """The profiles with only some of their cells."""
    counts = offsets_from(kept)
    return GroupProfiles(counts[profiles.offsets], profiles.items[kept], profiles.values[kept])
