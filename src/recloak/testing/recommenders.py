"""What every recommender must do; its test inherits this and gives values to be refused."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from recloak.core.arrays import Integers
from recloak.core.errors import Cancelled, ParameterError
from recloak.core.ratings import Ratings
from recloak.recommenders import RECOMMENDERS, Recommender
from recloak.testing._component import ComponentContract
from recloak.testing.progress import Recorder, Stopper

Prediction = NDArray[np.float64]
ratings_of_any_size = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.integers(0, 6),
        st.floats(-1e6, 1e6, width=32) | st.integers(1, 5).map(float),
    ),
    max_size=30,
)


def all_cells(ratings: Ratings) -> tuple[Integers, Integers]:
    """Every user and -1, with every item and -1."""
    users, items = np.meshgrid(np.arange(-1, ratings.n_users), np.arange(-1, ratings.n_items))
    return users.ravel(), items.ravel()


def assert_sound(predicted: Prediction, ratings: Ratings) -> None:
    """Finite, and on the scale."""
    assert predicted.dtype == np.float64
    assert np.isfinite(predicted).all()
    assert (predicted >= ratings.scale.low).all()
    assert (predicted <= ratings.scale.high).all()


class RecommenderContract(ComponentContract[Recommender]):
    """Tests of a recommender."""

    registry = RECOMMENDERS
    refused: ClassVar[tuple[dict[str, Any], ...]] = ()
    """Parameter values that must be refused, one dictionary each."""

    def predict_all(self, ratings: Ratings, **values: Any) -> Prediction:
        """Predictions for all cells, none of them off the scale."""
        predicted = self.make(**values).fit(ratings).predict(*all_cells(ratings))
        assert_sound(predicted, ratings)
        return predicted

    # -- data at the edge -------------------------------------------------------------------

    def test_no_ratings_at_all(self) -> None:
        nothing = Ratings.from_columns([], [], [], scale="1..5")
        assert self.predict_all(nothing).tolist() == [3.0]

    def test_users_and_items_whose_ratings_are_gone(self, small: Ratings) -> None:
        emptied = small.keep(np.zeros(small.n_ratings, dtype=bool))
        assert (self.predict_all(emptied) == 3.0).all()

    def test_one_user(self) -> None:
        alone = Ratings.from_columns([7, 7, 7], [1, 2, 3], [1, 4, 5], scale="1..5")
        assert len(self.predict_all(alone)) == 8

    def test_one_rating(self) -> None:
        single = Ratings.from_columns([7], [1], [4], scale="1..5")
        assert self.predict_all(single) == pytest.approx(4, abs=0.05)

    def test_constant_ratings_are_predicted_as_they_are(self, small: Ratings) -> None:
        constant = small.with_values(np.full(small.n_ratings, 2, np.float32))
        assert self.predict_all(constant) == pytest.approx(2, abs=0.05)

    def test_implicit_data_predict_the_only_value(self, small: Ratings) -> None:
        seen = Ratings.from_columns(small.user_codes(), small.items)
        assert (self.predict_all(seen) == 1.0).all()

    def test_unknown_user_gets_a_guess_from_the_item_alone(self, small: Ratings) -> None:
        loved = int(np.argmax(small.item_support))
        values = np.where(small.items == loved, 5, 1).astype(np.float32)
        fitted = self.make().fit(small.with_values(values))
        other = (loved + 1) % small.n_items
        high, low = fitted.predict(np.array([-1, -1]), np.array([loved, other]))
        assert high > low + 1

    def test_item_without_ratings_gets_what_an_unknown_item_gets(self, small: Ratings) -> None:
        unrated = small.keep(small.items != 3)
        fitted = self.make().fit(unrated)
        users = np.arange(-1, small.n_users)
        predicted = fitted.predict(users, np.full(len(users), 3))
        assert_sound(predicted, unrated)
        assert np.array_equal(predicted, fitted.predict(users, np.full(len(users), -1)))

    def test_user_without_ratings_gets_what_an_unknown_user_gets(self, small: Ratings) -> None:
        silent = small.keep(small.user_codes() != 3)
        fitted = self.make().fit(silent)
        items = np.arange(-1, small.n_items)
        predicted = fitted.predict(np.full(len(items), 3), items)
        assert np.array_equal(predicted, fitted.predict(np.full(len(items), -1), items))

    @given(ratings_of_any_size)
    @settings(
        max_examples=25, deadline=None, suppress_health_check=[HealthCheck.differing_executors]
    )
    def test_any_ratings_give_finite_predictions_on_the_scale(
        self, given_ratings: list[tuple[int, int, float]]
    ) -> None:
        users, items, values = zip(*given_ratings, strict=True) if given_ratings else ([], [], [])
        self.predict_all(Ratings.from_columns(users, items, values, duplicates="last"))

    # -- what a caller relies on ------------------------------------------------------------

    def test_same_seed_same_bytes(self, small: Ratings) -> None:
        first, second = self.predict_all(small), self.predict_all(small)
        assert first.tobytes() == second.tobytes()

    def test_a_second_fit_forgets_the_first(self, small: Ratings) -> None:
        half = small.keep(np.arange(small.n_ratings) % 2 == 0)
        again = self.make().fit(half).fit(small).predict(*all_cells(small))
        assert again.tobytes() == self.predict_all(small).tobytes()

    def test_each_cell_is_predicted_on_its_own(self, small: Ratings) -> None:
        fitted = self.make().fit(small)
        users, items = all_cells(small)
        together = fitted.predict(users, items)
        some = np.random.default_rng(1).permutation(len(users))[:50]
        assert np.array_equal(fitted.predict(users[some], items[some]), together[some])

    def test_means_the_same_on_another_scale(self, small: Ratings) -> None:
        wide = Ratings.from_columns(
            small.user_codes(), small.items, 5 * small.values - 15, scale="-10..10 continuous"
        )
        assert self.predict_all(wide) == pytest.approx(5 * self.predict_all(small) - 15, abs=0.05)

    def test_does_not_change_its_input(self, small: Ratings) -> None:
        before = Ratings.from_columns(
            small.user_labels[small.user_codes()],
            small.item_labels[small.items],
            small.values.copy(),
            scale=small.scale,
        )
        assert before.equals(small)
        self.predict_all(small)
        assert before.equals(small)

    def test_nothing_asked_nothing_answered(self, small: Ratings) -> None:
        nothing = np.empty(0, np.int64)
        assert len(self.make().fit(small).predict(nothing, nothing)) == 0

    @pytest.mark.parametrize(("user", "item"), [(-2, 0), (0, -2), (10**6, 0), (0, 10**6)])
    def test_codes_outside_are_refused(self, small: Ratings, user: int, item: int) -> None:
        with pytest.raises(ValueError, match="codes must lie between -1 and"):
            self.make().fit(small).predict(np.array([user]), np.array([item]))

    def test_users_and_items_come_in_pairs(self, small: Ratings) -> None:
        with pytest.raises(ValueError, match="as many"):
            self.make().fit(small).predict(np.zeros(2, int), np.zeros(3, int))

    def test_predicts_only_after_fit(self) -> None:
        with pytest.raises(RuntimeError, match="fit"):
            self.make().predict(np.zeros(1, int), np.zeros(1, int))

    # -- progress ---------------------------------------------------------------------------

    def test_reports_all_of_its_progress(self, small: Ratings) -> None:
        seen = Recorder()
        self.make().fit(small, seen).predict(*all_cells(small), seen)
        assert seen.totals
        for label, total in seen.totals.items():
            assert seen.done[label] == pytest.approx(total)

    def test_stops_on_request(self, small: Ratings) -> None:
        stopped = self.make()
        with pytest.raises(Cancelled):
            stopped.fit(small, Stopper())
        with pytest.raises(RuntimeError, match="fit"):
            stopped.predict(np.zeros(1, int), np.zeros(1, int))

    # -- parameters -------------------------------------------------------------------------

    def test_parameters_out_of_range_are_refused(self) -> None:
        assert {name for values in self.refused for name in values} == set(
            self.member().Parameters.model_fields
        ), "give a bad value for every parameter"
        for values in self.refused:
            with pytest.raises(ParameterError) as refusal:
                self.member()(**values)
            assert next(iter(values)).replace("_", "-") in str(refusal.value.where)
