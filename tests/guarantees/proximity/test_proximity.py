from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.errors import InputError, ParameterError
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.core.survey import deviation_of
from recloak.evaluation.findings import Verdict
from recloak.guarantees import guarantee
from recloak.guarantees.proximity._cliques import check_grouping, search_cliques
from recloak.guarantees.proximity.routes import ROUTES, ProximityRule, first_failing
from recloak.io import load
from recloak.releases.manifest import Manifest
from recloak.releases.ratings import RatingsRelease
from recloak.testing import GuaranteeContract, from_rows
from tests.support.plain_proximity import (
    Row,
    group_of,
    neighbourhoods,
    proximate,
    random_survey,
    ratings_of,
    survey,
)

TABLE_1: list[Row] = [
    (6, 1, None, 6),
    (1, 6, None, 1),
    (2, 5, None, 1),
    (1, None, 5, 1),
    (2, None, 6, 5),
]
TABLE_2: list[Row] = [
    (3, 6, None, 6),
    (2, 5, None, 1),
    (4, 7, None, 4),
    (5, 6, None, 1),
    (1, None, 5, 1),
    (2, None, 6, 5),
]
TABLE_3: list[Row] = [*TABLE_2, (6, None, 6, 3), (5, None, 5, 2)]
CROSS: list[Row] = [(1, 2), (2, 1), (3, 2), (2, 3)]


def checked(rows: list[Row], r: int = 5, **values: Any) -> Verdict:
    spec = ",".join(f"{name}={value}" for name, value in values.items())
    return guarantee(f"proximity:{spec}").check(ratings_of(rows, r))


class TestProximity(GuaranteeContract):
    name = "proximity"
    parameters = {"k": 2, "epsilon": 1, "l": 0.5, "sensitive": "i3"}

    def keeping(self) -> Ratings:
        return ratings_of([(1, 2, 1), (2, 2, 5), (4, 5, 3), (5, 5, 1)])

    def breaking(self) -> Ratings:
        return ratings_of([(1, 2, 1), (2, 2, 5), (4, 5, 3), (5, 3, 1)])

    def test_the_witness_is_a_respondent_with_too_few_near(self) -> None:
        verdict = self.make().check(self.breaking())
        assert verdict.witness == {
            "respondent": "t3",
            "group size": 1,
            "first of those near": [],
            "others who break it": ["t4"],
            "first answers": {"i1": 4, "i2": 5},
        }
        assert "2 have fewer than 2 near" in verdict.how

    def test_quick_finds_one_without_counting(self) -> None:
        verdict = self.make(quick=True).check(self.breaking())
        assert verdict.status == "broken"
        assert verdict.witness is not None
        assert verdict.witness["respondent"] in ("t3", "t4")
        assert self.make(quick=True).check(self.keeping()).holds

    @pytest.mark.parametrize("route", ROUTES)
    def test_every_route(self, route: str) -> None:
        assert self.make(route=route).check(self.keeping()).holds
        assert not self.make(route=route).check(self.breaking()).holds


# -- the paper's tables -----------------------------------------------------------------------


def test_table_1() -> None:
    assert deviation_of(np.array([5, 0, 0, 0, 4], np.int8)) == pytest.approx(2.23, abs=0.005)
    verdict = checked(TABLE_1, 6, k=2, epsilon=1, sensitive="i4")
    assert verdict.status == "broken"
    assert verdict.witness is not None
    assert verdict.witness["respondent"] == "t1"


def test_table_1_has_two_groups_of_two_within_five() -> None:
    verdict = checked(TABLE_1, 6, k=2, epsilon=5, sensitive="i4")
    assert verdict.holds
    assert "only who answered which issue counts" in verdict.how
    assert not checked(TABLE_1, 6, k=3, epsilon=5, sensitive="i4").holds


def test_table_1_jack_is_safer_than_bob() -> None:
    assert checked(TABLE_1[3:], 6, k=2, epsilon=1, l=2, sensitive="i4").holds
    bob = checked(TABLE_1[1:3], 6, k=2, epsilon=1, l=2, sensitive="i4")
    assert bob.witness is not None
    assert bob.witness["sensitive issue"] == "i4"
    assert bob.witness["its deviation"] == 0
    assert "'i4' deviates by 0 only" in bob.how


@pytest.mark.parametrize("table", [TABLE_2, TABLE_3], ids=["table 2", "table 3"])
@pytest.mark.parametrize("epsilon", [1, 2])
def test_tables_2_and_3_are_proximate_in_both_readings(table: list[Row], epsilon: int) -> None:
    assert checked(table, 7, k=2, epsilon=epsilon, sensitive="i4", reading="both").holds


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30))
def test_theorem_1_bounds_the_deviation(levels: list[int]) -> None:
    assert deviation_of(np.array(levels, np.int8)) <= (max(levels) - min(levels)) / 2 + 1e-12


def test_l_above_the_bound_of_theorem_1_is_refused_with_it() -> None:
    with pytest.raises(ParameterError, match="deviate by more than 2,"):
        checked([(1, 1), (1, 5)], k=2, l=2.1, sensitive="i2")
    assert checked([(1, 1), (1, 5)], k=2, l=2, sensitive="i2").holds


# -- two readings -----------------------------------------------------------------------------


def test_neighbourhoods_of_k_are_no_cliques_of_k() -> None:
    assert checked(CROSS, k=3).holds
    verdict = checked(CROSS, k=3, reading="clique")
    assert verdict.status == "undecided"
    assert checked(CROSS, k=3, reading="both").status == "undecided"
    assert "In disjoint cliques it is undecided" in checked(CROSS, k=3).how


def test_who_has_too_few_near_is_in_no_clique() -> None:
    verdict = checked(CROSS, k=4, reading="clique")
    assert verdict.status == "broken"
    assert verdict.witness


@dataclass(frozen=True, repr=False)
class Named(RatingsRelease):
    grouping: Any = None


def named(rows: list[Row], grouping: list[int], r: int = 5) -> Named:
    return Named(Manifest.model_construct(), ratings_of(rows, r), np.array(grouping))


def test_deviation_in_cliques_is_none_in_neighbourhoods() -> None:
    # groups deviate by 2, but whoever stands between two is near to more of the same
    rows: list[Row] = [(1, 1), (2, 5), (3, 5), (4, 1), (3, 5), (4, 1)]
    release = named(rows, [7, 7, 8, 8, 9, 9])
    values = {"k": 2, "epsilon": 1, "l": 1.9, "sensitive": "i2"}
    cliques = guarantee("proximity:reading=clique," + _spec(values)).check_release(release)
    assert cliques.holds
    near = guarantee("proximity:" + _spec(values)).check_release(release)
    assert near.status == "broken"
    both = guarantee("proximity:reading=both," + _spec(values)).check_release(release)
    assert both.status == "broken"


def _spec(values: dict[str, Any]) -> str:
    return ",".join(f"{name}={value}" for name, value in values.items())


@pytest.mark.parametrize(
    ("rows", "grouping", "expected"),
    [
        ([(1,), (2,), (3,), (3,)], [1, 2, 2, 1], ("issue", "i1")),
        ([(1,), (1,), (1,), (1,)], [1, 2, 2, 2], ("group size", 1)),
    ],
    ids=["wide", "small"],
)
def test_a_grouping_that_is_none_of_cliques(
    rows: list[Row], grouping: list[int], expected: tuple[str, Any]
) -> None:
    checker = guarantee("proximity:k=2,epsilon=1,reading=clique")
    verdict = checker.check_release(named(rows, grouping))
    assert verdict.status == "broken"
    assert verdict.witness is not None
    assert verdict.witness[expected[0]] == expected[1]


def test_a_grouping_of_other_rows_is_refused() -> None:
    with pytest.raises(InputError, match="names 2 rows"):
        guarantee("proximity:k=2").check_release(named([(1,), (1,), (1,)], [1, 1]))


def test_no_groups_deviate_more_than_everybody() -> None:
    rows: list[Row] = [(1, 1), (1, 2), (1, 1), (1, 2)]
    verdict = checked(rows, k=2, l=1, sensitive="i2", reading="clique")
    assert verdict.status == "broken"
    assert verdict.witness == {"sensitive issue": "i2", "its deviation among all": 0.5}


# -- nulls ------------------------------------------------------------------------------------


def test_a_null_counts_as_deviation_only_in_the_papers_formula() -> None:
    rows: list[Row] = [(1, 5)] * 4 + [(1, None)]
    values = {"k": 5, "l": 2, "sensitive": "i2"}
    assert checked(rows, **values).status == "broken"
    assert checked(rows, **values, nulls="paper").holds


def test_who_answered_alone_deviates_by_nothing_and_who_did_not_tells_nothing() -> None:
    one: list[Row] = [(1, 5), (1, None), (1, None)]
    assert not checked(one, k=2, l=0.1, sensitive="i2").holds
    nobody: list[Row] = [(1, None, 2), (1, None, 4), (5, 1, 2), (5, 4, 4)]
    assert checked(nobody, k=2, l=1, sensitive="i2+i3").holds


def test_an_answer_and_none_are_far_apart() -> None:
    rows: list[Row] = [(1, 1), (1, None), (1, 1), (1, None)]
    assert checked(rows, k=2, epsilon=4.5).holds
    assert not checked(rows, k=3, epsilon=4.5).holds


# -- what means nothing -----------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [5, 7.5])
def test_epsilon_as_wide_as_the_scale_is_refused(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="requires nothing of answers on 5 levels"):
        checked(CROSS, epsilon=epsilon)


@pytest.mark.parametrize("values", [{"epsilon": -1}, {"k": 1}, {"l": -0.5}, {"reading": "x"}])
def test_nonsense_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        checked(CROSS, **values)


def test_l_needs_a_sensitive_issue() -> None:
    with pytest.raises(ParameterError, match="none is declared"):
        checked(CROSS, k=2, l=1)


def test_more_than_there_are_is_broken() -> None:
    verdict = checked(CROSS, k=5)
    assert verdict.status == "broken"
    assert "4 respondents cannot be 5" in verdict.how
    assert checked([(1, 2)], k=2).status == "broken"


def test_a_half_step_is_no_answer() -> None:
    halves = Ratings.from_columns([1, 2], [1, 1], [0.5, 1.0], scale="0.5..5 step 0.5")
    with pytest.raises(InputError, match="whole numbers"):
        guarantee("proximity:k=2").check(halves)


def test_unique_null_patterns_are_explained() -> None:
    rng = np.random.default_rng(0)
    rows: list[Row] = [tuple(3 if one else None for one in rng.random(40) < 0.3) for _ in range(50)]
    verdict = checked(rows, k=2)
    assert verdict.status == "broken"
    assert "100.0% of respondents are the only ones" in verdict.how
    assert "--most-rated 20" in verdict.how


# -- routes -----------------------------------------------------------------------------------


def test_all_routes_agree_with_the_definitions_on_many_tables() -> None:
    rng = np.random.default_rng(1)
    failures = 0
    for _ in range(2000):
        r = int(rng.integers(2, 7))
        data = random_survey(rng, int(rng.integers(1, 11)), int(rng.integers(1, 5)), r)
        l = float(rng.choice([0, 0.5, 1]))  # noqa: E741
        rule = ProximityRule(
            int(rng.integers(2, 4)), int(rng.integers(0, r)), l, bool(rng.integers(2))
        )
        plain = neighbourhoods(data, rule.epsilon, rule.paper)
        expected = [group.fails(rule.k, l) for group in plain]
        failures += any(expected)
        for route in ROUTES.values():
            found = route(data, rule, SILENT)
            assert (found.too_small(rule) | found.lacking_deviation(rule)).tolist() == expected
            assert np.minimum(found.sizes, rule.k).tolist() == [
                min(group.size, rule.k) for group in plain
            ]
        record = first_failing(data, rule, SILENT)
        assert expected[record] if record is not None else not any(expected)
    assert 200 < failures < 1800


@pytest.mark.parametrize(
    ("n", "issues", "r", "epsilon"),
    [(900, 6, 5, 1), (700, 30, 5, 2), (300, 9, 100, 20), (600, 5, 3, 0)],
    ids=["deep lists", "several words", "long scale", "equal only"],
)
def test_routes_agree_on_larger_tables(n: int, issues: int, r: int, epsilon: int) -> None:
    data = random_survey(np.random.default_rng(n), n, issues, r)
    k = int(
        np.median(ROUTES["pairwise"](data, ProximityRule(2, epsilon, 0.0, False), SILENT).sizes)
    )
    for l in (0.0, 0.7):  # noqa: E741
        rule = ProximityRule(k, epsilon, l, False)
        found = {name: route(data, rule, SILENT) for name, route in ROUTES.items()}
        failing = {
            name: (each.too_small(rule), each.lacking_deviation(rule))
            for name, each in found.items()
        }
        assert 0 < failing["pairwise"][0].sum() < n
        for name in ("bitmap", "slicing"):
            assert np.array_equal(failing[name], failing["pairwise"])
    assert np.array_equal(found["bitmap"].sizes, found["pairwise"].sizes)
    assert np.array_equal(found["bitmap"].lowest, found["pairwise"].lowest)


# -- cliques ----------------------------------------------------------------------------------


def test_what_the_search_calls_cliques_are_cliques() -> None:
    rng, held = np.random.default_rng(3), 0
    for _ in range(300):
        data = random_survey(rng, 16, 2, 5)
        rule = ProximityRule(2, int(rng.integers(0, 3)), float(rng.choice([0, 0.5])), False)
        plain = neighbourhoods(data, rule.epsilon)
        outcome = search_cliques(data, rule, SILENT)
        if outcome.status == "holds":
            held += 1
            assert all(group.size >= rule.k for group in plain)
    assert held > 30


def test_a_grouping_is_judged_as_its_definition_says() -> None:
    rng, statuses = np.random.default_rng(4), []
    for _ in range(300):
        data = random_survey(rng, 8, 1, 4)
        grouping = np.minimum(data.known[:, 0] // 2, 1).astype(np.int64)
        rule = ProximityRule(2, 1, float(rng.choice([0, 0.5])), False)
        expected = True
        for number in np.unique(grouping):
            members = np.flatnonzero(grouping == number).tolist()
            rows = data.known[members]
            expected &= all(proximate(a, b, rule.epsilon, data.r) for a in rows for b in rows)
            expected &= not group_of(data, members).fails(rule.k, rule.l)
        statuses.append(check_grouping(data, rule, grouping).status)
        assert statuses[-1] == ("holds" if expected else "broken")
    assert set(statuses) == {"holds", "broken"}


def test_too_much_to_search_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recloak.guarantees.proximity._cliques.BUDGET", 10)
    data = survey([(0, 1), (1, 1), (0, 0)], [(), (), ()], 5)
    assert search_cliques(data, ProximityRule(2, 1, 0.0, False), SILENT).status == "undecided"
    alike = replace(data, known=np.zeros_like(data.known))
    assert search_cliques(alike, ProximityRule(2, 1, 0.0, False), SILENT).status == "holds"


# -- real data --------------------------------------------------------------------------------


@pytest.mark.real
def test_movielens_is_explained_and_its_most_rated_films_are_not_lonely(real_data: Path) -> None:
    path = real_data / "ml-100k"
    whole = guarantee("proximity:k=20").check(load(path).ratings)
    assert whole.status == "broken"
    assert "943 null patterns, 100.0% of respondents are the only ones" in whole.how
    few = guarantee("proximity:k=2").check(load(path, most_rated=10).ratings)
    assert "the only ones with theirs" in few.how
    assert "--most-rated" not in few.how


@pytest.mark.parametrize("route", list(ROUTES))
@pytest.mark.parametrize("reading", ["neighbourhood", "clique"])
@pytest.mark.parametrize("l", [1e-300, 1e-9, 1e-3, 0.5])
def test_answers_that_are_all_the_same_do_not_deviate(route: str, reading: str, l: float) -> None:  # noqa: E741
    values = {"k": 3, "epsilon": 0, "sensitive": "i2", "route": route, "reading": reading, "l": l}
    assert checked([(2, 4)] * 3, **values).status == "broken"
    assert not checked([(2, 4)] * 3, nulls="paper", **values).holds
    assert checked([(2, 3), (2, 4)] * 3, **values).holds


@pytest.mark.parametrize("ones", [2, 3, 5, 7, 11, 997])
def test_a_deviation_that_is_exactly_as_asked_for_is_enough(ones: int) -> None:
    rows: list[Row] = [(1, 4)] * ones + [(1, 5)]
    exact = ones**0.5 / (ones + 1)
    values = {"k": 2, "epsilon": 0, "sensitive": "i2"}
    assert checked(rows, **values, l=exact).holds
    assert not checked(rows, **values, l=exact * (1 + 1e-6)).holds


@pytest.mark.parametrize("l", [1e-9, 1e-200, 0.3])
@pytest.mark.parametrize("route", ["bitmap", "slicing", "pairwise"])
@pytest.mark.parametrize("reading", ["neighbourhood", "clique", "both"])
def test_equal_answers_never_deviate_however_little_is_asked(
    l: float,  # noqa: E741
    route: str,
    reading: str,
) -> None:
    rows = from_rows({f"p{at}": {"q": 2, "income": 3} for at in range(7)}, scale="1..5")
    claim = f"proximity:k=2,epsilon=1,l={l},sensitive=income,route={route},reading={reading}"
    assert guarantee(claim).check(rows).status == "broken"
