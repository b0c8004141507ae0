"""GroupedRelease: people in groups, each group with one profile that stands for all its members."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.core.arrays import (
    Codes,
    Floats,
    Integers,
    Labels,
    offsets_from,
    places_within,
)
from recloak.core.errors import InputError
from recloak.core.frames import label_series, to_polars
from recloak.core.memory import require_memory
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.releases.base import Counts, Release
from recloak.releases.manifest import Manifest
from recloak.releases.tables import read_table, write_blocks, write_table

ROWS_PER_GROUP = 8192  # a group's id times this, and a number below it, is the name of a row
BYTES_PER_CELL = 12
_CELLS_AT_ONCE = 1 << 22


@dataclass(frozen=True, repr=False)
class GroupedRelease(Release):
    """One profile for each group, and how many people share it.

    ``profiles`` has a row for each group, under its random id. ``implied`` is the value of every
    cell that is not listed, by item; without it such a cell is not rated. ``members`` (if they are
    published) are the pseudonyms of the rows, ascending, and ``group_of`` the group of each.

    As ratings, every person is a row: their group's profile, the listed cells alone.
    """

    kind: ClassVar[str] = "grouped"
    tables: ClassVar[dict[str, tuple[str, ...]]] = {
        "profiles": ("group", "item", "rating"),
        "groups": ("group", "size"),
        "items": ("item", "implied"),
        "members": ("user", "group"),
    }
    row_word: ClassVar[str] = "group"
    cells_per_block: ClassVar[int] = 2_000_000
    """About how many cells are written at a time; files do not show it."""
    profiles: Ratings
    sizes: Integers
    implied: Floats | None = None
    members: Integers | None = None
    group_of: Integers | None = None

    @cached_property
    def row_labels(self) -> Labels:
        """The names of the rows, group after group, members in a fixed order."""
        if self.members is not None and self.group_of is not None:
            return self.members[np.argsort(self.group_of, kind="stable")]
        names = np.repeat(self.profiles.user_labels * ROWS_PER_GROUP, self.sizes)
        return names + places_within(self.sizes)

    @property
    def groups(self) -> Integers:
        """The group of each of `row_labels`."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def _rows(self) -> Ratings:
        cells = self.counts.ratings
        require_memory(BYTES_PER_CELL * cells, f"{cells:,} ratings of the members of all groups")
        return self.profiles.take_users(self.groups).relabel_users(self.row_labels)

    def as_ratings(self) -> Ratings:
        return self._rows

    @property
    def counts(self) -> Counts:
        cells = int((self.profiles.user_counts * self.sizes).sum())
        return Counts(int(self.sizes.sum()), self.profiles.n_items, cells)

    @property
    def listed(self) -> Ratings:
        return self.profiles

    def further_ids(self) -> dict[str, tuple[Integers, NDArray[Any]]]:
        ids = {"group": (self.profiles.user_labels, self.sizes)}
        if self.members is not None and self.group_of is not None:
            ids["row"] = (self.members, self.group_of)
        return ids

    def first_groups(self, count: int) -> GroupedRelease:
        """So many of its groups, by their ids, with all their members."""
        part = replace(
            self,
            profiles=self.profiles.take_users(np.arange(count)),
            sizes=self.sizes[:count],
        )
        if self.members is None or self.group_of is None:
            return part
        theirs = self.group_of < count
        return replace(part, members=self.members[theirs], group_of=self.group_of[theirs])

    @property
    def group_sizes(self) -> Integers:
        return self.sizes

    def blocks(self, groups: int = 1000) -> Iterator[Ratings]:
        """The rows of `as_ratings`, so many groups at a time; never all of them in memory."""
        names, ends = self.row_labels, offsets_from(self.sizes)
        for start in range(0, len(self.sizes), groups):
            end = min(start + groups, len(self.sizes))
            rows = np.repeat(np.arange(start, end), self.sizes[start:end])
            yield self.profiles.take_users(rows).relabel_users(names[ends[start] : ends[end]])

    def write_tables(self, folder: Path, table_format: str) -> None:
        ids = self.profiles.user_labels
        write_blocks(self._listed, folder / f"profiles.{table_format}")
        write_table(
            pl.DataFrame({"group": ids, "size": self.sizes}), folder / f"groups.{table_format}"
        )
        names = {"item": label_series(self.profiles.item_labels)}
        implied = {} if self.implied is None else {"implied": self.implied}
        write_table(pl.DataFrame({**names, **implied}), folder / f"items.{table_format}")
        if self.members is not None and self.group_of is not None:
            members = pl.DataFrame({"user": self.members, "group": ids[self.group_of]})
            write_table(members, folder / f"members.{table_format}")

    def _listed(self) -> Iterator[pl.DataFrame]:
        """The cells of all profiles, group after group, so many at a time; one part at least."""
        offsets, count = self.profiles.offsets, len(self.sizes)
        marks = np.arange(self.cells_per_block, offsets[-1], self.cells_per_block)
        starts = np.unique(np.searchsorted(offsets, [0, *marks]))
        for start, end in pairwise([*starts, count]):
            part = self.profiles.take_users(np.arange(start, end))
            yield to_polars(part).rename({"user": "group"})

    @classmethod
    def read_tables(cls, folder: Path, manifest: Manifest) -> Self:
        try:
            return cls._read(folder, manifest)
        except (pl.exceptions.PolarsError, ValueError, KeyError) as problem:
            raise InputError(
                f"its groups do not fit together: {problem}",
                where=str(folder),
                hint="The release was edited or damaged.",
            ) from None

    @classmethod
    def _read(cls, folder: Path, manifest: Manifest) -> Self:
        groups, items = read_table(folder, "groups"), read_table(folder, "items")
        if not groups["size"].dtype.is_integer() or groups["size"].has_nulls():
            raise ValueError("the size of a group must be a whole number")
        ids, sizes = groups["group"].to_numpy(), groups["size"].to_numpy()
        if (np.diff(ids) <= 0).any() or (sizes < 1).any():
            raise ValueError("groups must be in the order of their ids, each with people")
        profiles = _profiles(folder, ids, items["item"], Scale.parse(manifest.scale))
        implied = items["implied"].to_numpy() if "implied" in items.columns else None
        release = cls(manifest, profiles, sizes.astype(np.int64), implied)
        if not any((folder / f"members.{ending}").exists() for ending in ("parquet", "csv")):
            return release
        members = read_table(folder, "members")
        listed = members["group"].to_numpy()
        group_of = np.searchsorted(ids, listed)
        if not np.isin(listed, ids).all() or (np.diff(members["user"].to_numpy()) <= 0).any():
            raise ValueError("members must be in the order of their names, in groups that exist")
        if not np.array_equal(np.bincount(group_of, minlength=len(ids)), sizes):
            raise ValueError("the members are not as many as the sizes of their groups")
        return replace(release, members=members["user"].to_numpy(), group_of=group_of)

    def same_tables(self, other: Release) -> bool:
        return (
            isinstance(other, GroupedRelease)
            and self.profiles.equals(other.profiles)
            and np.array_equal(self.sizes, other.sizes)
            and _same(self.implied, other.implied)
            and _same(self.members, other.members)
            and _same(self.group_of, other.group_of)
        )


def _profiles(folder: Path, ids: Integers, names: pl.Series, scale: Scale) -> Ratings:
    """The cells as they are listed, in order; also groups and items of which none is listed.

    They may be hundreds of millions, so they are read column by column and never sorted.
    """

    def listed(column: str) -> pl.Series:
        return read_table(folder, "profiles", [column])[column]

    values = listed("rating").cast(pl.Float32).to_numpy()
    if not all(scale.holds(values[part]).all() for part in _parts(len(values))):
        raise ValueError(f"a value is not on the scale {scale}")
    items = _codes(listed("item").cast(names.dtype), names)
    groups = _codes(listed("group"), pl.Series(ids))
    later = (groups[1:] > groups[:-1]) | ((groups[1:] == groups[:-1]) & (items[1:] > items[:-1]))
    if not later.all():
        raise ValueError("profiles must be in the order of their groups, then items, each once")
    counts = np.bincount(groups, minlength=len(ids))
    return Ratings(
        offsets=offsets_from(counts),
        items=items,
        values=values,
        scale=scale,
        user_labels=ids,
        item_labels=names.to_numpy() if names.dtype.is_integer() else _texts(names),
    )


def _codes(listed: pl.Series, names: pl.Series) -> Codes:
    """The place of each name among all names; part by part, since there may be very many."""
    if listed.has_nulls() or names.n_unique() < len(names):
        raise ValueError(f"a {listed.name} has no name, or two have the same")
    place, codes = _places_among(names), np.empty(len(listed), np.int32)
    for part in _parts(len(listed)):
        codes[part] = place(listed[part])
    return codes


def _parts(count: int) -> Iterator[slice]:
    """So many cells in parts: what is made of each for a while takes little memory."""
    for start in range(0, count, _CELLS_AT_ONCE):
        yield slice(start, min(start + _CELLS_AT_ONCE, count))


def _places_among(names: pl.Series) -> Callable[[pl.Series], Codes]:
    """The place of each of some names; `ValueError` for one that is not there."""
    if not names.dtype.is_integer():
        every = pl.Enum(names)
        return lambda listed: listed.cast(every).to_physical().cast(pl.Int32).to_numpy()
    known = names.to_numpy()

    def place(listed: pl.Series) -> Codes:
        asked = listed.to_numpy()
        codes = np.searchsorted(known, asked).astype(np.int32)
        if not (codes.max() < len(known) and (known[codes] == asked).all()):
            raise ValueError(f"a profile has a {listed.name} that is not listed")
        return codes

    return place


def _texts(names: pl.Series) -> Labels:
    return np.array(names.to_list(), object)


def _same(one: NDArray[np.generic] | None, two: NDArray[np.generic] | None) -> bool:
    if one is None or two is None:
        return one is two
    return np.array_equal(one, two)
