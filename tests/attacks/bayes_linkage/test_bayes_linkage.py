"""The Bayesian adversary: contract, monotony, calibration, and what older attacks found."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import recloak
from recloak.attacks import attack
from recloak.attacks.bayes_linkage import _clusters, _fragments
from recloak.attacks.bayes_linkage._adversary import Adversary
from recloak.attacks.bayes_linkage._choice import candidates_of
from recloak.attacks.bayes_linkage._knowledge import KnowledgeModel
from recloak.auditing.control_rehearsal import control_group
from recloak.core.errors import ParameterError
from recloak.core.progress import SILENT
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.methods import method
from recloak.testing.attacks import AttackContract
from recloak.testing.contexts import context_of


class TestBayesLinkage(AttackContract):
    name = "bayes-linkage"


@pytest.fixture(scope="module")
def like_films() -> Ratings:
    return recloak.synthesize("ml-100k", users=300, ratings=15_000, seed=1)


def success(context: AuditContext, settings: str) -> float:
    figure = attack(f"bayes-linkage:{settings}").run(context).figure("success")
    assert figure is not None
    return figure.value


RELEASES = [
    ("pseudonymize", {}),
    ("gaussian-noise", {"sigma": 1.0}),
    ("uniform-noise", {"sigma": 1.0, "rounding": "step"}),
    ("microaggregation", {"k": 5}),
    ("predictive", {"k": 5}),
    ("predictive", {"k": 5, "mode": "padded"}),
    ("disassociation", {"k": 2}),
    ("fragmentation", {}),
]


@pytest.mark.parametrize(("name", "parameters"), RELEASES)
def test_who_knows_more_never_succeeds_less(
    like_films: Ratings, name: str, parameters: dict[str, object]
) -> None:
    context = context_of(like_films, name, **parameters)
    rates = [success(context, f"known={known}") for known in (2, 8, 20, 0)]
    assert all(more >= less - 0.02 for less, more in pairwise(rates)), rates
    without = success(context, "known=8,values=no")
    assert without <= rates[1] + 0.03


def test_stronger_protection_is_found_less(like_films: Ratings) -> None:
    noise = [
        success(context_of(like_films, "gaussian-noise", sigma=sigma), "known=3")
        for sigma in (0.3, 1.0, 3.0)
    ]
    assert noise == sorted(noise, reverse=True)
    groups = [
        success(context_of(like_films, "microaggregation", k=k), "known=8") for k in (3, 6, 12)
    ]
    assert groups == sorted(groups, reverse=True)
    assert all(found <= 1 / k + 1e-9 for found, k in zip(groups, (3, 6, 12), strict=True))


@pytest.mark.parametrize(("name", "parameters"), RELEASES)
def test_finds_at_least_what_older_attacks_found(
    like_films: Ratings, name: str, parameters: dict[str, object]
) -> None:
    context = context_of(like_films, name, **parameters)
    for known in (4, 8):
        older = attack(f"record-linkage:known={known}").run(context).figure("success")
        assert older is not None
        assert success(context, f"known={known}") >= older.value - 0.02


@pytest.mark.parametrize(("name", "parameters"), RELEASES)
def test_rare_items_tell_most(
    like_films: Ratings, name: str, parameters: dict[str, object]
) -> None:
    context = context_of(like_films, name, **parameters)
    rates = [success(context, f"known=4,model={model}") for model in ("popular", "rare")]
    assert rates[1] >= rates[0] - 0.05, rates


def test_rare_items_tell_of_padded_profiles_more_than_any(like_films: Ratings) -> None:
    """That somebody rated nothing rarer cannot be read from profiles that list every item."""
    context = context_of(like_films, "predictive", k=5, mode="padded")
    rates = [success(context, f"known=4,model={model}") for model in ("uniform", "rare")]
    assert rates[1] >= rates[0], rates


@pytest.mark.parametrize("model", ["uniform", "popular", "rare"])
def test_every_model_of_knowledge_finds_unchanged_rows(like_films: Ratings, model: str) -> None:
    assert success(context_of(like_films), f"known=8,model={model}") > 0.9


def test_popular_items_tell_less(like_films: Ratings) -> None:
    context = context_of(like_films, "gaussian-noise", sigma=2.0)
    assert success(context, "known=4,model=popular") < success(context, "known=4,model=rare")


@pytest.mark.parametrize("values", ["yes", "no"])
def test_wrong_knowledge_costs_something_and_is_no_protection(
    like_films: Ratings, values: str
) -> None:
    context = context_of(like_films)
    right, wrong = (
        success(context, f"known=12,values={values},wrong={share}") for share in (0, 0.25)
    )
    assert 0.6 < wrong <= right


def test_confidence_is_kept(like_films: Ratings) -> None:
    """Of rows that are named with a confidence of about 80 %, about so many are the right ones."""
    context = context_of(like_films, "gaussian-noise", sigma=1.0)
    model = KnowledgeModel.of(context, "uniform", 4, 0.0, values=True)
    weights = model.weights_in_release(context.rows.n_items)
    values = like_films.values.astype(np.float64)
    adversary = Adversary(candidates_of(context, values, weights), model)
    users = np.flatnonzero(like_films.user_counts >= 4)
    rng = np.random.default_rng(1)
    tries = adversary.attack(like_films, users, context.linkage, 6, rng, SILENT)
    near = (tries.confidence > 0.7) & (tries.confidence < 0.9)
    assert near.sum() > 100
    # Somebody may be in the release or not by what the adversary thinks; here everyone is.
    assert 0.72 < tries.success[near].mean() < 0.97


def test_outsiders_are_rarely_named(like_films: Ratings) -> None:
    context = replace(
        context_of(like_films), control=control_group(like_films, method("pseudonymize"))
    )
    finding = attack("bayes-linkage:known=12").run(context)
    named, outsiders = finding.figure("named"), finding.figure("named_outsiders")
    assert named is not None
    assert outsiders is not None
    assert named.value > 0.9
    assert outsiders.value < 0.1


def test_rows_of_an_unknown_method_are_found_though_ratings_were_left_out(
    like_films: Ratings,
) -> None:
    """Another tool drops a tenth of all ratings and moves another by a step."""
    rng = np.random.default_rng(4)
    context = context_of(like_films)
    values = np.where(rng.random(like_films.n_ratings) < 0.1, 6 - context.rows.values, 0)
    moved = np.where(values > 0, values, context.rows.values).astype(np.float32)
    rows = context.rows.with_values(moved).keep(rng.random(like_films.n_ratings) >= 0.1)
    changed = replace(context, rows=rows, release=None)
    rates = [success(changed, f"known={known}") for known in (2, 4, 8, 0)]
    assert rates == sorted(rates), rates
    assert rates[1] > 0.5
    assert rates[-1] > 0.99


def test_items_that_the_release_lacks_tell_nothing(like_films: Ratings) -> None:
    context = context_of(like_films)
    lacking = replace(context, item_in_release=np.full_like(context.item_in_release, -1))
    assert success(lacking, "known=4") == pytest.approx(1 / like_films.n_users, abs=0.01)


def test_unreadable_settings_are_refused() -> None:
    with pytest.raises(ParameterError, match="model"):
        attack("bayes-linkage:model=guess")
    with pytest.raises(ParameterError, match="wrong"):
        attack("bayes-linkage:wrong=1.5")


def test_an_adversary_who_is_weaker_for_want_of_memory_says_so(
    like_films: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = context_of(like_films, "fragmentation", cut="shared")
    known = attack("bayes-linkage:known=8,targets=50,repeats=1")
    assert _fragments.TOO_MANY not in known.run(context).notes
    monkeypatch.setattr(_fragments, "MOST_PAIRS", 100)
    assert _fragments.TOO_MANY in known.run(context).notes


def test_of_many_sub_records_fewer_people_are_sought(
    like_films: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    applied = method("disassociation", k=2).apply(like_films, Randomness.from_seed(1))
    rows = applied.release.as_ratings()
    context = replace(
        context_of(like_films),
        rows=rows,
        release=applied.release,
        linkage=applied.secret.linkage(like_films, rows),
        item_in_release=match_items(like_films, rows),
    )
    spec = "bayes-linkage:known=4,repeats=1"
    everyone = attack(spec).run(context, 0)
    monkeypatch.setattr(_clusters, "FEWEST_SOUGHT", 20)
    monkeypatch.setattr(_clusters, "MOST_LOOKED_AT", 50 * rows.n_users)
    some = attack(spec).run(context, 0)
    assert (everyone.sample, some.sample) == (300, 50)
    assert any("Only 50 people" in note for note in some.notes)
    monkeypatch.setattr(_clusters, "MOST_LOOKED_AT", 0)
    assert attack(spec).run(context, 0).sample == 20
