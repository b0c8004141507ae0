"""Naive Bayes: how well the sensitive issue is learned, before and after."""

from __future__ import annotations

import numpy as np
import pytest

from recloak.evaluation.findings import Finding
from recloak.measures import measure
from recloak.measures import naive_bayes as classifying
from recloak.measures.naive_bayes import halves
from recloak.testing import MeasureContract
from tests.support.surveys import Table, by_hand, unchanged

pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install '.[studies]'")
SPEC = "naive-bayes:trials=5,records=100"


class TestNaiveBayes(MeasureContract):
    name = "naive-bayes"
    parameters = {"sensitive": "1", "trials": 3, "records": 40}
    needs_rehearsal = False


def value(finding: Finding, name: str) -> float:
    figure = finding.figure(name)
    assert figure is not None, name
    return figure.value


def people(count: int = 400) -> Table:
    """s follows from a, and from whether b was answered; three in five answer 1."""
    rng = np.random.default_rng(0)
    table = []
    for _ in range(count):
        s = int(rng.choice([1, 1, 1, 2, 3]))
        row = {"a": s, "s": s} | ({"b": 4} if s == 1 else {})
        table.append(row)
    return table


def test_learns_what_the_others_tell_and_nothing_once_they_are_gone() -> None:
    table = people()
    erased = {at: {"a": 3, "b": 3, "s": row["s"]} for at, row in enumerate(table)}
    finding = measure(SPEC).run(by_hand(table, erased, sensitive="s"))
    assert value(finding, "accuracy_original") == 1
    assert value(finding, "accuracy_majority") == pytest.approx(0.6, abs=0.08)
    assert value(finding, "accuracy") == pytest.approx(0.6, abs=0.08)
    assert value(finding, "accuracy_loss") == pytest.approx(1 - value(finding, "accuracy"))


def test_no_answer_is_a_category_of_its_own() -> None:
    table = [{"s": row["s"], "c": 1} | ({"b": 4} if "b" in row else {}) for row in people()]
    finding = measure(SPEC).run(unchanged(table, sensitive="s"))
    assert value(finding, "accuracy") > value(finding, "accuracy_majority") + 0.05


def test_few_respondents_are_drawn_again_and_the_note_says_so() -> None:
    finding = measure("naive-bayes:trials=2,records=300").run(unchanged(people(), sensitive="s"))
    assert any("with repetition" in note for note in finding.notes)
    plain = measure(SPEC).run(unchanged(people(), sensitive="s"))
    assert not any("with repetition" in note for note in plain.notes)


def test_nobody_is_trained_on_and_tested() -> None:
    train, test = halves(50, 100, np.random.default_rng(1))
    assert len(train) == len(test) == 100
    assert not set(train) & set(test)


def test_without_a_sensitive_issue_or_the_library_the_note_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finding = measure("naive-bayes:non-sensitive=a").run(unchanged(people(10)))
    assert "none to predict" in finding.notes[0]
    monkeypatch.setattr(classifying, "find_spec", lambda name: None)
    finding = measure(SPEC).run(unchanged(people(10), sensitive="s"))
    assert finding.figures == ()
    assert "scikit-learn is not installed" in finding.notes[0]
