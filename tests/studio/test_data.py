"""Opening data: what is recognised, what can be corrected, and what is wrong, in the same words."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import httpx
import polars as pl
import pytest

from recloak.io.options import ReadOptions
from recloak.io.preview import preview
from tests.studio.conftest import Served

HOSTILE = [
    "<script>alert(1)</script>",
    '=cmd|"/c calc"!A1',
    "\u202egnp.exe",
    "a\tb&amp;",
    "{{ 7*7 }}",
]


def opened(client: httpx.Client, path: Path) -> httpx.Response:
    return client.post("/files/open", data={"path": str(path)}, follow_redirects=True)


def test_a_file_is_opened_by_its_path(client: httpx.Client, tmp_path: Path) -> None:
    path = tmp_path / "films.csv"
    path.write_text("who,film,stars\n1,a,4\n2,b,5\n")
    page = opened(client, path)
    assert page.url.path == "/files/films"
    assert 'Recognised as <strong id="format">csv' not in page.text  # 'who' is nobody's usual name
    assert page.status_code == 422
    said = {"role.user": "who", "role.item": "film", "role.rating": "stars", "read.scale": "1..5"}
    page = client.post("/files/films", data=said, follow_redirects=True)
    assert '<strong id="format">csv</strong>, scale 1..5' in page.text
    assert "--columns user=who,item=film,rating=stars --scale 1..5" in page.text
    assert page.status_code == 200


def test_columns_without_names_are_said_by_place(client: httpx.Client, tmp_path: Path) -> None:
    path = tmp_path / "bare.csv"
    path.write_text("x,7,3,4\ny,8,4,5\n" * 5)
    assert opened(client, path).status_code == 422
    said = {"role.user": "column 1", "role.item": "column 2", "role.rating": "column 4"}
    page = client.post("/files/bare", data=said, follow_redirects=True)
    assert "--columns user=1,item=2,rating=4" in page.text
    assert '<option value="column 4" selected>' in page.text


def test_names_of_columns_may_hold_commas_and_look_like_places(
    client: httpx.Client, tmp_path: Path
) -> None:
    path = tmp_path / "odd-names.csv"
    path.write_text('"Name, first",column 1,stars\n' + "".join(f"u{n},i{n},4\n" for n in range(9)))
    assert opened(client, path).status_code == 422
    said = {"role.user": "Name, first", "role.item": "column 1", "role.rating": "stars"}
    page = client.post("/files/odd-names", data=said, follow_redirects=True)
    assert page.status_code == 200
    assert "user=Name%2C first,item=column 1,rating=stars" in unescape(page.text)
    assert '<option value="Name, first" selected>' in page.text
    survey = tmp_path / "asked.csv"
    survey.write_text('id,"In general, happy?",roads\n' + "".join(f"{n},1,2\n" for n in range(9)))
    opened(client, survey)
    said_so = {"read.id_column": "id", "ticked.issues": ["In general, happy?", "roads"],
               "ticked.sensitive": ["In general, happy?"]}  # fmt: skip
    page = client.post("/files/asked", data=said_so, follow_redirects=True)
    assert '<strong id="format">survey</strong>' in page.text
    assert page.text.count('value="In general, happy?" checked') == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\x00\x01\x02", "this is binary, not text"),
        (b"PK\x03\x04xxxx", "a zip archive or an Excel workbook"),
        (b"onecolumn\nonly\n", "only one column is found"),
    ],
)
def test_a_broken_file_is_told_of(
    client: httpx.Client, tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "broken.csv"
    path.write_bytes(content)
    page = opened(client, path)
    assert page.status_code == 422
    assert said in unescape(page.text)
    assert "Look at the data" not in page.text


def test_a_path_must_be_whole_and_there(served: Served, client: httpx.Client) -> None:
    before = served.workspace.files()
    answer = client.post("/files/open", data={"path": "/none/such.csv"})
    assert (answer.status_code, "there is no such file" in answer.text) == (422, True)
    assert client.post("/files/open", data={"path": "such.csv"}).status_code == 422
    assert client.post("/files/open", data={"path": " "}).status_code == 422
    assert served.workspace.files() == before


def test_hostile_texts_are_only_text(client: httpx.Client, tmp_path: Path) -> None:
    path = tmp_path / "hostile <b>.csv"
    rows = [f'"{text.replace(chr(34), chr(34) * 2)}",item{at},3' for at, text in enumerate(HOSTILE)]
    path.write_text("\n".join(["user,<img src=x>,rating", *rows]) + "\n")
    page = opened(client, path)
    assert "<script>alert" not in page.text
    assert "<img src=x>" not in page.text
    assert "49" not in re.findall(r"<td>(.*?)</td>", page.text)
    assert all(text in unescape(page.text) for text in HOSTILE)


def test_a_dropped_file_is_copied_in(served: Served, client: httpx.Client) -> None:
    answer = client.post(
        "/files/upload?name=../../Mine%20<x>.csv", content=b"user,item,rating\n1,2,3\n"
    )
    assert answer.json() == {"location": "/files/Mine-x"}
    file = served.workspace.file("Mine-x")
    assert file.paths == ("files/Mine-x/Mine-x-.csv",)
    assert (served.workspace.folder / file.paths[0]).read_bytes().startswith(b"user")
    again = client.post("/files/upload?name=Mine-x.csv", content=b"user,item,rating\n1,2,3\n")
    assert again.json() == {"location": "/files/Mine-x-2"}


def test_columns_of_a_survey_are_ticked(client: httpx.Client, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(
        "respondent,taxes,roads,income\n" + "".join(f"{n},1,{n % 3},2\n" for n in range(9))
    )
    opened(client, path)
    said = {"read.id_column": "respondent", "ticked.sensitive": ["income", "roads"],
            "ticked.issues": ["taxes", "roads", "income"]}  # fmt: skip
    page = client.post("/files/answers", data=said, follow_redirects=True)
    assert '<strong id="format">survey</strong>' in page.text
    assert "--sensitive income+roads" in page.text
    assert '<input type="checkbox" name="ticked.sensitive" value="income" checked>' in page.text


def test_wrong_options_are_told_and_not_kept(served: Served, client: httpx.Client) -> None:
    served.small()
    page = client.post("/files/small", data={"read.not_rated": "none"})
    assert page.status_code == 422
    assert "is not a number" in page.text
    assert served.workspace.file("small").options == {}


def test_a_preview_of_typed_tables(tmp_path: Path) -> None:
    frame = pl.DataFrame({"user": [1, 2], "item": ["a", None], "rating": [4.0, 5.0]})
    frame.write_parquet(tmp_path / "a.parquet")
    frame.drop_nulls().write_ipc(tmp_path / "a.arrow")
    seen = preview([tmp_path / "a.parquet"], ReadOptions())
    assert (seen.format, seen.columns) == ("parquet", ("user", "item", "rating"))
    assert seen.rows == (("1", "a", "4.0"), ("2", "", "5.0"))
    assert seen.roles == {"user": "user", "item": "item", "rating": "rating"}
    assert preview([tmp_path / "a.arrow"], ReadOptions()).rows == (("1", "a", "4.0"),)


def test_what_is_no_table_has_no_rows(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    seen = preview([folder], ReadOptions())
    assert (seen.rows, seen.format) == ((), "")
    assert seen.problem is not None
