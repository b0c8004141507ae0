"""How much the people of a group rate, and what that says of each value of their profile."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.attacks.bayes_linkage._groups import GroupCandidates, shares_of_values
from recloak.core.arrays import Mask
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.releases.grouped import GroupedRelease
from recloak.testing import context_of
from tests.attacks.bayes_linkage import plain

ITEMS = 60


def much_and_little(people: int = 120) -> Ratings:
    """Every other person rated three items of sixty, the others thirty."""
    rng = np.random.default_rng(3)
    counts = np.where(np.arange(people) % 2 == 0, 3, 30)
    items = np.concatenate([rng.permutation(ITEMS)[:count] for count in counts])
    users = np.repeat(np.arange(people), counts)
    return Ratings.from_columns(users, items, rng.integers(1, 6, len(items)), scale="1..5")


@pytest.fixture(scope="module")
def groups() -> GroupCandidates:
    context = context_of(much_and_little(), "microaggregation", k=4)
    release = context.release
    assert isinstance(release, GroupedRelease)
    shares = shares_of_values(context.original.values.astype(np.float64), Scale(1, 5, 1))
    return GroupCandidates(release, Scale(1, 5, 1), shares)


def of_active_people(groups: GroupCandidates) -> Mask:
    return groups.table.user_counts > 30


def test_it_is_read_from_how_much_a_profile_lists(groups: GroupCandidates) -> None:
    active = of_active_people(groups)
    assert 0 < active.sum() < len(active)
    ratio = groups._activity[active].mean() / groups._activity[~active].mean()
    assert ratio > 5, "ten times as many ratings"
    masses = groups.mass(np.ones(ITEMS))
    assert masses[active].mean() == pytest.approx(30, rel=0.3)
    assert masses[active].mean() > 5 * masses[~active].mean()


def test_each_value_is_told_by_it(groups: GroupCandidates) -> None:
    """By counting in how many ways members who rate so much make the mean that is listed."""
    shares = dict(zip((1.0, 2.0, 3.0, 4.0, 5.0), groups._shares.tolist(), strict=True))
    active = of_active_people(groups)
    for item in (0, 17):
        usual = float(groups._chance_of_items()[item])
        held, means = groups.holders(item)
        found = groups.likelihood(item, 4.0)
        for group in (int(np.flatnonzero(one)[0]) for one in (active, ~active)):
            chance = 1 - (1 - usual) ** groups._activity[group]
            mean = dict(zip(held.tolist(), means.tolist(), strict=True)).get(group, 3.0)
            size = int(groups.people[group])
            expected = plain.member_gave(mean, size, chance, shares, base=3.0)
            assert found[group] * shares[4.0] == pytest.approx(expected[4.0], rel=1e-3)
