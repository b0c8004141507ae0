"""What profiles and chunks say of membership beside the same written out, and what it is worth."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from recloak.attacks import attack
from recloak.attacks._asked_people import AskedGroup, asked_groups
from recloak.attacks._chunk_numbers import numbered_chunks
from recloak.attacks.bayes_linkage._weigher import Weigher
from recloak.attacks.membership import _features, _leading_directions, _weighed_candidates
from recloak.attacks.membership._familiar_people import FamiliarPeople
from recloak.attacks.membership._leading_directions import leading_directions
from recloak.attacks.membership._profile_deviations import DeviatingProfiles
from recloak.attacks.membership._projection_kernels import explained_by_clusters
from recloak.attacks.membership._weighed_candidates import TOO_MANY, weighed_candidates
from recloak.core.arrays import offsets_from
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.releases.disassociated import SHARED, DisassociatedRelease
from recloak.releases.grouped import GroupedRelease
from recloak.testing import controlled, random_ratings
from tests.attacks.bayes_linkage.test_activity_of_groups import much_and_little
from tests.attacks.record_linkage.test_record_linkage import value
from tests.support.control_groups import people_like_movielens


@pytest.fixture(scope="module")
def people() -> Ratings:
    return people_like_movielens(300)


def asked_of(ratings: Ratings, name: str, **parameters: Any) -> AskedGroup:
    return asked_groups(controlled(ratings, name, **parameters), 0, 0, SILENT)[0]


def test_a_group_fits_who_would_have_moved_its_profile_so() -> None:
    asked = asked_of(random_ratings(120, 25, 0.4), "microaggregation", k=3)
    release = asked.group.rehearsed.release
    assert isinstance(release, GroupedRelease)
    profiles = DeviatingProfiles.of(asked, release)
    known = asked.people.known_ratings
    fits = profiles.fits(known)
    assert profiles.unrest.max() > 1.2 * profiles.unrest.min()
    for person, group in ((0, 0), (3, 5), (9, 11)):
        logs = 0.0
        for item, given in zip(*known.row(person), strict=True):
            at, size = profiles.place[item], profiles.sizes[group]
            deviates = profiles.deviations[group, at]
            spread = profiles.variance[at] * np.mean(
                np.square(profiles.deviations[group]) / profiles.variance
            )
            moved = (given - profiles.usual[item]) / size
            logs += (deviates**2 - (deviates - moved) ** 2) / (2 * spread)
        assert fits[person, group] == pytest.approx(logs, rel=1e-3, abs=1e-4)


def test_profiles_of_people_who_rate_much_deviate_more() -> None:
    """So that what deviates as much tells more of a group of people who rate little."""
    asked = asked_of(much_and_little(), "microaggregation", k=4)
    release = asked.group.rehearsed.release
    assert isinstance(release, GroupedRelease)
    listed = release.profiles.user_counts
    unrest = DeviatingProfiles.of(asked, release).unrest
    assert unrest[listed > 30].min() > 1.5 * unrest[listed < 20].max()


def plainly_explained(asked: AskedGroup, person: int) -> dict[int, list[float]]:
    """The same as the kernel counts, by sets."""
    release = asked.group.rehearsed.release
    assert isinstance(release, DisassociatedRelease)
    rows, placed = asked.attacked.rows, release.clusters
    chunks: dict[int, Counter[frozenset[tuple[int, float]]]] = {}
    cluster_of: dict[int, int] = {}
    for row, chunk in enumerate(numbered_chunks(placed).tolist()):
        if placed.kind[row] != SHARED:
            held = frozenset(zip(*(part.tolist() for part in rows.row(row)), strict=True))
            chunks.setdefault(chunk, Counter())[held] += 1
            cluster_of[chunk] = int(placed.group[row])
    mine = set(zip(*(part.tolist() for part in asked.people.ratings.row(person)), strict=True))
    found = {cluster: [0.0] * 5 for cluster in range(len(placed))}
    for chunk, records in chunks.items():
        own = frozenset(mine & set().union(*records))
        if own:
            counts, several = found[cluster_of[chunk]], len(own) * (len(own) > 1)
            counts[1] += len(own)
            counts[3] += several
            counts[0] += len(own) * (own in records)
            counts[2] += several * (own in records)
            counts[4] += own not in records
    return found


def test_a_chunk_explains_what_one_of_its_sub_records_is() -> None:
    asked = asked_of(random_ratings(150, 20, 0.3), "disassociation", k=2, max_cluster=40)
    release = asked.group.rehearsed.release
    assert isinstance(release, DisassociatedRelease)
    rows, placed, known = asked.attacked.rows, release.clusters, asked.people.known_ratings
    chunk = numbered_chunks(placed)
    cluster_of = np.full(int(chunk.max()) + 1, -1, np.int64)
    cluster_of[chunk] = np.where(placed.kind == SHARED, -1, placed.group)
    levels = len(asked.attacked.states)
    pairs = rows.items.astype(np.int64) * levels + asked.attacked.row_states
    found = np.zeros((known.n_users, len(placed), 5))
    explained_by_clusters(
        known.offsets,
        known.items.astype(np.int64) * levels + asked.attacked.states.codes(known.values),
        offsets_from(np.bincount(pairs, minlength=rows.n_items * levels)),
        rows.user_codes().astype(np.int64)[np.argsort(pairs, kind="stable")],
        rows.user_counts.astype(np.int64),
        chunk,
        cluster_of,
        found,
    )
    assert len(placed) > 1
    assert found[:, :, 4].any()
    for person in range(10):
        plain = plainly_explained(asked, person)
        assert found[person].tolist() == [plain[cluster] for cluster in range(len(placed))]


@pytest.mark.parametrize(
    ("left_out", "name", "parameters"),
    [
        ("profile_deviations", "microaggregation", {"k": 20}),
        ("projections", "disassociation", {"k": 2}),
    ],
)
def test_who_reads_them_tells_members_better(
    people: Ratings,
    monkeypatch: pytest.MonkeyPatch,
    left_out: str,
    name: str,
    parameters: dict[str, Any],
) -> None:
    context = controlled(people, name, **parameters)
    # which tells much the same of groups, if all is known
    monkeypatch.setattr(_features, "weighed_candidates", lambda asked, known: [])
    found = value(attack("membership").run(context), "membership")
    monkeypatch.setattr(_features, left_out, lambda asked, known: [])
    assert found > value(attack("membership").run(context), "membership") + 0.03


def who_rate_together(people: int, items: int, each: int) -> Ratings:
    """Which items they rate follows twelve directions; what they give is not known."""
    rng = np.random.default_rng(7)
    directions = 2 * rng.normal(size=(items, 12)) / np.sqrt(12)
    drawn = rng.normal(size=(people, 12)) @ directions.T + rng.gumbel(size=(people, items))
    picked = np.argsort(-drawn, axis=1)[:, :each]
    return Ratings.from_columns(np.repeat(np.arange(people), each), picked.ravel())


def test_who_finds_directions_again_tells_members_better(monkeypatch: pytest.MonkeyPatch) -> None:
    context = controlled(who_rate_together(300, 120, 40), "synthetic", floor=3)
    found = value(attack("membership").run(context), "membership")
    monkeypatch.setattr(_features, "leading_directions", lambda asked, known: [])
    assert found > value(attack("membership").run(context), "membership") + 0.03


def test_of_many_made_up_rows_some_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = random_ratings(120, 25, 0.4)
    whole, some = (asked_of(ratings, "synthetic", floor=2) for _ in range(2))
    found = leading_directions(whole, whole.people.known_ratings)
    monkeypatch.setattr(_leading_directions, "MOST_PRODUCTS", 10_000)
    of_some = leading_directions(some, some.people.known_ratings)
    assert len(of_some) == len(found)
    assert np.allclose(of_some[0], found[0])
    assert not np.allclose(of_some[-1], found[-1])


def test_without_values_only_items_are_compared() -> None:
    ratings = random_ratings(120, 25, 0.4)
    implicit = Ratings.from_columns(ratings.user_codes(), ratings.items)
    asked = asked_of(implicit, "synthetic", floor=2)
    everybody = [np.ones(len(asked.people), np.bool_)]
    assert FamiliarPeople.of([asked], everybody).features(asked).shape[1] == 3
    found = attack("membership").run(controlled(implicit, "synthetic", floor=2))
    assert value(found, "membership") <= 1


def test_groups_hold_somebody_with_the_chance_that_linkage_gives_them() -> None:
    ratings = random_ratings(120, 25, 0.4)
    asked = asked_groups(controlled(ratings, "microaggregation", k=3), 4, 0, SILENT)[0]
    known = asked.people.known_ratings
    columns = weighed_candidates(asked, known)
    weigher = _weighed_candidates._weigher(asked, known)
    for person in range(10):
        told = weigher.model.draw(known, person, np.random.default_rng(1))
        assert len(told) == known.user_counts[person]
        inside = weigher.normalised(told, weigher.log_weights(told)) @ weigher.candidates.people
        assert columns[-1][person] == pytest.approx(2 * inside - 1)


@pytest.mark.parametrize(
    ("name", "parameters", "gained"),
    [
        ("microaggregation", {"k": 5}, 0.05),
        ("fragmentation", {"cut": "shared", "fragments": 8}, 0.01),
        ("fragmentation", {"cut": "centroids", "fragments": 8}, 0.01),
    ],
)
def test_who_weighs_groups_and_fragments_tells_members_better(
    people: Ratings,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    parameters: dict[str, Any],
    gained: float,
) -> None:
    context, knows_eight = controlled(people, name, **parameters), attack("membership:known=8")
    found = value(knows_eight.run(context), "membership")
    monkeypatch.setattr(_features, "weighed_candidates", lambda asked, known: [])
    assert found > value(knows_eight.run(context), "membership") + gained


@pytest.mark.parametrize(
    ("name", "parameters", "limit"),
    [
        ("microaggregation", {"k": 3}, "MOST_GROUPS_WEIGHED"),
        ("fragmentation", {"fragments": 4}, "MOST_FRAGMENTS_WEIGHED"),
        ("fragmentation", {"fragments": 4, "cut": "shared"}, "MOST_COMPARED"),
    ],
)
def test_too_many_are_not_weighed_and_the_finding_says_so(
    monkeypatch: pytest.MonkeyPatch, name: str, parameters: dict[str, Any], limit: str
) -> None:
    ratings, knows_eight = random_ratings(120, 25, 0.4), attack("membership:known=8")
    context = controlled(ratings, name, **parameters)
    asked = asked_groups(context, 8, 0, SILENT)[0]
    known = asked.people.known_ratings
    assert len(weighed_candidates(asked, known)) == 7
    assert TOO_MANY not in knows_eight.run(context).notes
    monkeypatch.setattr(_weighed_candidates, limit, 1000)
    assert weighed_candidates(asked, known) == []
    assert TOO_MANY in knows_eight.run(context).notes


@pytest.mark.parametrize("name", ["disassociation", "pseudonymize", "synthetic"])
def test_other_rows_are_not_weighed(name: str) -> None:
    context = controlled(random_ratings(120, 25, 0.4), name)
    asked = asked_groups(context, 8, 0, SILENT)[0]
    assert weighed_candidates(asked, asked.people.known_ratings) == []


def test_fragments_are_not_weighed_where_all_is_known() -> None:
    asked = asked_of(random_ratings(120, 25, 0.4), "fragmentation", fragments=4)
    assert asked.has_several_rows
    assert weighed_candidates(asked, asked.people.known_ratings) == []


def test_what_was_counted_of_groups_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    context = controlled(random_ratings(120, 25, 0.4), "microaggregation", k=3)
    alone = attack("membership:known=4").run(context)
    made = weighers_made(monkeypatch)
    again = controlled(random_ratings(120, 25, 0.4), "microaggregation", k=3)
    attack("membership").run(again)
    first = len(made)
    assert attack("membership:known=4").run(again).figures == alone.figures
    assert len(made) == first > 0


def weighers_made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that gets longer with each weigher that is made."""
    made: list[int] = []
    new = _weighed_candidates._new_weigher

    def counted(asked: AskedGroup, known: int) -> Weigher:
        made.append(known)
        return new(asked, known)

    monkeypatch.setattr(_weighed_candidates, "_new_weigher", counted)
    return made
