"""Studies of a stronger adversary: what their tables hold, on made-up data."""

from __future__ import annotations

import pytest

from recloak.studies import STUDIES, stronger_frontier, stronger_linking, stronger_table
from recloak.studies.base import Measured, Outcome
from recloak.studies.data import DataSet
from recloak.studies.drawing import draw_picture
from recloak.studies.stronger import halves
from recloak.synthetic import synthesize

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


def cell(outcome: Outcome, row: int, name: str) -> float:
    found = outcome.rows[row][[one.name for one in outcome.columns].index(name)]
    return found.mean if isinstance(found, Measured) else float(str(found))


def test_halves_share_nobody_and_are_everyone(data: DataSet) -> None:
    mine, theirs = halves(data.ratings, 3)
    people = {*mine.user_labels.tolist(), *theirs.user_labels.tolist()}
    assert len(people) == mine.n_users + theirs.n_users == data.ratings.n_users


def test_many_rows_give_more_than_one(data: DataSet) -> None:
    outcome = STUDIES.get("stronger-table")(seeds=1).run(data)
    gains = [cell(outcome, 0, name) for name in ("one row", "many rows", "unfragmented")]
    assert gains == sorted(gains)
    assert gains[1] > 1.3 * gains[0]
    assert cell(outcome, 0, "one row") < cell(outcome, 1, "many rows") < gains[1]


def test_the_frontier_has_use_and_gain_of_every_countermeasure(data: DataSet) -> None:
    outcome = STUDIES.get("stronger-frontier")(seeds=1).run(data)
    assert [row[0] for row in outcome.rows] == list(stronger_frontier.VARIANTS)
    paper, capped, shared = range(3)
    assert cell(outcome, capped, "gain, one row") < cell(outcome, paper, "gain, one row")
    assert cell(outcome, shared, "gain, one row") < cell(outcome, paper, "gain, one row")
    for row in range(3):
        assert 0 < cell(outcome, row, "μ") < 0.5
    picture = outcome.pictures[0]
    assert picture.x_ticks[0] <= min(x for _, points in picture.series for x, _ in points)
    drawn = draw_picture(outcome, picture)
    assert all(f">{tick:g}<" in drawn for tick in picture.x_ticks)


def test_times_link_more_than_looks(data: DataSet) -> None:
    outcome = STUDIES.get("stronger-linking")(seeds=1, levels="middle").run(data)
    assert [row[2] for row in outcome.rows] == list(stronger_linking.PROTOTYPE)
    alone, timed = (cell(outcome, at, "linked at first try") for at in (0, 2))
    assert timed > 1.5 * alone
