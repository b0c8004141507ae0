"""The machine's check of sensitivities: nobody moves a query by more than the account says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recloak.core.ratings import Ratings
from recloak.core.scale import IMPLICIT, Scale
from recloak.methods.synthetic._private_data import PrivateRatings, Query
from recloak.methods.synthetic._queries import (
    ItemEffects,
    Level,
    Spreads,
    Support,
    SupportStep,
    Taste,
    TasteStep,
)
from tests.methods.synthetic.fits import (
    ForcedQueryable,
    RecordingQueryable,
    ask_everything,
    fit_through,
)

N_ITEMS = 24
SCALE = Scale(1, 5)
Person = dict[int, float]


def ratings_of(people: list[Person], scale: Scale = SCALE, times: bool = False) -> Ratings:
    items = [item for row in people for item in sorted(row)]
    values = [row[item] for row in people for item in sorted(row)]
    moments = 10**9 + 10**7 * np.array(items) if times else None
    return Ratings(
        np.concatenate([[0], np.cumsum([len(row) for row in people])]).astype(np.int64),
        np.array(items, np.int32),
        np.array(values, np.float32),
        scale,
        np.arange(len(people)),
        np.arange(N_ITEMS),
        times=None if moments is None else np.asarray(moments, np.int64),
    )


def crowd(seed: int, people: int = 150) -> list[Person]:
    """People of two kinds, who rate and like other items, so that there is something to hear."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(people):
        liked = rng.random() < 0.5
        chances = np.where((np.arange(N_ITEMS) % 3 == 0) == liked, 4.0, 1.0)
        size = int(rng.integers(1, N_ITEMS // 2))
        rated = rng.choice(N_ITEMS, size, replace=False, p=chances / chances.sum())
        made.append(
            {
                int(item): float(np.clip(rng.integers(1, 6) + 2 * ((item % 2 == 0) == liked), 1, 5))
                for item in rated
            }
        )
    return made


WORST: dict[str, Person] = {
    "one item": {0: 5.0},
    "one rare item": {N_ITEMS - 1: 1.0},
    "all items at the top": dict.fromkeys(range(N_ITEMS), 5.0),
    "all items, extremes in turn": {item: 1.0 + 4 * (item % 2) for item in range(N_ITEMS)},
    "extremes against the crowd": {item: 5.0 - 4 * (item % 2) for item in range(N_ITEMS)},
    "two at the ends": {0: 1.0, 1: 5.0},
    "the head alone": {item: float(1 + item % 5) for item in range(12)},
    "half": {item: 1.0 if item < 6 else 5.0 for item in range(12)},
}


def moved(query: Query, person: Person, scale: Scale, times: bool) -> float:
    """How far one person moves a query, over its sensitivity."""
    rows = ratings_of([person], scale, times)
    alone = np.asarray(query.add_up(rows, 0, 1), np.float64) * 2.0**-32
    return float(np.linalg.norm(alone) / query.sensitivity)


@pytest.mark.parametrize("name", WORST)
def test_leaving_out_the_worst_person_moves_no_query_too_far(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_everything(monkeypatch)
    others = crowd(1)
    queryable = RecordingQueryable(ratings_of([*others, WORST[name]], times=True), epsilon=40)
    fit_through(queryable, N_ITEMS, SCALE, "year")
    without = ForcedQueryable(ratings_of(others, times=True), 40, queryable.answers)
    fit_through(without, N_ITEMS, SCALE, "year")
    asked = [query.name for query in queryable.queries]
    assert asked == [query.name for query in without.queries]
    assert {"support", "support step", "taste", "taste step", "times"} <= set(asked)
    for query, one, two in zip(queryable.queries, queryable.sums, without.sums, strict=True):
        change = float(np.linalg.norm(one - two)) / query.sensitivity
        assert change <= 1.0, (query.name, change)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    person=st.dictionaries(
        st.integers(0, N_ITEMS - 1), st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0]), min_size=1
    ),
    seed=st.integers(0, 3),
)
def test_no_person_moves_any_query_too_far(person: Person, seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        ask_everything(patch)
        for query in _queries(seed):
            assert moved(query, person, SCALE, True) <= 1.0, query.name


_ASKED: dict[int, list[Query]] = {}


def _queries(seed: int) -> list[Query]:
    """The queries of a fit, which depend on the answers before them."""
    if seed not in _ASKED:
        queryable = RecordingQueryable(ratings_of(crowd(seed), times=True), 40, seed)
        fit_through(queryable, N_ITEMS, SCALE, "year")
        _ASKED[seed] = queryable.queries
    return _ASKED[seed]


WILD = st.one_of(
    st.floats(-10, 10), st.sampled_from([0.0, 1e-300, 1e8, -1e160, 1e300, np.inf, -np.inf, np.nan])
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(entries=st.lists(WILD, min_size=1, max_size=6), name=st.sampled_from(sorted(WORST)))
def test_no_answers_before_make_anybody_move_a_query_too_far(
    entries: list[float], name: str
) -> None:
    """Queries are built from noisy answers, which can be anything."""
    wild = np.resize(np.array(entries), N_ITEMS)
    factors = np.resize(np.array(entries), (N_ITEMS, 3))
    units, spread = (3.0, 2.0), (0.05, 0.2)
    head = np.arange(12, dtype=np.int32)
    place = np.where(np.arange(N_ITEMS) < 12, np.arange(N_ITEMS), -1)
    ones = np.ones(N_ITEMS)
    for query in (
        ItemEffects(units, wild, ones, 3.5),
        ItemEffects(units, np.zeros(N_ITEMS), wild, 3.5),
        Level(units, wild),
        Spreads(units, wild, 0.1),
        Spreads(units, np.zeros(N_ITEMS), entries[0]),
        Support(head, place, wild[:12]),
        SupportStep(place, factors[:12], factors[0]),
        Taste(head, place, units, wild, spread),
        TasteStep(units, wild, spread, place, factors),
        TasteStep(units, np.zeros(N_ITEMS), spread, place, factors),
    ):
        change = moved(query, WORST[name], SCALE, False)
        assert change <= 1.0, (query.name, change)


def test_the_bounds_are_not_far_too_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    ask_everything(monkeypatch)
    people = [*crowd(2, 40), *WORST.values()]
    most = {
        query.name: max(moved(query, person, SCALE, True) for person in people)
        for query in _queries(0)
    }
    assert min(most.values()) > 0.2, most


def test_implicit_data_are_asked_for_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    ask_everything(monkeypatch)
    people = [dict.fromkeys(row, 1.0) for row in crowd(3)]
    queryable = RecordingQueryable(ratings_of(people, IMPLICIT), 40)
    fit_through(queryable, N_ITEMS, IMPLICIT)
    assert {query.name for query in queryable.queries} == {
        "ratings per person",
        "items",
        "support",
        "support step",
    }
    for query in queryable.queries:
        assert all(moved(query, person, IMPLICIT, False) <= 1.0 for person in people)


def test_other_data_under_the_same_answers_give_the_same_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing but the answers reaches the model: it does not change if the data do."""
    ask_everything(monkeypatch)
    queryable = RecordingQueryable(ratings_of(crowd(1)), 40)
    first = fit_through(queryable, N_ITEMS, SCALE)
    forced = ForcedQueryable(ratings_of(crowd(99, people=7)), 40, queryable.answers)
    second = fit_through(forced, N_ITEMS, SCALE)
    for name, array in first.arrays().items():
        assert np.array_equal(array, second.arrays()[name]), name


def test_private_ratings_cannot_be_read() -> None:
    private = PrivateRatings(ratings_of(crowd(1)))
    for name in ("ratings", "offsets", "items", "values", "n_users", "user_labels", "__dict__"):
        assert not hasattr(private, name)
    with pytest.raises(TypeError):
        len(private)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        iter(private)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        __import__("pickle").dumps(private)
    with pytest.raises(AttributeError):
        private._ask = lambda *_: np.zeros(1)  # type: ignore[method-assign]
    assert "5" not in repr(private)
