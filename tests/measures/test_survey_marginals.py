"""Survey marginals: distributions and correlations, before and after."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.survey import NULL
from recloak.evaluation.findings import Finding
from recloak.measures import measure
from recloak.measures.survey_marginals import correlations
from recloak.testing import MeasureContract, Recorder
from tests.support.surveys import by_hand, unchanged

SPEC = "survey-marginals"


class TestSurveyMarginals(MeasureContract):
    name = SPEC
    parameters = {"sensitive": "1"}
    needs_rehearsal = False
    exact = ("moved_mean", "moved_most", "correlation_change", "correlation_change_most")


def value(finding: Finding, name: str) -> float:
    figure = finding.figure(name)
    assert figure is not None, name
    return figure.value


def test_the_same_answers_move_nothing() -> None:
    table = [{"a": 1 + at % 5, "b": 1 + at % 3, "s": 1 + at % 2} for at in range(20)]
    finding = measure(SPEC).run(unchanged(table, sensitive="s"))
    assert [figure.value for figure in finding.figures] == [0, 0, 0, 0]


def test_the_distance_is_the_share_of_people_who_would_have_to_answer_otherwise() -> None:
    before = [{"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 3}, {"a": 3}]
    after = [{"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 3}, {"a": 1, "b": 3}]
    finding = measure(SPEC).run(by_hand(before, dict(enumerate(after)), sensitive=""))
    assert value(finding, "moved_most") == 2 / 4
    assert value(finding, "moved_mean") == pytest.approx((2 / 4 + 1 / 4) / 2)
    assert "moved most is 'a'" in finding.notes[-1]


def test_a_correlation_that_turned_round() -> None:
    before = [{"a": at, "b": at} for at in range(1, 6)]
    after = [{"a": at, "b": 6 - at} for at in range(1, 6)]
    finding = measure(SPEC).run(by_hand(before, dict(enumerate(after)), sensitive=""))
    assert value(finding, "correlation_change_most") == pytest.approx(2)
    assert value(finding, "moved_most") == 0


def test_issues_that_nobody_varies_in_have_no_correlation() -> None:
    finding = measure(SPEC).run(unchanged([{"a": 1, "b": 2}] * 5, sensitive=""))
    assert finding.figure("correlation_change") is None


@settings(max_examples=30)
@given(seed=st.integers(0, 1000), n=st.integers(3, 40))
def test_correlations_are_those_of_who_answered_both(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    answers = rng.integers(NULL, 5, (n, 3)).astype(np.int8)
    found = correlations(answers, Recorder())
    for one in range(3):
        for two in range(3):
            both = (answers[:, [one, two]] != NULL).all(axis=1)
            x, y = answers[both][:, [one, two]].T.astype(float)
            if both.sum() < 3 or x.std() == 0 or y.std() == 0:
                assert np.isnan(found[one, two])
            else:
                assert found[one, two] == pytest.approx(np.corrcoef(x, y)[0, 1])
