"""Studies of Chang et al.: bins, errors, density and link privacy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext
from recloak.io import read
from recloak.simulation import synthesize
from recloak.studies import STUDIES
from recloak.studies.base import Cell, Measured, StudyResult
from recloak.studies.chang import context_of, predictive
from recloak.studies.data import DataSet
from tests.attacks.record_linkage.test_record_linkage import value


@pytest.fixture(scope="module")
def data() -> DataSet:
    made = synthesize("ml-100k", users=150, items=300, ratings=9000, seed=1)
    return DataSet("synthetic-ml-100k", made, "Small.")


def cells(result: StudyResult, row: str, k: str | None = None) -> dict[str, Cell | Measured]:
    names = [column.name for column in result.columns]
    for found in result.rows:
        found_cells = dict(zip(names, found, strict=True))
        if found[0] == row and found_cells.get("k") == k:
            return found_cells
    raise AssertionError(row)


def mean(cell: Cell | Measured) -> float:
    assert isinstance(cell, Measured)
    return cell.mean


def test_bins_hold_everyone(data: DataSet) -> None:
    result = STUDIES.get("chang-figure4")(seeds=2).run(data)
    for centres in ("real", "virtual"):
        bins = cells(result, centres)
        assert 5 <= mean(bins["smallest"]) <= mean(bins["median"]) <= mean(bins["largest"])
        (points,) = [points for name, points in result.pictures[0].series if name == centres]
        assert sum(height for _, height in points) == pytest.approx(mean(bins["bins"]))
    assert cells(result, "real")["smallest–largest, paper"] == "50–2,000"


TRAINED = "RMSE of a recommender trained on them"
ITSELF = "RMSE of what they say themselves"


def test_errors_rise_from_the_original_to_random_groups(data: DataSet) -> None:
    result = STUDIES.get("chang-rmse")(seeds=1, k=5).run(data)
    names = [row[0] for row in result.rows]
    assert names[:4] == ["original", "padded", "padded-anonymised", "pure-anonymised"]
    assert names[-3:] == ["random groups", "random groups, padded", "item mean"]
    original = mean(cells(result, "original")[TRAINED])
    assert original < mean(cells(result, "random groups", "5")[TRAINED])
    assert mean(cells(result, "padded")[ITSELF]) == pytest.approx(original, abs=0.03)
    pure, padded = (cells(result, f"{one}-anonymised", "5") for one in ("pure", "padded"))
    assert mean(pure[ITSELF]) > mean(padded[ITSELF]), "a pure label is often a single rating"
    mixed = cells(result, "random groups, padded", "5")
    assert mean(padded[ITSELF]) < mean(mixed[ITSELF])
    item_mean = mean(cells(result, "item mean")[ITSELF])
    assert mean(mixed[ITSELF]) == pytest.approx(item_mean, abs=0.05)


def test_density_is_that_of_the_release_and_floor_and_grid_do_not_change_it(data: DataSet) -> None:
    result = STUDIES.get("chang-density")(seeds=1, k=5).run(data)
    assert mean(cells(result, "original")["density"]) == pytest.approx(data.ratings.density)
    unprotected, safe = (cells(result, f"pure{more}, k = 5") for more in ("", ", floor and grid"))
    rows = predictive(5, "pure").apply(data.ratings, Randomness.from_seed(0)).release.as_ratings()
    assert mean(unprotected["density"]) == mean(safe["density"]) == pytest.approx(rows.density)
    assert mean(safe["label RMSE"]) > mean(unprotected["label RMSE"])
    assert mean(cells(result, "padded, k = 5")["density"]) == 1


def test_link_privacy_stands_beside_what_is_promised(data: DataSet) -> None:
    result = STUDIES.get("chang-privacy")(seeds=1, k=5).run(data)
    unprotected, safe, padded = (
        cells(result, f"{name}, k = 5") for name in ("pure", "pure, floor and grid", "padded")
    )
    assert unprotected["Theorem 5.2"] == 0.2
    assert mean(unprotected["rated, if listed"]) > mean(padded["rated, if listed"])
    assert mean(padded["rated, if listed"]) == pytest.approx(data.ratings.density)
    assert mean(unprotected["verbatim"]) == mean(unprotected["alone"])
    assert mean(safe["verbatim"]) < mean(unprotected["verbatim"]) / 2
    assert mean(padded["unrated, known"]) == 0
    assert not any("|" in column.name for column in result.columns), "it would break the page"


def test_a_scene_of_groups_needs_no_rows_of_members(data: DataSet) -> None:
    from recloak.attacks import attack
    from recloak.measures import measure

    applied = predictive(5, "pure").apply(data.ratings, Randomness.from_seed(3))
    rows = applied.release.as_ratings()
    whole = AuditContext(
        data.ratings,
        rows,
        applied.secret.linkage(data.ratings, rows),
        np.arange(data.ratings.n_items),
        release=applied.release,
    )
    unprotected = context_of(data.ratings, applied)
    for spec in ("link-existence", "profile-inversion"):
        assert attack(spec).run(unprotected).figures == attack(spec).run(whole).figures
    for spec in ("density", "information-change"):
        assert measure(spec).run(unprotected).figures == measure(spec).run(whole).figures


@pytest.mark.real
@pytest.mark.parametrize(("name", "seeds"), [("ml-100k", 3), ("ml-1m", 1)])
def test_movielens_errors_are_at_the_levels_of_the_prototype_and_in_its_order(
    real_data: Path, name: str, seeds: int
) -> None:
    movielens = DataSet(name, read(real_data / name), "Real data.")
    result = STUDIES.get("chang-rmse")(seeds=seeds).run(movielens)
    with_few = "8 factors less prototype"
    for k in ("5", "50"):
        for line in ("padded-anonymised", "pure-anonymised", "random groups, padded"):
            assert cells(result, line, k)["ours less prototype"] == pytest.approx(0, abs=0.015)
        assert cells(result, "pure-anonymised", k)[with_few] == pytest.approx(0, abs=0.015)
        trained = [
            mean(cells(result, line, k)[TRAINED]) for line in ("pure-anonymised", "random groups")
        ]
        assert mean(cells(result, "original")[TRAINED]) < trained[0] < trained[1]
    assert cells(result, "item mean")["ours less prototype"] == pytest.approx(0, abs=0.015)
    assert cells(result, "original")[with_few] == pytest.approx(0, abs=0.015)
    assert -0.02 < cells(result, "original")["ours less prototype"] < 0, "32 factors learn more"


@pytest.mark.real
def test_movielens_link_privacy_does_not_hold(real_data: Path) -> None:
    """P(rated | edge) of popular items is about .26 to .41, whatever k."""
    from recloak.attacks import attack

    ratings = read(real_data / "ml-100k")
    for k, verbatim in ((5, 0.46), (50, 0.05)):
        applied = predictive(k, "pure", floor=0, grid=0).apply(ratings, Randomness.from_seed(1))
        found = attack("link-existence").run(context_of(ratings, applied))
        assert value(found, "rated_common") > max(1 / k, 0.19)
        assert value(found, "absent") == value(found, "absent_true") > 600
        printed = attack("profile-inversion").run(context_of(ratings, applied))
        assert value(printed, "verbatim") == pytest.approx(verbatim, abs=0.04)
