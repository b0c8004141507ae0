"""Survey distortion: the paper's definitions 4 and 5, and what became of the cells."""

from __future__ import annotations

import pytest

from recloak.evaluation.findings import Finding
from recloak.measures import measure
from recloak.testing import MeasureContract
from tests.support.surveys import by_hand, unchanged

SPEC = "survey-distortion"


class TestSurveyDistortion(MeasureContract):
    name = SPEC
    parameters = {"sensitive": "1"}
    needs_rehearsal = False
    exact = (
        "total",
        "cell_distortion",
        "changed",
        "erased",
        "filled",
        "sensitive_distortion",
        "deleted",
    )


def value(finding: Finding, name: str) -> float:
    figure = finding.figure(name)
    assert figure is not None, name
    return figure.value


def test_the_papers_example_under_definition_5() -> None:
    """Four people, four levels of difference, though fewer would do; 0 stands for no answer."""
    before = [(5, 6), (2, 5), (4, 7), (5, 6)]
    after = [(5, 5), (3, 5), (3, 7), (5, 7)]
    tables = [[dict(zip("ab", row, strict=True)) for row in side] for side in (before, after)]
    context = by_hand(tables[0], dict(enumerate(tables[1])), "1..7", sensitive="")
    finding = measure(SPEC).run(context)
    assert value(finding, "total") == 4
    assert value(finding, "cell_distortion") == 4 / 8
    assert value(finding, "changed") == 4 / 8


def test_an_answer_erased_or_made_up_costs_the_number_of_levels() -> None:
    before = [{"a": 1, "b": 2, "s": 1}, {"a": 3, "s": 2}]
    after = {0: {"a": 2, "s": 1}, 1: {"a": 3, "b": 3, "s": 4}}
    finding = measure(SPEC).run(by_hand(before, after, sensitive="s"))
    assert value(finding, "total") == 1 + 5 + 5 + 2
    assert value(finding, "cell_distortion") == pytest.approx(11 / 4)
    assert value(finding, "erased") == value(finding, "filled") == 1 / 4
    assert value(finding, "sensitive_distortion") == 1


def test_those_without_a_row_are_counted_apart() -> None:
    before = [{"a": 1, "s": 1}, {"a": 5, "s": 2}, {"a": 2, "s": 2}, {"a": 2, "s": 2}]
    finding = measure(SPEC).run(by_hand(before, {0: before[0], 3: {"a": 3, "s": 2}}, sensitive="s"))
    assert value(finding, "deleted") == 1 / 2
    assert value(finding, "total") == 1
    assert value(finding, "cell_distortion") == 1 / 2
    assert finding.sample == 2


def test_nothing_declared_is_not_measured() -> None:
    finding = measure(SPEC).run(unchanged([{"a": 1}]))
    assert finding.figures == ()
    assert "No issue was declared" in finding.notes[0]
