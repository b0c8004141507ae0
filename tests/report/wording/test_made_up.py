"""What a report says of made-up people: nobody to find, and what is proved or is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recloak.auditing.policy import Policy
from recloak.auditing.run import audit
from recloak.core.randomness import Randomness
from recloak.evaluation.findings import Audit
from recloak.methods import method
from recloak.report import render_html
from recloak.simulation import synthesize


def audited(*attacks: str, **given: float) -> Audit:
    ratings = synthesize("ml-100k", users=120, ratings=4_000, seed=1)
    recipe = method("synthetic", **given)
    release, secret, *_ = recipe.apply(ratings, Randomness.from_seed(1))
    return audit(
        ratings,
        release,
        secret=secret,
        method=recipe,
        attacks=["record-linkage:known=4", *attacks],
        measures=[],
        policy=replace(Policy.default(), requirements=()),
    )


@pytest.fixture(scope="module")
def floored() -> str:
    return render_html(audited("inference:known=20", floor=5))


@pytest.fixture(scope="module")
def noisy() -> str:
    return render_html(audited(epsilon=1.0))


def test_the_report_begins_with_nobody_to_find(floored: str, noisy: str) -> None:
    for page in (floored, noisy):
        assert "No row is anybody&#39;s: the people of this release are made up" in page
        assert "No attack that was run tells how many people could be found" not in page


def test_a_floor_is_no_differential_privacy(floored: str, noisy: str) -> None:
    said = "This is not differential privacy: the statistics behind the made-up people are exact"
    assert said in floored
    assert "fewer than 5 people" in floored
    assert said not in noisy


def test_noise_says_what_it_proves_and_what_it_drowns(floored: str, noisy: str) -> None:
    assert "proved by construction: whoever had been left out" in noisy
    assert "ε = 1, δ = 1e-06" in noisy
    assert "only the popularity and the mean of each item survive" in noisy
    assert "only the popularity and the mean of each item survive" not in floored


def test_the_worst_off_tenth_is_judged_by_what_is_stated_about_it(floored: str) -> None:
    assert "(knows 20 ratings) gives away most, the excess is" in floored
