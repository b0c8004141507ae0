"""`recloak lists` with a store, as a user types it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest

from recloak.cli.main import main
from recloak.io import write
from tests.lists.service.conftest import until
from tests.lists.store.shop import Shop
from tests.support.databases import PATIENCE_SECONDS

SETTINGS = ("--delta", "0.3", "--window", "3", "--top", "3")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three nights as files, of which two are published."""
    monkeypatch.chdir(tmp_path)
    shop = Shop(31)
    for night in range(3):
        shop.new(12)
        write(shop.ratings(), tmp_path / f"night{night}.csv")
    assert release("night0.csv", "--quiet", "--new") == 0
    assert release("night1.csv", "--quiet") == 0
    return tmp_path


def release(file: str, *more: str) -> int:
    return main(["lists", "release", file, *SETTINGS, *more])


def printed_json(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


def test_the_nightly_step(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release("night2.csv", "--json") == 0
    published = printed_json(capsys)
    assert published["release"]["number"] == 2  # type: ignore[index]
    assert published["verdict"]["status"] == "holds"  # type: ignore[index]
    assert "ratings_digest" not in published["release"]  # type: ignore[operator]
    assert published["release"]["recall"] == 1 - published["release"]["suppressed"] / 42  # type: ignore[index]
    assert release("night2.csv", "--forget", "--top", "2") == 0
    printed = capsys.readouterr().out
    assert "release 003 is in force" in printed
    assert "of the entries of the unprotected lists are shown" in printed


PURCHASES = ("--from", "table:sales", "--since", "id", *SETTINGS)


def sell_last_night() -> None:
    """The ratings of the last night, as purchases in the store's own database."""
    with closing(sqlite3.connect("lists.db")) as raw, raw:
        raw.execute("CREATE TABLE sales (who, what, stars, id INTEGER PRIMARY KEY)")
        rows = [line.split(",")[:3] for line in Path("night1.csv").read_text().split()[1:]]
        raw.executemany("INSERT INTO sales (who, what, stars) VALUES (?, ?, ?)", rows)


def test_purchases_that_were_erased_stay_so(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A night that reads everything notices them; the next may not go on from what it had."""
    sell_last_night()
    assert main(["lists", "release", *PURCHASES]) == 0
    with closing(sqlite3.connect("lists.db")) as raw, raw:
        raw.execute("DELETE FROM sales WHERE id = 7")
    assert main(["lists", "release", *PURCHASES, "--forget"]) == 0
    capsys.readouterr()
    assert main(["lists", "release", *PURCHASES, "--json"]) == 0
    assert printed_json(capsys)["already_in_force"] is True


def test_purchases_are_read_anew_when_the_key_was_lost(here: Path) -> None:
    """What was kept of the nights before is encrypted with the key that is gone."""
    sell_last_night()
    assert main(["lists", "release", *PURCHASES]) == 0
    Path("lists.db.key").unlink()
    assert main(["lists", "release", *PURCHASES]) == 2
    assert main(["lists", "release", *PURCHASES, "--new-key"]) == 0
    assert main(["lists", "release", *PURCHASES]) == 0


def test_show_and_history(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lists", "show", "1", "--json"]) == 0
    shown = printed_json(capsys)
    assert len(shown["related"]) == 3  # type: ignore[arg-type]
    assert shown["release"]["number"] == 1  # type: ignore[index]
    assert main(["lists", "show", "1", "--release", "0"]) == 0
    assert "release 000" in capsys.readouterr().out
    assert main(["lists", "history", "--json"]) == 0
    releases: list[dict[str, float]] = printed_json(capsys)["releases"]  # type: ignore[assignment]
    assert [one["number"] for one in releases] == [0, 1]
    assert all(one["recall"] == 1 - one["suppressed"] / 42 for one in releases)
    assert main(["lists", "history"]) == 0
    printed = capsys.readouterr().out
    assert "recall" in printed
    assert "last digest: " in printed


def test_verify_a_store(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verify = ["lists", "verify", "--store", "lists.db"]
    assert main(verify) == 0
    seen = capsys.readouterr()
    assert "is as it was written" in seen.out
    assert "not checked without --original" in seen.err
    assert main([*verify, "--original", "night1.csv"]) == 3
    assert main([*verify, "--original", "night1.csv", "--newest"]) == 0
    assert main([*verify, "--original", "night0.csv", "--newest"]) == 3
    assert main([*verify, "--original", "night0.csv", "--original", "night1.csv", "--quiet"]) == 0
    capsys.readouterr()
    assert main([*verify, "--known", "0" * 64]) == 2
    assert "noted" in capsys.readouterr().err


def test_verify_takes_the_store_from_the_environment(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A URL may hold a password, which everybody sees on a command line."""
    monkeypatch.setenv("RECLOAK_STORE", str(here / "lists.db"))
    assert main(["lists", "verify", "--newest", "--original", "night1.csv"]) == 0
    assert "the chain of 2 releases" in capsys.readouterr().out
    assert main(["lists", "verify", "none"]) == 2, "a folder that is named comes first"
    assert "none" in capsys.readouterr().err


def test_keys_from_the_environment(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable that is empty by mistake does not open the service to everybody."""
    started: list[Any] = []
    monkeypatch.setattr(
        "recloak.lists.service.serving.serve", lambda *given: started.append(given[2])
    )
    words = ["lists", "serve", "--store", "lists.db", "--port", "0"]
    for value, exit_code in (("sesame other\n", 0), (" \n", 2), ("", 2)):
        monkeypatch.setenv("RECLOAK_API_KEYS", value)
        assert main(words) == exit_code
    assert "RECLOAK_API_KEYS: holds no key" in capsys.readouterr().err
    monkeypatch.delenv("RECLOAK_API_KEYS")
    assert main(words) == 0
    assert [one.keys for one in started] == [{"sesame", "other"}, set()]


def test_own_and_public_lists_from_files(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "own.csv").write_text("item,related,score\n1,2,0.5\n1,3,0.75\n2,1,0.1\n")
    new = ("--store", "new.db")
    assert main(["lists", "import", "own.csv", *new, "--new"]) == 0
    assert "release 000 was public: 2 lists" in capsys.readouterr().out
    assert main(["lists", "show", "1", *new, "--json"]) == 0
    assert printed_json(capsys)["related"] == ["3", "2"]
    assert release("night0.csv", "--lists", "own.csv", *new, "--json") == 0
    published = printed_json(capsys)
    assert published["release"]["similarity"] == "own"  # type: ignore[index]
    assert published["verdict"]["status"] == "holds"  # type: ignore[index]
    assert main(["lists", "history", *new]) == 0
    assert "– (public before)" in capsys.readouterr().out
    assert main(["lists", "import", "own.csv", *new]) == 2
    assert "protected releases already" in capsys.readouterr().err


def test_rotate(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lists", "rotate", "--keep", "2"]) == 2
    assert "at least the window, 3" in capsys.readouterr().err
    assert release("night2.csv", "--quiet") == 0
    assert release("night2.csv", "--quiet", "--delta", "0.4") == 0
    assert main(["lists", "rotate", "--keep", "3"]) == 0
    assert "of 1 releases were removed" in capsys.readouterr().out
    assert main(["lists", "show", "1", "--release", "0"]) == 2
    assert "removed by 'recloak lists rotate'" in capsys.readouterr().err
    assert main(["lists", "verify", "--store", "lists.db", "--quiet"]) == 0


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (["release"], "FILE is missing"),
        (["release", "night0.csv", "--store", "mysql://x/y"], "not a database that recloak"),
        (["release", "night0.csv", "--delta", "0"], "'delta'"),
        (["release", "night0.csv", "--new-raters-only"], "unrecognized"),
        (["release", "none.csv"], "none.csv"),
        (["release", "night0.csv", "--lists", "none.csv"], "no such file"),
        (["release", "night0.csv", "--since", "id"], "--since: is for purchases"),
        (["release", "night0.csv", "--merge", "count"], "--merge: is for purchases"),
        (["verify", "some", "--newest"], "is of a store"),
        (["verify", "--store", "lists.db", "--known", "0" * 64, "--anchor", "a"], "either"),
        (["release", "night0.csv", "--lists", "night0.csv"], "has no column"),
        (["import"], "FILE is missing"),
        (["import", "night0.csv", "--store", "new.db", "--new"], "has no column"),
        (["release", "night0.csv", "--most-lost", "much"], "must be a share"),
        (
            ["release", "night0.csv", "--known", "a" * 64, "--anchor", "b"],
            "either --known or --anchor",
        ),
        (["release", "night0.csv", "--known", "abc"], "is not the digest of a release"),
        (["verify", "--store", "lists.db", "--known", "abc"], "is not the digest of a release"),
        (["serve", "--workers", "0"], "at least 1"),
        (["serve", "--api-keys", "none.txt"], "cannot be read"),
        (["serve", "--categories", "night0.csv"], "has no column"),
        (["show"], "ITEM is missing"),
        (["show", "999"], "no item called '999'"),
        (["show", "1", "--release", "7"], "no release 7"),
        (["show", "1", "--store", "none.db"], "no such store"),
        (["history", "--store", "none.db"], "no such store"),
        (["verify", "lists", "--store", "lists.db"], "either DIR or --store"),
        (["serve", "--store", "none.db"], "no such store"),
        (["serve", "--every", "0"], "at least"),
        (["serve", "--every", "nan"], "at least"),
        (["serve", "--port", "99999"], "at most 65,535"),
        (["release", "night0.csv", "--wait", "nan"], "at least 0"),
        (["release", "night0.csv", "--store", ":memory:"], "names no file"),
    ],
)
def test_words_that_make_no_sense(
    words: list[str], printed: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lists", *words]) == 2
    complaint = capsys.readouterr().err
    assert printed in complaint
    assert "Traceback" not in complaint


@pytest.mark.parametrize("extra", ["sqlalchemy", "uvicorn"])
def test_a_missing_extra_says_how_to_install_it(
    extra: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # what is loaded anew here is forgotten again, or later tests would patch another module
    monkeypatch.setattr("recloak.lists.service", import_module("recloak.lists.service"))
    for name in [one for one in sys.modules if one.startswith("recloak.lists.service")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, extra, None)
    assert main(["lists", "serve"]) == 2
    wanted = {"sqlalchemy": "recloak[store]", "uvicorn": "recloak[service]"}[extra]
    assert f"pip install '{wanted}'" in capsys.readouterr().err


def test_the_service_as_a_process(here: Path) -> None:
    words = ["-m", "recloak", "lists", "serve", "--port", "0", "--json"]
    service = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True)
    try:
        assert service.stdout is not None
        lines = ""
        while "}" not in lines:
            lines += service.stdout.readline()
        base = f"http://127.0.0.1:{json.loads(lines)['port']}"
        with httpx.Client(base_url=base, timeout=PATIENCE_SECONDS) as client:
            until(lambda: client.get("/ready").status_code == 200)
            assert client.get("/items/1/related").json()["release"] == 1
    finally:
        service.terminate()
        assert service.wait(PATIENCE_SECONDS) == 0
