"""Jester and surveys: rows of people, columns of items, missing cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from recloak.core.errors import InputError, ParameterError
from recloak.core.ratings import Ratings
from recloak.io import load, read, write
from recloak.io.survey._writing import write_survey
from recloak.testing.formats import Packed, Scaled, SelfNaming

JOKES = 12
ANSWERS = Ratings.from_columns(
    ["ann", "ann", "bob", "cyd"], ["roads", "taxes", "taxes", "roads"], [5, 3, 1, 4], scale="1..5"
)


def jester_rows(separator: str = ",") -> str:
    cells = [["99"] * JOKES for _ in range(3)]
    cells[0][6], cells[0][7], cells[1][6], cells[2][8] = "5", "-3.25", "0", "4"
    counts = [sum(cell != "99" for cell in row) for row in cells]
    rows = ([str(count), *row] for count, row in zip(counts, cells, strict=True))
    return "".join(separator.join(row) + "\n" for row in rows)


class TestJester(SelfNaming, Packed, Scaled):
    name = "jester"
    example = Ratings.from_columns(
        [1, 1, 2, 3], [7, 8, 7, 9], [5, -3.25, 0, 4], scale="-10..10 continuous"
    )
    too_narrow = "0..5"

    def make(self, folder: Path) -> Path:
        file = folder / "jester-data.csv"
        file.write_text(jester_rows())
        return file

    @pytest.mark.parametrize("separator", [";", "\t"])
    def test_other_separators(self, source: Path, separator: str) -> None:
        source.write_text(jester_rows(separator))
        loaded = load(source)
        assert loaded.format == "jester"
        assert loaded.ratings.equals(self.example)

    def test_the_count_is_checked(self, source: Path) -> None:
        source.write_text(jester_rows() + jester_rows().replace("\n1,", "\n2,", 1))
        with pytest.raises(InputError, match="says that 2 jokes are rated, but 1 are") as caught:
            self.read(source)
        assert caught.value.where == f"{source}, line 5"

    def test_several_files_are_other_people(self, source: Path) -> None:
        other = source.with_name("jester-data-2.csv")
        other.write_text(jester_rows())
        assert read([source, other]).user_labels.tolist() == [1, 2, 3, 4, 5, 6]

    def test_off_scale_names_the_joke(self, source: Path) -> None:
        source.write_text(jester_rows().replace("-3.25", "-30"))
        with pytest.raises(InputError, match="rating -30 is not on the scale") as caught:
            self.read(source)
        assert caught.value.where == f"{source}, line 1, column 8"

    @pytest.mark.parametrize("cut", [5, 8])
    def test_narrow_tables_are_not_sniffed(self, source: Path, cut: int) -> None:
        lines = ["1", *["99"] * cut, "3"]
        source.write_text(",".join(lines) + "\n")
        with pytest.raises(InputError, match="no header"):
            load(source)


class TestSurvey(Packed, Scaled):
    name = "survey"
    example = ANSWERS

    def make(self, folder: Path) -> Path:
        file = folder / "survey.csv"
        file.write_text("respondent,roads,taxes\nann,5,3\nbob,,1\ncyd,4,NA\n")
        return file

    def test_id_column_is_said(self, source: Path) -> None:
        loaded = load(source, id_column="respondent")  # which says that it is a survey
        assert loaded.format == "survey"
        assert loaded.notes == ()
        assert load(source, format="survey").notes[0].startswith("The column respondent")

    def test_rows_are_numbered_without_ids(self, source: Path) -> None:
        source.write_text("age,roads,taxes,zip\n30,5,3,1234\n\n40,,1,1234\n50,,,9\n20,4,,1\n")
        loaded = load(source, format="survey")
        assert loaded.ratings.to_polars().rows() == [
            (1, "roads", 5.0),
            (1, "taxes", 3.0),
            (2, "taxes", 1.0),
            (4, "roads", 4.0),
        ]
        assert loaded.dropped == loaded.personal == ("age", "zip")

    def test_issues_are_said(self, source: Path) -> None:
        source.write_text("who,roads,taxes,remark\nann,5,3,fine\nbob,2,1,no\n")
        loaded = load(source, id_column="who", issues=["taxes"])
        assert loaded.ratings.item_labels.tolist() == ["taxes"]
        assert loaded.dropped == ("roads", "remark")
        with pytest.raises(InputError, match="answer 'fine' is not a number") as caught:
            load(source, id_column="who", issues=["remark"])
        assert caught.value.where == f"{source}, line 2, column remark"

    @pytest.mark.parametrize(
        ("text", "in_order"), [("agree", True), ("40k–60k", True), ("1e99", False), ("5 6", False)]
    )
    def test_words_are_asked_to_be_put_in_order(
        self, source: Path, text: str, in_order: bool
    ) -> None:
        source.write_text(f"who,roads,taxes\nann,5,{text}\nbob,2,1\n")
        with pytest.raises(InputError, match=f"answer '{text}' is not a number") as caught:
            load(source, id_column="who", issues=["taxes"])
        assert ("--order" in (caught.value.hint or "")) is in_order

    def test_words_can_have_commas_and_semicolons(self, source: Path) -> None:
        source.write_text('who,pay\nann,"below 1,500"\nbob,"1,500; or more"\n')
        order = "Below 1%2C500,1%2C500%3B or more"
        loaded = load(source, id_column="who", issues=["pay"], order=order)
        assert loaded.ratings.values.tolist() == [1, 2]
        with pytest.raises(InputError, match="not in the order") as caught:
            load(source, id_column="who", issues=["pay"], order="Low,High")
        assert "%2C" in (caught.value.hint or "")

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"id_column": "respondents"}, "Did you mean 'respondent'"),
            ({"issues": ["road"]}, "Did you mean 'roads'"),
            ({"id_column": "roads", "issues": ["roads"]}, "both the id and an issue"),
        ],
    )
    def test_columns_that_are_not_there(
        self, source: Path, options: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(InputError, match=message):
            self.read(source, **options)

    def test_nothing_to_answer(self, source: Path) -> None:
        source.write_text("respondent,name\na,b\n")
        with pytest.raises(InputError, match="no column holds numbers"):
            self.read(source)

    def test_a_respondent_twice(self, source: Path) -> None:
        source.write_text("respondent,roads\nann,5\nbob,1\nann,4\n")
        with pytest.raises(InputError, match="line 2 and line 4"):
            self.read(source)

    @pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather", ".tsv", ".csv.gz"])
    def test_written_wide(self, tmp_path: Path, suffix: str) -> None:
        file = tmp_path / f"wide{suffix}"
        write(ANSWERS, file, "survey")
        assert self.read(file).equals(ANSWERS)

    def test_rows_of_a_table_are_named(self, tmp_path: Path) -> None:
        file = tmp_path / "wide.parquet"
        pl.DataFrame({"a": [1, 2, None], "b": [None, 3, 9]}).write_parquet(file)
        with pytest.raises(InputError, match="rating 9 is not") as caught:
            self.read(file)
        assert caught.value.where == f"{file}, row 3, column b"
        assert read(file, format="survey").user_labels.tolist() == [1, 2, 3]

    def test_times_do_not_fit(self, tmp_path: Path) -> None:
        timed = Ratings.from_columns([1], [2], [3], [4])
        with pytest.raises(InputError, match="no place for times"):
            write(timed, tmp_path / "wide.csv", "survey")

    def test_unknown_ending(self, tmp_path: Path) -> None:
        with pytest.raises(ParameterError, match="a survey is not written to files"):
            write(ANSWERS, tmp_path / "wide.xls", "survey")

    def test_longer_than_a_block(self, tmp_path: Path) -> None:
        file = tmp_path / "wide.csv"
        rng = np.random.default_rng(0)
        pairs = np.unique(rng.integers(0, [50, 5], (120, 2)), axis=0)
        ratings = Ratings.from_columns(pairs[:, 0], pairs[:, 1], rng.integers(1, 6, len(pairs)))
        with file.open("wb") as opened:
            write_survey(ratings, opened, file, cells_per_block=16)
        assert read(file, format="survey", scale="1..5").equals(ratings)


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=5) | st.sampled_from(
    ["7", "NA", "", "respondent", "a,b", 'say "hi"', "id"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.lists(st.tuples(names | st.just("x"), names), min_size=1, max_size=8, unique=True)
    | st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, unique=True),
    st.data(),
)
def test_round_trip(tmp_path: Path, pairs: list[tuple[Any, Any]], data: st.DataObject) -> None:
    values = data.draw(
        st.lists(st.floats(-10, 10, width=32), min_size=len(pairs), max_size=len(pairs))
    )
    users, items = zip(*pairs, strict=True)
    assume("" not in items)
    ratings = Ratings.from_columns(users, items, values, scale="-10..10 continuous")
    file = tmp_path / "wide.csv"
    write(ratings, file, "survey", overwrite=True)
    header = {str(item) for item in items}
    id_column = next(name for name in ("respondent", "respondent id", "id") if name not in header)
    issues = [str(item) for item in ratings.item_labels]
    back = read(file, id_column=id_column, issues=issues, scale=ratings.scale)
    assert back.equals(ratings)
