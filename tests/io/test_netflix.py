"""Netflix: a file for each film and the combined layout, read and written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recloak.core.errors import InputError, RecloakError
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.io import load, read, write
from recloak.io._collector import Collector
from recloak.io.netflix import OpenedNetflix
from recloak.testing.formats import Packed, Scaled, SelfNaming, Sniffed

DAY = 86400
DATED = Ratings.from_columns(
    [10, 10, 20, 30],
    [7, 8, 7, 9],
    [5, 3, 1, 4],
    [12_784 * DAY, 0, -DAY, 11_016 * DAY],
    scale="1..5",
)
TEXT = "7:\n10,5,2005-01-01\n20,1,1969-12-31\n8:\n10,3,1970-01-01\n9:\n30,4,2000-02-29\n"


class TestCombined(SelfNaming, Packed, Scaled):
    name = "netflix"
    example = DATED

    def make(self, folder: Path) -> Path:
        file = folder / "combined_data_1.txt"
        file.write_text(TEXT)
        return file


class TestFilms(Sniffed, Packed, Scaled):
    name = "netflix"
    example = DATED

    def make(self, folder: Path) -> Path:
        source = folder / "nf_prize"
        (source / "training_set").mkdir(parents=True)
        for film in TEXT.replace("\n8:", "\n\n8:").replace("\n9:", "\n\n9:").split("\n\n"):
            number = int(film.split(":")[0])
            (source / "training_set" / f"mv_{number:07d}.txt").write_text(film.strip() + "\n")
        return source


def test_several_combined_files_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "combined_data_10.txt").write_text("9:\n30,4,2000-02-29\n")
    (tmp_path / "combined_data_2.txt").write_text(TEXT.split("9:")[0])
    opened = OpenedNetflix(tmp_path, sorted(tmp_path.iterdir()))
    assert read(tmp_path).equals(DATED)
    assert opened.files
    assert read(sorted(tmp_path.iterdir())).equals(DATED)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20, 1000])
def test_blocks_of_any_size_give_the_same(tmp_path: Path, size: int) -> None:
    file = tmp_path / "data"
    file.write_bytes(TEXT.replace("\n", "\r\n").encode() + b"\r\n\n10,2,2001-01-01")
    coded = Collector(OpenedNetflix(file, [file], size).batches(SILENT)).coded()
    assert sorted(coded.items.labels.tolist()) == [7, 8, 9]
    assert len(coded) == 5
    places = OpenedNetflix(file, [file], size).places([0, 4])
    assert [place.spot for place in places] == ["line 2", "line 10"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("10,5", "rating is not a whole number"),
        ("10,5,2005-02-29", "date is not"),
        ("10,5,2005-1-1", "date is not"),
        ("10,x,2005-01-01", "rating is not"),
        ("10,-1,2005-01-01", "rating is not"),
        ("x,5,2005-01-01", "neither a film"),
        ("007,5,2005-01-01", "neither a film"),
        ("10,5,2005-01-01,", "the line has more than"),
        ("7: x", "the line has more than"),
        ("10,6,2005-01-01", "not on the scale"),
        ("99999999999999999999,5,2005-01-01", "neither a film"),
    ],
)
def test_malformed(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "data"
    file.write_text(f"7:\n1,5,2005-01-01\n\n{line}\n")
    with pytest.raises(InputError, match=message) as caught:
        read(file, format="netflix")
    assert caught.value.where.startswith(f"{file}, line 4")


def test_a_rating_before_any_film(tmp_path: Path) -> None:
    (tmp_path / "mv_0000001.txt").write_text("1:\n1,5,2005-01-01\n")
    (tmp_path / "mv_0000002.txt").write_text("1,5,2005-01-01\n")
    with pytest.raises(InputError, match="before the first film") as caught:
        read(tmp_path)
    assert caught.value.where == f"{tmp_path / 'mv_0000002.txt'}, line 1"


def test_duplicates_are_named_with_their_files(tmp_path: Path) -> None:
    (tmp_path / "combined_data_1.txt").write_text("1:\n1,5,2005-01-01\n")
    (tmp_path / "combined_data_2.txt").write_text("2:\n1,5,2005-01-01\n1:\n1,4,2005-01-01\n")
    with pytest.raises(InputError, match="repeat") as caught:
        read(tmp_path)
    assert f"{tmp_path / 'combined_data_1.txt'}, line 2" in caught.value.what
    assert f"{tmp_path / 'combined_data_2.txt'}, line 4" in caught.value.what


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(0, 10**18 - 1), st.integers(0, 9_999_999)), min_size=1, unique=True
    ),
    st.data(),
)
def test_round_trip(tmp_path: Path, pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    count = len(pairs)
    values = data.draw(st.lists(st.integers(1, 5), min_size=count, max_size=count))
    days = data.draw(st.lists(st.integers(-719162, 2932896), min_size=count, max_size=count))
    users, films = zip(*pairs, strict=True)
    ratings = Ratings.from_columns(users, films, values, np.array(days) * DAY, scale="1..5")
    file = tmp_path / "all.txt"
    write(ratings, file, "netflix", overwrite=True)
    assert read(file, format="netflix").equals(ratings)


def test_written_folder(tmp_path: Path) -> None:
    write(DATED, tmp_path / "films", "netflix")
    assert load(tmp_path / "films").format == "netflix"
    assert read(tmp_path / "films").equals(DATED)
    assert (tmp_path / "films" / "mv_0000008.txt").read_text() == "8:\n10,3,1970-01-01\n"


@pytest.mark.parametrize("name", ["out.txt", "out.txt.gz", "out.txt.zst"])
def test_written_file(tmp_path: Path, name: str) -> None:
    write(DATED, tmp_path / name, "netflix")
    assert read(tmp_path / name).equals(DATED)
    if name == "out.txt":
        assert (tmp_path / name).read_text() == TEXT


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"users": ["ann"]}, "a customer is a whole number"),
        ({"items": ["heat"]}, "a film is a whole number"),
        ({"users": [-1]}, "from 0 to"),
        ({"items": [10_000_000]}, "from 0 to"),
        ({"values": [0.5]}, "1, 2, 3, 4 or 5"),
        ({"values": None}, "implicit"),
        ({"times": None}, "these have none"),
        ({"times": [1]}, "within a day"),
        ({"times": [10**6 * 365 * DAY]}, "four digits"),
    ],
)
def test_what_does_not_fit_is_refused(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    columns: dict[str, object] = {"users": [1], "items": [2], "values": [3], "times": [0]}
    ratings = Ratings.from_columns(**(columns | changes))
    with pytest.raises(InputError, match=message):
        write(ratings, tmp_path / "out", "netflix")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "films").mkdir()
    with pytest.raises(RecloakError, match="exists"):
        write(DATED, tmp_path / "films", "netflix")
