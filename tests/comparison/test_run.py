"""Comparing: figures are those of an audit, cells are never made twice, a kill loses nothing."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from recloak.auditing.run import audit
from recloak.comparison import _trial_runs as runs
from recloak.comparison._trial_runs import most_at_once
from recloak.comparison.run import Comparison, compare
from recloak.comparison.settings import Setting
from recloak.comparison.tables import write_tables
from recloak.comparison.trials import ResultCache, digest_of_ratings
from recloak.core.errors import Cancelled, ParameterError
from recloak.core.progress import SILENT, Task
from recloak.core.ratings import Ratings
from recloak.evaluation.findings import Audit
from recloak.evaluation.reading import audit_from
from recloak.publishing.run import publish
from recloak.testing import Recorder, Stopper, random_ratings
from tests.comparison.samples import LINKED, SMALL

SETTINGS = [
    Setting("pseudonymize", {}),
    Setting("gaussian-noise", {"sigma": 1.0}),
    Setting("microaggregation", {"k": 3}),
    Setting("fragmentation", {"fragments": 2}),
]


@pytest.fixture(scope="module")
def ratings() -> Ratings:
    return random_ratings(80, 40, 0.3)


@pytest.fixture(scope="module")
def whole(ratings: Ratings, tmp_path_factory: pytest.TempPathFactory) -> tuple[Comparison, Path]:
    """A run from start to end, and its folder, which is not to be changed."""
    folder = tmp_path_factory.mktemp("whole")
    return run(ratings, folder, jobs=1), folder


def run(ratings: Ratings, out: Path, **more: Any) -> Comparison:
    return compare(ratings, SETTINGS, out=out, protocol=SMALL, policy=LINKED, **more)


def figures(found: Audit) -> dict[tuple[str, str], tuple[float, float | None, float | None]]:
    return {
        (finding.spec, figure.name): (figure.value, figure.low, figure.high)
        for finding in found.findings
        for figure in finding.figures
    }


def test_figures_equal_those_of_an_audit_of_the_same_release(
    ratings: Ratings, whole: tuple[Comparison, Path], tmp_path: Path
) -> None:
    for trial in whole[0].trials:
        setting = trial.setting
        published = publish(
            ratings, setting.method, out=tmp_path / setting.name, seed=0, audited=False
        )
        alone = audit(
            random_ratings(80, 40, 0.3),  # nothing that is shared between cells
            published.release,
            method=setting.method,
            secret=setting.method.apply(ratings, runs.Randomness.from_seed(0)).secret,
            attacks=SMALL.attacks,
            measures=SMALL.measures,
            policy=LINKED,
        )
        assert trial.audit is not None
        assert figures(trial.audit) == figures(alone)
        assert trial.audit.policy_results == alone.policy_results


def test_what_is_finished_is_not_computed_again(
    ratings: Ratings, whole: tuple[Comparison, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, folder = whole
    monkeypatch.setattr(runs, "audit", lambda *_, **__: pytest.fail("computed again"))
    again = run(ratings, folder)
    assert (first.computed, again.computed) == (4, 0)
    assert first.to_frame().equals(again.to_frame())


def test_other_data_other_settings_and_another_protocol_have_cells_of_their_own(
    ratings: Ratings, tmp_path: Path
) -> None:
    one = Setting("pseudonymize", {})
    cache = ResultCache(tmp_path, digest_of_ratings(ratings), SMALL)
    other = ResultCache(tmp_path, digest_of_ratings(random_ratings(81)), SMALL)
    longer = ResultCache(tmp_path, cache.data, SMALL.with_policy(LINKED))
    seeded = ResultCache(tmp_path, cache.data, runs.replace(SMALL, seed=1))
    paths = {place._path(one) for place in (cache, other, seeded)}
    assert len(paths) == 3
    assert longer._path(one) == cache._path(one)  # its only attack is in the protocol already


def test_a_run_that_is_stopped_goes_on_to_the_same_end(
    ratings: Ratings, whole: tuple[Comparison, Path], tmp_path: Path
) -> None:
    halted = _StopAfter(2)
    with pytest.raises(Cancelled):
        run(ratings, tmp_path / "halted", progress=halted, jobs=1)
    assert 0 < len(list((tmp_path / "halted" / "trials").iterdir())) < len(SETTINGS)
    resumed = run(ratings, tmp_path / "halted")
    assert 0 < resumed.computed < len(SETTINGS)
    assert resumed.to_frame().equals(whole[0].to_frame())
    assert _without_times(resumed, tmp_path) == _without_times(whole[0], tmp_path)


def test_a_damaged_cell_is_computed_again(
    ratings: Ratings, whole: tuple[Comparison, Path], tmp_path: Path
) -> None:
    shutil.copytree(whole[1] / "trials", tmp_path / "trials")
    for number, file in enumerate(sorted((tmp_path / "trials").iterdir())[:2]):
        file.write_text("{" if number else file.read_text().replace('"version"', '"release"'))
    again = run(ratings, tmp_path)
    assert again.computed == 2
    assert again.to_frame().equals(whole[0].to_frame())


def test_one_at_a_time_or_side_by_side_is_the_same(
    ratings: Ratings, whole: tuple[Comparison, Path], tmp_path: Path
) -> None:
    assert run(ratings, tmp_path, jobs=4).to_frame().equals(whole[0].to_frame())


def test_a_method_that_refuses_the_data_does_not_stop_the_others(
    ratings: Ratings, tmp_path: Path
) -> None:
    settings = [Setting("microaggregation", {"k": 100}), Setting("pseudonymize", {})]
    found = compare(ratings, settings, out=tmp_path, protocol=SMALL, policy=LINKED)
    refused, done = found.trials
    assert refused.audit is None
    assert "80" in refused.refused
    assert done.audit is not None
    rows = found.to_frame().filter(pl.col("family") == "refused")
    assert rows["label"].to_list() == [refused.refused]


def test_no_more_run_at_once_than_memory_has_room_for(
    ratings: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs.os, "cpu_count", lambda: 4)
    each = (runs.BYTES_PER_RATING + runs.RELEASE_BYTES) * ratings.n_ratings
    plain, dense = [SETTINGS[0]] * 8, [Setting("gaussian-noise", {"cells": "all"})] * 8
    monkeypatch.setattr(runs.memory, "available", lambda: 2.5 * each)
    assert most_at_once(ratings, plain) == 2
    assert most_at_once(ratings, dense) == 1
    monkeypatch.setattr(runs.memory, "available", lambda: 1e12)
    assert most_at_once(ratings, plain) == 4
    assert most_at_once(ratings, plain, jobs=3) == 3
    assert most_at_once(ratings, plain[:1]) == 1


def test_stopping_leaves_no_thread_behind(ratings: Ratings, tmp_path: Path) -> None:
    before = threading.active_count()
    with pytest.raises(Cancelled):
        run(ratings, tmp_path, progress=Stopper())
    assert threading.active_count() == before


def test_progress_tells_how_far_each_trial_is(ratings: Ratings, tmp_path: Path) -> None:
    seen = Recorder()
    compare(ratings, SETTINGS[:2], out=tmp_path, protocol=SMALL, policy=LINKED, progress=seen)
    assert seen.totals["Comparing on 80 people"] == 2
    for setting in SETTINGS[:2]:
        assert seen.totals[f"{setting.label}: Attacks"] == len(SMALL.attacks)
        assert seen.totals[f"{setting.label}: Measures"] == len(SMALL.measures)
        stages = [label for label in seen.labels if label.startswith(f"{setting.label}: Attack 1")]
        assert stages


def test_tables_tell_the_same_in_every_form(whole: tuple[Comparison, Path], tmp_path: Path) -> None:
    found = whole[0]
    parquet, text, as_json = write_tables(found, tmp_path)
    table = pl.read_parquet(parquet)
    assert table.equals(found.to_frame())
    assert pl.read_csv(text, schema=table.schema).equals(table)
    trials = json.loads(as_json.read_text())["trials"]
    assert [trial["setting"] for trial in trials] == [one.label for one in SETTINGS]
    row = table.filter(pl.col("setting") == "microaggregation:k=3", pl.col("figure") == "mu")
    (measured,) = [
        one for one in trials[2]["audit"]["measures"] if one["name"] == row["name"][0].split(":")[0]
    ]
    assert row["value"][0] == measured["figures"][0]["value"]
    assert table.filter(pl.col("family") == "claim")["value"].to_list() == [1.0]


def test_an_audit_comes_back_from_its_json(whole: tuple[Comparison, Path]) -> None:
    found = whole[0].trials[2].audit
    assert found is not None
    assert audit_from(json.loads(json.dumps(found.to_dict()))).to_dict() == found.to_dict()


@pytest.mark.parametrize("kind", ["file", "release"])
def test_places_that_are_something_else_are_refused(
    kind: str, ratings: Ratings, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    if kind == "file":
        place.write_text("mine")
    else:
        publish(ratings, "pseudonymize", out=place, audited=False)
    with pytest.raises(ParameterError, match=f"is a {kind}"):
        run(ratings, place)


class _StopAfter(Stopper):
    """A progress that asks to stop after so many finished cells."""

    def __init__(self, trials: int) -> None:
        self.left = trials

    @contextmanager
    def task(self, label: str, total: float | None = None) -> Iterator[Task]:
        with SILENT.task(label, total) as within_a_trial:
            yield self if label.startswith("Comparing") else within_a_trial

    def advance(self, amount: float = 1) -> None:
        self.left -= amount
        if self.left <= 0:
            raise Cancelled


def _without_times(found: Comparison, folder: Path) -> Any:
    """All that was told in JSON, but for how long it took."""

    def cleaned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: cleaned(part) for key, part in value.items() if key != "seconds"}
        return [cleaned(part) for part in value] if isinstance(value, list) else value

    return cleaned(json.loads(write_tables(found, folder)[2].read_text()))
