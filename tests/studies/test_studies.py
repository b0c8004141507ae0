"""Studies: what they write, and that their tables hold what was run."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest

from recloak.cli.main import main
from recloak.core.errors import InputError, ParameterError
from recloak.core.ratings import Ratings
from recloak.simulation import synthesize
from recloak.studies import STUDIES
from recloak.studies.base import Column, Measured, Picture, StudyResult
from recloak.studies.data import DataSet
from recloak.studies.goncalves import LEVELS
from recloak.studies.writing import write_result


@pytest.fixture(scope="module")
def data() -> DataSet:
    made = synthesize("ml-100k", users=150, items=300, ratings=9000, seed=1)
    return DataSet("synthetic-ml-100k", made, "Small.")


def column(result: StudyResult, name: str) -> list[object]:
    at = [one.name for one in result.columns].index(name)
    return [row[at] for row in result.rows]


@pytest.mark.parametrize("name", list(STUDIES))
def test_declares_itself(name: str) -> None:
    study = STUDIES.get(name)
    assert study.name == name
    assert study.reference
    assert study.data_sets


def test_figure2_counts(data: DataSet) -> None:
    result = STUDIES.get("goncalves-figure2")().run(data)
    assert column(result, "how many") == [150, 300]
    assert column(result, "most") == [
        data.ratings.user_counts.max(),
        data.ratings.item_support.max(),
    ]


def test_table3_reaches_its_aims(data: DataSet) -> None:
    result = STUDIES.get("goncalves-table3")(seeds=2).run(data)
    assert column(result, "data set") == list(LEVELS)
    for reached, aim in zip(column(result, "per person"), column(result, "aim"), strict=True):
        assert isinstance(reached, Measured)
        if isinstance(aim, float):
            assert reached.mean == pytest.approx(aim, rel=0.01)
    assert column(result, "rows, paper")[1] == 157421


def test_attacks_find_less_the_more_fragments_there_are(data: DataSet) -> None:
    result = STUDIES.get("goncalves-figure6")(seeds=1).run(data)
    gains = [one.mean for one in column(result, "gain") if isinstance(one, Measured)]
    assert len(gains) == len(LEVELS)
    assert gains[0] > gains[2] > gains[6]
    assert gains[7] < gains[1] / 4
    found = STUDIES.get("goncalves-figure5")(seeds=1).run(data)
    for row in found.rows:
        rates = [cell.mean for cell in row[1:4] if isinstance(cell, Measured)]
        assert sum(rates) == pytest.approx(1)


def test_success_by_known_items(data: DataSet) -> None:
    result = STUDIES.get("goncalves-figure3")(seeds=1).run(data)
    first = result.rows[0]
    assert isinstance(first[5], Measured)
    assert first[5].mean > 0.9
    assert len(result.pictures[0].series) == len(LEVELS)


def test_table4_has_both_protocols_beside_the_paper(data: DataSet) -> None:
    result = STUDIES.get("goncalves-table4")(seeds=1).run(data)
    assert column(result, "data set") == ["Average", *LEVELS]
    assert column(result, "μ, paper")[-1] == -0.00282
    for name in ("μ", "μ, paper's training"):
        measured = column(result, name)[1:]
        assert all(isinstance(one, Measured) and -1 < one.mean < 1 for one in measured)


def test_half_stars_are_rounded_up() -> None:
    ratings = Ratings.from_columns([1, 1, 2], [1, 2, 1], [0.5, 3.5, 4.0], scale="0.5..5 step 0.5")
    whole = DataSet("x", ratings, "Made up.").in_whole_stars
    assert whole.ratings.values.tolist() == [1.0, 4.0, 4.0]
    assert str(whole.ratings.scale) == "1..5"
    assert "rounded up" in whole.note


def test_writes_a_page_json_and_pictures(tmp_path: Path) -> None:
    bars = Picture("bars", "", "gain", (("ours", ((0.0, 3.0), (1.0, 1.0))),), ("a", "b"))
    lines = Picture("lines", "known", "success", (("a", ((1.0, 0.5), (5.0, 0.75))),))
    result = StudyResult(
        study="s",
        title="Figure 9",
        reference="Somebody, 2015.",
        data="d",
        data_note="Real data.",
        parameters={"seeds": 2},
        columns=(Column("level"), Column("gain", 2), Column("paper", 1)),
        rows=(("a", Measured.of([1.0, 2.0]), 1.25), ("b", None, 1200)),
        pictures=(bars, lines),
        notes=("A note.",),
        seconds=3,
    )
    files = write_result(result, tmp_path)
    assert [file.name for file in files] == ["s-d.json", "s-d.svg", "s-d-2.svg", "s-d.md"]
    page = (tmp_path / "s-d.md").read_text()
    assert "| a | 1.50 ± 0.71 | 1.2 |" in page
    assert "| b | — | 1,200 |" in page
    assert "![Figure 9](s-d-2.svg)" in page
    assert "recloak study s --data d --seeds 2" in page
    assert json.loads((tmp_path / "s-d.json").read_text())["rows"][0][1]["mean"] == 1.5
    for name in ("s-d.svg", "s-d-2.svg"):
        picture = fromstring((tmp_path / name).read_text())
        assert picture.tag == "{http://www.w3.org/2000/svg}svg"
        words = "".join(picture.itertext())
        assert "ours" in words or "success" in words
    assert write_result(result, tmp_path) == files


def test_unknown_data_and_missing_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="no data set 'ml-2m'"):
        DataSet.named("ml-2m")
    monkeypatch.delenv("RECLOAK_DATA", raising=False)
    with pytest.raises(InputError, match="RECLOAK_DATA is not set"):
        DataSet.named("ml-1m")


def test_synthetic_data_by_name() -> None:
    found = DataSet.named("synthetic-ml-100k")
    assert found.ratings.n_ratings == 100_000
    assert np.array_equal(found.ratings.values, synthesize("ml-100k", seed=1).values)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "--list"]) == 0
    assert "goncalves-table4" in capsys.readouterr().out
    words = ["study", "goncalves-figure2", "--data", "synthetic-ml-100k"]
    assert main([*words, "--out", str(tmp_path / "new" / "folder"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["rows"][0]["of"] == "people"
    numbers = [cell for row in result["rows"] for name, cell in row.items() if name != "of"]
    assert all(isinstance(number, int | float) for number in numbers if number is not None)
    assert (tmp_path / "new" / "folder" / "goncalves-figure2-synthetic-ml-100k.svg").exists()


@pytest.mark.parametrize(
    "words",
    [[], ["nonsense"], ["goncalves-table3", "--seeds", "0"], ["goncalves-table3", "--data", "x"]],
)
def test_bad_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", *words]) == 2
    assert "recloak:" in capsys.readouterr().err
