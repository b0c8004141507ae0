"""Rows of one person, found by their looks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import recloak
from recloak.attacks import attack
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.releases.linkage import Linkage
from recloak.testing import AttackContract, context_of, random_ratings, rehearsable
from tests.attacks.record_linkage.test_record_linkage import value
from tests.attacks.scoreboard_multi.test_scoreboard_multi import halves

SPEC = "fragment-linking"


class TestFragmentLinking(AttackContract):
    name = SPEC
    parameters = {"known": 4, "tries": 50}

    def context(self, ratings: Ratings) -> AuditContext:
        return rehearsable(ratings, fragments=2) if len(ratings) else context_of(ratings)

    def test_finds_people_where_only_names_changed(self) -> None:
        """There is nothing to link where everyone has one row."""
        finding = self.make().run(context_of(random_ratings()))
        assert finding.figures == ()
        assert "Nobody has several rows" in finding.notes[1]

    def test_one_person(self) -> None:
        one = Ratings.from_columns([1] * 5, range(5), [3] * 5, scale="1..5")
        assert self.make().run(rehearsable(one, fragments=2)).figures == ()


def two_tastes(people: int = 120, seed: int = 3) -> Ratings:
    """Half of the people rate one half of the items, and these high; the others the other half."""
    rng = np.random.default_rng(seed)
    users, items, values, times = [], [], [], []
    for person in range(people):
        liked = rng.permutation(60)[:16] + 60 * (person % 2)
        users += [person] * 16
        items += liked.tolist()
        values += rng.integers(1 + 2 * (person % 2), 4 + 2 * (person % 2), 16).tolist()
        times += (86_400 * (10 * person + rng.random(16))).astype(int).tolist()
    return Ratings.from_columns(users, items, values, times, scale="1..5")


def split(original: Ratings, seed: int, *, times: bool) -> AuditContext:
    """Everyone's ratings in three rows, at random."""
    rng = np.random.default_rng(seed)
    rows = original.user_codes().astype(np.int64) * 3 + rng.integers(0, 3, len(original))
    moments = original.times if times else None
    labels = original.item_labels[original.items]
    release = Ratings.from_columns(rows, labels, original.values, moments, scale="1..5")
    owners = release.user_labels // 3
    linkage = Linkage.from_pairs(
        owners, np.arange(release.n_users), original.n_users, "mapping", "by hand"
    )
    return AuditContext(original, release, linkage, match_items(original, release))


def attacked(options: str, *, times: bool = False) -> recloak.evaluation.findings.Finding:
    mine, theirs = (split(two_tastes(seed=seed), seed, times=times) for seed in (1, 2))
    context = replace(theirs, rehearse=lambda users, seed, progress: mine)
    return attack(f"{SPEC}:known=8,tries=100{options}").run(context)


def test_tastes_tell_rows_apart() -> None:
    finding = attacked("")
    assert value(finding, "auc") > 0.7
    assert value(finding, "top1") > 2 * value(finding, "top1_random")
    assert value(finding, "top1_random") == pytest.approx(2 / 359, rel=0.05)


def test_published_times_link_rows_and_joined_rows_tell_more() -> None:
    finding = attacked("", times=True)
    assert value(finding, "top1") > 0.9
    assert value(finding, "auc") > 0.95
    assert value(finding, "gain_joined") > 1.5 * value(finding, "gain_single")
    assert value(finding, "precision_joined") > 0.9


def test_known_item_features_link_rows_and_their_absence_is_told() -> None:
    ratings = random_ratings(150, 60, 0.5)
    context = rehearsable(ratings, fragments=4, target_support=30)
    plain, known = (
        attack(f"{SPEC}:{given}").run(context) for given in ("tries=50", "factors=known")
    )
    assert value(known, "top1") > value(plain, "top1")
    without = attack(f"{SPEC}:factors=known").run(replace(context, factors=None))
    assert "not at hand" in without.notes[-1]


def test_without_a_rehearsal_nothing_is_measured() -> None:
    context = split(two_tastes(), 1, times=False)
    finding = attack(SPEC).run(context)
    assert finding.figures == ()
    assert "It is not known how the release was made" in " ".join(finding.notes)


@pytest.mark.real
@pytest.mark.parametrize(("fragments", "top1"), [(4.74, 0.13), (10.53, 0.065), (18.95, 0.04)])
def test_movielens_rows_are_linked_far_beyond_chance(
    real_data: Path, fragments: float, top1: float
) -> None:
    original, found = recloak.read(real_data / "ml-1m"), []
    for seed in range(3):
        context = halves(original, fragments, seed)
        finding = attack(f"{SPEC}:share=0.01,rows=5000").run(context, seed)
        found.append(value(finding, "top1"))
        assert value(finding, "top1_random") == pytest.approx(0.0007, abs=0.0002)
    assert np.mean(found) > 0.8 * top1
