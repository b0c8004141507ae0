from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recloak.core import people_draws
from recloak.core.errors import InputError, ParameterError
from recloak.core.people_draws import PeopleDraws
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.io import read
from recloak.methods import Applied, method
from recloak.methods.disassociation import Disassociation
from recloak.releases.disassociated import RECORD, SHARED, TERM, DisassociatedRelease
from recloak.testing import MethodContract, from_rows, random_ratings
from tests.support.few_names import few_names


def disassociated(ratings: Ratings, seed: int = 1, **parameters: Any) -> DisassociatedRelease:
    return applied_to(ratings, seed, **parameters)[0]


def applied_to(
    ratings: Ratings, seed: int = 1, **parameters: Any
) -> tuple[DisassociatedRelease, Applied]:
    applied = method("disassociation", **parameters).apply(ratings, Randomness.from_seed(seed))
    assert isinstance(applied.release, DisassociatedRelease)
    return applied.release, applied


class TestDisassociation(MethodContract):
    name = "disassociation"
    parameters = {"max_cluster": 20}


class TestDisassociationOfItems(MethodContract):
    name = "disassociation"
    parameters = {"values": False, "k": 3, "m": 3}


class TestDisassociationWithLists(MethodContract):
    name = "disassociation"
    parameters = {"max_cluster": 20, "rare": "listed"}


class TestDisassociationOfValuesApart(MethodContract):
    name = "disassociation"
    parameters = {"spread": True}


def by_cluster(ratings: Ratings, applied: Applied) -> tuple[dict[int, int], list[dict]]:
    """The cluster of each person, from the secret, and people's ratings."""
    release = applied.release
    assert isinstance(release, DisassociatedRelease)
    clusters = release.clusters
    linkage = applied.secret.linkage(ratings, release.ratings)
    cluster = {}
    for user in range(ratings.n_users):
        own = [row for row in linkage.rows_of(user) if clusters.kind[row] != SHARED]
        found = {int(clusters.group[row]) for row in own}
        assert len(found) <= 1, "in two clusters"
        if found:
            cluster[user] = found.pop()
    rows = [
        dict(zip(*(part.tolist() for part in ratings.row(user)), strict=True))
        for user in range(ratings.n_users)
    ]
    return cluster, rows


TERMS = [{"values": True}, {"values": True, "spread": True}, {"values": False}]


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("refine", [True, False])
@pytest.mark.parametrize("k", [2, 3])
def test_chunks_hold_what_their_people_hold(k: int, refine: bool, terms: dict[str, bool]) -> None:
    ratings = random_ratings(80, 30, 0.3, seed=k)
    options = {"max_cluster": 20, "refine": refine, "rare": "listed", **terms}
    release, applied = applied_to(ratings, k=k, **options)
    clusters, rows = release.clusters, release.ratings
    cluster, people = by_cluster(ratings, applied)
    assert len(cluster) == ratings.n_users
    names = {label: code for code, label in enumerate(ratings.item_labels.tolist())}
    in_chunks: dict[tuple[int, int], Counter] = {}
    for row in range(rows.n_users):
        items, scores = (part.tolist() for part in rows.row(row))
        cells = [(names[rows.item_labels[at]], v) for at, v in zip(items, scores, strict=True)]
        kind, group = int(clusters.kind[row]), int(clusters.group[row])
        if kind == TERM:
            item, value = cells[0]
            holders = [user for user in cluster if cluster[user] == group]
            assert any(people[user].get(item) == value for user in holders)
        else:
            in_chunks.setdefault((kind == SHARED, group), Counter()).update(cells)
    for (shared, group), cells in in_chunks.items():
        members = [
            user for user, at in cluster.items() if (clusters.joint[at] if shared else at) == group
        ]
        held = Counter(cell for user in members for cell in people[user].items())
        for cell, count in cells.items():
            assert held[cell] == count


def test_clusters_have_at_least_k_and_at_most_the_largest_size() -> None:
    for ratings in (random_ratings(100, 30, 0.3), apart(50), alike(50)):
        records = disassociated(ratings, k=3, max_cluster=7, rare="listed").clusters.records
        assert records.min() >= 3
        assert records.max() <= 7
        assert records.sum() == ratings.n_users


def apart(n_users: int) -> Ratings:
    return Ratings.from_columns(np.arange(n_users), np.arange(n_users), np.ones(n_users))


def alike(n_users: int) -> Ratings:
    return Ratings.from_columns(np.arange(n_users), np.ones(n_users, int), np.ones(n_users))


def test_terms_are_listed_once_however_many_hold_them() -> None:
    rows = {f"p{at}": {"b": 2.0} | ({"a": 1.0} if at < 2 else {}) for at in range(6)}
    release = disassociated(from_rows(rows), k=3, rare="listed")
    clusters, ratings = release.clusters, release.ratings
    terms = Counter(ratings.item_labels[ratings.items[clusters.kind[ratings.user_codes()] == TERM]])
    assert terms["a"] == 1


def test_what_is_lost_is_said() -> None:
    rows = {f"p{at}": {"b": 2.0} | ({"a": 1.0} if at < 2 else {}) for at in range(6)}
    release, applied = applied_to(from_rows(rows), k=3, rare="listed")
    assert release.ratings.n_ratings == 7
    assert applied.notes[0].startswith("1 of 8 ratings are not in the release")
    assert applied.notes[1].startswith("anyone who knows the method knows that fewer than 3 people")
    assert applied_to(from_rows(rows), k=2, rare="listed")[1].notes == ()
    one, alone = applied_to(apart(6), rare="listed")[1].notes
    assert ", that is exactly one; --rare suppressed leaves it out" in one
    assert alone.startswith("100% of the ratings stand alone in term chunks, most because fewer")
    assert alone.endswith("; a coarser scale or --values false would keep more together")
    listed: dict[str, Any] = {"values": False, "rare": "listed"}
    assert applied_to(apart(6), **listed)[1].notes[1].endswith("cluster hold them")
    assert "; a smaller k would" in applied_to(apart(6), k=3, **listed)[1].notes[1]


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("k", [2, 3])
def test_no_term_is_published_that_fewer_than_k_of_its_people_hold(
    k: int, terms: dict[str, bool]
) -> None:
    """Were such a term listed, who knows the method would know that so few hold it."""
    ratings = random_ratings(80, 30, 0.3, seed=k)
    release = disassociated(ratings, k=k, max_cluster=20, **terms)
    clusters, rows = release.clusters, release.ratings
    assert not (clusters.kind == TERM).any()
    values = rows.values if terms["values"] else np.zeros(rows.n_ratings)
    row = rows.user_codes()
    keys = zip(clusters.kind[row], clusters.group[row], rows.items, values, strict=True)
    assert min(Counter(keys).values()) >= k


def test_what_is_suppressed_is_said() -> None:
    rows = {f"p{at}": {"b": 2.0} | ({"a": 1.0} if at < 2 else {}) for at in range(6)}
    release, applied = applied_to(from_rows(rows), k=3)
    assert release.ratings.n_ratings == 6
    (note,) = applied.notes
    assert note.startswith("2 of 8 ratings (25.0%) are not in the release: fewer than 3 people of")
    assert "a larger --max-cluster" in note
    assert applied_to(from_rows(rows), k=2)[1].notes == ()


def test_a_release_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="no term is held by 2 people of a cluster") as refused:
        disassociated(apart(6))
    assert "--rare listed" in str(refused.value.hint)


def test_rare_values_of_what_all_rated_are_left_out() -> None:
    """Ten people, ten values: were all listed, each would be exactly one person's."""
    rows = {f"p{at}": {"a": float(at)} for at in range(10)}
    release = disassociated(from_rows(rows, scale="0..9"), k=3, rare="listed")
    assert release.ratings.n_ratings == 10 - 2


def test_too_little_and_too_small_are_refused() -> None:
    with pytest.raises(InputError, match="2 people have ratings, fewer than k = 3"):
        disassociated(from_rows({"a": {"x": 1}, "b": {"y": 2}}), k=3)
    with pytest.raises(ParameterError, match="less than twice k"):
        disassociated(random_ratings(), k=10, max_cluster=15)
    for bad in ({"k": 1}, {"m": 0}, {"max_cluster": 1}, {"k": "many"}):
        with pytest.raises(ParameterError):
            method("disassociation", **bad)


def test_people_without_ratings_are_in_no_cluster(small: Ratings) -> None:
    fewer = small.keep(small.user_codes() >= 5)
    release, applied = applied_to(fewer)
    assert release.clusters.records.sum() == fewer.n_users - 5
    chooser = applied.secret.chooser
    assert chooser is not None
    assert chooser(np.arange(5), np.zeros(5, np.int64)).tolist() == [-1] * 5


@pytest.mark.parametrize("spread", [True, False])
def test_values_of_an_item_stand_in_one_chunk_unless_they_may_spread(spread: bool) -> None:
    release = disassociated(random_ratings(200, 15, 0.5), spread=spread, refine=False)
    clusters, rows = release.clusters, release.ratings
    inside = clusters.kind[rows.user_codes()] == RECORD
    row, item = rows.user_codes()[inside], rows.items[inside]
    chunks: dict[tuple[int, int], set[int]] = {}
    for group, chunk, one in zip(clusters.group[row], clusters.chunk[row], item, strict=True):
        chunks.setdefault((int(group), int(one)), set()).add(int(chunk))
    assert chunks
    assert any(len(found) > 1 for found in chunks.values()) == spread


@pytest.mark.parametrize("terms", TERMS)
def test_the_chooser_takes_the_sub_record_that_has_most_of_the_item(terms: dict[str, bool]) -> None:
    ratings = random_ratings(60, 15, 0.4)
    release, applied = applied_to(ratings, max_cluster=20, **terms)
    clusters, rows = release.clusters, release.ratings
    chooser = applied.secret.chooser
    assert chooser is not None
    users, items = (part.ravel() for part in np.meshgrid(np.arange(60), np.arange(15)))
    chosen = chooser(users, items)
    cluster, _ = by_cluster(ratings, applied)
    row_of = dict(zip(rows.user_labels.tolist(), range(rows.n_users), strict=True))
    chunk_rows = Counter(
        (int(clusters.kind[row]), int(clusters.group[row]), int(clusters.chunk[row]), int(item))
        for row, item in zip(rows.user_codes().tolist(), rows.items.tolist(), strict=True)
        if clusters.kind[row] != TERM
    )
    assert (chosen >= 0).any()
    for user, item, place in zip(users.tolist(), items.tolist(), chosen.tolist(), strict=True):
        own = {
            key[2]: n
            for key, n in chunk_rows.items()
            if key[:2] == (0, cluster[user]) and key[3] == item
        }
        if place >= 0:
            row = row_of[applied.secret.pseudonyms[place]]
            assert applied.secret.owners[place] == user
            if clusters.kind[row] != SHARED:
                assert own[int(clusters.chunk[row])] == max(own.values())
    assert chooser(np.array([0]), np.array([-1])).tolist() == [-1]


@pytest.mark.parametrize("terms", TERMS)
def test_names_are_drawn_by_people_wherever_they_stand(terms: dict[str, bool]) -> None:
    """Those of a person's sub-records follow from the person alone."""
    ratings = random_ratings(60, 15, 0.4)
    release, applied = applied_to(ratings, max_cluster=20, **terms)
    secret = applied.secret
    n_subrecords = int((release.clusters.kind != TERM).sum())
    owners, names = secret.owners[:n_subrecords], secret.pseudonyms[:n_subrecords]
    for user, label in enumerate(secret.user_labels):
        alone = PeopleDraws.of(Randomness.from_seed(1), np.array([label]))
        own = names[owners == user]
        assert own.tolist() == alone.pseudonyms(np.array([len(own)]), "pseudonyms").tolist()


def test_names_of_rows_that_are_drawn_twice_are_drawn_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(people_draws, "as_pseudonyms", few_names)
    release = disassociated(random_ratings(60, 15, 0.4), max_cluster=20, rare="listed")
    assert (release.clusters.kind == TERM).any()
    assert len(np.unique(release.row_labels)) == len(release.row_labels)


class InOneThread(Disassociation):
    threads = 1


def test_threads_do_not_change_the_result(small: Ratings) -> None:
    one = disassociated(small, max_cluster=8)
    alone = InOneThread(max_cluster=8).apply(small, Randomness.from_seed(1))
    assert alone.release.same_tables(one)


def test_joining_takes_terms_out_of_term_chunks() -> None:
    """Two kinds of people who share what is rare in each kind."""
    rows = {}
    for at in range(8):
        rows[f"a{at}"] = {"a": 5.0, f"rare{at // 2}": 1.0} if at % 2 else {"a": 5.0, "own": 1.0}
        rows[f"b{at}"] = {"b": 5.0, f"rare{at // 2}": 1.0}
    ratings = from_rows(rows)
    plain = disassociated(ratings, k=3, max_cluster=8, refine=False, rare="listed")
    refined = disassociated(ratings, k=3, max_cluster=8, rare="listed")
    assert set(plain.clusters.kind.tolist()) == {RECORD, TERM}
    assert set(refined.clusters.kind.tolist()) == {RECORD, SHARED}
    assert plain.ratings.n_ratings < refined.ratings.n_ratings == ratings.n_ratings


def test_joining_keeps_what_would_be_suppressed() -> None:
    rows = {}
    for at in range(8):
        rows[f"a{at}"] = {"a": 5.0, f"rare{at // 4}": 1.0}
        rows[f"b{at}"] = {"b": 5.0, f"rare{at // 4}": 1.0}
    ratings = from_rows(rows)
    plain = disassociated(ratings, k=5, max_cluster=10, refine=False)
    refined = disassociated(ratings, k=5, max_cluster=10)
    assert plain.ratings.n_ratings < refined.ratings.n_ratings == ratings.n_ratings


@pytest.mark.real
def test_movielens_comes_out_as_the_authors_program_has_it(real_data: Path) -> None:
    """The authors' program makes 84,865 rows, and 88,563 of clusters of at most 1,000 people."""
    ratings = read(real_data / "ml-100k")
    for most, theirs in ((100, 84_865), (1_000, 88_563)):
        rows = disassociated(ratings, max_cluster=most, refine=False, rare="listed").ratings
        assert rows.n_users == pytest.approx(theirs, rel=0.01)
        assert rows.n_ratings > 99_000


@pytest.mark.real
def test_knowing_the_method_tells_of_nobody_on_movielens(real_data: Path) -> None:
    """Listed, 21,604 terms would belong to exactly one person of their cluster each."""
    ratings = read(real_data / "ml-100k")
    listed = disassociated(ratings, rare="listed", max_cluster=100)
    assert (listed.clusters.kind == TERM).sum() == pytest.approx(21_604, rel=0.02)
    release = disassociated(ratings)
    assert not (release.clusters.kind == TERM).any()
    assert release.ratings.n_ratings == 100_000 - 1_193  # whose value nobody else gave their item
