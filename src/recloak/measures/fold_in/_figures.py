"""The figures of fold-in: declared, and computed with intervals by drawing people again."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Floats
from recloak.core.randomness import Randomness
from recloak.evaluation.figures import UTILITY, DeclaredFigure
from recloak.evaluation.findings import Figure, Unit
from recloak.measures.fold_in._outcomes import Baselines, NewcomerTask, Outcomes

DRAWS = 1000
LOW, HIGH = 2.5, 97.5

DECLARED = (
    DeclaredFigure(
        "fold_in_mu",
        worse="less",
        heading="Tailoring utility for newcomers",
        meaning=(
            "How much better predictions for people who are not in the release are than the "
            "average rating of each item: the share by which the RMSE is lower. Item biases and "
            "tastes are learnt from the release alone; half of a newcomer's ratings say who they "
            "are, the others are predicted. Tailoring utility without the words “for newcomers” "
            "is about people who are in the release, from their own rows; it is lower where rows "
            "are full of filler."
        ),
        column="μ, newcomers",
        at_a_glance="tailoring utility for people who are not in the release: how much better than "
        "item averages a recommender that was trained on the release predicts for them; at 0 or "
        "less, the averages alone would do",
        sentence="For people who are not in it, predictions learnt from the release have a "
        "tailoring utility of {value}.",
        bounded=False,
        stands_for=UTILITY,
        original="fold_in_mu_original",
        change="fold_in_mu_kept",
        short="tailoring utility",
    ),
    DeclaredFigure("fold_in_mu_original", bounded=False),
    DeclaredFigure(
        "fold_in_mu_kept",
        worse="less",
        heading="Tailoring utility kept for newcomers",
        meaning=(
            "The share of the original's tailoring utility for people who are not in it that the "
            "release keeps. Averages, and how high a newcomer rates, reach a part of it without "
            "anybody's row."
        ),
        bounded=False,
    ),
    DeclaredFigure("fold_in_mu_offset", bounded=False),
    DeclaredFigure(
        "fold_in_mu_above_offset",
        worse="less",
        heading="Tailoring utility above generosity",
        meaning=(
            "The tailoring utility for newcomers minus that of item averages shifted by how high "
            "the newcomer rates, which needs nobody's row: what the rows of the release "
            "themselves add."
        ),
        bounded=False,
        original="fold_in_mu_above_offset_original",
    ),
    DeclaredFigure("fold_in_mu_above_offset_original", bounded=False),
    DeclaredFigure("fold_in_rmse", "rating", worse="more", original="fold_in_rmse_original"),
    DeclaredFigure("fold_in_rmse_original", "rating"),
    DeclaredFigure("fold_in_rmse_item_mean", "rating"),
    DeclaredFigure(
        "fold_in_ndcg",
        worse="less",
        heading="nDCG for newcomers",
        meaning=(
            "How near to the top of the recommended items are those that a person who is not in "
            "the release rated, if half of their ratings are known: 1 if they all come first. An "
            "item-item model learns from the release which items are rated together. nDCG "
            "without the words “for newcomers” is about people who are in the release, and about "
            "items that they liked."
        ),
        column="nDCG, newcomers",
        at_a_glance="whether what people who are not in the release rate comes first in their "
        "recommended lists; more is better",
        stands_for=UTILITY,
        original="fold_in_ndcg_original",
        change="fold_in_ndcg_kept",
        short="nDCG",
    ),
    DeclaredFigure("fold_in_ndcg_original"),
    DeclaredFigure(
        "fold_in_ndcg_kept",
        worse="less",
        heading="nDCG kept for newcomers",
        meaning="The share of the original's nDCG for people who are not in it that the release "
        "keeps.",
        bounded=False,
    ),
    DeclaredFigure("fold_in_ndcg_popular"),
    DeclaredFigure(
        "fold_in_recall",
        worse="less",
        heading="Recall for newcomers",
        meaning=(
            "The share of a recommended list that a person who is not in the release rated, "
            "compared with the largest possible share."
        ),
        original="fold_in_recall_original",
    ),
    DeclaredFigure("fold_in_recall_original"),
    DeclaredFigure("fold_in_recall_popular"),
)


class Resampled:
    """Sums over newcomers, as they are and in each of many draws with replacement.

    The first entry of all that is computed from sums is the value, the others are its draws.
    """

    def __init__(self, people: int, seed: int) -> None:
        rng = Randomness.from_seed(seed).generator("newcomers drawn again")
        drawn = rng.multinomial(people, np.full(people, 1 / people), size=DRAWS)
        self._counts = np.vstack([np.ones(people), drawn])

    def sums(self, outcomes: Floats) -> Floats:
        return np.asarray(self._counts @ outcomes)

    def means(self, outcomes: Floats) -> Floats:
        return np.asarray(self.sums(outcomes) / self._counts.sum(axis=1))


def figure(name: str, found: Floats, unit: Unit, meaning: str) -> Figure:
    """The value and where 95 of 100 draws lie."""
    value, draws = float(found[0]), found[1:][np.isfinite(found[1:])]
    low, high = np.percentile(draws, [LOW, HIGH]) if len(draws) else (value, value)
    return Figure(name, value, min(value, float(low)), max(value, float(high)), unit, meaning)


def value_figures(
    release: Floats, original: Floats, baselines: Baselines, asked: NewcomerTask, drawn: Resampled
) -> list[Figure]:
    """RMSE and μ; the arguments are sums of squared errors, one for each newcomer."""
    counts = drawn.sums(asked.newcomers.asked.user_counts.astype(np.float64))
    sums = (release, original, baselines.item_mean, baselines.with_offset)
    new, old, naive, offset = (np.sqrt(drawn.sums(one) / counts) for one in sums)
    mu, mu_original, mu_offset = 1 - new / naive, 1 - old / naive, 1 - offset / naive
    meaning = "tailoring utility for people who are not in the release"
    alone = "by item averages and their own offset"
    figures = [
        figure("fold_in_mu", mu, "share", f"{meaning}, learnt from the release"),
        figure("fold_in_mu_original", mu_original, "share", f"{meaning}, learnt from the original"),
        figure("fold_in_mu_offset", mu_offset, "share", f"{meaning}, {alone}"),
        figure(
            "fold_in_mu_above_offset", mu - mu_offset, "share", f"{meaning}, minus that {alone}"
        ),
        figure(
            "fold_in_mu_above_offset_original",
            mu_original - mu_offset,
            "share",
            f"{meaning}, minus that {alone}, learnt from the original",
        ),
        *_rmse_figures(new, old, naive),
    ]
    kept = _kept("fold_in_mu_kept", mu, mu_original, "of the original's tailoring utility")
    return figures[:2] + kept + figures[2:]


def list_figures(release: Outcomes, original: Outcomes, top: int, drawn: Resampled) -> list[Figure]:
    """Both nDCG and recall of the first items that are recommended."""
    which = f"of the first {top} recommended to people who are not in the release"
    made = []
    for name, title in (("ndcg", "nDCG"), ("recall", "recall")):
        sides = {
            "": (getattr(release, name), "learnt from the release"),
            "_original": (getattr(original, name), "learnt from the original"),
            "_popular": (getattr(original, f"{name}_popular"), "the most rated ones"),
        }
        for side, (outcomes, learnt) in sides.items():
            means, meaning = drawn.means(outcomes), f"{title} {which}, {learnt}"
            made.append(figure(f"fold_in_{name}{side}", means, "share", meaning))
    new, old = drawn.means(release.ndcg), drawn.means(original.ndcg)
    return [*made[:2], *_kept("fold_in_ndcg_kept", new, old, "of the original's nDCG"), *made[2:]]


def _rmse_figures(new: Floats, old: Floats, naive: Floats) -> list[Figure]:
    meaning = "root mean squared error for people who are not in the release"
    return [
        figure("fold_in_rmse", new, "rating", f"{meaning}, learnt from the release"),
        figure("fold_in_rmse_original", old, "rating", f"{meaning}, learnt from the original"),
        figure("fold_in_rmse_item_mean", naive, "rating", f"{meaning}, of item averages alone"),
    ]


def _kept(name: str, after: Floats, before: Floats, of_what: str) -> list[Figure]:
    """The share that the release keeps; of none, no share can be kept."""
    if before[0] <= 0:
        return []
    share = np.where(before > 0, after / np.where(before > 0, before, 1.0), np.nan)
    meaning = f"the share {of_what} that the release keeps for people who are not in it"
    return [figure(name, share, "share", meaning)]
