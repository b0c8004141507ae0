"""Studies of surveys: data sets as surveys, and tables that hold what was run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recloak.core.errors import InputError, ParameterError
from recloak.core.survey import NULL
from recloak.guarantees.proximity.routes import ProximityRule
from recloak.simulation import synthesize
from recloak.studies import STUDIES
from recloak.studies.base import Measured, StudyResult
from recloak.studies.data import DataSet
from recloak.studies.sun._surveys import SurveyData
from recloak.studies.sun._time import megabytes_of


@pytest.fixture(scope="module")
def data() -> DataSet:
    return DataSet("synthetic-survey", synthesize("survey", users=400, seed=1), "Small.")


def column(result: StudyResult, name: str) -> list[object]:
    at = [one.name for one in result.columns].index(name)
    return [row[at] for row in result.rows]


def test_the_most_answered_issues_and_the_next_one_as_sensitive(data: DataSet) -> None:
    view = SurveyData.of(data, 4)
    support = data.ratings.item_support
    chosen = [int(name) for name in view.survey.known_issues]
    assert len(chosen) == 4
    assert min(support[np.array(chosen) - 1]) >= support[int(view.survey.hidden_issues[0]) - 1]
    assert "4 most answered" in view.data.note
    assert view.data.name == data.name


def test_one_issue_is_left_to_be_sensitive(data: DataSet) -> None:
    survey = SurveyData.of(data, 50).survey
    assert (len(survey.known_issues), len(survey.hidden_issues)) == (19, 1)
    alone = DataSet("x", data.ratings.keep(data.ratings.items == 0).compact(), "One issue.")
    with pytest.raises(InputError, match="two issues"):
        SurveyData.of(alone, 5)


def test_a_sample_may_hold_somebody_twice(data: DataSet) -> None:
    view = SurveyData.of(data, 4)
    twice = view.sample(1000, np.random.default_rng(1))
    assert twice.survey.n == 1000
    assert twice.survey.known_issues == view.survey.known_issues
    one = view.only(np.array([5, 5, 7])).survey
    assert np.array_equal(one.known, view.survey.known[[5, 5, 7]])


def test_printed_tables_have_the_papers_distortions() -> None:
    for name, best in (("sun-table4", [5]), ("sun-table5", [3, 4])):
        result = STUDIES.get(name)().run(DataSet.named(STUDIES.get(name).data_sets[0]))
        assert column(result, "distortion") == column(result, "distortion, paper")
        costs = zip(column(result, "distortion"), column(result, "by recloak"), strict=True)
        assert [cost for cost, ours in costs if ours] == best


def test_printed_tables_are_made_of_printed_examples(data: DataSet) -> None:
    with pytest.raises(ParameterError, match="not a printed example"):
        STUDIES.get("sun-table4")().run(data)


def test_loss_falls_with_epsilon_and_grows_with_k(data: DataSet) -> None:
    result = STUDIES.get("sun-figure7")(issues=5).run(data)
    rows = {(row[0], row[1]): row for row in result.rows}
    by_epsilon = [float(str(rows[40, epsilon][2])) for epsilon in range(5)]
    assert by_epsilon == sorted(by_epsilon, reverse=True)
    assert by_epsilon[0] == pytest.approx(float(str(rows[40, 0][4])))
    assert float(str(rows[10, 2][4])) < float(str(rows[60, 2][4]))


def test_accuracy_has_every_setting_beside_original_and_majority(data: DataSet) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    result = STUDIES.get("sun-figure8")(issues=5, trials=2, records=200).run(data)
    assert column(result, "data")[0] == "original"
    assert column(result, "data")[-1] == "most frequent answer"
    assert len(result.rows) == 8
    for found in column(result, "accuracy, %"):
        assert isinstance(found, Measured)
        assert 10 < found.mean < 100


@pytest.mark.real
def test_real_sets_have_a_sensitive_issue_about_the_person(
    real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECLOAK_DATA", str(real_data))
    for name, people, hidden, levels in (
        ("ml-100k", 943, "age", 5),
        ("insteval", 2972, "study time", 4),
    ):
        survey = SurveyData.of(DataSet.named(name), 10).survey
        assert survey.n == people
        assert survey.hidden_issues == (hidden,)
        assert len(survey.known_issues) == 10
        assert NULL not in survey.hidden
        assert len(np.unique(survey.hidden)) == levels


@pytest.mark.parametrize(
    ("name", "varied"), [("sun-figure3", ("share", "ε")), ("sun-figure6", ("k", "l"))]
)
def test_time_to_decide_by_every_setting(data: DataSet, name: str, varied: tuple[str, str]) -> None:
    result = STUDIES.get(name)(issues=4).run(data)
    assert tuple(dict.fromkeys(column(result, "varied"))) == varied
    assert all(float(str(spent)) > 0 for spent in column(result, "bitmap, s"))
    assert [picture.x_name for picture in result.pictures][1] == varied[1]
    by_last = [row[-1] for row in result.rows if row[0] == varied[1]]
    ordered = sorted(by_last, key=lambda count: int(str(count)), reverse=varied[1] == "ε")
    assert by_last == ordered, "more ε and less l leave fewer who violate it"


def test_a_made_up_survey_has_as_many_respondents_as_asked() -> None:
    small = DataSet("synthetic-survey", synthesize("survey", users=100, seed=1), "Made up.")
    study = STUDIES.get("sun-figure4")
    assert set(column(study(respondents=300).run(small), "respondents")) <= set(range(290, 301))


def test_memory_is_that_of_a_process_of_its_own(data: DataSet) -> None:
    survey = SurveyData.of(data, 4).survey
    many = SurveyData.of(data, 4).sample(6000, np.random.default_rng(1)).survey
    found = megabytes_of("pairwise", many, ProximityRule(2, 1, 0.0, paper=False), survey)
    assert found is None or found == pytest.approx(6000**2 / 2**20, rel=0.5)
