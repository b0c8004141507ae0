"""Posterior over rows: how well each row of a release explains what is known of a person.

The likelihood is learnt. The adversary makes a release of people whom they know by the same method,
and counts what people's own rows say of the items that they rated: how often these are listed, and
in which state (the published value, in bins) a rating of each level appears. A row is weighted by
how much more likely it says what it says if it is the person's own than if it is anybody's; a
short row that lists what is known explains it better than a long one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.special import gammaln

from recloak.attacks._cell_levels import CellLevels, TaughtCells
from recloak.attacks._every_cell import likely_ratings
from recloak.attacks._row_posterior_kernels import best_rows, count_own_cells
from recloak.core.arrays import Codes, Floats, Indices, Integers, Offsets, Values
from recloak.core.parallel import in_threads
from recloak.core.progress import Task
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.evaluation.control_group import ControlGroup
from recloak.evaluation.published_cells import PublishedCells

MOST_STATES = 24
MOST_LEVELS = 20
FAME_CLASSES = 6
MOST_TEACHERS = 1000
TOP_ROWS = 24
PEOPLE_PER_BLOCK = 128
LENGTH_CLASSES = 24
PRIOR_RATINGS = 20.0  # ratings of items of any fame, added to those of each fame class
PRIOR_CELLS = 5.0  # cells like all others, added to those of each item


def levels_of(values: Values, scale: Scale) -> Codes:
    """The level of each rating, from 0; a continuous scale is cut into `MOST_LEVELS` parts."""
    step = _step(scale)
    if step <= 0:
        return np.zeros(len(values), np.int32)
    found = np.rint((values - scale.low) / step)
    return np.asarray(np.clip(found, 0, level_count(scale) - 1), np.int32)


def level_count(scale: Scale) -> int:
    """How many levels there are."""
    step = _step(scale)
    return 1 if step <= 0 else round(scale.span / step) + 1


def _step(scale: Scale) -> float:
    if scale.implicit or scale.span == 0:
        return 0.0
    step = scale.step or 0.0
    return step if step * MOST_LEVELS >= scale.span else scale.span / MOST_LEVELS


@dataclass(frozen=True, eq=False)
class CellStates:
    """The published values as so many states of a cell."""

    limits: Floats

    @classmethod
    def of(cls, values: Values) -> CellStates:
        """A state for each value if they are few, else for each of equal shares of all cells."""
        distinct = np.unique(values)
        if len(distinct) > MOST_STATES:
            shares = np.linspace(0, 1, MOST_STATES)[1:-1]
            distinct = np.unique(np.quantile(values, shares, method="lower"))
            return cls(distinct.astype(np.float64))
        return cls((distinct[1:].astype(np.float64) + distinct[:-1]) / 2)

    def __len__(self) -> int:
        return len(self.limits) + 1

    def codes(self, values: Values) -> Codes:
        return np.searchsorted(self.limits, values).astype(np.int32)


@dataclass(frozen=True, eq=False)
class LearntCells:
    """What cells of a person's own row tell, in shares.

    ``by_level[v, s]`` is how often a listed rating of level ``v`` shows state ``s``;
    ``listed[f, l]`` how often a rating of an item of fame class ``f`` is listed in a row of length
    class ``l``: where a person's ratings stand in several rows, a long one has more of them.
    ``honest[f, s]`` is how often the person rated what their row lists so.
    """

    by_level: Floats
    listed: Floats
    honest: Floats


@dataclass(frozen=True, eq=False)
class RowPosteriors:
    """For each person the best rows (-1 for none), best first, and what speaks for them.

    ``scores`` are log-weights, ``held`` how many known items a row lists, ``value_gain`` the part
    of the score that comes from values; ``total`` is the log of the sum of all weights,
    ``complete`` how many rows list all that is known.
    """

    rows: Indices
    scores: Floats
    held: Integers
    value_gain: Floats
    total: Floats
    complete: Floats


@dataclass(frozen=True, eq=False)
class AttackedRows:
    """The rows of a control group's release, and what the adversary learnt about them.

    ``teachers`` are the people from whom it was learnt. ``levels`` and ``rated`` are how often each
    level is given, and each item rated, by people in general: that is no secret.
    """

    rows: Ratings
    states: CellStates
    fame: Codes
    row_class: Codes
    teachers: Indices
    learnt: LearntCells
    levels: Floats
    rated: Floats
    taught: TaughtCells

    @classmethod
    def of(cls, group: ControlGroup, rng: np.random.Generator) -> AttackedRows:
        """Learn from members of the rehearsal whom nobody asks about."""
        rehearsed = group.rehearsed
        published = PublishedCells.of(replace(rehearsed, rows=likely_ratings(rehearsed)))
        states = CellStates.of(published.rows.values)
        fame = _fame_classes(published.rows.item_support)
        row_class = _length_classes(published)
        teachers = _teachers(group, rng)
        members = group.rehearsed.original
        learnt, levels = _learnt(members, teachers, published, states, (fame, row_class))
        rated = members.item_support / max(members.n_users, 1)
        taught = _taught_cells(members, teachers, published, states)
        return cls(published.rows, states, fame, row_class, teachers, learnt, levels, rated, taught)

    @cached_property
    def row_states(self) -> Codes:
        return self.states.codes(self.rows.values)

    @cached_property
    def share(self) -> Floats:
        """The share of rows that list each item."""
        return (self.rows.item_support + 0.5) / (self.rows.n_users + 1)

    @cached_property
    def any_state(self) -> Floats:
        """For each item how often a cell of it has each state, whoever's it is."""
        width, items = len(self.states), self.rows.n_items
        cells = self.rows.items.astype(np.int64) * width + self.row_states
        counts = np.bincount(cells, minlength=items * width).reshape(items, width)
        pooled = (counts.sum(axis=0) + 1) / (counts.sum() + width)
        smoothed = counts + PRIOR_CELLS * pooled
        return np.asarray(smoothed / (counts.sum(axis=1) + PRIOR_CELLS)[:, None])

    @cached_property
    def cell_levels(self) -> CellLevels:
        """What each cell tells of the level of the rating behind it."""
        learnt = self.learnt.by_level, self.levels, self.taught
        return CellLevels.learnt(self.rows, self.row_states, *learnt)

    @cached_property
    def usual_levels(self) -> Floats:
        """How often each level is given to each item, as the release shows it."""
        return self.any_state @ self.cell_levels.given_state

    def posteriors(
        self, known_offsets: Offsets, items: Codes, levels: Codes, task: Task
    ) -> RowPosteriors:
        """The best rows for people of whom these items, with ratings of these levels, are known."""
        people = len(known_offsets) - 1
        found = RowPosteriors(
            np.full((people, TOP_ROWS), -1, np.int64),
            np.zeros((people, TOP_ROWS)),
            np.zeros((people, TOP_ROWS), np.int64),
            np.zeros((people, TOP_ROWS)),
            np.zeros(people),
            np.zeros(people),
        )
        lengths, columns = self.rows.user_counts, self.rows.by_item
        column_states = self.states.codes(columns.values)
        own = self.learnt.listed[self.fame]
        share = self.share[:, None]
        absent, listed = np.log((1 - own) / (1 - share)), np.log(own / share)
        gain = listed - absent
        log_factorial = gammaln(np.arange(int(lengths.max(initial=0)) + 1) + 1.0)
        own_state, any_state = np.log(self.learnt.by_level), np.log(self.any_state)

        def work(start: int, end: int) -> None:
            totals = np.zeros((end - start, 2))
            best_rows(
                known_offsets[start : end + 1],
                items,
                levels,
                columns.offsets,
                columns.users,
                column_states,
                absent,
                gain,
                own_state,
                any_state,
                self.row_class,
                lengths,
                log_factorial,
                float(max(lengths.mean(), 1.0)) if len(lengths) else 1.0,
                found.rows[start:end],
                found.scores[start:end],
                found.held[start:end],
                found.value_gain[start:end],
                totals,
            )
            found.total[start:end], found.complete[start:end] = totals.T

        edges = [*range(0, people, PEOPLE_PER_BLOCK), people]
        in_threads(work, pairwise(edges), task)
        return found


def _fame_classes(support: Integers) -> Codes:
    """Items in classes by how often they are listed, each with about as many cells."""
    order = np.argsort(-support, kind="stable")
    before = np.cumsum(support[order]) - support[order]
    fame = np.empty(len(support), np.int32)
    fame[order] = np.minimum(FAME_CLASSES * before // max(int(support.sum()), 1), FAME_CLASSES - 1)
    return fame


def _length_classes(published: PublishedCells) -> Codes:
    """Rows in classes by length, each about a fifth longer than the last; one class for all if
    nobody has several rows.
    """
    lengths = published.rows.user_counts
    if (np.diff(published.offsets) <= 1).all():
        return np.zeros(len(lengths), np.int32)
    edges = np.geomspace(1, max(int(lengths.max(initial=1)), 2), LENGTH_CLASSES + 1)[1:-1]
    return np.searchsorted(np.unique(np.ceil(edges)), lengths, side="right").astype(np.int32)


def _teachers(group: ControlGroup, rng: np.random.Generator) -> Indices:
    others = np.setdiff1d(group.rehearsed.linkage.linked, group.matched)
    return np.sort(rng.permutation(others)[:MOST_TEACHERS])


def _learnt(
    original: Ratings,
    teachers: Indices,
    published: PublishedCells,
    states: CellStates,
    classes: tuple[Codes, Codes],
) -> tuple[LearntCells, Floats]:
    """Shares in which the own rows of some members differ from their ratings."""
    levels, count = levels_of(original.values, original.scale), level_count(original.scale)
    by_level = np.zeros((count, len(states)))
    lengths = int(classes[1].max(initial=0)) + 1
    listed = np.zeros((FAME_CLASSES, lengths, 2))
    honest = np.zeros((FAME_CLASSES, len(states), 2))
    count_own_cells(
        teachers,
        original.offsets,
        original.items,
        levels,
        published.offsets,
        published.owned,
        published.rows.offsets,
        published.rows.items,
        states.codes(published.rows.values),
        *classes,
        by_level,
        listed,
        honest,
    )
    pooled = (by_level.sum(axis=0) + 1) / (by_level.sum() + len(states))
    by_level = (by_level + pooled) / (by_level.sum(axis=1) + 1)[:, None]
    overall = (honest[..., 0].sum() + 0.5) / (honest[..., 1].sum() + 1)
    shares = (np.bincount(levels, minlength=count) + 1.0) / (len(levels) + count)
    learnt = LearntCells(
        by_level,
        _shares_listed(listed),
        (honest[..., 0] + 2 * overall) / (honest[..., 1] + 2),
    )
    return learnt, shares


def _taught_cells(
    original: Ratings, teachers: Indices, published: PublishedCells, states: CellStates
) -> TaughtCells:
    """What own rows of some members show of the ratings that they list."""
    known = original.take_users(teachers)
    users, items = teachers[known.user_codes()], known.items.astype(np.int64)
    rows, shown = published.own_cells(users, items)
    held, levels = rows >= 0, levels_of(known.values, known.scale)
    shown_as = states.codes(shown[held].astype(np.float32))
    return TaughtCells(rows[held], known.items[held], shown_as, levels[held])


def _shares_listed(listed: Floats) -> Floats:
    """How often ratings are listed, by fame and length; by length alone where few were seen."""
    if listed.shape[1] == 1:
        return np.asarray((listed[..., 0] + 0.5) / (listed[..., 1] + 1))
    seen = listed.sum(axis=0)
    by_length = (seen[:, 0] + 0.5) / (seen[:, 1] + 1)
    pooled = listed[..., 0] + PRIOR_RATINGS * by_length
    return np.asarray(pooled / (listed[..., 1] + PRIOR_RATINGS))
