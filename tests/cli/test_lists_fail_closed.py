"""`recloak lists` refuses what would break its promise unseen: lost stores, cut exports."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recloak.cli.main import main
from recloak.core.errors import MachineError
from recloak.core.ratings import Ratings
from recloak.io import write
from recloak.lists.protection.constructive import Constructive
from recloak.lists.store import safeguards
from recloak.releases.lists.history import ProtectionChanges
from recloak.releases.lists.related import EMPTY, Slots
from tests.lists.store.shop import Shop

SETTINGS = ("--delta", "0.3", "--window", "3", "--top", "3")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four nights as files; none is published yet."""
    monkeypatch.chdir(tmp_path)
    shop = Shop(31)
    for night in range(4):
        shop.new(12)
        write(shop.ratings(), tmp_path / f"night{night}.csv")
    return tmp_path


def release(night: int | str, *more: str) -> int:
    file = f"night{night}.csv" if isinstance(night, int) else night
    return main(["lists", "release", file, *SETTINGS, *more])


def history(capsys: pytest.CaptureFixture[str], *more: str) -> list[dict[str, object]]:
    capsys.readouterr()
    assert main(["lists", "history", "--json", *more]) == 0
    return json.loads(capsys.readouterr().out)["releases"]  # type: ignore[no-any-return]


def test_a_store_that_is_not_there_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert release(0) == 2
    assert "--new" in capsys.readouterr().err
    assert not (here / "lists.db").exists()
    assert release(0, "--new") == 0
    (here / "lists.db").rename(here / "elsewhere.db")
    assert release(1) == 2
    assert not (here / "lists.db").exists()


def test_a_store_with_releases_takes_no_first_one(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert release(0, "--new") == 0
    assert release(1, "--new") == 2
    assert "holds 1 release" in capsys.readouterr().err
    assert len(history(capsys)) == 1


def test_a_store_that_was_emptied_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert release(0, "--new") == 0
    with closing(sqlite3.connect(here / "lists.db")) as raw:
        raw.executescript("DELETE FROM recloak_lists; DELETE FROM recloak_releases;")
    assert release(1) == 2
    assert "--new" in capsys.readouterr().err


def test_lists_that_were_public_need_a_new_store_too(here: Path) -> None:
    (here / "own.csv").write_text("item,related,score\n1,2,0.5\n")
    assert main(["lists", "import", "own.csv"]) == 2
    assert main(["lists", "import", "own.csv", "--new"]) == 0
    assert release(0) == 0


def test_a_digest_that_was_noted_must_be_in_the_chain(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert release(0, "--new") == 0
    noted = str(history(capsys)[0]["digest"])
    assert release(1, "--known", noted) == 0
    (here / "lists.db").unlink()
    assert release(1, "--new") == 0
    assert release(2, "--known", noted) == 2
    assert "noted" in capsys.readouterr().err


def test_an_anchor_outside_finds_an_older_copy(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    anchor = ("--anchor", "anchor.txt")
    assert release(0, "--new", *anchor) == 0
    copy = (here / "lists.db").read_bytes()
    assert release(1, *anchor) == 0
    assert (here / "anchor.txt").read_text().strip() == history(capsys)[1]["digest"]
    (here / "lists.db").write_bytes(copy)
    assert release(2, *anchor) == 2
    assert "noted" in capsys.readouterr().err
    assert len(history(capsys)) == 1
    assert release(2, "--anchor", "none.txt") == 2


def test_an_anchor_that_could_not_be_written_is_refused_before_anything_is_published(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert release(0, "--new", "--anchor", "nowhere/last.txt") == 2
    assert "--anchor nowhere/last.txt" in capsys.readouterr().err
    assert not (here / "lists.db").exists()


def test_what_fails_once_a_release_is_in_force_is_told_apart(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every other failure leaves the last release in force."""
    anchor = ("--anchor", "last.txt")
    assert release(0, "--new", *anchor) == 0
    with monkeypatch.context() as full:
        full.setattr(safeguards, "write_whole", disk_is_full)
        assert release(1, *anchor) == 4
    assert "release 001 is in force, but" in capsys.readouterr().err
    assert release(1, *anchor) == 0
    assert (here / "last.txt").read_text().strip() == history(capsys)[1]["digest"]


def disk_is_full(*given: object, **more: object) -> None:
    raise MachineError("the disk is full")


def test_a_store_without_releases_does_not_verify(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may have been emptied, and whoever asks relies on what it holds."""
    assert release(0, "--new") == 0
    with closing(sqlite3.connect(here / "lists.db")) as raw:
        raw.executescript("DELETE FROM recloak_lists; DELETE FROM recloak_releases;")
    assert main(["lists", "verify", "--store", "lists.db"]) == 2
    given = ("--newest", "--original", "night0.csv")
    assert main(["lists", "verify", "--store", "lists.db", *given]) == 2
    assert "holds no lists" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("gone", "cut"),
    [
        ("ratings", lambda user, item: (user, item)),
        ("people who rated", lambda user, item: (user % 34, item)),
        ("items", lambda user, item: (user, item % 12)),
    ],
)
def test_an_export_that_was_cut_is_refused(
    gone: str,
    cut: Callable[[int, int], tuple[int, int]],
    here: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each of the three alone: people or items are missing, and there are ratings enough."""
    assert release(0, "--new") == 0
    shop = Shop(31)
    shop.new(12)
    n_ratings = len(shop.rated) if gone != "ratings" else round(len(shop.rated) * 0.94)
    pairs = list(shop.rated) + list(product(range(shop.n_users), range(shop.n_items)))
    few = list(dict.fromkeys(cut(*pair) for pair in pairs))[:n_ratings]
    shop.rated = {pair: shop.rated.get(pair, 3) for pair in few}
    write(shop.ratings(), here / "cut.csv")
    assert release("cut.csv") == 2
    printed = capsys.readouterr().err
    assert f"too many {gone} are gone" in printed
    assert "--most-lost 5 %" in printed
    assert release("cut.csv", "--most-lost", "100%") == 0


def test_as_much_as_the_limit_may_be_gone(here: Path) -> None:
    pairs = [f"{user},{item},{1 + (user * item) % 5}" for user in range(40) for item in range(5)]
    for count in (200, 190, 180):
        (here / f"{count}.csv").write_text("\n".join(["user,item,rating", *pairs[-count:]]))
    assert release("200.csv", "--new", "--top", "1") == 0
    assert release("190.csv", "--top", "1") == 0
    assert release("180.csv", "--top", "1") == 2


def test_lists_that_run_empty_are_refused(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert release(0, "--new") == 0
    arrange: Any = Constructive.arrange

    def emptied(*given: Any) -> tuple[Slots, ProtectionChanges]:
        slots, changes = arrange(*given)
        slots[::5] = EMPTY
        return slots, changes

    monkeypatch.setattr(Constructive, "arrange", emptied)
    assert release(1) == 2
    printed = capsys.readouterr().err
    assert "too many filled slots are gone" in printed
    assert "--most-lost 5 %" in printed
    assert len(history(capsys)) == 1
    assert release(1, "--most-lost", "50%") == 0


def test_the_same_night_again_is_the_release_that_is_there(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert release(0, "--new") == 0
    assert release(0, "--new") == 0
    assert release(0) == 0
    first = history(capsys)
    assert len(first) == 1
    assert release(0, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["release"]["digest"] == first[0]["digest"]
    assert document["already_in_force"] is True
    assert release(0, "--delta", "0.2") == 0
    assert len(history(capsys)) == 2


@pytest.mark.parametrize("forged", ["edited", "taken away"])
def test_a_rotation_that_never_happened_is_found(
    forged: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert release(0, "--new") == 0
    for night in (1, 2, 3):
        assert release(night) == 0
    change = {
        "edited": 'UPDATE recloak_lists SET related = \'["2","3",null]\' WHERE number = 0;',
        "taken away": "DELETE FROM recloak_lists WHERE number = 0;",
    }[forged]
    with closing(sqlite3.connect(here / "lists.db")) as raw:
        columns = [row[1] for row in raw.execute("PRAGMA table_info(recloak_rotations)")]
        values = {"number": "0", "rotated_at": "'2026-01-01T00:00:00Z'", "digest": f"'{'0' * 64}'"}
        given = ", ".join(values[name] for name in columns)
        raw.executescript(f"{change} INSERT INTO recloak_rotations VALUES ({given});")
    assert main(["lists", "verify", "--store", "lists.db"]) == 2
    assert "edited" in capsys.readouterr().err


@pytest.mark.parametrize("factor", [1e8, 1e-8, 3e30])
def test_the_unit_of_ratings_does_not_change_lists(
    factor: float, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = Shop(31).ratings()
    users = np.repeat(np.arange(shop.n_users), np.diff(shop.offsets))
    scaled = Ratings.from_columns(users, shop.items, np.asarray(shop.values, np.float64) * factor)
    write(Ratings.from_columns(users, shop.items, shop.values), here / "plain.csv")
    write(scaled, here / "scaled.csv")
    shown = []
    for name in ("plain", "scaled"):
        assert release(f"{name}.csv", "--store", f"{name}.db", "--new", "--delta", "1") == 0
        with closing(sqlite3.connect(here / f"{name}.db")) as raw:
            shown.append(sorted(raw.execute("SELECT item, related FROM recloak_lists")))
    assert shown[0] == shown[1]
    assert any(entry != "[null,null,null]" for _, entry in shown[0])


@pytest.mark.parametrize("flag", ["--window", "--top", "--depth"])
def test_settings_beyond_reason_are_refused_at_once(
    flag: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert release(0, "--new", flag, "1000000000") == 2
    assert flag.strip("-") in capsys.readouterr().err


@pytest.mark.parametrize("slot", ["1.7", "x", "true", "1e300", "-1", "9999999999999999999999"])
def test_a_slot_is_a_whole_number(
    slot: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "own.csv").write_text(f"item,related,slot\n1,2,1\n1,3,{slot}\n")
    assert main(["lists", "import", "own.csv", "--new"]) == 2
    assert "slot" in capsys.readouterr().err
    assert not (here / "lists.db").exists()


def test_lists_are_imported_first_only_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "own.csv").write_text("item,related,slot\n1,2,1\n")
    assert main(["lists", "import", "own.csv", "--new"]) == 0
    assert main(["lists", "import", "own.csv", "--new"]) == 2
    assert "holds 1 release" in capsys.readouterr().err
