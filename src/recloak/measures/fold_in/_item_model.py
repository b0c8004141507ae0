"""An item-item model of what is rated together, and what it recommends to newcomers.

Every item is regressed on all others at once, from who rated what, whatever the value (EASE, closed
form). It serves people who are not among the rows as well.

Steck: Embarrassingly shallow autoencoders for sparse data. WWW 2019.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import spotrf, spotri

from recloak.core.arrays import Codes, Floats, Indices, Integers, Mask, Values
from recloak.core.parallel import in_threads, work_blocks
from recloak.core.progress import Progress
from recloak.core.ratings import Ratings
from recloak.measures._lists import best
from recloak.measures.fold_in._few_rows import FewRows
from recloak.measures.fold_in._kernels import count_pairs
from recloak.measures.fold_in._training_rows import Newcomers, TrainingRows

MOST_ITEMS = 5000
RIDGE = 500.0
DENSE_SHARE = 0.2  # rows that hold more of all items are multiplied as they are
DENSE_ROWS = 512
BLOCKS = 64
DECIMALS = 4  # of scores; what differs less is a tie


def recommended(
    newcomers: Newcomers,
    training: TrainingRows,
    top: int,
    progress: Progress,
    dense_share: float = DENSE_SHARE,
) -> tuple[Indices, Indices]:
    """Items (codes of the original) for each newcomer: by the model, and the most rated ones.

    Only items that the person has not given are recommended; -1 stands where there are no more.
    """
    items = _most_rated(training)
    codes = np.append(items, -1)
    given = _presence(newcomers, items)
    popular = np.broadcast_to(-np.arange(len(items), dtype=np.float32), given.shape)
    known = given > 0
    scores = np.round(_scores(given, training, items, dense_share, progress), DECIMALS)
    return _listed(scores, known, codes, top), _listed(popular, known, codes, top)


def _listed(scores: Values, known: Mask, codes: Indices, top: int) -> Indices:
    return codes[best(np.where(known, -np.inf, scores), top)]


def _most_rated(training: TrainingRows) -> Indices:
    """The items that take part, the most rated first; equally rated ones by their code."""
    support = np.bincount(
        training.rows.items, training.rating_weights, minlength=training.rows.n_items
    )
    rated = np.append(support, 0.0)[training.item_code]  # -1 picks the last entry
    order = np.argsort(-rated, kind="stable")[:MOST_ITEMS]
    return order[rated[order] > 0]


def _presence(newcomers: Newcomers, items: Indices) -> Values:
    """People × items: 1 where the person gave a rating."""
    given = newcomers.given
    rank = np.full(given.n_items, -1)
    rank[items] = np.arange(len(items))
    present = np.zeros((given.n_users, len(items)), np.float32)
    known = rank[given.items] >= 0
    present[given.user_codes()[known], rank[given.items[known]]] = 1.0
    return present


def _scores(
    given: Values, training: TrainingRows, items: Indices, dense_share: float, progress: Progress
) -> Values:
    codes = training.item_code[items]
    rows = FewRows(training.rows, training.weights, codes)
    if rows.are_few:
        return rows.scores(given, RIDGE)
    together = _pairs(training.rows, training.weights, codes, dense_share, progress)
    return _item_scores(given, _inverse(together, progress))


def _item_scores(given: Values, inverse: Values) -> Values:
    """How much what is given (people × items, 1 where rated) speaks for each item."""
    return np.asarray(-(given @ inverse) / np.diag(inverse))


def _inverse(together: Values, progress: Progress) -> Values:
    """The inverse of how many people rated both of two items, with the ridge on the diagonal."""
    if len(together) == 0:
        return together
    with progress.task("Solving the item-item model", 1) as task:
        together[np.diag_indices_from(together)] += np.float32(RIDGE)
        factor, _ = spotrf(together.T, lower=1, overwrite_a=1)
        half, _ = spotri(factor, lower=1, overwrite_c=1)
        task.advance()
    whole = np.tril(half)
    whole += np.tril(half, -1).T
    return np.asarray(whole, dtype=np.float32)


def _pairs(
    rows: Ratings, weights: Floats, items: Indices, dense_share: float, progress: Progress
) -> Values:
    """How many people rated both of two ``items`` (codes of the rows), each row with its weight."""
    rank = np.full(rows.n_items, -1, np.int32)
    rank[items] = np.arange(len(items), dtype=np.int32)
    ranks = rank[rows.items]
    together = np.zeros((len(items), len(items)), np.float32)
    dense = rows.user_counts > dense_share * len(items)
    _add_dense(rows, weights, ranks, np.flatnonzero(dense), together)
    sparse_weights = np.where(dense, 0.0, weights).astype(np.float32)
    sparse = np.repeat(~dense, rows.user_counts)
    lengths = np.repeat(rows.user_counts, rows.user_counts)
    taking_part = sparse & (ranks >= 0)
    work: Integers = np.bincount(
        ranks[taking_part], lengths[taking_part], minlength=len(items)
    ).astype(np.int64)
    ranks = np.where(sparse, ranks, np.int32(-1))
    blocks = work_blocks(work, max(1, int(work.sum()) // BLOCKS))

    def one_block(start: int, end: int) -> None:
        count_pairs(start, end, rows.offsets, ranks, sparse_weights, together)

    with progress.task("Counting pairs of items", len(blocks)) as task:
        in_threads(one_block, blocks, task)
    return together


def _add_dense(
    rows: Ratings, weights: Floats, ranks: Codes, dense: Indices, together: Values
) -> None:
    for start in range(0, len(dense), DENSE_ROWS):
        chosen = dense[start : start + DENSE_ROWS]
        block = np.zeros((len(chosen), len(together)), np.float32)
        for place, row in enumerate(chosen):
            mine = ranks[rows.offsets[row] : rows.offsets[row + 1]]
            block[place, mine[mine >= 0]] = 1.0
        together += (block * weights[chosen, None].astype(np.float32)).T @ block
