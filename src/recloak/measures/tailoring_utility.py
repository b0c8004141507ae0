"""Measure `tailoring-utility`: what knowing the person adds to a table of averages."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from recloak.core.arrays import Floats, Integers, places_within
from recloak.core.parallel import work_blocks
from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.evaluation.context import AuditContext, Rehearsal
from recloak.evaluation.figures import UTILITY, DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.measures._errors import (
    RMSE_BESIDE_ORIGINAL,
    RMSE_ITEM_MEAN,
    RMSE_ORIGINAL,
    linearised,
    rmse,
    rmse_figure,
)
from recloak.measures._models import (
    RecommenderParameters,
    TrainedModel,
    trained,
    why_no_values,
)
from recloak.measures.base import Measure

SMALLEST_ERROR = 1e-6  # of the scale; below it the averages are always right


class TailoringUtilityParameters(RecommenderParameters):
    """Which recommender is blended with the averages, and who uses it."""

    recombine: bool = True
    """Also measure a client that knows all pseudonyms of its person and averages what the
    recommender predicts for each; only where someone has several rows."""


_FIGURES = (
    DeclaredFigure(
        "mu",
        worse="less",
        heading="Tailoring utility",
        meaning=(
            "How much better the predictions of a recommender that knows the person are than the "
            "average rating of each item, which anyone could publish without a single row: the "
            "share by which the RMSE is lower. At 0 the rows are worth no more than the averages."
        ),
        bounded=False,
        stands_for=UTILITY,
        original="mu_original",
    ),
    DeclaredFigure("mu_original", bounded=False),
    DeclaredFigure("mu_kept", worse="less"),
    DeclaredFigure("mu_recombined", worse="less", bounded=False),
    DeclaredFigure(
        "acceptable",
        "rule",
        worse="less",
        heading="Acceptable",
        meaning="Pass or fail, by the rule that tailoring utility must stay above 0 where it was "
        "above 0 before (1 or 0 where a policy asks for it).",
    ),
    RMSE_BESIDE_ORIGINAL,
    RMSE_ORIGINAL,
    DeclaredFigure("rmse_recombined", "rating", worse="more"),
    RMSE_ITEM_MEAN,
)


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
    figures: ClassVar[tuple[DeclaredFigure, ...]] = _FIGURES
    takes_turns: ClassVar[str] = "recommenders of the rehearsal"
    Parameters: ClassVar[type[Parameters]] = TailoringUtilityParameters
    parameters: TailoringUtilityParameters
    asked_per_block: ClassVar[int] = 1_000_000
    """How many predictions a recombining client asks for between two reports of progress."""

    @property
    def label(self) -> str:
        return f"{self.parameters.recommender} blended with averages"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        summary = f"What {self.parameters.recommender} adds to the averages of the items."
        rehearsal, reason = context.rehearsal, why_no_values(context, self.parameters.recommender)
        if rehearsal is None or reason:
            return self.finding(summary, (), 0, seed, (reason or "",))
        average = trained(rehearsal, "item-mean", "original", progress).item_mean
        naive = average.predict(rehearsal.users, rehearsal.items) - rehearsal.truth
        if rmse(naive) <= SMALLEST_ERROR * context.original.scale.span:
            note = (
                (
                    "The averages of the items are always right, so tailored predictions cannot be "
                    "better."
                ),
            )
            return self.finding(summary, (), 0, seed, note)
        figures = self._figures(rehearsal, naive, progress)
        return self.finding(summary, figures, len(naive), seed, (rehearsal.note,))

    def _figures(
        self, rehearsal: Rehearsal, naive: Floats, progress: Progress
    ) -> tuple[Figure, ...]:
        before = trained(rehearsal, self.parameters.recommender, "original", progress)
        after = trained(rehearsal, self.parameters.recommender, "release", progress)
        old = before.blended(rehearsal.users, rehearsal.items, progress) - rehearsal.truth
        new = _by_chosen_row(rehearsal, after, progress) - rehearsal.truth
        figures = [*_utilities(new, old, naive, rehearsal)]
        if self.parameters.recombine and (np.diff(rehearsal.linkage.offsets) > 1).any():
            predicted = _by_all_rows(rehearsal, after, self.asked_per_block, progress)
            recombined = predicted - rehearsal.truth
            who = "by a client that averages over all its rows"
            figures += [
                _mu("mu_recombined", recombined, naive, rehearsal, who),
                rmse_figure("rmse_recombined", recombined, rehearsal.users, who),
            ]
        return tuple(figures)


def _utilities(new: Floats, old: Floats, naive: Floats, rehearsal: Rehearsal) -> list[Figure]:
    users = rehearsal.users
    after = _mu("mu", new, naive, rehearsal, "trained on the release")
    before = _mu("mu_original", old, naive, rehearsal, "trained on the original")
    return [
        after,
        before,
        *_kept(new, old, naive, rehearsal),
        _acceptable(after.value, before.value),
        rmse_figure("rmse", new, users, "blend trained on the release"),
        rmse_figure("rmse_original", old, users, "blend trained on the original"),
        rmse_figure("rmse_item_mean", naive, users, "of the original's averages alone"),
    ]


def _mu(name: str, errors: Floats, naive: Floats, rehearsal: Rehearsal, who: str) -> Figure:
    meaning = f"tailoring utility: by what share the RMSE lies below that of averages, {who}"
    value, parts = 1 - rmse(errors) / rmse(naive), _mu_parts(errors, naive)
    return linearised(name, value, parts, rehearsal.users, "share", meaning)


def _mu_parts(errors: Floats, naive: Floats) -> Floats:
    """By how much each probe rating moves μ."""
    own, plain = np.square(errors), np.square(naive)
    if not own.any():
        return np.zeros(len(own))
    ratio = float(own.mean() / plain.mean())
    parts: Floats = (ratio * plain - own) / (2 * rmse(errors) * rmse(naive))
    return parts


def _kept(new: Floats, old: Floats, naive: Floats, rehearsal: Rehearsal) -> list[Figure]:
    """The share of μ that the release keeps; of none, no share can be kept."""
    before = 1 - rmse(old) / rmse(naive)
    if before <= 0:
        return []
    kept = (1 - rmse(new) / rmse(naive)) / before
    parts = (_mu_parts(new, naive) - kept * _mu_parts(old, naive)) / before
    meaning = "the share of the original's tailoring utility that the release keeps"
    return [linearised("mu_kept", kept, parts, rehearsal.users, "share", meaning)]


def _acceptable(after: float, before: float) -> Figure:
    meaning = (
        "the paper's rule (1 in a policy if it is passed, 0 if not): tailoring utility must stay "
        "above 0 where the original's was"
    )
    passes = before <= 0 or after > 0
    return Figure("acceptable", float(passes), unit="rule", meaning=meaning)


def _by_chosen_row(rehearsal: Rehearsal, model: TrainedModel, progress: Progress) -> Floats:
    rows = rehearsal.row_for(rehearsal.users, rehearsal.items)
    return model.blended(rows, rehearsal.item_in_release[rehearsal.items], progress)


def _by_all_rows(
    rehearsal: Rehearsal, model: TrainedModel, most: int, progress: Progress
) -> Floats:
    """The mean over a person's rows that were trained on; the item mean where none was.

    The model is asked for about ``most`` predictions at a time.
    """
    items = rehearsal.item_in_release[rehearsal.items]
    predicted = model.item_mean.predict(np.full(len(items), -1), items)
    work = np.diff(rehearsal.linkage.offsets)[rehearsal.users]
    blocks = [slice(*ends) for ends in work_blocks(work, most)]
    with progress.task("Recombining", len(blocks)) as task:
        for here in blocks:
            cells, rows = _rows_of(rehearsal, np.arange(here.start, here.stop))
            known = model.was_trained_on(rows)
            cells, rows = cells[known], rows[known]
            blended = model.blended(rows, items[cells], progress)
            counts = np.bincount(cells - here.start, minlength=here.stop - here.start)
            sums = np.bincount(cells - here.start, blended, minlength=len(counts))
            asked = here.start + np.flatnonzero(counts)
            predicted[asked] = sums[counts > 0] / counts[counts > 0]
            task.advance()
    return predicted


def _rows_of(rehearsal: Rehearsal, cells: Integers) -> tuple[Integers, Integers]:
    """All rows of the people of ``cells``: which cell, which row."""
    starts = rehearsal.linkage.offsets[rehearsal.users[cells]]
    owned = rehearsal.linkage.offsets[rehearsal.users[cells] + 1] - starts
    rows = rehearsal.linkage.rows[np.repeat(starts, owned) + places_within(owned)]
    return np.repeat(cells, owned), rows
