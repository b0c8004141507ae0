"""Measure `fold-in`: what a release is worth to people who are not in it."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recloak.core.parameters import Parameters
from recloak.core.progress import SILENT, Progress
from recloak.evaluation.context import AuditContext
from recloak.evaluation.control_group import (
    FEWEST_OUTSIDERS,
    ControlGroup,
    NoControlGroupError,
    control_of,
)
from recloak.evaluation.figures import DeclaredFigure
from recloak.evaluation.findings import Figure, Finding
from recloak.evaluation.units import Units
from recloak.measures.base import Measure
from recloak.measures.fold_in._figures import DECLARED, Resampled, list_figures, value_figures
from recloak.measures.fold_in._item_model import MOST_ITEMS
from recloak.measures.fold_in._outcomes import (
    Baselines,
    NewcomerTask,
    outcomes_of,
    outcomes_of_original,
)
from recloak.measures.fold_in._training_rows import Newcomers, TrainingRows

SMALLEST_ERROR = 1e-6  # of the scale; below it the averages are always right
_SUMMARY = "What people who are not in the release gain from it."


class FoldInParameters(Parameters):
    """How long recommended lists are."""

    top: int = Field(default=10, ge=1, le=1000)
    """How many items are recommended to each newcomer."""


class FoldIn(Measure):
    """Strong generalisation: a recipient trains on the release and serves people not in it.

    The method is rehearsed without a tenth of the people. Of each of them half of the ratings are
    given, at random, and the others are asked: of an odd number the larger half. Whoever has a
    single rating does not take part.

    *Ratings.* A rating is mean + item offset + person's offset + 15 factors of both. Items and
    rows are learnt in turn by ridge regression, 8 times, from the rehearsed release alone, in
    standard deviations of its ratings: offsets are pulled to 0 by 3 ratings, factors by 10. The
    profile of a group counts as often as it has members; cells that are only implied do not count.
    A newcomer is one more row: what is given is regressed on the items' offsets and factors, with
    the strength of the pull (3 to 80, or no factors at all) that predicts best each rating given
    from the person's others. So a recipient would choose it, and useless factors harm nobody.
    μ = 1 − RMSE / RMSE of the item means of the original, which stand for what could be published
    without a single row. Item means moved by the person's own offset (shrunk by 3 ratings) need no
    row, either: what μ has above theirs is the worth of rows.

    *Lists.* A linear model learns from who rated what, whatever the value, which items go together
    (EASE, closed form, ridge 500): its scores rank all items of the release that were not given,
    equal ones by how often they are rated. Right is everything that was asked. nDCG with gains of
    1 / log₂(rank + 1), recall as a share of the smaller of list and asked ratings, both means over
    people. Of more than 5,000 items only the most rated ones are recommended.

    Intervals are bootstrap percentiles over people. They do not tell how much another choice of
    people to train on would change.

    References
    ----------
    Marlin: Collaborative filtering, a machine learning perspective. 2004 (strong generalisation).
    Steck: Embarrassingly shallow autoencoders for sparse data. WWW 2019.
    """

    name: ClassVar[str] = "fold-in"
    summary: ClassVar[str] = "Predictions and lists for people who are not in the release."
    reference: ClassVar[str] = (
        "Steck: Embarrassingly shallow autoencoders for sparse data. WWW 2019"
    )
    figures: ClassVar[tuple[DeclaredFigure, ...]] = DECLARED
    people: ClassVar[Literal["members", "newcomers"]] = "newcomers"
    Parameters: ClassVar[type[Parameters]] = FoldInParameters
    parameters: FoldInParameters

    @property
    def label(self) -> str:
        return "people who are not in the release"

    def run(self, context: AuditContext, seed: int = 0, progress: Progress = SILENT) -> Finding:
        if context.original.n_ratings == 0:
            return self.finding(_SUMMARY, (), 0, seed, ("There are no ratings: not measured.",))
        try:
            group = control_of(context, progress)
        except NoControlGroupError as problem:
            return self.finding(_SUMMARY, (), 0, seed, (str(problem),))
        newcomers = Newcomers.split(group.outsiders, seed)
        if len(newcomers) < FEWEST_OUTSIDERS:
            note = (
                f"Fewer than {FEWEST_OUTSIDERS} of the people left out have two ratings, one to be "
                "known by and one to predict: not measured."
            )
            return self.finding(_SUMMARY, (), 0, seed, (note,))
        return self._measured(context, group, newcomers, seed, progress)

    def _measured(
        self,
        context: AuditContext,
        group: ControlGroup,
        newcomers: Newcomers,
        seed: int,
        progress: Progress,
    ) -> Finding:
        training = TrainingRows.of_release(group.rehearsed)
        no_values = _why_no_values(context, training)
        asked = NewcomerTask(newcomers, self.parameters.top, seed, not no_values)
        after = outcomes_of(training, asked, progress)
        before, baselines = outcomes_of_original(context.original, group, asked, progress)
        drawn = Resampled(len(newcomers), seed)
        figures: list[Figure] = []
        if after.squared is not None and before.squared is not None:
            if _means_are_right(baselines, newcomers):
                no_values = (
                    "The averages of the items are always right, so tailored predictions cannot be "
                    "better."
                )
            else:
                figures += value_figures(after.squared, before.squared, baselines, asked, drawn)
        if np.count_nonzero(context.original.item_support) > self.parameters.top:
            figures += list_figures(after, before, self.parameters.top, drawn)
            on_items = _on_items(training)
        else:
            on_items = "All items fit on one list, so that none is better than another."
        notes = [_on_people(context, group, newcomers), no_values, on_items]
        return self.finding(
            _SUMMARY, tuple(figures), len(newcomers), seed, tuple(note for note in notes if note)
        )


def _why_no_values(context: AuditContext, training: TrainingRows) -> str:
    """Why no ratings can be predicted; an empty text if they can."""
    if context.original.scale.span == 0:
        return "There are no values to predict: lists alone are measured."
    if not Units.between(context.original.scale, training.rows.scale).comparable:
        return "The release has no values to learn from: lists alone are measured."
    return ""


def _means_are_right(baselines: Baselines, newcomers: Newcomers) -> bool:
    asked = newcomers.asked
    error = np.sqrt(baselines.item_mean.sum() / asked.n_ratings)
    return bool(error <= SMALLEST_ERROR * asked.scale.span)


def _on_people(context: AuditContext, group: ControlGroup, newcomers: Newcomers) -> str:
    took_part = group.rehearsed.original.n_users + group.outsiders.n_users
    among = ""
    if took_part < context.original.n_users:
        among = (
            f" Of {context.original.n_users:,} people {took_part:,} took part, drawn at random; "
            "with more rows to learn from, predictions would be better."
        )
    return (
        f"Measured on a rehearsal without {len(newcomers):,} people: half of what each of them "
        f"rated was given to a recommender that had learnt from the rest, which predicted the "
        f"other half.{among}"
    )


def _on_items(training: TrainingRows) -> str:
    if np.count_nonzero(training.rows.item_support) <= MOST_ITEMS:
        return ""
    return f"Lists recommend only the {MOST_ITEMS:,} most rated items."
