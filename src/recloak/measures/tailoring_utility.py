"""Measure `tailoring-utility`: what knowing the person adds to a table of averages."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recloak.findings import Figure, Finding
from recloak.measures.base import Measure
from recloak.measures.errors import Errors, linearised, rmse, rmse_figure
from recloak.measures.models import (
    Predictions,
    RecommenderParameters,
    Trained,
    trained,
    why_no_values,
)
from recloak.parameters import Parameters
from recloak.progress import SILENT, Progress
from recloak.scene import Scene, Shadow

ASKED_PER_BLOCK = 1_000_000  # predictions between two reports of progress
SMALLEST_ERROR = 1e-6  # of the scale; below it the averages are always right


class TailoringUtilityParameters(RecommenderParameters):
    """Which recommender is blended with the averages, and who asks it."""

    recombine: bool = True
    """Also measure a client that knows all pseudonyms of its person and averages what the
    recommender predicts for each; only where someone has several rows."""


class TailoringUtility(Measure):
    """μ = 1 − RMSE(P) / RMSE(A) on a probe that neither recommender nor method has seen.

    A is the mean of each item in the original without the probe: a table of averages, which could
    be published without anybody's row. P blends a constant, the item mean and the recommender by
    least squares, with weights that were fitted on a part of the training data that was set aside,
    never on the probe. The row that predicts is the one that the method says; where there is none,
    or none of its ratings was left to train on, P is the item mean. At 0 the rows are worth no
    more than the averages.

    References
    ----------
    Gonçalves, Gomes, Aguiar: Privacy in data publishing for tailored recommendation scenarios,
    section 3.1.
    """

    name: ClassVar[str] = "tailoring-utility"
    summary: ClassVar[str] = "How much better than item averages a recommender on the release is."
    reference: ClassVar[str] = (
        "Gonçalves, Gomes, Aguiar: Privacy in Data Publishing for Tailored Recommendation Scenarios"
    )
    figures: ClassVar[tuple[str, ...]] = (
        "mu",
        "mu_original",
        "mu_kept",
        "mu_recombined",
        "acceptable",
        "rmse",
        "rmse_original",
        "rmse_recombined",
        "rmse_item_mean",
    )
    Parameters: ClassVar[type[Parameters]] = TailoringUtilityParameters
    parameters: TailoringUtilityParameters

    @property
    def label(self) -> str:
        return f"{self.parameters.recommender} blended with averages"

    def run(self, scene: Scene, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = f"What {self.parameters.recommender} adds to the averages of the items."
        shadow, trouble = scene.shadow, why_no_values(scene)
        if shadow is None or trouble:
            return self.finding(summary, (), 0, seed, (trouble or "",))
        average = trained(shadow, "item-mean", "original", progress).item_mean
        naive = average.predict(shadow.users, shadow.items) - shadow.truth
        if rmse(naive) <= SMALLEST_ERROR * scene.original.scale.span:
            told = ("The averages of the items are always right: nothing is left to tailor.",)
            return self.finding(summary, (), 0, seed, told)
        figures = self._figures(shadow, naive, progress)
        return self.finding(summary, figures, len(naive), seed, (shadow.note,))

    def _figures(self, shadow: Shadow, naive: Errors, progress: Progress) -> tuple[Figure, ...]:
        before = trained(shadow, self.parameters.recommender, "original", progress)
        after = trained(shadow, self.parameters.recommender, "release", progress)
        old = before.blended(shadow.users, shadow.items, progress) - shadow.truth
        new = _by_chosen_row(shadow, after, progress) - shadow.truth
        figures = [*_utilities(new, old, naive, shadow)]
        if self.parameters.recombine and (np.diff(shadow.linkage.offsets) > 1).any():
            together = _by_all_rows(shadow, after, progress) - shadow.truth
            who = "by a client that averages over all its rows"
            figures += [
                _mu("mu_recombined", together, naive, shadow, who),
                rmse_figure("rmse_recombined", together, shadow.users, who),
            ]
        return tuple(figures)


def _utilities(new: Errors, old: Errors, naive: Errors, shadow: Shadow) -> list[Figure]:
    users = shadow.users
    after = _mu("mu", new, naive, shadow, "trained on the release")
    before = _mu("mu_original", old, naive, shadow, "trained on the original")
    return [
        after,
        before,
        *_kept(new, old, naive, shadow),
        _acceptable(after.value, before.value),
        rmse_figure("rmse", new, users, "blend trained on the release"),
        rmse_figure("rmse_original", old, users, "blend trained on the original"),
        rmse_figure("rmse_item_mean", naive, users, "of the original's averages alone"),
    ]


def _mu(name: str, errors: Errors, naive: Errors, shadow: Shadow, who: str) -> Figure:
    meaning = f"tailoring utility: by what share the RMSE lies below that of averages, {who}"
    value, parts = 1 - rmse(errors) / rmse(naive), _mu_parts(errors, naive)
    return linearised(name, value, parts, shadow.users, "share", meaning)


def _mu_parts(errors: Errors, naive: Errors) -> Errors:
    """By how much each probe rating moves μ."""
    own, plain = np.square(errors), np.square(naive)
    if not own.any():
        return np.zeros(len(own))
    ratio = float(own.mean() / plain.mean())
    parts: Errors = (ratio * plain - own) / (2 * rmse(errors) * rmse(naive))
    return parts


def _kept(new: Errors, old: Errors, naive: Errors, shadow: Shadow) -> list[Figure]:
    """The share of μ that the release keeps; of none, no share can be kept."""
    before = 1 - rmse(old) / rmse(naive)
    if before <= 0:
        return []
    kept = (1 - rmse(new) / rmse(naive)) / before
    parts = (_mu_parts(new, naive) - kept * _mu_parts(old, naive)) / before
    meaning = "the share of the original's tailoring utility that the release keeps"
    return [linearised("mu_kept", kept, parts, shadow.users, "share", meaning)]


def _acceptable(after: float, before: float) -> Figure:
    meaning = (
        "the paper's rule (1 in a policy if it is passed, 0 if not): tailoring utility must stay "
        "above 0 where the original's was"
    )
    passes = before <= 0 or after > 0
    return Figure("acceptable", float(passes), unit="rule", meaning=meaning)


def _by_chosen_row(shadow: Shadow, model: Trained, progress: Progress) -> Predictions:
    rows = shadow.row_for(shadow.users, shadow.items)
    return model.blended(rows, shadow.item_in_release[shadow.items], progress)


def _by_all_rows(shadow: Shadow, model: Trained, progress: Progress) -> Predictions:
    """The mean over a person's rows that were trained on; the item mean where none was."""
    items = shadow.item_in_release[shadow.items]
    predicted = model.item_mean.predict(np.full(len(items), -1), items)
    blocks = _blocks(np.diff(shadow.linkage.offsets)[shadow.users])
    with progress.task("Recombining", len(blocks)) as task:
        for here in blocks:
            cells, rows = _rows_of(shadow, np.arange(here.start, here.stop))
            known = model.has_learnt(rows)
            cells, rows = cells[known], rows[known]
            told = model.blended(rows, items[cells], progress)
            counts = np.bincount(cells - here.start, minlength=here.stop - here.start)
            sums = np.bincount(cells - here.start, told, minlength=len(counts))
            asked = here.start + np.flatnonzero(counts)
            predicted[asked] = sums[counts > 0] / counts[counts > 0]
            task.advance()
    return predicted


def _rows_of(
    shadow: Shadow, cells: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All rows of the people of ``cells``: which cell, which row."""
    starts = shadow.linkage.offsets[shadow.users[cells]]
    owned = shadow.linkage.offsets[shadow.users[cells] + 1] - starts
    within = np.arange(owned.sum()) - np.repeat(np.cumsum(owned) - owned, owned)
    return np.repeat(cells, owned), shadow.linkage.rows[np.repeat(starts, owned) + within]


def _blocks(work: NDArray[np.int64]) -> list[slice]:
    """Ranges of cells of about ``ASKED_PER_BLOCK`` predictions each."""
    number = np.cumsum(work) // ASKED_PER_BLOCK
    ends = np.flatnonzero(np.diff(number, append=-1)) + 1
    starts = np.concatenate([[0], ends[:-1]])
    return [slice(int(start), int(end)) for start, end in zip(starts, ends, strict=True)]
