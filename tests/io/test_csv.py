"""CSV and its kin: separators, headers, columns, ids, times, quotes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from recloak.core.errors import InputError, ParameterError
from recloak.core.progress import SILENT
from recloak.core.ratings import Ratings
from recloak.io import Loaded, read
from recloak.io._collector import Collector
from recloak.io._delimited import Delimited
from recloak.io._detection import detect_format
from recloak.io._source import InputPath
from recloak.io.csv import Csv
from recloak.io.options import ReadOptions
from recloak.testing.formats import Packed, Scaled, SelfNaming, example_rows


class TestCsv(SelfNaming, Packed, Scaled):
    name = "csv"

    def make(self, folder: Path) -> Path:
        file = folder / "votes.csv"
        rows = "".join(",".join(map(str, row)) + "\n" for row in example_rows())
        file.write_text("userId,movieId,rating,timestamp\n" + rows)
        return file


Put = Callable[..., Loaded]


def cells(ratings: Ratings) -> list[tuple[object, ...]]:
    return ratings.to_polars().rows()


class TestSeparators:
    @pytest.mark.parametrize("separator", [",", "\t", ";", "|", "::", " "])
    @pytest.mark.parametrize("header", [True, False])
    def test_found(self, put: Put, separator: str, header: bool) -> None:
        rows = [["user", "item", "rating"]] * header + [["1", "10", "4.5"], ["2", "10", "3"]]
        text = "\n".join(separator.join(row) for row in rows)
        assert cells(put(text).ratings) == [(1, 10, 4.5), (2, 10, 3.0)]

    def test_signs_inside_fields_do_not_mislead(self, put: Put) -> None:
        loaded = put("1,10,4,Action|Comedy|Drama|War\n2,10,3,Action|Comedy|Drama|War\n",
                     columns={"user": "1", "item": "2", "rating": "3"})  # fmt: skip
        assert cells(loaded.ratings) == [(1, 10, 4.0), (2, 10, 3.0)]
        assert loaded.dropped == ("column 4",)

    def test_spaces_of_times_do_not_mislead(self, put: Put) -> None:
        loaded = put("1,2,3,2020-01-01 10:00:00\n1,3,3,2020-01-02 10:00:00\n")
        assert loaded.ratings.times is not None
        assert loaded.ratings.times.tolist() == [1577872800, 1577959200]

    def test_ragged_line_does_not_mislead(self, put: Put) -> None:
        with pytest.raises(InputError, match="2 fields where 3") as caught:
            put("1;2;3\n1;3\n1;4;5\n")
        assert caught.value.where.endswith("data, line 2")

    def test_wrong_one_is_refused_with_the_right_one(self, put: Put) -> None:
        with pytest.raises(InputError, match="only one column") as caught:
            put("user,item,rating\n1,2,3\n", separator=";")
        assert "','" in caught.value.hint

    def test_none_that_fits(self, put: Put) -> None:
        with pytest.raises(InputError, match="only one column"):
            put("hello\nworld\n")

    def test_given_in_words(self, put: Put) -> None:
        assert put("1\t2\t3\n", separator="tab").ratings.n_ratings == 1

    @pytest.mark.parametrize("bad", ["abc", "a", '"', "\n", "é"])
    def test_impossible(self, put: Put, bad: str) -> None:
        with pytest.raises(ParameterError, match="cannot separate"):
            put("1,2,3\n", separator=bad)


class TestHeader:
    @pytest.mark.parametrize(
        "header",
        ["userId,movieId,rating,timestamp", "User ID,ISBN,Book-Rating,date", "s,d,y,time"],
    )
    def test_known_names(self, put: Put, header: str) -> None:
        assert cells(put(f"{header}\n1,2,3,978300760\n").ratings) == [(1, 2, 3.0, 978300760)]

    def test_other_order_and_further_columns(self, put: Put) -> None:
        loaded = put("age,rating,title,item,user\n33,4,Heat,7,1\n40,5,Ran,8,2\n")
        assert cells(loaded.ratings) == [(1, 7, 4.0), (2, 8, 5.0)]
        assert loaded.dropped == ("age", "title")
        assert loaded.personal == ("age",)

    def test_unknown_names_are_asked_for(self, put: Put) -> None:
        with pytest.raises(InputError, match="no column for the item among: user, what, rating"):
            put("user,what,rating\n1,2,3\n")

    def test_unknown_names_declared(self, put: Put) -> None:
        loaded = put("wer,was,wie\na,b,3\n", columns={"user": "wer", "item": "2", "rating": "wie"})
        assert cells(loaded.ratings) == [("a", "b", 3.0)]

    def test_misspelt_declaration(self, put: Put) -> None:
        with pytest.raises(InputError, match="no column 'userid'") as caught:
            put("user_id,film,rating\n1,2,3\n", columns={"user": "userid"})
        assert "user_id" in caught.value.hint

    def test_header_only(self, put: Put) -> None:
        with pytest.raises(InputError, match="no ratings follow"):
            put("user,item,rating\n")

    def test_same_name_twice(self, put: Put) -> None:
        loaded = put("user,item,rating,rating\n1,2,3,9\n1,3,4,9\n")
        assert loaded.ratings.values.tolist() == [3, 4]
        assert loaded.dropped == ("rating (column 4)",)

    def test_nameless_index_column(self, put: Put) -> None:
        loaded = put(",user,item,rating\n0,1,2,3\n")
        assert cells(loaded.ratings) == [(1, 2, 3.0)]
        assert loaded.dropped == ("(column 1)",)

    def test_header_over_several_lines(self, put: Put) -> None:
        with pytest.raises(InputError) as caught:
            put('\nuser,item,rating,"a long\nname"\n1,2,3,x\n1,3,bad,x\n')
        assert caught.value.where.endswith("data, line 5, column rating")


class TestNoHeader:
    def test_two_columns_are_implicit(self, put: Put) -> None:
        ratings = put("1,10\n1,11\n").ratings
        assert ratings.scale.implicit
        assert cells(ratings) == [(1, 10), (1, 11)]

    def test_two_columns_of_text(self, put: Put) -> None:
        loaded = put("alice,matrix\nbob,heat\n")
        assert loaded.ratings.n_users == 2
        assert "first line was read as a rating" in loaded.notes[0]

    def test_four_columns_with_times(self, put: Put) -> None:
        assert put("1,2,3,978300760\n").ratings.times.tolist() == [978300760]

    @pytest.mark.parametrize("text", ["1,2,3,4\n1,3,3,4\n", "1,2,978300760\n", "1,2,3,4,5\n"])
    def test_unclear_columns_are_asked_for(self, put: Put, text: str) -> None:
        with pytest.raises(InputError, match="which is which") as caught:
            put(text)
        assert "--columns" in caught.value.hint

    def test_by_place(self, put: Put) -> None:
        loaded = put("9,1,x,4,2\n9,2,x,5,2\n", columns={"user": "2", "item": "5", "rating": "4"})
        assert cells(loaded.ratings) == [(1, 2, 4.0), (2, 2, 5.0)]

    def test_bad_first_line_is_no_header(self, put: Put) -> None:
        with pytest.raises(InputError, match="'x' is not a number") as caught:
            put("1,2,x\n1,3,4\n")
        assert caught.value.where.endswith("line 1, column 3 (rating)")


class TestIds:
    @pytest.mark.parametrize("odd", ["007", "+7", "-0", "7a", "9223372036854775808", "1.0", "１"])
    def test_text_if_any_is_not_plainly_a_number(self, put: Put, odd: str) -> None:
        ratings = put(f"user,item,rating\n1,5,3\n{odd},5,4\n").ratings
        assert sorted(ratings.user_labels.tolist()) == sorted(["1", odd])
        assert ratings.item_labels.tolist() == [5]

    def test_numbers_of_64_bits(self, put: Put) -> None:
        ids = [-(2**63) + 1, -1, 0, 2**31, 2**63 - 1]
        text = "".join(f"{each},1,3\n" for each in ids)
        assert put(text).ratings.user_labels.tolist() == ids

    def test_quotes_mark_text(self, put: Put) -> None:
        ratings = put('user,item,rating\n"1",2,3\n"2",2,4\n').ratings
        assert ratings.user_labels.tolist() == ["1", "2"]
        assert ratings.item_labels.tolist() == [2]

    def test_quotes_mean_nothing_where_ratings_have_them(self, put: Put) -> None:
        ratings = put('"User-ID";"ISBN";"Book-Rating"\n"1";"0345";"3"\n"2";"77";"4"\n').ratings
        assert ratings.user_labels.tolist() == [1, 2]
        assert ratings.item_labels.tolist() == ["0345", "77"]

    @pytest.mark.parametrize("missing", ["", " ", "NA", "null", "NaN", r"\N"])
    def test_missing(self, put: Put, missing: str) -> None:
        with pytest.raises(InputError, match="missing") as caught:
            put(f"user,item,rating\n1,5,3\n2,{missing},4\n")
        assert caught.value.where.endswith("line 3, column item")

    def test_a_name_in_quotes_may_look_missing(self, put: Put) -> None:
        assert put('user,item,rating\n1,"NA",3\n').ratings.item_labels.tolist() == ["NA"]

    def test_spaces_around_do_not_count_unless_quoted(self, put: Put) -> None:
        ratings = put('user, item, rating\n 1 , a ,3 \n1," a",  4\n').ratings
        assert ratings.user_labels.tolist() == [1]
        assert ratings.item_labels.tolist() == [" a", "a"]

    def test_numbers_and_text_in_different_blocks(self, tmp_path: Path) -> None:
        file = tmp_path / "data.csv"
        file.write_text("user,item,rating\n" + "1,1,3\n2,1,4\nx,1,5\n")
        opened = Csv.open(InputPath(file), ReadOptions())
        assert isinstance(opened, Delimited)
        small = Delimited(InputPath(file), opened.layout, block_size=7)
        assert Collector(small.batches(SILENT)).coded().users.labels.tolist() == ["1", "2", "x"]


class TestRatings:
    @pytest.mark.parametrize(
        "text", ["4", "4.0", "+4", "4.", "0.4e1", "400e-2", "4.000000000000000000", "04"]
    )
    def test_ways_to_write_a_number(self, put: Put, text: str) -> None:
        assert put(f"user,item,rating\n1,2,{text}\n1,3,5\n").ratings.values.tolist() == [4, 5]

    @pytest.mark.parametrize(
        "text", ["four", "NaN", "inf", "-Infinity", "1e99", "4 5", "0x4", "--4"]
    )
    def test_text_for_a_number(self, put: Put, text: str) -> None:
        with pytest.raises(InputError, match=f"rating '{text}' is not a number") as caught:
            put(f"user,item,rating\n1,1,4\n1,2,{text}\n1,3,5\n")
        assert caught.value.where.endswith("data, line 3, column rating")

    def test_missing(self, put: Put) -> None:
        with pytest.raises(InputError, match="the rating is missing"):
            put("user,item,rating\n1,2,\n")

    @pytest.mark.parametrize("text", ["1;2;3,5\n1;3;4,5\n", 'user,item,rating\n1,2,"3,5"\n'])
    def test_decimal_comma(self, put: Put, text: str) -> None:
        with pytest.raises(InputError, match="'3,5' has a decimal comma") as caught:
            put(text, decimal="point")
        assert "--decimal comma" in caught.value.hint

    def test_nearest_float32(self, put: Put) -> None:
        texts = ["0.1", "0.123456789", "3.3333333", "16777217", "1.17549435e-38", "-2.5"]
        text = "".join(f"1,{item},{value}\n" for item, value in enumerate(texts))
        expected = np.array([np.float32(value) for value in texts])
        assert np.array_equal(put(text).ratings.values, expected)


class TestTimes:
    @pytest.mark.parametrize(
        ("text", "seconds"),
        [
            ("978300760", 978300760),
            ("978300760.9", 978300760),
            ("-1.5", -2),
            ("2000-12-31", 978220800),
            ("2000-12-31T22:12:40", 978300760),
            ("2000-12-31 22:12:40.75", 978300760),
            ("2000-12-31 22:12", 978300720),
            ("2000-12-31T22:12:40Z", 978300760),
            ("2000-12-31T23:12:40+01:00", 978300760),
            ("1969-12-31", -86400),
        ],
    )
    def test_ways_to_write_a_time(self, put: Put, text: str, seconds: int) -> None:
        loaded = put(f"user,item,rating,time\n1,2,3,{text}\n")
        assert loaded.ratings.times.tolist() == [seconds]

    @pytest.mark.parametrize(
        ("factor", "unit"), [(10**3, "milli"), (10**6, "micro"), (10**9, "nano")]
    )
    def test_finer_units_are_recognised(self, put: Put, factor: int, unit: str) -> None:
        loaded = put(f"user,item,rating,time\n1,2,3,{978300760 * factor + 7}\n1,3,3,{factor}\n")
        assert loaded.ratings.times.tolist() == [978300760, 1]
        assert f"{unit}seconds" in loaded.notes[0]

    @pytest.mark.parametrize("text", ["soon", "31/12/2000", "12-31-2000", "2000-13-01", ""])
    def test_unreadable(self, put: Put, text: str) -> None:
        with pytest.raises(InputError, match="time") as caught:
            put(f"user,item,rating,time\n1,2,3,2000-12-31\n1,3,3,{text}\n")
        assert caught.value.where.endswith("line 3, column time")

    def test_text_among_numbers(self, put: Put) -> None:
        with pytest.raises(InputError, match="time 'x' is not a number") as caught:
            put("user,item,rating,time\n1,2,3,978300760\n1,3,3,x\n")
        assert caught.value.where.endswith("line 3, column time")


def test_any_file_may_be_text(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    file.write_text("1,2,3\n")
    assert detect_format(InputPath(file)) is Csv
    assert read(file).n_ratings == 1
