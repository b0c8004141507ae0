"""Auditing made-up people: what asks for somebody's row is not measured, claims are put to test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from recloak.auditing.policy import Policy
from recloak.auditing.run import audit
from recloak.core.errors import ClaimError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.findings import Audit
from recloak.methods import method
from recloak.releases.base import Release
from recloak.releases.secret import Secret
from recloak.report.refusal import refuse_with_report
from recloak.simulation import synthesize

CLAIM = "differential-privacy:epsilon=0.5,delta=1e-06,unit=user"
MEMBERSHIP = "membership:known=0"
OF_A_ROW = ("record-linkage:known=4", "scoreboard:known=4", "scoreboard-rh:known=5")
BY_A_ROW = ("prediction:recommender=factorization", "tailoring-utility", "ranking", "distortion")


@pytest.fixture(scope="module")
def ratings() -> Ratings:
    return synthesize("ml-100k", users=200, ratings=6_000, seed=1)


@pytest.fixture(scope="module")
def made_up(ratings: Ratings) -> Audit:
    release, secret, *_ = method("synthetic", floor=3).apply(ratings, Randomness.from_seed(1))
    measures = [*BY_A_ROW, "prediction:recommender=item-mean"]
    return audit(ratings, release, secret=secret, attacks=OF_A_ROW, measures=measures)


def test_what_asks_for_a_row_says_that_it_is_nobodys(made_up: Audit) -> None:
    found = {finding.spec: finding for finding in made_up.findings}
    asked = [one for one in found.values() if one.name in " ".join(OF_A_ROW + BY_A_ROW)]
    unmeasured = [one for one in asked if one.parameters.get("recommender") != "item-mean"]
    assert len(unmeasured) == len(OF_A_ROW) + len(BY_A_ROW)
    for finding in unmeasured:
        assert not finding.figures, finding.spec
        assert finding.notes[0].startswith("Not measured: no row is anybody's"), finding.spec
        assert not any("Nobody has" in note for note in finding.notes), finding.spec


def test_item_means_and_every_line_of_the_default_policy_are_measured(made_up: Audit) -> None:
    by_mean = [one for one in made_up.measures if one.parameters.get("recommender") == "item-mean"]
    assert by_mean[0].figure("rmse") is not None
    assert {result.status for result in made_up.policy_results} <= {"pass", "fail"}


def test_the_audit_says_who_is_meant_by_people_in_the_release(made_up: Audit) -> None:
    assert any("whose ratings it was learnt from" in note for note in made_up.notes)


def test_attacks_refute_a_claim_that_an_account_supports(ratings: Ratings) -> None:
    release, secret = _lying(ratings)
    found = _attacked(ratings, release, secret)
    verdict = next(one for one in found.verdicts if one.claim == CLAIM)
    assert verdict.status == "broken"
    assert verdict.witness is not None
    assert verdict.witness["epsilon_at_least"] > 0.5
    assert MEMBERSHIP in verdict.witness["attack"]
    assert found.status == "fail"
    with pytest.raises(ClaimError, match="Refuted"):
        refuse_with_report(found, None)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_noise_that_holds_is_not_refuted(ratings: Ratings, epsilon: float) -> None:
    """Not even where a fifth of the people are outliers, each with items of their own."""
    planted = _with_outliers(ratings)
    recipe = method("synthetic", epsilon=epsilon)
    release, secret, *_ = recipe.apply(planted, Randomness.from_seed(1))
    found = _attacked(planted, release, secret)
    verdict = next(one for one in found.verdicts if one.claim == str(recipe.claims()[0]))
    assert verdict.holds
    assert "does not refute" in verdict.how
    bound = found.attacks[0].figure("epsilon_at_least")
    assert bound is not None
    assert bound.value <= epsilon


def _with_outliers(ratings: Ratings) -> Ratings:
    """Fifty more people with twenty items that nobody else has, each at one end of the scale."""
    people = np.repeat(np.arange(50), 20)
    rated = 100_000 + np.arange(len(people))
    return Ratings.from_columns(
        np.concatenate([ratings.user_codes(), ratings.n_users + people]),
        np.concatenate([ratings.item_labels[ratings.items], rated]),
        np.concatenate([ratings.values, np.where(people % 2 == 0, 5.0, 1.0)]),
        scale=ratings.scale,
    )


def _attacked(ratings: Ratings, release: Release, secret: Secret) -> Audit:
    """With one attack alone, and a policy of one line about it."""
    default = Policy.default()
    line = next(one for one in default.requirements if one.attack == MEMBERSHIP)
    policy = replace(default, requirements=(line,))
    return audit(ratings, release, secret=secret, attacks=[], measures=[], policy=policy)


def _lying(ratings: Ratings) -> tuple[Release, Secret]:
    """New names alone, with the claim and the account of made-up people."""
    honest = method("synthetic", epsilon=0.5).apply(ratings, Randomness.from_seed(1)).release
    release, secret, *_ = method("pseudonymize").apply(ratings, Randomness.from_seed(1))
    statements = {"claims": honest.manifest.claims, "account": honest.manifest.account}
    return replace(release, manifest=release.manifest.model_copy(update=statements)), secret
