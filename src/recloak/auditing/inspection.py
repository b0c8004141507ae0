"""Inspection: what the data look like, and how much people stand out in them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from recloak.core.arrays import Integers, offsets_of_runs
from recloak.core.kernels.people_sharing import count_people_sharing
from recloak.core.options import refuse_unknown, takes
from recloak.core.progress import Progress
from recloak.core.progress.shown import SHOWN
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.row_classes import identical_groups
from recloak.evaluation import notebook_tables
from recloak.evaluation.findings import Figure
from recloak.evaluation.intervals import share_figure
from recloak.evaluation.notebook_tables import BAD, OPEN, StatusMark
from recloak.io.given import Given
from recloak.io.options import ReadOptions

KNOWN = (1, 2, 3, 4)
SAMPLE = 2000
PEOPLE_PER_BLOCK = 100
TAIL_BINS = 32
MOST_LEVELS = 21


@dataclass(frozen=True)
class Tail:
    """How unevenly a count is spread over users or items."""

    least: int
    median: float
    mean: float
    most: int
    top_tenth_share: float
    gini: float
    profile: tuple[float, ...]


@dataclass(frozen=True)
class SingledOut:
    """How many people are alone with ``known`` of their items.

    By the items alone, or with their ratings; items picked at random, or the person's least
    common ones, which is what an adversary would rather know.
    """

    known: int
    items: Figure
    values: Figure
    rarest_items: Figure
    rarest_values: Figure


@dataclass(frozen=True, repr=False)
class Inspection:
    """The facts about a set of ratings."""

    users: int
    items: int
    ratings: int
    scale: str
    density: float
    times: tuple[int, int] | None
    histogram: dict[str, int]
    user_tail: Tail
    item_tail: Tail
    alone_in_items: float
    alone_in_ratings: float
    singled_out: tuple[SingledOut, ...]
    sample: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return asdict(self)

    def __repr__(self) -> str:
        last = self.singled_out[-1]
        return (
            f"Inspection({self.ratings:,} ratings of {self.items:,} items by {self.users:,} users, "
            f"scale {self.scale}; {last.values.value:.0%} of users are singled out by "
            f"{last.known} ratings)"
        )

    def _repr_html_(self) -> str:
        facts = [
            ("people", f"{self.users:,}"),
            ("items", f"{self.items:,}"),
            ("ratings", f"{self.ratings:,}, scale {self.scale}, density {self.density:.3%}"),
            ("unique by items and ratings", f"{self.alone_in_ratings:.1%} of people"),
        ]
        head = ("ratings known", "any items", "with values", "rarest items", "with values")
        singled = [
            (
                str(one.known),
                *(each.shown() for each in (one.items, one.values)),
                *(each.shown() for each in (one.rarest_items, one.rarest_values)),
            )
            for one in self.singled_out
        ]
        found = any((one.rarest_values.low or 0) > 0 for one in self.singled_out)
        mark = (
            StatusMark("people stand out", BAD) if found else StatusMark("nobody stands out", OPEN)
        )
        return notebook_tables.table(
            "Ratings as they are", facts, mark=mark
        ) + notebook_tables.table("People singled out by what somebody knows", singled, head)


@takes(ReadOptions)
def inspect(
    ratings: Any, *, seed: int = 0, progress: Progress = SHOWN, **keywords: Any
) -> Inspection:
    """Shape, scale, tails, and how unique people are.

    Parameters
    ----------
    ratings
        The ratings to look at, or whatever `recloak.read` takes.
    seed
        Decides the sample of people and what is known of them.
    progress
        Where to report how far the work is.
    **keywords
        The options of reading, one by one. Of ratings that stand twice the last counts.

    Returns
    -------
    Inspection
        Counts, the long tails, and the share of people who are alone with some of their ratings.

    Raises
    ------
    InputError
        The ratings cannot be read.
    ParameterError
        An option of reading is wrong, or ratings that are read already come with one.

    Examples
    --------
    >>> import recloak
    >>> ratings = recloak.synthesize("ml-100k", users=60, ratings=2_000, seed=1)
    >>> found = recloak.inspect(ratings)
    >>> found.users, found.ratings
    (60, 2000)

    """
    refuse_unknown("inspect", keywords, ReadOptions, more=("seed",))
    return inspected(
        Given.of(ratings, keywords, progress=progress, duplicates="last").ratings, seed, progress
    )


def inspected(ratings: Ratings, seed: int, progress: Progress) -> Inspection:
    """As `inspect`, of ratings that were read already."""
    rng = Randomness.from_seed(seed).generator("inspect")
    present = np.flatnonzero(ratings.user_counts)
    sample = present if len(present) <= SAMPLE else np.sort(rng.choice(present, SAMPLE, False))
    with progress.task("Counting who stands alone", len(KNOWN) * len(sample) + 1) as task:
        alone = [_alone(ratings, values=values) for values in (False, True)]
        task.advance()
        singled = []
        for known in KNOWN:
            sharing = []
            for block in np.array_split(sample, max(1, len(sample) // PEOPLE_PER_BLOCK)):
                sharing.append(_people_sharing(ratings, block, known, rng))
                task.advance(len(block))
            singled.append(_singled_out(known, np.concatenate(sharing, axis=1)))
    return Inspection(
        users=ratings.n_users,
        items=ratings.n_items,
        ratings=ratings.n_ratings,
        scale=str(ratings.scale),
        density=ratings.density,
        times=_time_span(ratings),
        histogram=_histogram(ratings),
        user_tail=_tail(ratings.user_counts),
        item_tail=_tail(ratings.item_support),
        alone_in_items=alone[0],
        alone_in_ratings=alone[1],
        singled_out=tuple(singled),
        sample=len(sample),
        seed=seed,
    )


def _alone(ratings: Ratings, *, values: bool) -> float:
    _, sizes = identical_groups(ratings, values=values)
    return float((sizes == 1).sum() / ratings.n_users) if ratings.n_users else 0.0


def _people_sharing(
    ratings: Ratings, users: Integers, known: int, rng: np.random.Generator
) -> Integers:
    """How many share what is known: items or ratings, at random or the rarest."""
    index = ratings.by_item
    arrays = (ratings.offsets, ratings.items, ratings.values, index.offsets, index.users)
    starts, counts = ratings.offsets[users], ratings.user_counts[users]
    at_random, rarest = [], []
    for start, count in zip(starts, counts, strict=True):
        support = ratings.item_support[ratings.items[start : start + count]]
        at_random.append(start + rng.choice(count, min(known, count), replace=False))
        rarest.append(start + np.argsort(support, kind="stable")[:known])
    sizes = []
    for picked in (at_random, rarest):
        offsets = offsets_of_runs(picked)
        places = np.concatenate([*picked, np.empty(0, np.int64)])
        sizes += [
            count_people_sharing(offsets, places, *arrays, values, 2) for values in (False, True)
        ]
    return np.stack(sizes)


def _singled_out(known: int, sharing: Integers) -> SingledOut:
    meanings = {
        "items": "singled out by items picked at random",
        "values": "singled out by items picked at random and their ratings",
        "rarest_items": "singled out by their least common items",
        "rarest_values": "singled out by their least common items and their ratings",
    }
    alone = (sharing == 1).astype(np.float64)
    figures = [
        share_figure(name, row, meaning)
        for (name, meaning), row in zip(meanings.items(), alone, strict=True)
    ]
    return SingledOut(known, *figures)


def _time_span(ratings: Ratings) -> tuple[int, int] | None:
    if ratings.times is None or len(ratings.times) == 0:
        return None
    return int(ratings.times.min()), int(ratings.times.max())


def _histogram(ratings: Ratings) -> dict[str, int]:
    """Ratings by value, or by ten equal parts of a continuous scale."""
    levels = ratings.scale.levels()
    if levels is not None and len(levels) <= MOST_LEVELS:
        nearest = np.rint((ratings.values - ratings.scale.low) / (ratings.scale.step or 1))
        counts = np.bincount(nearest.astype(np.int64), minlength=len(levels))
        return {f"{level:g}": int(count) for level, count in zip(levels, counts, strict=True)}
    counts, edges = np.histogram(ratings.values, 10, (ratings.scale.low, ratings.scale.high))
    return {
        f"{low:.3g} to {high:.3g}": int(count)
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    }


def _tail(counts: Integers) -> Tail:
    if len(counts) == 0:
        return Tail(0, 0.0, 0.0, 0, 0.0, 0.0, ())
    ranked = np.sort(counts)[::-1]
    total = max(int(ranked.sum()), 1)
    top = max(1, round(len(ranked) / 10))
    ascending = ranked[::-1]
    ranks = np.arange(1, len(ascending) + 1)
    gini = float(2 * (ranks * ascending).sum() / (len(ascending) * total) - 1 - 1 / len(ascending))
    bins = np.array_split(ranked, min(TAIL_BINS, len(ranked)))
    return Tail(
        least=int(ranked[-1]),
        median=float(np.median(ranked)),
        mean=float(ranked.mean()),
        most=int(ranked[0]),
        top_tenth_share=float(ranked[:top].sum() / total),
        gini=gini,
        profile=tuple(float(part.mean()) for part in bins),
    )
