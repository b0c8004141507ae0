"""DuckDB: tables and queries as ratings, and the tables of a release written into a database."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import recloak
from recloak.cli.main import main
from recloak.core.errors import ClaimError, InputError, MachineError, ParameterError
from recloak.io import write
from recloak.publishing import _appearing, _publication
from recloak.testing import random_ratings

RATINGS = random_ratings(n_users=40, n_items=30, density=0.3, times=True)
SURVEY = pl.DataFrame({"respondent": range(8), "taxes": [1, 2] * 4, "roads": [3, 3, 1, 1] * 2})


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    votes, survey = RATINGS.to_polars(), SURVEY
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE votes AS FROM votes")
        connection.execute("CREATE SCHEMA polls; CREATE TABLE polls.survey AS FROM survey")
        connection.execute("""CREATE TABLE "odd "" name" AS FROM votes""")
    assert votes.height
    assert survey.height
    return path


def url(database: Path, asked: str = "") -> str:
    return f"duckdb:///{database}{f'?{asked}' if asked else ''}"


@pytest.mark.parametrize(
    "asked", ["table=votes", "table=main.votes", 'table=odd " name', "query=FROM votes;"]
)
def test_a_table_is_read_as_its_frame_is(database: Path, asked: str) -> None:
    assert recloak.read(url(database, asked), scale=RATINGS.scale).equals(RATINGS)


def test_a_query_is_taken_as_it_is_written(database: Path) -> None:
    query = """query=SELECT "user" AS who, item, rating FROM votes
        WHERE rating >= 3 AND 'a%20&b' LIKE '%20&%' ORDER BY time"""
    found = recloak.read(url(database, query), columns="user=who", scale=RATINGS.scale)
    assert found.n_ratings == int((RATINGS.values >= 3).sum())


def test_a_survey_and_relative_paths(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(database.parent)
    found = recloak.read("duckdb:///shop.db?table=polls.survey", format="survey")
    assert (found.n_users, found.n_items) == (8, 2)


def test_a_database_that_this_process_writes_to_can_be_read(database: Path) -> None:
    with duckdb.connect(str(database)):
        assert recloak.read(url(database, "table=votes"), scale=RATINGS.scale).equals(RATINGS)


@pytest.mark.parametrize(
    ("asked", "what", "hint"),
    [
        ("table=vote", "no table 'vote'", "Did you mean 'votes'?"),
        ("", "names no table", 'odd " name, votes, polls.survey'),
        ("query=SELEC 1", "syntax error", ""),
        ("query=SELECT nothing FROM votes", "nothing", ""),
        ("query=DELETE FROM votes", "is DELETE", ""),
        ("query=SELECT 1; DROP TABLE votes", "SELECT and DROP", ""),
        ("query=SELECT 1 AS a, 2 AS A", "same name|no column for the user", ""),
        ("query=SELECT * FROM votes LIMIT 0", "no ratings", ""),
    ],
)
def test_what_cannot_be_read_is_refused(
    database: Path, asked: str, what: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match=what) as caught:
        recloak.read(url(database, asked))
    assert hint in (caught.value.hint or "")
    assert main(["inspect", url(database, asked)]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert recloak.read(url(database, "table=votes")).n_ratings == RATINGS.n_ratings


@pytest.mark.parametrize("text", ["duckdb:shop.db", "duckdb:///", "duckdb:///shop.db?tabel=votes"])
def test_what_is_no_url_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="not the URL of a DuckDB"):
        recloak.read(text)


def test_no_database_and_none_that_is_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such database"):
        recloak.read(url(tmp_path / "absent.db", "table=votes"))
    (tmp_path / "text.db").write_text("user,item\n1,2\n" * 9999)
    with pytest.raises(InputError, match="not a valid DuckDB"):
        recloak.read(url(tmp_path / "text.db", "table=votes"))
    assert not (tmp_path / "absent.db").exists()


def test_another_program_holds_the_database(database: Path) -> None:
    held = (
        f"import duckdb; c = duckdb.connect({str(database)!r}); print('open', flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", held], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(MachineError, match="another program") as caught:
            recloak.read(url(database, "table=votes"))
        other.communicate(b"\n")
    assert caught.value.exit_code == 4


def test_without_the_extra_it_is_said_what_is_missing(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MachineError, match="extra 'duckdb'") as caught:
        recloak.read(url(database, "table=votes"))
    assert "recloak[duckdb]" in (caught.value.hint or "")


def test_files_and_formats_of_files_are_told_apart(database: Path) -> None:
    with pytest.raises(ParameterError, match="one of files"):
        recloak.read(url(database, "table=votes"), format="csv")
    with pytest.raises(InputError, match="not the URL"):
        recloak.read(database, format="duckdb")


def tables(database: Path) -> dict[str, int]:
    """The tables outside of schemas, and how many rows each has."""
    with duckdb.connect(str(database), read_only=True) as connection:
        names = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
        quoted = ['"' + name.replace('"', '""') + '"' for name in names]
        counted = [connection.execute(f"SELECT count(*) FROM {one}").fetchall() for one in quoted]
    return {name: rows[0][0] for name, rows in zip(names, counted, strict=True)}


def publish(out: Path, method: str = "pseudonymize", **more: Any) -> Any:
    return recloak.publish(RATINGS, method, out=out, audited=False, seed=1, **more)


def test_a_release_is_exported_beside_its_folder(tmp_path: Path) -> None:
    target = tmp_path / "out.db"
    done = publish(tmp_path / "release", export=url(target, "table=released"))
    assert tables(target) == {"released": RATINGS.n_ratings}
    assert recloak.read(url(target, "table=released")).equals(
        recloak.read(tmp_path / "release" / "ratings.parquet")
    )
    assert done.folder.is_dir()
    assert f"exported: {url(target, 'table=released')}" in repr(done)
    assert url(target, "table=released") in done._repr_html_()


def test_the_screen_says_where_tables_were_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(RATINGS, tmp_path / "ratings.csv")
    target = url(tmp_path / "out.db", "table=released")
    words = [str(tmp_path / "ratings.csv"), "--method", "pseudonymize", "--no-audit"]
    assert main(["publish", *words, "--out", str(tmp_path / "release"), "--export", target]) == 0
    assert f"exported {target}" in capsys.readouterr().out


def test_further_tables_come_along(tmp_path: Path) -> None:
    target = tmp_path / "out.db"
    publish(tmp_path / "release", "microaggregation", k=4, export=url(target, "table=released"))
    names = set(tables(target))
    files = {path.stem for path in (tmp_path / "release").glob("*.parquet")}
    assert len(files) > 1
    assert len(names) == len(files)
    assert all(name == "released" or name.startswith("released_") for name in names)


def test_a_table_that_is_there_stays_as_it_is(database: Path, tmp_path: Path) -> None:
    before = tables(database)
    with pytest.raises(ParameterError, match="has a table 'votes' already"):
        publish(tmp_path / "release", export=url(database, "table=votes"))
    assert tables(database) == before
    assert not (tmp_path / "release").exists()


def test_nothing_is_exported_of_what_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise ClaimError("broken")

    target = tmp_path / "out.db"
    with monkeypatch.context() as patched:
        patched.setattr(_publication, "refuse_broken", refused)
        with pytest.raises(ClaimError):
            publish(tmp_path / "release", export=url(target, "table=released"))
    assert not target.exists()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_appearing, "move_into_place", full)
    with pytest.raises(OSError, match="No space"):
        publish(tmp_path / "release", export=url(target, "table=released"))
    assert not target.exists()


@pytest.mark.parametrize("asked", ["", "query=SELECT 1"])
def test_an_export_needs_a_table(tmp_path: Path, asked: str) -> None:
    with pytest.raises(ParameterError, match="names no table"):
        publish(tmp_path / "release", export=url(tmp_path / "out.db", asked))
