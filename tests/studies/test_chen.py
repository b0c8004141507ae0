"""Studies of Chen et al.: recall, suppression, breaches and time over window, gap, δ and N."""

from __future__ import annotations

from pathlib import Path

import pytest

from recloak.core.progress import SILENT
from recloak.io import read
from recloak.simulation import synthesize
from recloak.studies import STUDIES
from recloak.studies.base import StudyResult
from recloak.studies.chen._runs import NOISE, PROTECTED, RAW, VARIED, HistoryRuns, HistorySetting
from recloak.studies.data import DataSet


@pytest.fixture(scope="module")
def data() -> DataSet:
    made = synthesize("ml-100k", users=60, items=30, ratings=900, seed=1)
    return DataSet("small", made, "Small.")


def column(result: StudyResult, name: str) -> list[object]:
    at = [one.name for one in result.columns].index(name)
    return [row[at] for row in result.rows]


def run(name: str, data: DataSet) -> StudyResult:
    return STUDIES.get(name)(releases=2).run(data)


def test_recall_is_told_for_every_setting_and_both_starts(data: DataSet) -> None:
    result = run("chen-figure4", data)
    assert len(result.rows) == 2 * sum(map(len, VARIED.values()))
    assert set(column(result, "start")) == {"0.1", "0.8"}
    for what in (NOISE, *PROTECTED):
        assert all(0 <= float(str(cell)) <= 1 for cell in column(result, what))
    assert len(result.pictures) == 2 * len(VARIED)


def test_breaches_stay_within_delta_for_what_is_protected(data: DataSet) -> None:
    result = run("chen-figure6", data)
    varied, values = column(result, "varied"), column(result, "value")
    bounds = [
        float(str(value)) if name == "δ" else 0.1
        for name, value in zip(varied, values, strict=True)
    ]
    for what in PROTECTED:
        worst = [float(str(cell)) for cell in column(result, what)]
        assert all(found <= bound for found, bound in zip(worst, bounds, strict=True))
    assert max(float(str(cell)) for cell in column(result, RAW)) > 0.5


def test_the_default_setting_is_run_once_and_the_same_in_every_row(data: DataSet) -> None:
    result = run("chen-figure5", data)
    defaults = {("attack window", "4"), ("gap", "0.05"), ("δ", "0.1"), ("N", "5")}
    same = {row[3:] for row in result.rows if row[0] == "0.1" and row[1:3] in defaults}
    assert len(same) == 1
    assert all(cell == 0 for cell in column(result, "suppression, moved"))


def test_time_is_told_apart_for_ranking_protecting_and_verifying(data: DataSet) -> None:
    result = run("chen-figure7", data)
    for part in (", s", ", verifying, s", ", ranking, s"):
        for what in PROTECTED:
            assert all(float(str(cell)) >= 0 for cell in column(result, f"{what}{part}"))


def test_made_up_data_are_scaled_and_the_size_is_said() -> None:
    study = STUDIES.get("chen-figure4")(percent=0.1)
    tiny = DataSet("synthetic-flixster", synthesize("ml-100k", users=9, items=9, ratings=9), "x.")
    scaled = study._scaled(tiny, SILENT)
    assert scaled.ratings.n_ratings == 8400
    assert "0.1 % of its size: 8,400 ratings" in scaled.note


# The specification's prototype, started at 10 %, seven releases: means of recall.
PROTOTYPE = {NOISE: 0.671, "suppression": 0.226, "permutation": 0.311}


@pytest.mark.real
def test_movielens_recall_is_that_of_the_specification(real_data: Path) -> None:
    runs = HistoryRuns(DataSet("ml-1m", read(real_data / "ml-1m"), "Real data."), SILENT)
    found = {what: runs.run(HistorySetting.of("0.1", 6), what) for what in (NOISE, *PROTECTED)}
    for what, recall in PROTOTYPE.items():
        assert found[what].recall == pytest.approx(recall, abs=0.03)
    assert found[NOISE].worst == 1
    for what in PROTECTED:
        assert found[what].worst <= 0.1
    assert found["constructive"].recall > found["permutation"].recall


def test_nights_fall_from_a_whole_list(data: DataSet) -> None:
    result = STUDIES.get("chen-nights")(nights=3, growth=4.0).run(data)
    first, *_ = result.rows
    assert first[0] == "δ = 0.1, window 4, 5 slots, every night"
    recalls = [float(str(cell)) for cell in first[1:-3]]
    assert max(recalls) < 1
    attainable, upper_bound = (float(str(cell)) for cell in first[-2:])
    assert recalls[-1] <= attainable <= upper_bound < 1
