"""Files as they are handed out: Book-Crossing, Amazon, answers in words, decimal commas."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import recloak
from recloak.core.errors import InputError, ParameterError
from recloak.core.ratings import Ratings
from recloak.io import Loaded, load, read
from recloak.io._source import HEAD_SIZE

Put = Callable[..., Loaded]


def cells(loaded: Loaded) -> list[tuple[Any, ...]]:
    return loaded.ratings.to_polars().rows()


class TestEscapedQuotes:
    BOOKS = (
        '"User-ID";"ISBN";"Book-Rating"\n'
        '"7";"034545104X";"5"\n'
        '"8";"\\"0432534220\\"";"6"\n'
        '"9";"a \\"b\\"; c";"7"\n'
    )

    def test_are_recognised_and_said(self, put: Put) -> None:
        loaded = put(self.BOOKS)
        assert [item for _, item, _ in cells(loaded)] == [
            "034545104X",
            '"0432534220"',
            'a "b"; c',
        ]
        assert any("--quotes doubled" in note for note in loaded.notes)

    def test_are_recognised_far_behind_the_head(self, put: Put) -> None:
        rows = "".join(f'"{user}";"0345{user}X";"{user % 10}"\n' for user in range(90_000))
        assert len(rows) > HEAD_SIZE
        loaded = put('"User-ID";"ISBN";"Book-Rating"\n' + rows + '"90000";"\\"x\\"";"3"\n')
        assert loaded.ratings.n_ratings == 90_001
        assert '"x"' in loaded.ratings.item_labels.tolist()

    def test_can_be_said(self, put: Put) -> None:
        loaded = put('user,item,rating\nann,"5\\\\",3\nbob,"6""",4\n', quotes="backslash")
        assert [item for _, item, _ in cells(loaded)] == ["5\\", '6"']
        assert not loaded.notes

    def test_backslash_at_the_end_of_a_field_is_no_escape(self, put: Put) -> None:
        loaded = put('user,item,rating\nann,"C:\\",3\nbob,"D:\\",4\n')
        assert [item for _, item, _ in cells(loaded)] == ["C:\\", "D:\\"]

    def test_can_be_denied(self, put: Put) -> None:
        with pytest.raises(InputError, match="closing quote") as caught:
            put(self.BOOKS, quotes="doubled")
        assert "line 3" in (caught.value.where or "")
        assert "--quotes backslash" in (caught.value.hint or "")


class TestOtherEncodings:
    def test_the_byte_that_no_encoding_has_is_named(self, put: Put) -> None:
        rows = b"user,item,rating\n1,caf\xe9,3\n2,th\xe9,4\n3,x\x81y,5\n"
        with pytest.raises(InputError, match="byte 0x81 is neither") as caught:
            put(rows)
        assert (caught.value.where or "").endswith("line 4")

    def test_mixed_ones_name_the_first_byte_that_is_not_utf8(self, tmp_path: Path) -> None:
        """The letters in UTF-8 come a block later, where nothing is wrong."""
        many = b"".join(b"%d,x,3\n" % user for user in range(400_000))
        file = tmp_path / "mixed.csv"
        file.write_bytes(b"user,item,rating\n900000,caf\xe9,3\n" + many + "900001,thé,4\n".encode())
        with pytest.raises(InputError, match="byte 0xe9 is not UTF-8, but line 400003") as caught:
            load(file)
        assert (caught.value.where or "").endswith("line 2")

    def test_a_declared_one_names_line_and_byte(self, put: Put) -> None:
        with pytest.raises(InputError, match="not utf-8: byte 0xe9") as caught:
            put(b"user,item,rating\n1,a,3\n2,caf\xe9 x,3\n", encoding="utf-8")
        assert (caught.value.where or "").endswith("line 3")


class TestNotRated:
    ZEROS = "user,item,rating\n1,1,0\n1,2,0\n2,1,0\n2,3,7\n3,3,0\n4,2,9\n4,3,0\n"

    def test_many_zeros_are_pointed_out(self, put: Put) -> None:
        (note,) = put(self.ZEROS).notes
        assert "5 of 7 ratings (71%) are 0" in note
        assert "--not-rated 0" in note

    def test_not_where_the_scale_is_said(self, put: Put) -> None:
        assert not put(self.ZEROS, scale="0..10").notes

    def test_they_are_left_out(self, put: Put) -> None:
        loaded = put(self.ZEROS, not_rated=0)
        assert cells(loaded) == [(2, 3, 7.0), (4, 2, 9.0)]
        assert loaded.notes == ('5 ratings of 0 mean "not rated" and were left out.',)
        assert str(loaded.ratings.scale) == "7..9"

    def test_nobody_stays_whose_ratings_are_all_gone(self, put: Put) -> None:
        loaded = put("user,item,rating\nann,a,0\nbob,b,3\ncarl,a,4\n", not_rated="0")
        assert loaded.ratings.user_labels.tolist() == ["bob", "carl"]
        assert loaded.ratings.item_labels.tolist() == ["a", "b"]

    def test_places_are_those_of_the_file(self, put: Put) -> None:
        with pytest.raises(InputError, match="not on the scale") as caught:
            put(self.ZEROS, not_rated=0, scale="1..8")
        assert "line 7" in (caught.value.where or "")

    def test_in_a_survey_they_are_no_answers(self, put: Put) -> None:
        loaded = put("id,a,b\n1,0,2\n2,3,0\n3,0,0\n", not_rated=0, format="survey")
        assert cells(loaded) == [(1, "b", 2.0), (2, "a", 3.0)]
        assert loaded.silent == 1

    def test_a_claim_on_the_rest_is_undecided(self, tmp_path: Path) -> None:
        """What stands in the file is not what is looked at."""
        file = tmp_path / "votes.csv"
        file.write_text("user,item,rating\n1,1,5\n1,2,0\n2,1,5\n2,3,0\n")
        (verdict,) = recloak.verify(file, ["k-anonymity:k=2"], not_rated=0)
        assert verdict.status == "undecided"
        assert "--not-rated" in verdict.how

    def test_must_be_a_number(self, put: Put) -> None:
        with pytest.raises(ParameterError, match="'none' is not a number"):
            put(self.ZEROS, not_rated="none")


class TestAmazon:
    def test_its_names_are_known(self, put: Put) -> None:
        loaded = put(
            "overall,verified,reviewTime,reviewerID,asin,reviewerName,unixReviewTime\n"
            '5.0,True,"09 1, 2016",A3,0005,Ann,1472688000\n'
        )
        assert cells(loaded) == [("A3", "0005", 5.0, 1472688000)]
        assert loaded.personal == ("reviewerName",)

    def test_a_rating_that_is_not_recognised_is_not_lost(self, put: Put) -> None:
        with pytest.raises(InputError, match="no column for the rating .* points holds") as caught:
            put("user,item,points\n1,10,4\n2,10,3\n")
        assert "--columns rating=points" in (caught.value.hint or "")
        assert put("user,item,points\n1,10,4\n", scale="implicit").ratings.scale.implicit

    def test_nor_in_a_table(self, tmp_path: Path) -> None:
        frame = pl.DataFrame({"user": [1], "item": [2], "points": [4]})
        frame.write_parquet(tmp_path / "votes.parquet")
        with pytest.raises(InputError, match="points holds numbers"):
            read(tmp_path / "votes.parquet")
        with pytest.raises(InputError, match="points holds numbers"):
            Ratings.from_frame(frame)
        assert Ratings.from_frame(frame, scale="implicit").n_ratings == 1

    def test_words_that_are_left_out_are_said(self, put: Put) -> None:
        (note,) = put("user,item,verdict\n1,10,good\n2,10,bad\n").notes
        assert "Left out: verdict" in note


class TestDecimalCommas:
    @pytest.mark.parametrize("separator", [";", "\t", "|"])
    def test_are_recognised(self, put: Put, separator: str) -> None:
        text = "user;item;rating\nann;Alien;3,5\nbob;Brazil;4\n".replace(";", separator)
        assert [value for *_, value in cells(put(text))] == [3.5, 4.0]

    def test_in_quotes_between_commas(self, put: Put) -> None:
        assert cells(put('user,item,rating\n1,2,"3,5"\n2,2,"4,0"\n'))[0][2] == 3.5

    def test_of_plain_numbers(self, put: Put) -> None:
        assert cells(put("1;10;4,5\n2;10;3\n")) == [(1, 10, 4.5), (2, 10, 3.0)]

    def test_in_a_survey(self, put: Put) -> None:
        loaded = put("id;a;b\n1;2,5;3\n2;4;1,5\n", format="survey")
        assert [value for *_, value in cells(loaded)] == [2.5, 3.0, 4.0, 1.5]

    def test_late_ones_can_be_said(self, put: Put) -> None:
        late = "user;item;rating\n" + "".join(f"{n};1;3\n" for n in range(200)) + "900;1;2,5\n"
        with pytest.raises(InputError, match="decimal comma") as caught:
            put(late)
        assert "--decimal comma" in (caught.value.hint or "")
        assert put(late, decimal="comma").ratings.values.min() == 2.5

    def test_points_among_them_are_refused(self, put: Put) -> None:
        with pytest.raises(InputError, match="decimal point where others have a comma") as caught:
            put("user;item;rating\n1;1;3,5\n2;1;4.5\n", decimal="comma")
        assert "line 3" in (caught.value.where or "")


ORDER = "Strongly disagree,Disagree,Neutral,Agree,Strongly agree"


class TestOrder:
    SURVEY = "id,pay,boss,team\n1,agree,Neutral,x\n2,Disagree,,y\n3,Agree,Strongly agree,z\n"

    def test_words_of_a_survey_become_numbers(self, put: Put) -> None:
        loaded = put(self.SURVEY, order=ORDER, format="survey")
        assert cells(loaded) == [
            (1, "boss", 3.0),
            (1, "pay", 4.0),
            (2, "pay", 2.0),
            (3, "boss", 5.0),
            (3, "pay", 4.0),
        ]
        assert str(loaded.ratings.scale) == "1..5"
        assert loaded.dropped == ("team",)

    def test_words_as_ratings(self, put: Put) -> None:
        loaded = put("user,item,rating\n1,a,bad\n2,a,good\n", order=["bad", "fair", "good"])
        assert [value for *_, value in cells(loaded)] == [1.0, 3.0]
        assert str(loaded.ratings.scale) == "1..3"

    def test_issues_may_have_different_words(self, put: Put) -> None:
        survey = "id,pay,late,team\n1,Agree,Never,x\n2,Disagree,Always,y\n"
        for order in (
            "Disagree,Agree; Never,Often,Always",
            [["Disagree", "Agree"], ["Never", "Often", "Always"]],
        ):
            loaded = put(survey, order=order, format="survey")
            assert cells(loaded) == [
                (1, "late", 1.0),
                (1, "pay", 2.0),
                (2, "late", 3.0),
                (2, "pay", 1.0),
            ]
            assert str(loaded.ratings.scale) == "1..3"
            assert loaded.dropped == ("team",)
            words = "Disagree = 1, Agree = 2; Never = 1, Often = 2, Always = 3."
            assert words in " ".join(loaded.notes)
        with pytest.raises(InputError, match="'Sometimes'") as caught:
            put(survey + "3,Agree,Sometimes,z\n", order=order, format="survey")
        assert caught.value.hint == "It is: Disagree, Agree; Never, Often, Always."

    def test_in_a_table(self, tmp_path: Path) -> None:
        frame = pl.DataFrame({"id": [1, 2], "pay": ["Agree", None], "boss": ["Neutral", "Agree"]})
        frame.write_parquet(tmp_path / "staff.parquet")
        ratings = read(tmp_path / "staff.parquet", format="survey", order=ORDER)
        assert ratings.values.tolist() == [3.0, 4.0, 4.0]

    def test_a_word_outside_of_it_is_refused(self, put: Put) -> None:
        with pytest.raises(InputError, match="'Agre' is not in the order") as caught:
            put(self.SURVEY.replace("3,Agree", "3,Agre"), order=ORDER, format="survey")
        assert "line 4, column pay" in (caught.value.where or "")
        assert "separated by semicolons" in (caught.value.hint or "")

    def test_a_survey_of_words_alone_is_told_how_it_is_read(self, put: Put) -> None:
        with pytest.raises(InputError, match="5 columns, and no header") as caught:
            put("who;q1;q2;q3;q4\np1;Agree;Agree;Disagree;Agree\n", order=("Disagree", "Agree"))
        assert "--format survey" in (caught.value.hint or "")

    def test_is_asked_for_where_words_stand(self, put: Put) -> None:
        with pytest.raises(InputError, match="no column holds numbers") as caught:
            put(self.SURVEY, format="survey")
        assert "--order" in (caught.value.hint or "")
        with pytest.raises(InputError, match="'good' is not a number") as caught:
            put("user,item,rating\n1,2,good\n")
        assert "--order" in (caught.value.hint or "")

    @pytest.mark.parametrize("order", ["good", "good,,bad", "good,Good,bad", "a,b;c", "a,b,c;b,d"])
    def test_must_be_one(self, put: Put, order: str) -> None:
        with pytest.raises(ParameterError):
            put(self.SURVEY, order=order)
