from __future__ import annotations

import numpy as np

from recloak.linkage import Linkage
from recloak.methods import method
from recloak.randomness import Randomness
from recloak.ratings import Ratings
from recloak.shadows import held_out, rehearsed
from tests.samples import from_rows, random_ratings
from tests.torn import Torn, part_of_items


def test_the_rehearsal_never_sees_the_probe() -> None:
    original = random_ratings(200)
    shadow = rehearsed(original, method("pseudonymize"))
    assert len(shadow.truth) + len(shadow.known) == len(original)
    assert len(shadow.released) == len(shadow.known)
    assert 0.05 < len(shadow.truth) / len(original) < 0.15
    rows = shadow.row_for(shadow.users, shadow.items)
    for row, item in zip(rows, shadow.item_in_release[shadow.items], strict=True):
        if row >= 0 and item >= 0:
            assert item not in shadow.released.row(row)[0]


def test_the_row_for_a_person_is_his_own() -> None:
    original = random_ratings(50)
    shadow = rehearsed(original, method("pseudonymize"))
    for user in range(50):
        row = shadow.row_for(np.array([user]), np.array([0]))[0]
        names = shadow.released.item_labels[shadow.released.row(row)[0]]
        mine = original.item_labels[shadow.known.row(user)[0]]
        assert names.tolist() == mine.tolist()


def test_someone_whose_only_rating_is_probed_has_no_row() -> None:
    lonely = Ratings.from_columns(np.arange(200), np.arange(200) % 7, np.full(200, 3), scale="1..5")
    shadow = rehearsed(lonely, method("pseudonymize"))
    assert (shadow.row_for(shadow.users, shadow.items) == -1).all()


def test_the_same_seed_probes_the_same() -> None:
    original = random_ratings()
    one, two = (rehearsed(original, method("gaussian-noise"), seed=5) for _ in range(2))
    assert one.released.equals(two.released)
    assert one.truth.tolist() == two.truth.tolist()


def test_cells_are_held_out_of_a_foreign_release() -> None:
    original = random_ratings(200)
    applied = method("gaussian-noise").apply(original, Randomness.from_seed(2))
    rows = applied.release.as_ratings()
    shadow = held_out(original, rows, applied.secret.linkage(original, rows))
    assert len(shadow.released) == len(rows) - len(shadow.truth)
    assert len(shadow.known) == len(original) - len(shadow.truth)
    predicting = shadow.row_for(shadow.users, shadow.items)
    for row, item in zip(predicting, shadow.items, strict=True):
        assert item in rows.row(row)[0]
        assert item not in shadow.released.row(row)[0]
    assert "could not be rehearsed" in shadow.note


def test_only_cells_that_stand_in_the_release_can_be_held_out() -> None:
    original = from_rows({f"u{at}": {"a": 1, "b": 2, "c": 3} for at in range(100)})
    rows = from_rows({f"r{at}": {"a": 1, "z": 5} for at in range(100)})
    pairs = np.arange(100)
    linkage = Linkage.from_pairs(pairs, pairs, 100, "mapping", "")
    shadow = held_out(original, rows, linkage)
    assert len(shadow.truth) > 0
    assert set(original.item_labels[shadow.items]) == {"a"}


def test_whole_rows_are_released_and_the_probe_scrubbed_from_them() -> None:
    original = random_ratings(100)
    shadow = rehearsed(original, Torn(3), whole_row=True)
    plain = rehearsed(original, Torn(3))
    assert shadow.truth.tolist() == plain.truth.tolist()
    assert len(shadow.released) == len(shadow.known) == len(plain.released)
    whole = Torn(3).apply(original.compact()).release.as_ratings()
    assert shadow.released.n_users == whole.n_users, "rows of probe ratings alone stay, empty"
    assert "whole rows" in shadow.note


def test_the_row_that_held_a_rating_predicts_it() -> None:
    original = random_ratings(100)
    shadow = rehearsed(original, Torn(3), whole_row=True)
    part_of = part_of_items(original, 3)
    rows = shadow.row_for(shadow.users, shadow.items)
    assert (rows >= 0).all()
    for user, item, row in zip(shadow.users, shadow.items, rows, strict=True):
        assert row in shadow.linkage.rows_of(user)
        labels = shadow.released.item_labels[shadow.released.row(row)[0]]
        assert original.item_labels[item] not in labels
        assert all(int(label) % 3 == part_of[item] for label in labels)


def test_a_foreign_release_also_tells_who_predicts_what_was_not_held_out() -> None:
    original = random_ratings(50)
    applied = method("pseudonymize").apply(original, Randomness.from_seed(2))
    rows = applied.release.as_ratings()
    linkage = applied.secret.linkage(original, rows)
    shadow = held_out(original, rows, linkage)
    users, items = np.repeat(np.arange(50), 40), np.tile(np.arange(40), 50)
    assert shadow.row_for(users, items).tolist() == linkage.first_row(users).tolist()
