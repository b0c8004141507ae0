"""Ratings: who rated what, and how; immutable, sparse, sorted by user, then item."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import (
    Codes,
    Integers,
    Labels,
    Mask,
    Offsets,
    Values,
    code_by_name,
    offsets_from,
)
from recloak.core.columns import Duplicates
from recloak.core.errors import InputError
from recloak.core.kernels.layout import expand, transpose
from recloak.core.scale import Scale

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from scipy import sparse


class ItemView(NamedTuple):
    """The same ratings by item: users ascend within each item."""

    offsets: Offsets
    users: Codes
    values: Values


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """Users × items, sparse, with a scale and optional times. Immutable.

    ``offsets[u]:offsets[u + 1]`` is the row of user ``u`` in ``items``, ``values`` and ``times``
    (seconds since 1970). Codes count from 0; ``user_labels`` and ``item_labels`` give the names.
    ``scale_inferred`` says that the scale was not declared but follows from the values.
    Build one with `from_frame`, `from_columns` or ``recloak.read``.

    Examples
    --------
    >>> from recloak import Ratings
    >>> ratings = Ratings.from_columns(["ann", "ann", "bob"], ["a", "b", "b"], [5, 3, 4])
    >>> ratings
    Ratings(3 ratings of 2 items by 2 users, scale 3..5, density 75.000%)
    >>> ratings.item_support
    array([1, 2])
    """

    offsets: Offsets
    items: Codes
    values: Values
    scale: Scale
    user_labels: Labels
    item_labels: Labels
    times: Integers | None = None
    scale_inferred: bool = False

    def __post_init__(self) -> None:
        labels = (self.user_labels, self.item_labels)
        for array in (self.offsets, self.items, self.values, self.times, *labels):
            if array is not None:
                array.setflags(write=False)

    # -- construction -----------------------------------------------------------------------

    @classmethod
    def from_columns(
        cls,
        users: Any,
        items: Any,
        values: Any = None,
        times: Any = None,
        *,
        scale: Scale | str | None = None,
        duplicates: Duplicates = "error",
    ) -> Ratings:
        """Ratings from columns of equal length.

        Parameters
        ----------
        users, items
            Labels, as whole numbers or text.
        values
            Numbers; without them the data are implicit.
        times
            Whole seconds since 1970.
        scale
            A `Scale` or its written form; without it, it is inferred from the values.
        duplicates
            What becomes of a pair that occurs twice: ``error`` refuses it, ``last`` keeps the
            latest, ``mean`` and ``max`` merge the values.

        Raises
        ------
        InputError
            For missing ids, columns of different lengths, values that are no numbers or not on
            the scale, and repeated pairs.

        Examples
        --------
        >>> from recloak import Ratings
        >>> Ratings.from_columns([1, 1], [7, 7], [2, 4], duplicates="mean").values.tolist()
        [3.0]
        """
        from recloak.core import building  # needs Polars, which help does without

        return building.build(cls, users, items, values, times, scale=scale, duplicates=duplicates)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        columns: dict[str, str] | None = None,
        scale: Scale | str | None = None,
        duplicates: Duplicates = "error",
    ) -> Ratings:
        """From a Polars, pandas or Arrow table.

        Columns are found by their usual names (user, userId, item, movieId, rating, timestamp, …);
        ``columns`` maps user, item, rating or time to other names. Further columns are left behind.
        ``scale`` and ``duplicates`` are as by `from_columns`.

        Raises
        ------
        InputError
            A column is missing, or its content is refused by `from_columns`.

        Examples
        --------
        >>> import polars as pl
        >>> from recloak import Ratings
        >>> frame = pl.DataFrame({"userId": [1, 2], "film": ["a", "a"], "rating": [4.0, 5.0]})
        >>> Ratings.from_frame(frame, columns={"item": "film"}).n_ratings
        2
        """
        from recloak.core import frames

        picked = frames.rating_columns(frame, columns or {}, implicit=str(scale) == "implicit")
        return cls.from_columns(*picked, scale=scale, duplicates=duplicates)

    # -- shape ------------------------------------------------------------------------------

    @property
    def n_users(self) -> int:
        return len(self.user_labels)

    @property
    def n_items(self) -> int:
        return len(self.item_labels)

    @property
    def n_ratings(self) -> int:
        return len(self.items)

    @property
    def density(self) -> float:
        """The share of all users × items cells that hold a rating."""
        cells = self.n_users * self.n_items
        return self.n_ratings / cells if cells else 0.0

    @cached_property
    def user_counts(self) -> Integers:
        """How many items each user rated."""
        return np.diff(self.offsets)

    @cached_property
    def item_support(self) -> Integers:
        """How many users rated each item."""
        return np.bincount(self.items, minlength=self.n_items).astype(np.int64)

    @cached_property
    def by_item(self) -> ItemView:
        """The item view; made once, when first needed."""
        return ItemView(*transpose(self.offsets, self.items, self.values, self.n_items))

    def user_codes(self) -> Codes:
        """The user code of each rating."""
        return expand(self.offsets)

    def row(self, user: int) -> tuple[Codes, Values]:
        """Items and values of one user code."""
        here = slice(self.offsets[user], self.offsets[user + 1])
        return self.items[here], self.values[here]

    # -- derived ratings --------------------------------------------------------------------

    def with_values(self, values: Values, scale: Scale | None = None) -> Ratings:
        """The same cells with other values, one for each rating; `ValueError` otherwise.

        Examples
        --------
        >>> from recloak import Ratings, Scale
        >>> ratings = Ratings.from_columns([1, 2], [7, 7], [2, 4], scale="1..5")
        >>> ratings.with_values(6 - ratings.values).values.tolist()
        [4.0, 2.0]
        """
        if len(values) != self.n_ratings:
            raise ValueError("one value per rating is needed")
        changed = np.ascontiguousarray(values, dtype=np.float32)
        inferred = self.scale_inferred and scale is None
        return replace(self, values=changed, scale=scale or self.scale, scale_inferred=inferred)

    def without_times(self) -> Ratings:
        """The same ratings, their times forgotten."""
        return replace(self, times=None)

    def keep(self, mask: Mask) -> Ratings:
        """Only the ratings under ``mask``; all users and items keep their codes.

        Examples
        --------
        >>> from recloak import Ratings
        >>> ratings = Ratings.from_columns([1, 1, 2], [7, 8, 8], [5, 3, 4])
        >>> ratings.keep(ratings.values > 3).user_counts.tolist()
        [1, 1]
        """
        kept_before = offsets_from(mask)
        return replace(
            self,
            offsets=kept_before[self.offsets],
            items=self.items[mask],
            values=self.values[mask],
            times=None if self.times is None else self.times[mask],
        )

    def take_users(self, codes: NDArray[np.integer[Any]]) -> Ratings:
        """The rows of ``codes``, in that order; items keep their codes."""
        counts = self.user_counts[codes]
        offsets = offsets_from(counts)
        picked = np.repeat(self.offsets[:-1][codes] - offsets[:-1], counts)
        picked += np.arange(offsets[-1])  # in its place: there may be very many
        return replace(
            self,
            offsets=offsets,
            items=self.items[picked],
            values=self.values[picked],
            user_labels=self.user_labels[codes],
            times=None if self.times is None else self.times[picked],
        )

    def relabel_users(self, labels: Labels) -> Ratings:
        """Give every user a new name; rows are put in the order of the new names."""
        order = np.argsort(labels, kind="stable")
        return replace(self.take_users(order), user_labels=labels[order])

    def without_users(self, labels: Iterable[Any]) -> Ratings:
        """Leave out the users called ``labels``; an unknown name is an `InputError`.

        Examples
        --------
        >>> from recloak import Ratings
        >>> ratings = Ratings.from_columns(["ann", "bob"], ["a", "b"], [5, 3])
        >>> ratings.without_users(["bob"]).user_labels.tolist()
        ['ann']
        """
        gone = self.codes_of_users(labels)
        kept = self.take_users(np.setdiff1d(np.arange(self.n_users), gone)).compact()
        if not self.scale_inferred or self.scale.implicit:
            return kept
        return replace(kept, scale=Scale.infer(kept.values))  # theirs alone must not show in it

    def compact(self) -> Ratings:
        """Forget users and items without any rating."""
        used = self.item_support > 0
        present = self.user_counts > 0
        recoded = np.cumsum(used, dtype=np.int32) - np.int32(1)
        kept_ends = self.offsets[1:][present]
        return replace(
            self,
            offsets=np.concatenate([np.zeros(1, np.int64), kept_ends]),
            items=recoded[self.items].astype(np.int32),
            user_labels=self.user_labels[present],
            item_labels=self.item_labels[used],
        )

    # -- names ------------------------------------------------------------------------------

    @cached_property
    def _user_code_by_name(self) -> dict[str, int]:
        return code_by_name(self.user_labels)

    def codes_of_users(self, labels: Iterable[Any]) -> Integers:
        """Codes of the users called ``labels``; numbers and their text are the same name.

        Raises `InputError` for a name that nobody has.

        Examples
        --------
        >>> from recloak import Ratings
        >>> Ratings.from_columns(["ann", "bob"], ["a", "a"]).codes_of_users(["bob"])
        array([1])

        """
        names = [str(label) for label in labels]
        unknown = [name for name in names if name not in self._user_code_by_name]
        if unknown:
            raise InputError(
                f"{len(unknown)} of {len(names)} users are not in the data, first '{unknown[0]}'",
                hint="Check that the ids are those of the ratings file, one on each line.",
            )
        return np.array([self._user_code_by_name[name] for name in names], dtype=np.int64)

    # -- leaving ----------------------------------------------------------------------------

    def to_polars(self) -> pl.DataFrame:
        """A Polars frame with the columns user, item, rating (and time)."""
        from recloak.core import frames

        return frames.to_polars(self)

    def to_pandas(self) -> pd.DataFrame:
        """A pandas frame with the columns user, item, rating (and time)."""
        from recloak.core import frames

        return frames.to_pandas(self)

    def to_csr(self) -> sparse.csr_array:
        """A SciPy matrix over the same memory; a rating of 0 stays an explicit zero."""
        from recloak.core import frames

        return frames.to_csr(self)

    def equals(self, other: Ratings) -> bool:
        """Same names, cells, values, times and scale?"""
        times_equal = (self.times is None) == (other.times is None)
        if times_equal and self.times is not None and other.times is not None:
            times_equal = np.array_equal(self.times, other.times)
        return (
            times_equal
            and self.scale == other.scale
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.items, other.items)
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.user_labels, other.user_labels)
            and np.array_equal(self.item_labels, other.item_labels)
        )

    def __len__(self) -> int:
        return self.n_ratings

    def __repr__(self) -> str:
        timed = ", with times" if self.times is not None else ""
        return (
            f"Ratings({self.n_ratings:,} ratings of {self.n_items:,} items by {self.n_users:,} "
            f"users, scale {self.scale}, density {self.density:.3%}{timed})"
        )

    def _repr_html_(self) -> str:
        from recloak.core import frames

        return frames.to_html(self)
