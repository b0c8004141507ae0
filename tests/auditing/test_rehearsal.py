from __future__ import annotations

import numpy as np
import pytest

from recloak.auditing import rehearsal as rehearsals
from recloak.auditing.rehearsal import held_out, rehearsed
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods import method
from recloak.releases.linkage import Linkage
from recloak.testing import from_rows, random_ratings
from tests.support.split_by_item import SplitByItem, part_of_items


def test_the_rehearsal_never_sees_the_probe() -> None:
    original = random_ratings(200)
    rehearsal = rehearsed(original, method("pseudonymize"))
    assert len(rehearsal.truth) + len(rehearsal.known) == len(original)
    assert len(rehearsal.released) == len(rehearsal.known)
    assert 0.05 < len(rehearsal.truth) / len(original) < 0.15
    rows = rehearsal.row_for(rehearsal.users, rehearsal.items)
    for row, item in zip(rows, rehearsal.item_in_release[rehearsal.items], strict=True):
        if row >= 0 and item >= 0:
            assert item not in rehearsal.released.row(row)[0]


def test_the_row_for_a_person_is_his_own() -> None:
    original = random_ratings(50)
    rehearsal = rehearsed(original, method("pseudonymize"))
    for user in range(50):
        row = rehearsal.row_for(np.array([user]), np.array([0]))[0]
        names = rehearsal.released.item_labels[rehearsal.released.row(row)[0]]
        mine = original.item_labels[rehearsal.known.row(user)[0]]
        assert names.tolist() == mine.tolist()


def test_of_very_many_ratings_those_of_some_people_are_rehearsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = random_ratings(200)
    monkeypatch.setattr(rehearsals, "MOST_RATINGS", original.n_ratings // 4)
    rehearsal = rehearsed(original, method("pseudonymize"))
    assert "Of 200 people 50 took part" in rehearsal.note
    assert rehearsal.released.n_users == 50
    assert rehearsal.known.n_users == 200, "codes are those of the original"
    for user in np.unique(rehearsal.users).tolist():
        row = rehearsal.row_for(np.array([user]), np.array([0]))[0]
        names = rehearsal.released.item_labels[rehearsal.released.row(row)[0]].tolist()
        known = original.item_labels[rehearsal.known.row(user)[0]].tolist()
        probed = original.item_labels[rehearsal.items[rehearsal.users == user]].tolist()
        assert names == known
        assert sorted(known + probed) == original.item_labels[original.row(user)[0]].tolist()


def test_someone_whose_only_rating_is_probed_has_no_row() -> None:
    lonely = Ratings.from_columns(np.arange(200), np.arange(200) % 7, np.full(200, 3), scale="1..5")
    rehearsal = rehearsed(lonely, method("pseudonymize"))
    assert (rehearsal.row_for(rehearsal.users, rehearsal.items) == -1).all()


def test_the_same_seed_probes_the_same() -> None:
    original = random_ratings()
    one, two = (rehearsed(original, method("gaussian-noise"), seed=5) for _ in range(2))
    assert one.released.equals(two.released)
    assert one.truth.tolist() == two.truth.tolist()


def test_cells_are_held_out_of_a_foreign_release() -> None:
    original = random_ratings(200)
    applied = method("gaussian-noise").apply(original, Randomness.from_seed(2))
    rows = applied.release.as_ratings()
    rehearsal = held_out(original, rows, applied.secret.linkage(original, rows))
    assert len(rehearsal.released) == len(rows) - len(rehearsal.truth)
    assert len(rehearsal.known) == len(original) - len(rehearsal.truth)
    predicting = rehearsal.row_for(rehearsal.users, rehearsal.items)
    for row, item in zip(predicting, rehearsal.items, strict=True):
        assert item in rows.row(row)[0]
        assert item not in rehearsal.released.row(row)[0]
    assert "could not be rehearsed" in rehearsal.note


def test_only_cells_that_stand_in_the_release_can_be_held_out() -> None:
    original = from_rows({f"u{at}": {"a": 1, "b": 2, "c": 3} for at in range(100)})
    rows = from_rows({f"r{at}": {"a": 1, "z": 5} for at in range(100)})
    pairs = np.arange(100)
    linkage = Linkage.from_pairs(pairs, pairs, 100, "mapping", "")
    rehearsal = held_out(original, rows, linkage)
    assert len(rehearsal.truth) > 0
    assert set(original.item_labels[rehearsal.items]) == {"a"}


def test_whole_rows_are_released_and_the_probe_scrubbed_from_them() -> None:
    original = random_ratings(100)
    rehearsal = rehearsed(original, SplitByItem(3), whole_row=True)
    plain = rehearsed(original, SplitByItem(3))
    assert rehearsal.truth.tolist() == plain.truth.tolist()
    assert len(rehearsal.released) == len(rehearsal.known) == len(plain.released)
    whole = SplitByItem(3).apply(original.compact()).release.as_ratings()
    assert rehearsal.released.n_users == whole.n_users, "rows of probe ratings alone stay, empty"
    assert "whole rows" in rehearsal.note


def test_the_row_that_held_a_rating_predicts_it() -> None:
    original = random_ratings(100)
    rehearsal = rehearsed(original, SplitByItem(3), whole_row=True)
    part_of = part_of_items(original, 3)
    rows = rehearsal.row_for(rehearsal.users, rehearsal.items)
    assert (rows >= 0).all()
    for user, item, row in zip(rehearsal.users, rehearsal.items, rows, strict=True):
        assert row in rehearsal.linkage.rows_of(user)
        labels = rehearsal.released.item_labels[rehearsal.released.row(row)[0]]
        assert original.item_labels[item] not in labels
        assert all(int(label) % 3 == part_of[item] for label in labels)


def test_a_foreign_release_also_tells_who_predicts_what_was_not_held_out() -> None:
    original = random_ratings(50)
    applied = method("pseudonymize").apply(original, Randomness.from_seed(2))
    rows = applied.release.as_ratings()
    linkage = applied.secret.linkage(original, rows)
    rehearsal = held_out(original, rows, linkage)
    users, items = np.repeat(np.arange(50), 40), np.tile(np.arange(40), 50)
    assert rehearsal.row_for(users, items).tolist() == linkage.first_row(users).tolist()
