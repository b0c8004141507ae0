"""The tests that every clustering must pass: inherit, name the class, and give bad parameters."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from recloak.clustering import CLUSTERINGS, Clustering, Points
from recloak.core.errors import Cancelled, InputError, ParameterError
from recloak.core.parameters import parse_spec
from recloak.core.ratings import Ratings
from recloak.testing import Recorder, Stopper
from tests.clustering.samples import hard_cases, hard_ratings


class ClusteringContract:
    """A clustering's test class inherits this and sets two class attributes."""

    clustering: ClassVar[type[Clustering]]
    refused: ClassVar[tuple[dict[str, Any], ...]]
    """Parameter values that must be refused, one dictionary each."""

    @given(case=hard_cases())
    @settings(
        max_examples=60, deadline=None, suppress_health_check=[HealthCheck.differing_executors]
    )
    def test_every_group_has_k_members_and_labels_count_from_0(
        self, case: tuple[Ratings, int]
    ) -> None:
        ratings, k = case
        labels = self.clustering().partition(Points.of(ratings), k)
        assert labels.dtype == np.int64
        assert len(labels) == ratings.n_users
        assert np.bincount(labels).min() >= k
        assert set(labels.tolist()) == set(range(labels.max() + 1))

    def test_same_groups_every_time_and_input_unchanged(self, small: Ratings) -> None:
        points = Points.of(small)
        before = points.values.copy()
        first = self.clustering().partition(points, 3)
        assert self.clustering().partition(Points.of(small), 3).tobytes() == first.tobytes()
        assert points.values.tobytes() == before.tobytes()

    def test_users_who_are_all_alike(self) -> None:
        alike = hard_ratings(30, 4, 0.5, 5, seed=22)
        assert (Points.of(alike).norms == Points.of(alike).norms[0]).all()
        labels = self.clustering().partition(Points.of(alike), 4)
        assert np.bincount(labels).min() >= 4

    def test_users_without_any_rating(self, small: Ratings) -> None:
        silent = small.keep(np.zeros(small.n_ratings, dtype=bool))
        labels = self.clustering().partition(Points.of(silent), 5)
        assert np.bincount(labels).min() >= 5

    def test_twins_far_from_all_others_are_a_group(self) -> None:
        users = np.repeat(np.arange(12), 3)
        values = np.where(users < 3, 5, np.where(users < 6, 1, 3 + (users + 1) % 2))
        ratings = Ratings.from_columns(users, np.tile(np.arange(3), 12), values, scale="1..5")
        labels = self.clustering().partition(Points.of(ratings), 3)
        assert len(set(labels[:3])) == len(set(labels[3:6])) == 1
        assert labels[0] != labels[3]

    def test_fewer_users_than_k_are_refused_with_the_numbers(self, small: Ratings) -> None:
        with pytest.raises(InputError, match=r"60 users cannot make a group of k = 61"):
            self.clustering().partition(Points.of(small), 61)
        assert set(self.clustering().partition(Points.of(small), 60)) == {0}

    @pytest.mark.parametrize("k", [1, 0, -3])
    def test_k_below_2_is_refused(self, small: Ratings, k: int) -> None:
        with pytest.raises(ParameterError, match="hides nobody"):
            self.clustering().partition(Points.of(small), k)

    def test_reports_all_of_its_progress(self, small: Ratings) -> None:
        seen = Recorder()
        self.clustering().partition(Points.of(small), 3, seen)
        assert seen.totals
        for label, total in seen.totals.items():
            assert seen.done[label] == pytest.approx(total)

    def test_stops_on_request(self, small: Ratings) -> None:
        with pytest.raises(Cancelled):
            self.clustering().partition(Points.of(small), 3, Stopper())

    def test_is_registered_under_its_name(self) -> None:
        assert CLUSTERINGS.get(self.clustering.name) is self.clustering
        assert self.clustering.summary

    def test_parameters_out_of_range_are_refused(self) -> None:
        assert {name for values in self.refused for name in values} == set(
            self.clustering.Parameters.model_fields
        ), "give a bad value for every parameter"
        for values in self.refused:
            with pytest.raises(ParameterError) as refusal:
                self.clustering(**values)
            assert next(iter(values)).replace("_", "-") in str(refusal.value.where)

    def test_parameters_survive_being_written(self) -> None:
        made = self.clustering()
        name, values = parse_spec(made.spec)
        assert name == self.clustering.name
        assert self.clustering(**values).parameters == made.parameters

    def test_every_parameter_is_explained(self) -> None:
        assert all(info.doc for info in self.clustering.Parameters.described())
