"""Text that is broken: refused with file and line, and what is odd but fine is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from recloak.core.errors import InputError, ParameterError
from recloak.core.progress import SILENT
from recloak.io import load
from recloak.io._collector import Collector
from recloak.io._delimited import Delimited
from recloak.io._layout import TextLayout
from recloak.io._source import InputPath
from tests.io.test_csv import Put, cells

HEADER = "user,item,rating\n"


class TestLines:
    @pytest.mark.parametrize(
        "text",
        [
            "user,item,rating\r\n1,2,3\r\n1,3,4\r\n",
            "user,item,rating\n1,2,3\n1,3,4",
            "\n\nuser,item,rating\n\n1,2,3\n   \n1,3,4\n\n\n",
            "\ufeffuser,item,rating\n1,2,3\n1,3,4\n",
            '"user","item",rating\n1,2,3\n1,3,4\r\n',
        ],
    )
    def test_odd_but_fine(self, put: Put, text: str) -> None:
        assert cells(put(text).ratings) == [(1, 2, 3.0), (1, 3, 4.0)]

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("1,2", "2 fields where 3"),
            ("1", "1 field where 3"),
            ("1,2,3,4", "4 fields where 3"),
            ("1,2,3,", "4 fields where 3"),
            (",", "2 fields where 3"),
            ('"1,2,3', "never closed"),
            ('1,"2"x,3', "follows a closing quote"),
            ("1,2,3\r4", "carriage return"),
            ("1,2\x01,3", "control character"),
            ('1,"2\x01",3', "control character"),
        ],
    )
    @pytest.mark.parametrize("after", ["", "\n", "\n7,8,4\n"])
    def test_malformed(self, put: Put, line: str, message: str, after: str) -> None:
        with pytest.raises(InputError, match=message) as caught:
            put(f"{HEADER}1,1,1\n\n{line}{after}")
        assert caught.value.where.endswith("data, line 4")
        assert caught.value.hint

    def test_the_first_problem_is_the_one_named(self, put: Put) -> None:
        with pytest.raises(InputError) as caught:
            put(f"{HEADER}1,1,1\n1,2,bad\n,3,3\n1\n")
        assert caught.value.where.endswith("line 3, column rating")

    def test_lines_inside_quotes_count(self, put: Put) -> None:
        with pytest.raises(InputError) as caught:
            put(f'{HEADER}"a\nb\nc",1,1\n1,2,bad\n')
        assert caught.value.where.endswith("line 5, column rating")

    def test_quotes(self, put: Put) -> None:
        text = f'{HEADER}"a,b",1,1\n"say ""hi""",1,2\n"two\r\nlines",1,3\n5" disc,1,4\n'
        names = put(text).ratings.user_labels.tolist()
        assert names == sorted(["a,b", 'say "hi"', "two\r\nlines", '5" disc'])


class TestWhole:
    @pytest.mark.parametrize("content", [b"", b"\n\n", b"   \n"])
    def test_empty(self, put: Put, content: bytes) -> None:
        with pytest.raises(InputError, match=r"empty|blank"):
            put(content)

    @pytest.mark.parametrize(
        "content",
        [
            bytes(range(256)) * 10,
            b"\x7fELF\x02\x01\x00\x00",
            b"PK\x03\x04\x14",
        ],
    )
    def test_binary(self, put: Put, content: bytes) -> None:
        with pytest.raises(InputError, match="not text"):
            put(content)

    def test_zero_byte_far_inside(self, put: Put) -> None:
        fine = "".join(f"2,{item},3\n" for item in range(200_000))
        with pytest.raises(InputError, match="control character") as caught:
            put(f"{HEADER}{fine}3,\0,3\n")
        assert caught.value.where.endswith("line 200002")

    def test_folder_of_no_known_layout(self, tmp_path: Path) -> None:
        (tmp_path / "holiday.jpg").touch()
        with pytest.raises(InputError, match="no layout that is known") as caught:
            load(tmp_path)
        assert "u.data" in caught.value.hint
        assert "ratings.dat" in caught.value.hint
        assert "holiday.jpg" in caught.value.hint

    @pytest.mark.parametrize("name", ["absent", "a" * 5000, "a\0b", "data.csv/inside"])
    def test_no_such_file(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "data.csv").write_text("1,2,3\n")
        with pytest.raises(InputError, match="no such file"):
            load(tmp_path / name)

    def test_one_column_for_two_roles(self, put: Put) -> None:
        with pytest.raises(InputError, match="two roles"):
            put("1,2,3\n", columns={"user": "1", "item": "1"})

    def test_neither_file_nor_folder(self) -> None:
        with pytest.raises(InputError, match="neither a file nor a folder"):
            load("/dev/null")

    def test_unknown_format(self, put: Put) -> None:
        with pytest.raises(ParameterError, match="no format called 'cvs'") as caught:
            put("1,2,3\n", format="cvs")
        assert "csv" in caught.value.hint


class TestTooLong:
    """A line or a quote without end is refused before it fills the memory."""

    @pytest.fixture(autouse=True)
    def little_patience(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("recloak.io._blocks._LONGEST_RECORD", 3 << 20)

    def test_line(self, put: Put) -> None:
        with pytest.raises(InputError, match="line is longer"):
            put(f"{HEADER}1,2,3\n1,{'x' * (6 << 20)},3\n")

    def test_first_line(self, put: Put) -> None:
        with pytest.raises(InputError, match="first line is too long"):
            put("1,2," * (1 << 19))

    def test_quote(self, put: Put) -> None:
        with pytest.raises(InputError, match="never closed") as caught:
            put(f'{HEADER}1,2,3\n1,"x{"5,6,7" * 10}\n' + "5,6,7\n" * (1 << 20))
        assert caught.value.where.endswith("line 3")


class TestRatingsAsAWhole:
    def test_off_scale(self, put: Put) -> None:
        with pytest.raises(InputError, match=r"rating 6 is not on the scale 1\.\.5") as caught:
            put(f"{HEADER}1,1,1\n\n1,2,6\n", scale="1..5")
        assert caught.value.where.endswith("data, line 4, column rating")

    def test_duplicates_are_named_with_their_lines(self, put: Put) -> None:
        with pytest.raises(InputError, match="2 ratings repeat") as caught:
            put(f"{HEADER}a,1,1\nb,2,3\na,2,3\n\na,1,4\nb,2,1\n")
        assert "user a item 1 (line 2 and line 6)" in caught.value.what
        assert "user b item 2 (line 3 and line 7)" in caught.value.what
        assert caught.value.where.endswith("data, line 6")

    def test_duplicates_merged_are_counted(self, put: Put) -> None:
        loaded = put(f"{HEADER}a,1,1\na,2,3\na,1,4\n", duplicates="max")
        assert cells(loaded.ratings) == [("a", 1, 4.0), ("a", 2, 3.0)]
        assert loaded.notes == ("1 repeated pairs merged by max.",)


class TestEncoding:
    def test_utf8(self, put: Put) -> None:
        assert put(f"{HEADER}Zoë,1,3\n").ratings.user_labels.tolist() == ["Zoë"]

    def test_latin1_is_read_with_a_note(self, put: Put) -> None:
        loaded = put(f"{HEADER}Zoë,1,3\nRené,1,4\n".encode("latin-1"))
        assert loaded.ratings.user_labels.tolist() == ["René", "Zoë"]
        assert "Latin-1" in loaded.notes[0]

    def test_latin1_in_the_header(self, put: Put) -> None:
        assert put("user,item,rating,prénom\n1,2,3,x\n".encode("latin-1")).dropped == ("prénom",)

    def test_latin1_in_a_column_left_behind(self, put: Put) -> None:
        text = "user,item,rating,title\n1,2,3,Les Misérables\n".encode("latin-1")
        assert cells(put(text).ratings) == [(1, 2, 3.0)]

    @pytest.mark.parametrize("broken", [b"Zo\xc3\xab,1,3\nRen\xe9,1,4\n", b"a\x81b,1,3\n"])
    def test_broken(self, put: Put, broken: bytes) -> None:
        with pytest.raises(InputError, match="encoding is broken") as caught:
            put(HEADER.encode() + b"x,1,3\n" + broken)
        line = 2 + broken.count(10)
        assert caught.value.where.endswith(f"data, line {line}")

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
    def test_marked(self, put: Put, encoding: str) -> None:
        loaded = put(f"{HEADER}Zoë,1,3\n".encode(encoding))
        assert loaded.ratings.user_labels.tolist() == ["Zoë"]

    def test_declared(self, put: Put) -> None:
        loaded = put(f"{HEADER}Łódź,1,3\n".encode("iso-8859-2"), encoding="iso-8859-2")
        assert loaded.ratings.user_labels.tolist() == ["Łódź"]

    def test_declared_wrongly(self, put: Put) -> None:
        with pytest.raises(InputError, match="not ascii") as caught:
            put(f"{HEADER}a,1,3\nZoë,1,3\n", encoding="ascii")
        assert caught.value.where.endswith("line 3")

    @pytest.mark.parametrize("encoding", ["idna", "punycode", "undefined", "utf-7"])
    def test_odd_ones_are_refused_like_others(self, put: Put, encoding: str) -> None:
        with pytest.raises(InputError, match="the text is not"):
            put(HEADER.encode() + b"\xff\xfe,1,3\n", encoding=encoding)

    @pytest.mark.parametrize("encoding", ["klingon", "hex", "a\0b"])
    def test_unknown(self, put: Put, encoding: str) -> None:
        with pytest.raises(ParameterError, match="not a text encoding"):
            put(f"{HEADER}a,1,3\n", encoding=encoding)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 1000])
def test_blocks_of_any_size_give_the_same(tmp_path: Path, size: int) -> None:
    text = 'a,1,3,0\r\n\n"b\nb",2,4,1\n  \n"c""c",3,5,2\nZoë,4,1,3\n5" d,5,2,4'
    file = tmp_path / "data"
    file.write_bytes(text.encode())
    places = {"user": 0, "item": 1, "rating": 2, "time": 3}
    layout = TextLayout(",", 4, places, dict.fromkeys(places, ""))
    opened = Delimited(InputPath(file), layout, block_size=size)
    coded = Collector(opened.batches(SILENT)).coded()
    order = [coded.users.labels[coded.users.rank[code]] for code in range(5)]
    assert order == ["a", "b\nb", 'c"c', "Zoë", '5" d']
    assert [place.spot for place in opened.places([0, 1, 2, 4])] == [
        "line 1",
        "line 3",
        "line 6",
        "line 8",
    ]
