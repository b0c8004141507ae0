"""The baseline of noise on ratings: drawn once, kept, and no protection at all."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.core.errors import ParameterError
from recloak.core.timeline import Timeline
from recloak.evaluation.list_context import context_of
from recloak.lists.perturbed import perturbed, perturbed_history
from recloak.releases.lists.unprotected import raw_at
from recloak.testing import random_ratings
from tests.support.list_contexts import busy_context, busy_ratings


@pytest.mark.parametrize("variance", [1.0, 0.25])
def test_noise_is_uniform_around_the_rating(variance: float) -> None:
    ratings = random_ratings(300, 60, 0.3)
    noise = perturbed(ratings, variance).values - ratings.values
    assert np.abs(noise).max() <= np.sqrt(3 * variance) * (1 + 1e-5)
    assert noise.mean() == pytest.approx(0, abs=0.05)
    assert noise.var() == pytest.approx(variance, rel=0.05)


def test_noise_is_drawn_once_for_each_rating() -> None:
    """A later release shows the noise of the earlier one again."""
    ratings = busy_ratings()
    timeline = Timeline(perturbed(ratings, seed=4))
    early, late = (timeline.at(cut).ratings for cut in (40, 80))
    cells = {
        (user, item): value
        for user, row in enumerate(np.diff(late.offsets).cumsum())
        for item, value in zip(
            late.items[late.offsets[user] : row], late.values[late.offsets[user] : row], strict=True
        )
    }
    for user in range(early.n_users):
        here = slice(early.offsets[user], early.offsets[user + 1])
        for item, value in zip(early.items[here], early.values[here], strict=True):
            assert cells[user, item] == value
    assert np.array_equal(perturbed(ratings, seed=4).values, perturbed(ratings, seed=4).values)


def test_noise_changes_lists_and_protects_nobody() -> None:
    ratings, context = busy_ratings(), busy_context()
    cuts = [release.n_ratings for release in context.history.releases]
    raw = [one.lists for one in raw_at(Timeline(ratings), cuts, 3).releases]
    noisy = perturbed_history(ratings, cuts, 3, window=3)
    assert not any(release.protected for release in noisy.releases)
    found = context_of(noisy, ratings, raw=raw)
    assert any(not np.array_equal(a, b) for a, b in zip(found.tables, found.raw, strict=True))
    worst = max(one.share for place in found.places if (one := found.worst(place)))
    assert worst > 0.4


def test_noise_needs_a_variance() -> None:
    with pytest.raises(ParameterError):
        perturbed(busy_ratings(), 0)
