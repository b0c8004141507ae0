"""Method `synthetic`: what it publishes, keeps, draws again and refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recloak
from recloak.auditing.leak_scan import scan_for_leaks
from recloak.auditing.run import audit
from recloak.auditing.verification import check_claims
from recloak.core.errors import InputError, ParameterError, SecretError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods import METHODS, method
from recloak.methods.synthetic.budget import budget_for
from recloak.methods.synthetic.model import SyntheticModel, open_model
from recloak.publishing.draw import draw
from recloak.publishing.run import publish
from recloak.releases.base import open_release, save_release
from recloak.releases.sealing import Lock
from recloak.simulation import synthesize
from recloak.testing import MethodContract, random_ratings


class TestSynthetic(MethodContract):
    name = "synthetic"
    parameters = {"floor": 3}
    made_up = True


class TestSyntheticWithNoise(MethodContract):
    name = "synthetic"
    parameters = {"epsilon": 2.0}
    made_up = True


class TestSyntheticSurvey(MethodContract):
    name = "synthetic"
    parameters = {"data": "survey", "floor": 3}
    made_up = True


@pytest.fixture(scope="module")
def people() -> Ratings:
    return synthesize("ml-100k", users=600, items=300, ratings=30_000, seed=3)


@pytest.fixture(scope="module")
def model(people: Ratings) -> SyntheticModel:
    fitted: SyntheticModel = method("synthetic").fit(people, Randomness.from_seed(1))
    return fitted


def lock() -> Lock:
    return Lock("key file", bytes(range(32)))


def test_made_up_people_are_like_the_real_ones(people: Ratings, model: SyntheticModel) -> None:
    drawn = model.draw(seed=5)
    assert drawn.n_users == people.n_users
    assert drawn.n_ratings == pytest.approx(people.n_ratings, rel=0.15)
    support = dict(zip(drawn.item_labels.tolist(), drawn.item_support.tolist(), strict=True))
    ours = np.array([support.get(item, 0) for item in people.item_labels.tolist()])
    assert np.corrcoef(ours, people.item_support)[0, 1] > 0.95
    assert drawn.values.mean() == pytest.approx(people.values.mean(), abs=0.15)
    middle = [np.median(one.user_counts) for one in (drawn, people)]
    assert middle[0] == pytest.approx(middle[1], rel=0.25)


def test_items_that_people_rate_together_stay_together() -> None:
    rng = np.random.default_rng(0)
    kind = np.repeat([0, 1], 200)
    chance = np.where((np.arange(40) < 20)[None, :] == (kind == 0)[:, None], 0.5, 0.08)
    users, items = np.nonzero(rng.random((400, 40)) < chance)
    values = np.where((items % 2 == 0) == (users % 2 == 0), 5, 2)
    ratings = Ratings.from_columns(users, items, values, scale="1..5")
    drawn = method("synthetic").fit(ratings, Randomness.from_seed(1)).draw(400, seed=2)
    held = np.zeros((400, 40), bool)
    held[drawn.user_codes(), drawn.items] = True
    together = np.corrcoef(held.T)
    assert together[:20, :20].mean() > together[:20, 20:].mean() + 0.15
    given = np.full((400, 40), np.nan)
    given[drawn.user_codes(), drawn.items] = drawn.values
    even, odd = (np.nanmean(given[:, start::2], axis=1) for start in (0, 1))
    assert np.nanstd(even - odd) > 1.5  # some like the even ones, others the odd ones


def test_nothing_below_the_floor_is_published(people: Ratings) -> None:
    applied = method("synthetic", floor=40).apply(people, Randomness.from_seed(1))
    released = applied.release.as_ratings()
    enough = people.item_labels[people.item_support >= 40]
    assert set(released.item_labels.tolist()) <= set(enough.tolist())
    (verdict,) = check_claims(applied.release, applied.release.manifest.claimed, original=people)
    assert verdict.holds
    assert "This is not differential privacy." in verdict.how


def test_a_floor_that_leaves_few_items_leaves_only_rows_that_fit() -> None:
    """Ranges of sizes that begin above the number of items are left out, or all is refused."""
    users = np.repeat(np.arange(40), 8)
    items = np.concatenate(
        [[0, 1, *range(10 * person + 2, 10 * person + 8)] for person in range(40)]
    )
    values = np.full(len(items), 3)
    short = [(40 + person, item) for person in range(25) for item in (0, 1)]
    more = np.array(short)
    ratings = Ratings.from_columns(
        np.append(users, more[:, 0]),
        np.append(items, more[:, 1]),
        np.append(values, np.full(len(more), 4)),
        scale="1..5",
    )
    applied = method("synthetic", floor=20).apply(ratings, Randomness.from_seed(1))
    (verdict,) = check_claims(applied.release, applied.release.manifest.claimed, original=ratings)
    assert verdict.holds, verdict.witness
    assert applied.release.as_ratings().n_items == 2
    long_alone = ratings.take_users(np.arange(40)).compact()
    with pytest.raises(InputError, match="is about 20 people or more"):
        method("synthetic", floor=20).apply(long_alone)


def test_a_rare_item_or_size_breaks_the_floor(people: Ratings) -> None:
    applied = method("synthetic", floor=5).apply(people, Randomness.from_seed(1))
    claims = ["floor:k=200"]
    (verdict,) = check_claims(applied.release, claims, original=people)
    assert verdict.status == "broken"
    assert verdict.witness is not None
    manifest = applied.release.manifest
    longest = int(people.user_counts.max())
    odd = manifest.account.model_copy(update={"sizes": ((longest, longest + 1),)})  # type: ignore[union-attr]
    edited = replace(applied.release, manifest=manifest.model_copy(update={"account": odd}))
    (verdict,) = check_claims(edited, ["floor:k=5"], original=people)
    assert verdict.status == "broken"
    assert "people in its range" in (verdict.witness or {})


def test_the_verifier_finds_an_account_that_spends_too_much() -> None:
    release = method("synthetic", epsilon=1.0).apply(random_ratings()).release
    claim = "differential-privacy:epsilon=1.0,delta=1e-06,unit=user"
    assert all(verdict.holds for verdict in check_claims(release, [claim]))
    account = release.manifest.account
    assert account is not None
    quiet = [query.model_copy(update={"sigma": query.sigma / 2}) for query in account.queries]
    wrong = [query.model_copy(update={"sensitivity": 0.1}) for query in account.queries]
    for queries in (quiet, wrong, []):
        changed_account = account.model_copy(update={"queries": tuple(queries)})
        edited = replace(
            release, manifest=release.manifest.model_copy(update={"account": changed_account})
        )
        (verdict,) = check_claims(edited, [claim])
        assert verdict.status == "broken"
    (verdict,) = check_claims(release.as_ratings(), [claim])
    assert verdict.status == "undecided"


def test_an_audit_says_what_does_not_apply(people: Ratings) -> None:
    small = people.take_users(np.arange(150)).compact()
    applied = method("synthetic", floor=5).apply(small, Randomness.from_seed(1))
    found = audit(small, applied.release, secret=applied.secret)
    linked = [one for one in found.attacks if one.name == "record-linkage"]
    assert linked
    assert all(not one.figures for one in linked)
    assert any("made-up people" in note for note in linked[0].notes)
    again = audit(small, applied.release, attacks=["record-linkage"], measures=[])
    assert not again.attacks[0].figures


def test_the_leak_scan_knows_its_releases(people: Ratings, tmp_path: Path) -> None:
    for name, given in {"a": {}, "b": {"epsilon": 3.0}, "c": {"data": "survey"}}.items():
        small = people.take_users(np.arange(100)).compact() if name == "c" else people
        release = method("synthetic", **given).apply(small).release
        (tmp_path / name).mkdir()
        save_release(release, tmp_path / name)
        assert all(verdict.holds for verdict in scan_for_leaks(tmp_path / name, METHODS))
        changed_account = release.manifest.account
        assert changed_account is not None
        odd = changed_account.queries[0].model_copy(
            update={"sigma": changed_account.queries[0].sigma + 0.123456789012345}
        )
        hidden = changed_account.model_copy(update={"queries": (odd, *changed_account.queries[1:])})
        manifest = release.manifest.model_copy(update={"account": hidden})
        (tmp_path / f"{name}-odd").mkdir()
        save_release(replace(release, manifest=manifest), tmp_path / f"{name}-odd")
        verdicts = scan_for_leaks(tmp_path / f"{name}-odd", METHODS)
        assert [verdict.claim for verdict in verdicts if not verdict.holds] == [
            "no trace in the statements"
        ]


def test_a_model_is_kept_and_drawn_from_again(people: Ratings, tmp_path: Path) -> None:
    published = publish(
        people,
        "synthetic",
        epsilon=2.0,
        out=tmp_path / "release",
        audited=False,
        keep_model=tmp_path / "people.model",
        lock=lock(),
    )
    assert published.model == tmp_path / "people.model"
    assert b"synthetic" not in published.model.read_bytes()
    model = open_model(published.model, lock())
    again = draw(model, tmp_path / "more", people=33, seed="0x" + "a" * 32)
    assert again.manifest.rows == 33
    assert again.manifest.account == published.release.manifest.account
    assert again.manifest.claims == published.release.manifest.claims
    assert again.manifest.parameters["people"] == 33
    assert open_release(tmp_path / "more").as_ratings().n_users == 33
    one, two = (model.draw(20, seed=4) for _ in range(2))
    assert one.equals(two)
    with pytest.raises(SecretError):
        open_model(published.model, Lock("key file", bytes(32)))
    with pytest.raises(InputError, match="not a sealed model"):
        open_model(tmp_path / "release" / "manifest.json", lock())
    with pytest.raises(ParameterError, match="cannot be drawn"):
        model.draw(0)


def together(fits: int) -> float:
    """What so many fits with ε = 1 amount to, by another accountant."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    mu = budget_for(1.0, 1e-6) * fits**0.5
    one = pld.from_gaussian_mechanism(1 / mu, value_discretization_interval=1e-4)
    return float(one.get_epsilon_for_delta(1e-6))


def test_budgets_of_two_fits_add_up(people: Ratings, tmp_path: Path) -> None:
    given: dict[str, Any] = {"epsilon": 1.0, "audited": False}
    publish(people, "synthetic", out=tmp_path / "one", **given)
    two = publish(people, "synthetic", out=tmp_path / "two", previous=tmp_path / "one", **given)
    three = publish(people, "synthetic", out=tmp_path / "3", previous=tmp_path / "two", **given)
    account = three.release.manifest.account
    assert account is not None
    assert account.earlier == (account.mu, account.mu)
    assert any(f"ε = {together(2):.3g}" in note for note in two.notes), two.notes
    (verdict,) = check_claims(three.release, three.release.manifest.claimed)
    assert verdict.holds
    assert f"ε = {together(3):.3g}" in verdict.how
    with pytest.raises(ParameterError, match="give --epsilon"):
        publish(people, "synthetic", out=tmp_path / "x", previous=tmp_path / "one", audited=False)
    assert not (tmp_path / "x").exists()


def test_a_catalogue_decides_which_items_there_are(people: Ratings, tmp_path: Path) -> None:
    catalogue = [*people.item_labels[:50].tolist(), 999_999]
    published = publish(
        people,
        "synthetic",
        epsilon=5.0,
        out=tmp_path / "release",
        audited=False,
        public_items=catalogue,
    )
    assert set(published.release.as_ratings().item_labels.tolist()) <= set(catalogue)
    with pytest.raises(InputError, match="nobody rated anything"):
        publish(people, "synthetic", out=tmp_path / "x", audited=False, public_items=[999_999])


@pytest.mark.parametrize(("floor", "said"), [(5, True), (100, False)])
def test_few_people_are_told_that_each_weighs_much(people: Ratings, floor: int, said: bool) -> None:
    synthetic = method("synthetic", floor=floor)
    notes = synthetic.notes_on(synthetic.fit(people, Randomness.from_seed(1)))
    assert any("may tell whether they are in the data" in note for note in notes) is said


def test_what_is_taken_to_be_public_is_said(people: Ratings) -> None:
    model = method("synthetic", epsilon=5.0).fit(people, Randomness.from_seed(1))
    (note, *_) = method("synthetic", epsilon=5.0).notes_on(model)
    assert f"the scale ({people.scale}) are taken to be public" in note
    assert "--public-items" in note
    assert "--scale" in note


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epsilon": 0.0}, "greater than 0"),
        ({"epsilon": -1.0}, "greater than 0"),
        ({"epsilon": 51.0}, "less than or equal to 50.*\n.*promises nothing"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"floor": 1}, "greater than or equal to 2"),
        ({"people": 0}, "greater than or equal to 1"),
        ({"support_share": 0.6, "taste_share": 0.5}, "nothing of the budget"),
        ({"data": "survey", "times": "year"}, "a survey has no times"),
    ],
)
def test_bad_parameters_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        method("synthetic", **given)


def test_data_that_do_not_fit_are_refused() -> None:
    ratings = random_ratings(n_users=1200, n_items=30)
    with pytest.raises(ParameterError, match="1 / 1,200"):
        method("synthetic", epsilon=1.0, delta=0.001).apply(ratings)
    with pytest.raises(InputError, match="60 people or more"):
        method("synthetic", floor=60).apply(random_ratings(n_users=20))
    wide = Ratings.from_columns([1, 2], [1, 1], [0.123, 7.5], scale="0..10 continuous")
    with pytest.raises(InputError, match="not that of a survey"):
        method("synthetic", data="survey").apply(wide)


def test_options_that_make_no_sense_are_refused(people: Ratings, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="there is no secret"):
        publish(people, "synthetic", out=tmp_path / "x", keep_secret=tmp_path / "s", lock=lock())
    with pytest.raises(ParameterError, match="draws no made-up people"):
        publish(people, "pseudonymize", out=tmp_path / "x", keep_model=tmp_path / "m", lock=lock())
    assert list(tmp_path.iterdir()) == []


def test_too_few_people_are_told_so() -> None:
    notes = method("synthetic", epsilon=1.0).apply(random_ratings(n_users=300)).notes
    assert any("only the popularity and the mean of each item survive" in note for note in notes)
    assert any("taken to be public" in note for note in notes)


def test_implicit_data_and_times(people: Ratings) -> None:
    bought = Ratings.from_columns(
        people.user_codes(), people.item_labels[people.items], scale="implicit"
    )
    for given in ({}, {"epsilon": 4.0}):
        rows = method("synthetic", **given).apply(bought).release.as_ratings()
        assert rows.scale.implicit
        assert (rows.values == 1).all()
    timed = random_ratings(n_users=200, times=True)
    applied = method("synthetic", times="year").apply(timed)
    years = applied.release.as_ratings().times
    assert years is not None
    assert applied.release.manifest.times == "coarsened to the year"
    assert set(years.tolist()) <= {946684800, 978307200, 883612800, 915148800}


def test_a_survey_keeps_what_goes_together() -> None:
    rng = np.random.default_rng(1)
    kind = rng.integers(0, 2, 500)
    answers = np.where(
        rng.random((500, 6)) < 0.85, 1 + 3 * kind[:, None], rng.integers(1, 6, (500, 6))
    )
    left_out = rng.random((500, 6)) < 0.2
    users, items = np.nonzero(~left_out)
    ratings = Ratings.from_columns(users, items, answers[~left_out], scale="1..5")
    applied = method("synthetic", data="survey").apply(ratings, Randomness.from_seed(1))
    assert applied.release.manifest.kind == "made-up-survey"
    rows = applied.release.as_ratings()
    table = np.full((rows.n_users, 6), np.nan)
    table[rows.user_codes(), rows.items] = rows.values
    assert np.isnan(table).mean() == pytest.approx(0.2, abs=0.05)
    both = ~np.isnan(table[:, 0]) & ~np.isnan(table[:, 1])
    assert np.corrcoef(table[both, 0], table[both, 1])[0, 1] > 0.4
    share = [(table == level).mean() / (~np.isnan(table)).mean() for level in (1, 4)]
    real = [(ratings.values == level).mean() for level in (1, 4)]
    assert share == pytest.approx(real, abs=0.06)


def test_python_publishes_in_a_line(people: Ratings, tmp_path: Path) -> None:
    published = recloak.publish(
        people, "synthetic", epsilon=2.0, out=tmp_path / "release", audited=False
    )
    assert published.release.made_up
    assert "model: destroyed" in repr(published)


def test_people_with_few_ratings_are_told_of() -> None:
    few = random_ratings(n_users=300, n_items=100, density=0.03)
    notes = method("synthetic", floor=3).apply(few, Randomness.from_seed(1)).notes
    assert any("can learn little from the release" in note for note in notes)
    many = random_ratings(n_users=300, n_items=100, density=0.4)
    notes = method("synthetic", floor=3).apply(many, Randomness.from_seed(1)).notes
    assert not any("can learn little" in note for note in notes)


def test_what_looks_like_a_survey_is_told_how_to_be_one() -> None:
    answers = random_ratings(n_users=300, n_items=6, density=0.95)
    notes = method("synthetic").apply(answers, Randomness.from_seed(1)).notes
    assert any("say --data survey" in note for note in notes)
    assert not any("can learn little" in note for note in notes)
    drawn = method("synthetic", data="survey").apply(answers, Randomness.from_seed(1))
    assert not any("--data survey" in note for note in drawn.notes)
