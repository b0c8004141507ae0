from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.building import DuplicatePairs, OffScale
from recloak.core.errors import InputError, ParameterError
from recloak.core.ratings import Ratings
from recloak.testing import empty_ratings, from_rows, random_ratings

labels = st.one_of(
    st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=40),
    st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=40),
)


def cells_of(ratings: Ratings) -> dict[tuple[str, str], float]:
    table = ratings.to_polars()
    pairs = zip(table["user"].to_list(), table["item"].to_list(), strict=True)
    shown = [(str(user), str(item)) for user, item in pairs]
    return dict(zip(shown, ratings.values.tolist(), strict=True))


@given(users=labels, items=labels, seed=st.integers(0, 1000))
@settings(max_examples=60)
def test_keeps_every_cell_whatever_the_order(users: list, items: list, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = [(user, item) for user in dict.fromkeys(users) for item in dict.fromkeys(items)]
    chosen = [pairs[at] for at in rng.permutation(len(pairs))[: max(1, len(pairs) // 2)]]
    values = rng.integers(1, 6, len(chosen))
    ratings = Ratings.from_columns(
        [user for user, _ in chosen], [item for _, item in chosen], values
    )
    expected = {(str(u), str(i)): v for (u, i), v in zip(chosen, values.tolist(), strict=True)}
    assert cells_of(ratings) == expected
    assert ratings.n_ratings == len(chosen)


def test_rows_are_sorted_by_user_then_item() -> None:
    ratings = random_ratings(seed=3)
    users = ratings.user_codes()
    keys = users.astype(np.int64) * ratings.n_items + ratings.items
    assert (np.diff(keys) > 0).all()
    assert (np.diff(ratings.user_labels) > 0).all()


def test_whole_number_ids_sort_as_numbers_and_text_as_text() -> None:
    numbers = Ratings.from_columns([10, 9, 2], [1, 1, 1], [1, 2, 3])
    assert numbers.user_labels.tolist() == [2, 9, 10]
    text = Ratings.from_columns(["10", "9", "2"], [1, 1, 1], [1, 2, 3])
    assert text.user_labels.tolist() == ["10", "2", "9"]


@pytest.mark.parametrize(
    "ids",
    [
        pd.Series(["ann", None], dtype=object),
        pd.Series(["ann", None], dtype="string"),
        pd.Series(["ann", None], dtype="category"),
        pd.Series([7, None], dtype="Int64"),
        pd.Series([7, np.nan]),
        pd.Series([7.0, np.inf]),
    ],
)
def test_nobody_is_made_up_of_missing_ids(ids: pd.Series) -> None:
    with pytest.raises(InputError, match="user id"):
        Ratings.from_frame(pd.DataFrame({"user": ids, "item": [1, 2], "rating": [3, 4]}))


@pytest.mark.parametrize(
    "ids",
    [
        pd.Series(["b", "a"], dtype="string"),
        pd.Series(["b", "a"], dtype="category"),
        pd.Series(["b", "a"], dtype="string[pyarrow]"),
        pd.Series(["b", "a"], index=[7, 3]),
    ],
)
def test_any_kind_of_pandas_text_is_a_name(ids: pd.Series) -> None:
    frame = pd.DataFrame({"user": ids, "item": [1, 2], "rating": [3, 4]}, index=ids.index)
    assert Ratings.from_frame(frame).user_labels.tolist() in (["a", "b"], ["a"])


@pytest.mark.parametrize(
    "ids",
    [
        pl.Series([[1], [2]]),
        pl.Series([b"a", b"b\xff"]),
        np.array([2**63, 2**63 + 1], dtype=np.uint64),
    ],
)
def test_ids_must_be_whole_numbers_or_text(ids: object) -> None:
    with pytest.raises(InputError, match="neither whole numbers nor text"):
        Ratings.from_columns(ids, [1, 2], [3, 4])


def test_a_frame_with_two_columns_of_one_name_is_refused() -> None:
    frame = pd.DataFrame([[1, 2, 3]], columns=["user", "item", "item"])
    with pytest.raises(InputError, match="same name"):
        Ratings.from_frame(frame)
    with pytest.raises(InputError, match="is not a frame"):
        Ratings.from_frame(pd.Series([1, 2]))


def test_leaving_people_out_takes_their_values_out_of_the_scale() -> None:
    ratings = Ratings.from_columns([1, 2, 77], [1, 1, 1], [1, 5, 10])
    assert str(ratings.without_users([77]).scale) == "1..5"
    declared = Ratings.from_columns([1, 2, 77], [1, 1, 1], [1, 5, 10], scale="1..10")
    assert str(declared.without_users([77]).scale) == "1..10"


def test_is_immutable(small: Ratings) -> None:
    with pytest.raises(ValueError, match="read-only"):
        small.user_labels[0] = 3
    with pytest.raises(ValueError, match="read-only"):
        small.values[0] = 3
    with pytest.raises(AttributeError):
        small.scale = None  # type: ignore[assignment,misc]


def test_does_not_touch_what_it_was_built_from() -> None:
    values = np.array([5, 4, 3], dtype=np.float32)
    Ratings.from_columns([1, 2, 3], [1, 1, 1], values)
    values[0] = 1  # would raise if the array had been taken over
    times = np.array([1, 2, 3])
    Ratings.from_columns([1, 2, 3], [1, 1, 1], values, times)
    times[0] = 9
    assert (values[0], times[0]) == (1, 9)


def test_item_view_is_the_transpose(small: Ratings) -> None:
    view = small.by_item
    dense = small.to_csr().toarray()
    for item in range(small.n_items):
        here = slice(view.offsets[item], view.offsets[item + 1])
        assert view.users[here].tolist() == np.flatnonzero(dense[:, item]).tolist()
        assert view.values[here].tolist() == dense[view.users[here], item].tolist()
    assert small.by_item is view


def test_duplicates_are_refused_by_name() -> None:
    with pytest.raises(DuplicatePairs) as caught:
        Ratings.from_columns(["ann", "bob", "ann"], ["x", "x", "x"], [1, 2, 3])
    assert "user ann item x" in str(caught.value)
    assert "--duplicates" in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("policy", "expected"), [("last", 3.0), ("mean", pytest.approx(8 / 3)), ("max", 4.0)]
)
def test_duplicates_policies(policy: str, expected: float) -> None:
    ratings = Ratings.from_columns([1, 1, 2, 1], [7, 7, 7, 7], [1, 4, 5, 3], duplicates=policy)
    assert cells_of(ratings) == {("1", "7"): expected, ("2", "7"): 5.0}


def test_last_means_latest_when_there_are_times() -> None:
    ratings = Ratings.from_columns(
        [1, 1, 1], [7, 7, 7], [2, 5, 3], [300, 100, 300], duplicates="last"
    )
    assert ratings.values.tolist() == [3.0]
    assert ratings.times is not None
    assert ratings.times.tolist() == [300]


def test_unknown_duplicates_policy_is_refused() -> None:
    with pytest.raises(ParameterError, match="error, last, mean, max"):
        Ratings.from_columns([1], [1], [1], duplicates="first")  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_must_be_finite(bad: float) -> None:
    with pytest.raises(InputError, match="rating 2"):
        Ratings.from_columns([1, 2], [1, 1], [3, bad])


def test_off_scale_values_are_refused() -> None:
    with pytest.raises(OffScale, match="rating 6 is not on the scale 1..5"):
        Ratings.from_columns([1, 2], [1, 1], [3, 6], scale="1..5")


def test_zero_is_a_rating() -> None:
    ratings = Ratings.from_columns([1, 2], [1, 1], [0, 10], scale="0..10")
    assert ratings.to_csr().nnz == 2


def test_implicit_data_have_no_rating_column() -> None:
    ratings = Ratings.from_columns([1, 2], [5, 6])
    assert ratings.scale.implicit
    assert ratings.to_polars().columns == ["user", "item"]


def test_empty_is_possible() -> None:
    empty = empty_ratings()
    assert (empty.n_users, empty.n_items, len(empty), empty.density) == (0, 0, 0, 0.0)
    assert empty.compact().equals(empty)


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pa.table])
def test_from_any_frame_and_back(make: type, small: Ratings) -> None:
    columns = {name: small.to_polars()[name].to_numpy() for name in ("user", "item", "rating")}
    again = Ratings.from_frame(make(columns), scale="1..5")
    assert again.equals(small)
    assert Ratings.from_frame(again.to_pandas(), scale="1..5").equals(small)
    assert Ratings.from_frame(again.to_polars().lazy(), scale="1..5").equals(small)


def test_frames_with_other_names_text_ids_and_dates() -> None:
    frame = pd.DataFrame(
        {"reader": ["ann", "bob"], "isbn": ["0", "00"], "stars": [1, 5], "date": ["2020-01-02"] * 2}
    )
    ratings = Ratings.from_frame(frame, columns={"user": "reader"}, scale="1..5")
    assert ratings.item_labels.tolist() == ["0", "00"]
    assert ratings.times is not None
    assert ratings.times.tolist() == [1577923200, 1577923200]


def test_a_frame_without_users_is_refused_with_its_columns() -> None:
    with pytest.raises(InputError, match="no column for the user among: a, item"):
        Ratings.from_frame(pl.DataFrame({"a": [1], "item": [1]}))
    with pytest.raises(InputError, match="is not a frame"):
        Ratings.from_frame([1, 2])


def test_relabelling_moves_whole_rows(small: Ratings) -> None:
    names = np.random.default_rng(0).permutation(small.n_users) + 1000
    moved = small.relabel_users(names)
    assert (np.diff(moved.user_labels) > 0).all()
    for user in range(small.n_users):
        at = int(np.searchsorted(moved.user_labels, names[user]))
        assert moved.row(at)[0].tolist() == small.row(user)[0].tolist()
        assert moved.row(at)[1].tolist() == small.row(user)[1].tolist()


def test_keep_drops_cells_and_nothing_else(small: Ratings) -> None:
    mask = np.random.default_rng(0).random(len(small)) < 0.5
    kept = small.keep(mask)
    assert (kept.n_users, kept.n_items) == (small.n_users, small.n_items)
    cells = cells_of(small)
    assert cells_of(kept) == {
        key: value for (key, value), keep in zip(cells.items(), mask, strict=True) if keep
    }


def test_without_users_removes_them_and_items_only_they_rated() -> None:
    ratings = from_rows({"ann": {"x": 1, "only": 5}, "bob": {"x": 2}})
    left = ratings.without_users(["ann"])
    assert cells_of(left) == {("bob", "x"): 2.0}
    assert left.item_labels.tolist() == ["x"]
    with pytest.raises(InputError, match="first 'zoe'"):
        ratings.without_users(["zoe"])


def test_reprs_say_what_it_is(small: Ratings) -> None:
    assert f"{len(small):,} ratings of {small.n_items:,} items" in repr(small)
    assert "<table>" in small._repr_html_()
