"""Outcomes for each newcomer: errors of prediction and hits of lists, from one side's rows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from recloak.core.arrays import Floats, Indices
from recloak.core.cache import PerTableCache
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.control_group import ControlGroup
from recloak.measures._lists import hits_of, ndcg_of
from recloak.measures.fold_in._factors import OFFSET_PULL, learnt, predicted
from recloak.measures.fold_in._item_model import recommended
from recloak.measures.fold_in._training_rows import Newcomers, TrainingRows
from recloak.recommenders.item_mean import ItemMean


@dataclass(frozen=True)
class NewcomerTask:
    """What is asked of every side: of how many people, which lists, from which seed."""

    newcomers: Newcomers
    top: int
    seed: int
    values: bool
    """Are there ratings to predict, or only items?"""


@dataclass(frozen=True)
class Outcomes:
    """One number for each newcomer; ``squared`` sums errors, and is None without values."""

    squared: Floats | None
    ndcg: Floats
    recall: Floats
    ndcg_popular: Floats
    recall_popular: Floats


@dataclass(frozen=True)
class Baselines:
    """What needs nobody's row: sums of squared errors of item means, alone and with an offset."""

    item_mean: Floats
    with_offset: Floats


_OF_ORIGINALS: PerTableCache[tuple[Outcomes, Baselines]] = PerTableCache()


def outcomes_of(training: TrainingRows, asked: NewcomerTask, progress: Progress) -> Outcomes:
    """What newcomers get from a recommender that was trained on these rows."""
    squared = None
    if asked.values:
        items = learnt(training, asked.seed, progress)
        squared = _squared(asked, predicted(asked.newcomers, training, items, progress))
    by_model, by_fame = recommended(asked.newcomers, training, asked.top, progress)
    return Outcomes(squared, *_hits(asked, by_model), *_hits(asked, by_fame))


def outcomes_of_original(
    original: Ratings, group: ControlGroup, asked: NewcomerTask, progress: Progress
) -> tuple[Outcomes, Baselines]:
    """The same from the members' own ratings; several audits of the same original share it."""

    def make() -> tuple[Outcomes, Baselines]:
        known = group.rehearsed.original
        outcomes = outcomes_of(TrainingRows.of_original(known), asked, progress)
        return outcomes, _baselines(known, asked, progress)

    return _OF_ORIGINALS.get(original, _key(group, asked), make)


def _key(group: ControlGroup, asked: NewcomerTask) -> tuple[object, ...]:
    """Who was left out, and what is asked of them."""
    outsiders, known = group.outsiders, group.rehearsed.original
    digest = hashlib.blake2b(outsiders.offsets.tobytes() + outsiders.items.tobytes()).digest()
    return digest, known.n_users, known.n_ratings, asked.top, asked.seed, asked.values


def _baselines(known: Ratings, asked: NewcomerTask, progress: Progress) -> Baselines:
    given, wanted = asked.newcomers.given, asked.newcomers.asked
    means = ItemMean().fit(known, progress).item_means
    above = np.bincount(given.user_codes(), given.values - means[given.items], given.n_users)
    offsets = above / (given.user_counts + OFFSET_PULL)
    plain = means[wanted.items]
    shifted = wanted.scale.clip(plain + offsets[wanted.user_codes()])
    return Baselines(_squared(asked, plain), _squared(asked, shifted))


def _squared(asked: NewcomerTask, values: Floats) -> Floats:
    wanted = asked.newcomers.asked
    errors = np.square(values - wanted.values)
    sums = np.bincount(wanted.user_codes(), errors, minlength=wanted.n_users)
    return np.asarray(sums, dtype=np.float64)


def _hits(asked: NewcomerTask, lists: Indices) -> tuple[Floats, Floats]:
    """The nDCG and recall of each person's list; everything that they rated is right."""
    wanted = asked.newcomers.asked
    cells = wanted.user_codes().astype(np.int64) * wanted.n_items + wanted.items
    hits = hits_of(lists, cells, wanted.n_items)
    reachable = np.minimum(wanted.user_counts, asked.top)
    return ndcg_of(hits, wanted.user_counts), hits.sum(axis=1) / reachable
