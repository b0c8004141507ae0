from __future__ import annotations

from typing import Literal

import pytest
from pydantic import Field, ValidationError

from recloak.core.errors import ParameterError
from recloak.core.parameters import Parameters, format_spec, parse_spec


class Sample(Parameters):
    """Parameters of nothing."""

    k: int = Field(ge=2, le=100)
    """How many."""

    mode: Literal["fast", "exact"] = "exact"
    """Which way."""

    share: float = Field(default=0.5, gt=0, lt=1)
    """How much of it,
    over two lines."""

    deep: bool = False
    """Whether."""


def test_text_is_converted_and_dashes_are_underscores() -> None:
    built = Sample.build("x", {"k": "3", "deep": "yes", "share": "0.25"})
    assert (built.k, built.deep, built.share) == (3, True, 0.25)
    assert Sample.build("x", built.public()) == built


def test_is_frozen() -> None:
    with pytest.raises(ValidationError):
        Sample(k=3).k = 4  # type: ignore[misc]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"k": 1}, "method x, parameter 'k': input should be greater than or equal to 2, got 1"),
        ({"k": "many"}, "parameter 'k'"),
        ({"k": 3, "kk": 4}, "Did you mean 'k'? It takes: k, mode, share, deep."),
        ({}, "parameter 'k': is required"),
        ({"k": 3, "mode": "slow"}, "'fast' or 'exact'"),
        ({"k": 3, "share": float("nan")}, "parameter 'share'"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(values: dict, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Sample.build("method x", values)
    assert message in str(caught.value)
    assert caught.value.exit_code == 2


def test_descriptions_come_from_the_declaration() -> None:
    by_name = {info.name: info for info in Sample.described()}
    assert by_name["k"].required
    assert by_name["k"].allowed == "≥ 2, ≤ 100"
    assert by_name["mode"].allowed == "fast | exact"
    assert by_name["share"].doc == "How much of it, over two lines."
    assert by_name["deep"].kind == "yes/no"


@pytest.mark.parametrize("text", ["k-anonymity", "k-anonymity:k=5", "a:k=5,values=false"])
def test_specs_round_trip(text: str) -> None:
    name, values = parse_spec(text)
    assert format_spec(name, values) == text


def test_a_broken_spec_is_refused() -> None:
    with pytest.raises(ParameterError, match="'k' is not key=value"):
        parse_spec("k-anonymity:k")
