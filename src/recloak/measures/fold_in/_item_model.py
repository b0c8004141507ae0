"""An item-item model of what is rated together, and what it recommends to newcomers."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Indices, Mask, Values
from recloak.core.progress import Progress
from recloak.measures._lists import best
from recloak.measures.fold_in._newcomers import Newcomers
from recloak.measures.fold_in._training_rows import TrainingRows
from recloak.recommenders.item_regression import inverse_of_pairs, item_scores, most_rated

DECIMALS = 4  # of scores; what differs less is a tie


def recommended(
    newcomers: Newcomers, training: TrainingRows, top: int, progress: Progress
) -> tuple[Indices, Indices]:
    """Items (codes of the original) for each newcomer: by the model, and the most rated ones.

    Only items that the person has not given are recommended; -1 stands where there are no more.
    """
    items = _most_rated(training)
    codes = np.append(items, -1)
    given = _presence(newcomers, items)
    popular = np.broadcast_to(-np.arange(len(items), dtype=np.float32), given.shape)
    known = given > 0
    inverse = inverse_of_pairs(training.rows, training.weights, training.item_code[items], progress)
    scores = np.round(item_scores(given, inverse), DECIMALS)
    return _listed(scores, known, codes, top), _listed(popular, known, codes, top)


def _listed(scores: Values, known: Mask, codes: Indices, top: int) -> Indices:
    return codes[best(np.where(known, -np.inf, scores), top)]


def _most_rated(training: TrainingRows) -> Indices:
    """The items that take part, the most rated first; equally rated ones by their code."""
    support = np.bincount(
        training.rows.items, training.rating_weights, minlength=training.rows.n_items
    )
    rated = np.append(support, 0.0)[training.item_code]  # -1 picks the last entry
    return most_rated(rated)


def _presence(newcomers: Newcomers, items: Indices) -> Values:
    """People × items: 1 where the person gave a rating."""
    given = newcomers.given
    rank = np.full(given.n_items, -1)
    rank[items] = np.arange(len(items))
    present = np.zeros((given.n_users, len(items)), np.float32)
    known = rank[given.items] >= 0
    present[given.user_codes()[known], rank[given.items[known]]] = 1.0
    return present
