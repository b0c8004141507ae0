"""k^m-anonymity of disassociated releases, against all originals that fit them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.errors import Cancelled
from recloak.evaluation.findings import Verdict
from recloak.guarantees import guarantee
from recloak.guarantees.km_anonymity import _terms as km_terms
from recloak.releases.disassociated import DisassociatedRelease
from recloak.testing import Recorder, Stopper
from tests.support.disassociations import (
    Cluster,
    Joint,
    chunk,
    random_joint,
    release_of,
    terms,
)
from tests.support.plain_reconstruction import exposed_sets, joint_of


def check(*joints: Joint, k: int = 2, m: int = 2, values: bool = True) -> Verdict:
    return checked(release_of(list(joints)), k, m, values)


def checked(release: DisassociatedRelease, k: int = 2, m: int = 2, values: bool = True) -> Verdict:
    return guarantee(f"km-anonymity:k={k},m={m},values={values}").check_release(release)


def without_lists(*joints: Joint, k: int = 2, m: int = 2) -> Verdict:
    claim = f"km-anonymity:k={k},m={m},values=true,listed=false"
    return guarantee(claim).check_release(release_of(list(joints)))


def alone(records: int, *chunks: list, listed: str = "") -> Joint:
    return Joint([Cluster(records, list(chunks), terms(listed))])


SOUND = alone(4, chunk("a1 b2", "a1 b2", "a1"), chunk("c1", "c1"), listed="d3 e4")


def test_a_sound_cluster_holds_and_says_how() -> None:
    verdict = check(SOUND, k=2, m=3)
    assert verdict.holds
    assert "1 clusters with 2 chunks of 5 sub-records" in verdict.how


@pytest.mark.parametrize(
    ("joint", "message", "witness"),
    [
        pytest.param(
            alone(4, chunk("a1 b2", "a1", "b2"), listed="d3"),
            "fewer than 2 times",
            {"cluster": 100, "chunk": "record 0", "items": ["a", "b"], "sub-records": 1},
            id="a pair that occurs once",
        ),
        pytest.param(
            alone(1, listed="d3"),
            "fewer than 2 records",
            {"cluster": 100, "records": 1},
            id="a cluster too small",
        ),
        pytest.param(
            alone(2, chunk("a1", "a1", "a1"), listed="d3"),
            "more sub-records than people",
            {"cluster": 100, "sub-records": 3, "records": 2},
            id="more sub-records than people",
        ),
        pytest.param(
            alone(3, chunk("a1", "a1"), chunk("b1", "b1")),
            "must meet",
            {"cluster": 100, "sub-records": 4, "needed": 5},
            id="no term chunk and too few sub-records",
        ),
        pytest.param(
            alone(3, chunk("a1", "a1"), listed="a2"),
            "Too few records are free",
            {"cluster": 100, "chunk": "term", "items": ["a"], "records that may lack it": 1},
            id="too few can have the other value",
        ),
        pytest.param(
            Joint([Cluster(2, [], [("a", 1), ("a", 2)])]),
            "Too few records are free",
            {"items": ["a"], "values listed": 2},
            id="two values of an item and two people",
        ),
        pytest.param(
            alone(8, chunk("a1 b1", "a1 b1", "a1"), listed="b2"),
            "without the items",
            {"items": ["a"], "without items": ["b"], "sub-records": 1},
            id="a term mostly with an item of the term chunk",
        ),
        pytest.param(
            alone(9, chunk("x1", "x1"), chunk("a1 x2", "a1 x2", "a1"), listed="z1"),
            "without the items",
            {"chunk": "record 1", "items": ["a"], "without items": ["x"], "sub-records": 1},
            id="a term mostly with an item of an earlier chunk",
        ),
        pytest.param(
            alone(4, chunk("x1", "x1"), chunk("x2", "x2"), listed="z1"),
            "fit together in few ways",
            {"chunk": "record 1", "records": 4},
            id="no way to lay chunks out",
        ),
        pytest.param(
            Joint([Cluster(4, [], terms("d1"))] * 2, [chunk("a1 b1", "a1")]),
            "fewer than 2 times",
            {"joint": 900, "chunk": "shared 0", "items": ["a", "b"]},
            id="a pair once in a shared chunk",
        ),
        pytest.param(
            Joint(
                [Cluster(9, [chunk("a1", "a1")], terms("d1")), Cluster(9, [], terms("d1"))],
                [chunk("a2 b1", "a2 c1", "b1", "c1", "a2", "a2 b1", "a2 c1", "b1")],
            ),
            "a row fewer than 2 times",
            {"joint": 900, "items": ["c"], "sub-records like it": 1},
            id="a shared chunk with items of record chunks that is not k-anonymous",
        ),
    ],
)
def test_what_breaks_it_is_named(joint: Joint, message: str, witness: dict) -> None:
    verdict = check(joint)
    assert verdict.status == "broken"
    assert message in verdict.how
    assert verdict.witness is not None
    assert witness.items() <= verdict.witness.items()


def test_what_is_listed_is_held_by_fewer_than_k_for_who_knows_the_method() -> None:
    assert check(SOUND).holds
    verdict = without_lists(SOUND)
    assert verdict.status == "broken"
    assert "fewer than 2 people hold them" in verdict.how
    assert verdict.witness is not None
    assert verdict.witness["terms listed"] == 2


def test_without_lists_people_may_have_had_what_was_left_out() -> None:
    """Two of the three may hold neither a nor b, for what they held need not be published."""
    short = alone(3, chunk("a1", "a1"), chunk("b1", "b1"))
    assert check(short).status == "broken"
    verdict = without_lists(short)
    assert verdict.holds
    assert "No term is listed" in verdict.how
    release = release_of([short])
    assert exposed_sets(joint_of(release, 0), 2, 2) != []
    assert exposed_sets(joint_of(release, 0, may_be_empty=True), 2, 2) == []


def test_a_pair_that_occurs_once_breaks_it_without_lists_too() -> None:
    assert without_lists(alone(4, chunk("a1 b2", "a1", "b2"))).status == "broken"


def test_a_term_listed_twice_tells_its_count() -> None:
    verdict = check(Joint([Cluster(5, [], [("a", 1), ("a", 1)])]))
    assert verdict.status == "broken"
    assert verdict.witness == {
        "cluster": 100,
        "chunk": "term",
        "items": ["a"],
        "values": [1.0],
        "times listed": 2,
    }


@pytest.mark.parametrize(
    "joint",
    [
        Joint([Cluster(2, [], [("a", 1), ("a", 2)])]),
        alone(3, chunk("a1", "a1"), listed="a2"),
        alone(3, chunk("a1", "a1"), chunk("b1", "b1")),
        alone(5, chunk("a1 b1", "a1 b1", "a1"), listed="b2"),
        alone(6, chunk("x1", "x1"), chunk("a1 x2", "a1 x2", "a1"), listed="x3"),
    ],
)
def test_what_is_refused_would_give_someone_away(joint: Joint) -> None:
    assert not check(joint).holds
    assert exposed_sets(joint_of(release_of([joint]), 0), 2, 2)


@pytest.mark.parametrize(
    ("joint", "proven"),
    [
        (alone(4, chunk("a1 b2", "a1", "b2"), listed="d3"), True),
        (alone(1, listed="d3"), True),
        (alone(3, chunk("a1", "a1"), chunk("b1", "b1")), False),
        (alone(4, chunk("x1", "x1"), chunk("x2", "x2"), listed="z1"), False),
    ],
)
def test_says_whether_it_is_broken_or_only_unproven(joint: Joint, proven: bool) -> None:
    assert check(joint).how.startswith("It could not be proven to hold.") != proven


def test_items_alone_are_a_weaker_claim() -> None:
    joint = alone(4, chunk("a1 b2", "a1 b3"), listed="d3")
    assert check(joint).status == "broken"
    assert check(joint, values=False).holds


def test_chunks_that_share_an_item_may_hold() -> None:
    joint = alone(6, chunk("x1", "x1"), chunk("x2", "x2"), listed="z1")
    assert check(joint).holds
    assert exposed_sets(joint_of(release_of([joint]), 0), 2, 2) == []


@pytest.mark.parametrize(
    "change", [{"kind": np.int8(7)}, {"group": np.int64(3)}, {"group": np.int64(-1)}]
)
def test_rows_that_stand_nowhere_are_broken(change: dict) -> None:
    release = release_of([SOUND])
    name, wrong = next(iter(change.items()))
    changed = getattr(release.clusters, name).copy()
    changed[0] = wrong
    verdict = checked(replace(release, clusters=replace(release.clusters, **{name: changed})))
    assert verdict.status == "broken"
    assert "A row stands in no" in verdict.how


def test_a_subrecord_of_nothing_and_an_item_twice_are_broken() -> None:
    release = release_of([SOUND])
    rows = release.ratings
    emptied = rows.keep(rows.user_codes() != 2)
    assert "holds nothing" in checked(replace(release, ratings=emptied)).how
    doubled = replace(rows, items=np.where(rows.items == 1, 0, rows.items).astype(np.int32))
    assert "same item twice" in checked(replace(release, ratings=doubled)).how


def test_two_terms_in_a_row_of_a_term_chunk_are_broken() -> None:
    release = release_of([SOUND])
    kind = release.clusters.kind.copy()
    kind[0] = 2
    verdict = checked(replace(release, clusters=replace(release.clusters, kind=kind)))
    assert verdict.status == "broken"
    assert "more than one term" in verdict.how


def test_an_empty_release_holds() -> None:
    assert checked(release_of([])).holds


def test_absurd_sizes_are_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(km_terms, "BUDGET", 3)
    verdict = check(SOUND)
    assert verdict.status == "undecided"
    # Two terms and a pair in the first chunk and a term in the second.
    assert "up to about 4 steps, and the budget is 3" in verdict.how


def test_says_how_far_it_is_and_stops_when_asked() -> None:
    checker, recorder = guarantee("km-anonymity:k=2,m=2"), Recorder()
    checker.check_release(release_of([SOUND]), recorder)
    assert recorder.steps > 0
    with pytest.raises(Cancelled):
        checker.check_release(release_of([SOUND]), Stopper())


@settings(max_examples=60)
@given(seed=st.integers(0, 10**9), m=st.integers(1, 3), values=st.booleans())
def test_what_holds_is_confirmed_by_all_originals_that_fit(seed: int, m: int, values: bool) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(20):
        release = release_of([random_joint(rng)])
        if checked(release, 2, m, values).holds:
            assert exposed_sets(joint_of(release, 0, values), 2, m) == []
            return
