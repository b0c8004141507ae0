"""Studies of made-up people: what their tables hold, on made-up data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recloak.simulation import synthesize
from recloak.studies import STUDIES
from recloak.studies.base import Measured, StudyResult
from recloak.studies.data import DataSet
from recloak.studies.made_up import _epsilon as made_up_epsilon
from recloak.studies.made_up import _frontier as made_up_frontier
from recloak.studies.writing import draw_picture


@pytest.fixture(scope="module")
def data() -> DataSet:
    made = synthesize("ml-100k", users=200, items=120, ratings=8_000, seed=1)
    return DataSet("ml-1m", made, "Small, under the name of what the prototype ran on.")


def cell(result: StudyResult, row: str, column: str) -> float:
    at = [one.name for one in result.columns].index(column)
    found = next(one[at] for one in result.rows if one[0] == row)
    return found.mean if isinstance(found, Measured) else float(str(found))


def test_the_frontier_has_every_setting_beside_the_prototype(
    data: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = {label for _, label in made_up_frontier.PROTOTYPE}
    everything = {name for name, _ in made_up_frontier.SETTINGS}
    assert {label.partition(":")[0] for label in labels} >= everything
    few = [one for one in made_up_frontier.SETTINGS if one[0] in ("pseudonymize", "synthetic")][:2]
    monkeypatch.setattr(made_up_frontier, "SETTINGS", (*few, ("gaussian-noise", {})))
    result = STUDIES.get("synthetic-frontier")(seeds=1).run(data)
    assert cell(result, "pseudonymize", "membership") > 0.95
    assert cell(result, "pseudonymize", "excess, values") > 0.3
    assert cell(result, "synthetic", "membership") < 0.75
    assert cell(result, "synthetic", "excess, values") < 0.1
    assert cell(result, "synthetic", "μ, prototype") == 0.114
    assert cell(result, "gaussian-noise:sigma=1.0", "members at 1 %, prototype") == 1.0
    assert cell(result, "pseudonymize", "μ") == pytest.approx(
        cell(result, "original", "μ"), abs=0.01
    )
    assert [name for name, _ in result.pictures[0].series] == [
        "pseudonymize",
        "synthetic",
        "gaussian-noise",
    ]
    assert "membership" in draw_picture(result, result.pictures[0])


def test_data_that_the_prototype_was_not_tried_on_have_no_columns_of_it(
    data: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made_up_frontier, "SETTINGS", (("pseudonymize", {}),))
    result = STUDIES.get("synthetic-frontier")(seeds=1).run(replace(data, name="jester"))
    assert not [column.name for column in result.columns if "prototype" in column.name]
    assert {len(row) for row in result.rows} == {len(result.columns)}
    assert cell(result, "pseudonymize", "membership") > 0.95
    assert cell(result, "pseudonymize", "CPU seconds") >= 0


def test_people_with_few_ratings_are_torn_into_two_fragments() -> None:
    few = synthesize("ml-100k", users=50, items=40, ratings=400, seed=1)
    given = [given for name, given in made_up_frontier.settings_for(few) if name == "fragmentation"]
    assert [one["fragments"] for one in given] == [2, 2]


def test_use_rises_with_epsilon_and_membership_stays_below_it(
    data: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made_up_epsilon, "BUDGETS", (1.0, 40.0))
    result = STUDIES.get("synthetic-epsilon")(seeds=1).run(data)
    assert [row[0] for row in result.rows[2:]] == ["1", "40", made_up_epsilon.NO_NOISE]
    assert cell(result, "1", "NDCG@10") < cell(result, "40", "NDCG@10")
    assert cell(result, "1", "ε at least") <= 1
    assert cell(result, "1", "people") == 180
    assert len(result.pictures) == 2


def test_one_budget_alone_without_attacks(data: DataSet) -> None:
    study = STUDIES.get("synthetic-epsilon")(seeds=1, epsilon=8.0, attacked=False)
    result = study.run(data)
    assert [row[0] for row in result.rows[2:]] == ["8", made_up_epsilon.NO_NOISE]
    assert cell(result, "8", "μ, prototype") == 0.080
    assert "— | — |" in result.to_markdown()
    assert result.pictures == ()
