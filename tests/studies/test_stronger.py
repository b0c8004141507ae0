"""Studies of a stronger adversary: what their tables hold, on made-up data."""

from __future__ import annotations

import pytest

from recloak.simulation import synthesize
from recloak.studies import STUDIES
from recloak.studies.base import Measured, StudyResult
from recloak.studies.data import DataSet
from recloak.studies.stronger import _frontier as stronger_frontier
from recloak.studies.stronger import _linking as stronger_linking
from recloak.studies.stronger import _table as stronger_table
from recloak.studies.stronger import halves
from recloak.studies.writing import draw_picture

LEVEL = 4.74


@pytest.fixture(scope="module")
def data() -> DataSet:
    made = synthesize("ml-100k", users=200, items=250, ratings=12_000, seed=1)
    return DataSet("synthetic-ml-100k", made, "Small.")


@pytest.fixture(autouse=True)
def one_level(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (stronger_table, stronger_frontier):
        monkeypatch.setattr(module, "LEVELS", (LEVEL,))
    monkeypatch.setattr(stronger_table, "KNOWN", ((20, 0.0), (20, 0.2)))
    monkeypatch.setattr(stronger_linking, "MIDDLE", LEVEL)
    monkeypatch.setattr(stronger_linking, "CUTS", {"shared cut": {"cut": "shared"}})


def cell(result: StudyResult, row: int, name: str) -> float:
    found = result.rows[row][[one.name for one in result.columns].index(name)]
    return found.mean if isinstance(found, Measured) else float(str(found))


def test_halves_share_nobody_and_are_everyone(data: DataSet) -> None:
    mine, theirs = halves(data.ratings, 3)
    people = {*mine.user_labels.tolist(), *theirs.user_labels.tolist()}
    assert len(people) == mine.n_users + theirs.n_users == data.ratings.n_users


def test_many_rows_give_more_than_one(data: DataSet) -> None:
    result = STUDIES.get("stronger-table")(seeds=1).run(data)
    gains = [cell(result, 0, name) for name in ("one row", "many rows", "unfragmented")]
    assert gains == sorted(gains)
    assert gains[1] > 1.3 * gains[0]
    assert cell(result, 0, "one row") < cell(result, 1, "many rows") < gains[1]


def test_the_frontier_has_use_and_gain_of_every_countermeasure(data: DataSet) -> None:
    result = STUDIES.get("stronger-frontier")(seeds=1).run(data)
    assert [row[0] for row in result.rows] == list(stronger_frontier.VARIANTS)
    paper, capped, shared = range(3)
    assert cell(result, capped, "gain, one row") < cell(result, paper, "gain, one row")
    assert cell(result, shared, "gain, one row") < cell(result, paper, "gain, one row")
    for row in range(3):
        assert 0 < cell(result, row, "μ") < 0.5
    picture = result.pictures[0]
    assert picture.x_ticks[0] <= min(x for _, points in picture.series for x, _ in points)
    drawn = draw_picture(result, picture)
    assert all(f">{tick:g}<" in drawn for tick in picture.x_ticks)


def test_times_link_more_than_looks(data: DataSet) -> None:
    result = STUDIES.get("stronger-linking")(seeds=1, levels="middle").run(data)
    assert [row[2] for row in result.rows] == list(stronger_linking.PROTOTYPE)
    alone, timed = (cell(result, at, "linked at first try") for at in (0, 2))
    assert timed > 1.5 * alone
