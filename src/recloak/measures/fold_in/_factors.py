"""Item factors by alternating ridge regressions, and people folded in by one more of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recloak.core.arrays import Codes, Floats, Offsets, Values
from recloak.core.parallel import in_threads, row_blocks
from recloak.core.progress import Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.units import Units
from recloak.measures.fold_in._kernels import WIDTH, ridge_rows
from recloak.measures.fold_in._training_rows import Newcomers, TrainingRows

ROUNDS = 8
OFFSET_PULL = 3.0
FACTOR_PULL = 10.0
PULLS_OF_NEWCOMERS = (3.0, 10.0, 20.0, 40.0, 80.0, 1e9)  # the last leaves the offset alone
INITIAL_SPREAD = 0.1
RATINGS_PER_BLOCK = 50_000


@dataclass(frozen=True)
class ItemFactors:
    """What was learnt of items: their offsets, then factors, in deviations from the mean."""

    vectors: Floats
    mean: float
    deviation: float


@dataclass(frozen=True)
class _Cells:
    """Rows of ratings by which one side is learnt from the other."""

    offsets: Offsets
    codes: Codes
    targets: Values


def learnt(training: TrainingRows, seed: int, progress: Progress) -> ItemFactors:
    """Offsets and factors of the items of ``training``, by their codes there."""
    mean, deviation = _mean_and_deviation(training)
    by_user = _Cells(
        training.rows.offsets, training.rows.items, _standard(training.rows.values, mean, deviation)
    )
    view = training.rows.by_item
    by_item = _Cells(
        _read_only(view.offsets), _read_only(view.users), _standard(view.values, mean, deviation)
    )
    rng = Randomness.from_seed(seed).generator("initial factors of fold-in")
    items = INITIAL_SPREAD * rng.standard_normal((training.rows.n_items, WIDTH))
    items[:, 0] = 0.0
    everyone = np.ones(training.rows.n_items)
    for _ in range(ROUNDS):
        users, _ = _regressed(by_user, everyone, items, FACTOR_PULL, progress)
        items, _ = _regressed(by_item, training.weights, users, FACTOR_PULL, progress)
    return ItemFactors(items, mean, deviation)


def predicted(
    newcomers: Newcomers, training: TrainingRows, items: ItemFactors, progress: Progress
) -> Floats:
    """What is predicted of the ratings that are asked, from those that are given."""
    given, asked = newcomers.given, newcomers.asked
    units = Units.between(given.scale, training.rows.scale)
    vectors = np.zeros((given.n_items, WIDTH))
    listed = training.item_code >= 0
    vectors[listed] = items.vectors[training.item_code[listed]]
    targets = _standard(units.converted(given.values), items.mean, items.deviation)
    people = _folded_in(_Cells(given.offsets, given.items, targets), vectors, progress)
    mine, theirs = people[asked.user_codes()], vectors[asked.items]
    standard = mine[:, 0] + theirs[:, 0] + (mine[:, 1:] * theirs[:, 1:]).sum(axis=1)
    on_release = training.rows.scale.clip(items.mean + items.deviation * standard)
    return asked.scale.clip((on_release - units.shift) / units.factor)


def _folded_in(cells: _Cells, vectors: Floats, progress: Progress) -> Floats:
    """The people's vectors, pulled to 0 as strongly as predicts best what is given.

    Each rating that is given is predicted from the others of its person.
    """
    everything = np.ones(len(vectors))
    tried = [
        _regressed(cells, everything, vectors, pull, progress, judged=True)
        for pull in PULLS_OF_NEWCOMERS
    ]
    return min(tried, key=lambda one: float(one[1].sum()))[0]


def _regressed(
    cells: _Cells,
    weights: Floats,
    vectors: Floats,
    pull: float,
    progress: Progress,
    *,
    judged: bool = False,
) -> tuple[Floats, Floats]:
    """The vectors of all rows, and (if ``judged``) their errors by leaving one rating out."""
    count = len(cells.offsets) - 1
    found, errors = np.zeros((count, WIDTH)), np.zeros(count if judged else 0)
    blocks = row_blocks(cells.offsets, RATINGS_PER_BLOCK)

    def one_block(start: int, end: int) -> None:
        ridge_rows(
            start,
            end,
            cells.offsets,
            cells.codes,
            cells.targets,
            weights,
            vectors,
            OFFSET_PULL,
            pull,
            found,
            errors,
        )

    with progress.task("Learning factors to fold people in", len(blocks)) as task:
        in_threads(one_block, blocks, task)
    return found, errors


def _read_only(codes: NDArray[Any]) -> NDArray[Any]:
    """As the arrays of ratings are, or the kernel would be compiled a second time."""
    view = codes.view()
    view.setflags(write=False)
    return view


def _mean_and_deviation(training: TrainingRows) -> tuple[float, float]:
    """Of all ratings, each with its weight; of equal ones the deviation counts as 1."""
    rows: Ratings = training.rows
    if rows.n_ratings == 0:
        return rows.scale.middle, 1.0
    weights = training.rating_weights
    mean = float(np.average(rows.values, weights=weights))
    spread = float(np.sqrt(np.average(np.square(rows.values - mean), weights=weights)))
    return mean, spread if spread > 1e-6 * max(abs(mean), 1.0) else 1.0


def _standard(values: Values, mean: float, deviation: float) -> Values:
    return (values - np.float32(mean)) / np.float32(deviation)
