"""The transformer: frames in and out, and what scikit-learn asks of every estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from recloak.core.errors import InputError, ParameterError
from recloak.sklearn import Sanitizer
from recloak.testing import random_ratings

ONE_RELEASE = "all rows that are transformed at once are one release, in an order of its own"
EXPECTED_FAILURES = {
    "check_methods_subset_invariance": ONE_RELEASE,
    "check_methods_sample_order_invariance": ONE_RELEASE,
}


@parametrize_with_checks(
    [Sanitizer("pseudonymize", layout="wide", seed=1)],
    expected_failed_checks=lambda _: EXPECTED_FAILURES,
)
def test_what_every_estimator_must_do(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("library", ["polars", "pandas", "arrow"])
def test_a_frame_comes_back_as_one_of_its_library(library: str) -> None:
    frame = random_ratings(40, 20, 0.4).to_polars()
    given = {"polars": frame, "pandas": frame.to_pandas(), "arrow": frame.to_arrow()}[library]
    found = Sanitizer("microaggregation", parameters={"k": 4}, seed=1).fit_transform(given)
    assert type(found) is type(given)
    again = pl.DataFrame(found)
    assert again["user"].n_unique() == 40
    assert not set(again["user"]) & set(frame["user"])


def test_a_wide_table_keeps_its_columns_and_tells_nothing_by_its_rows() -> None:
    table = np.where(np.arange(200).reshape(40, 5) % 3 == 0, np.nan, 3.0)
    table[:, 0] = np.arange(40)
    found = Sanitizer("pseudonymize", layout="wide", seed=1).fit_transform(table)
    assert found.shape == (40, 5)
    assert sorted(found[:, 0]) == sorted(table[:, 0])
    assert list(found[:, 0]) != list(table[:, 0])
    assert np.isnan(found).sum() == np.isnan(table).sum()


def test_it_stands_in_a_pipeline_and_can_be_cloned() -> None:
    frame = random_ratings(40, 20, 0.4).to_polars()
    counting = FunctionTransformer(lambda table: table.group_by("item").len())
    chain = make_pipeline(Sanitizer("pseudonymize", seed=1), counting)
    assert clone(chain).fit_transform(frame)["len"].sum() == frame.height


def test_what_cannot_be_is_refused_in_words() -> None:
    frame = random_ratings(40, 20, 0.4).to_polars()
    with pytest.raises(ParameterError, match="no method"):
        Sanitizer("pseudonymise").fit(frame)
    with pytest.raises(InputError, match="is not a frame"):
        Sanitizer("pseudonymize").fit(np.zeros((3, 3)))
    with pytest.raises(InputError, match="no ratings"):
        Sanitizer("pseudonymize", layout="wide").fit(np.full((3, 3), np.nan))
