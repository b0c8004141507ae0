from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.errors import ParameterError
from recloak.core.scale import IMPLICIT, Scale


@pytest.mark.parametrize(
    "text", ["1..5", "0.5..5 step 0.5", "-10..10 continuous", "implicit", "0..10", "-3..3"]
)
def test_written_form_round_trips(text: str) -> None:
    assert str(Scale.parse(text)) == text


@pytest.mark.parametrize("text", ["", "5", "1-5", "5..1", "1..5 step 0", "1..x", "nan..5"])
def test_what_is_no_scale_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        Scale.parse(text)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2, 5], "1..5"),
        ([0.5, 3, 4.5], "0.5..4.5 step 0.5"),
        ([-7.82, 8.79, 9.999], "-7.82..9.999 continuous"),
        ([1, 1, 1], "implicit"),
        ([0, 10], "0..10"),
        ([3, 3], "3..3"),
        ([0, 1000], "0..1000 continuous"),
    ],
)
def test_infers_the_narrowest(values: list[float], expected: str) -> None:
    assert str(Scale.infer(np.array(values, dtype=np.float32))) == expected


@given(st.lists(st.sampled_from([1, 1.5, 2, 4.5, 5]), min_size=1))
def test_an_inferred_scale_holds_its_values(values: list[float]) -> None:
    array = np.array(values, dtype=np.float32)
    assert Scale.infer(array).holds(array).all()


def test_holds_only_what_lies_on_it() -> None:
    scale = Scale.parse("0.5..5 step 0.5")
    values = np.array([0.5, 4.5, 0.0, 5.5, 1.2], dtype=np.float32)
    assert scale.holds(values).tolist() == [True, True, False, False, False]


@given(st.floats(-100, 100))
def test_snapping_lands_on_the_nearest_step(value: float) -> None:
    scale = Scale.parse("0.5..5 step 0.5")
    snapped = scale.snap(np.array([value]))[0]
    levels = scale.levels()
    assert levels is not None
    assert abs(snapped - value) <= np.abs(levels - value).min() + 1e-9


@given(
    st.lists(st.floats(-1e7, 1e7, width=32), min_size=1, max_size=20)
    | st.lists(st.floats(0, 2.0**-17, width=32), min_size=1, max_size=20)
    | st.lists(st.integers(0, 2_000_000), min_size=1, max_size=20)
)
def test_any_inferred_scale_survives_being_written(values: list[float]) -> None:
    array = np.array(values, dtype=np.float32)
    scale = Scale.infer(array)
    again = Scale.parse(str(scale))
    assert again == scale
    assert again.holds(array).all()


def test_tolerance_is_half_a_step() -> None:
    assert Scale.parse("1..5").tolerance == 0.5
    assert Scale.parse("-10..10 continuous").tolerance == pytest.approx(0.2)
    assert IMPLICIT.span == 0
