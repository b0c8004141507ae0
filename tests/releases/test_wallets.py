"""Wallets and recombining: what a person's own client holds and can do."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.cli.main import main
from recloak.core.errors import InputError, ParameterError, RecloakError, SecretError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.io import write
from recloak.methods import method
from recloak.publishing.recombine import recombine
from recloak.publishing.run import publish
from recloak.recommenders import RECOMMENDERS
from recloak.releases.base import open_release
from recloak.releases.wallets import FEW, Wallet, wallet_name, wallet_of, wallets, write_wallets
from recloak.testing import from_rows, random_ratings


@pytest.fixture
def made(small: Ratings) -> Any:
    return method("fragmentation", fragments=3).apply(small, Randomness.from_seed(1))


def test_every_row_is_in_one_wallet(small: Ratings, made: Any) -> None:
    held = [row for wallet in wallets(made.secret) for row in wallet.pseudonyms]
    assert sorted(held) == sorted(made.secret.pseudonyms.tolist())
    assert [wallet.user for wallet in wallets(made.secret)] == [str(u) for u in small.user_labels]


def test_a_wallet_survives_the_disk_and_is_private(tmp_path: Path, made: Any) -> None:
    write_wallets(made.secret, tmp_path)
    for wallet in wallets(made.secret):
        path = tmp_path / wallet_name(wallet.user)
        assert Wallet.read(path, release_id=made.secret.release_id) == wallet
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert wallet_of(made.secret, wallets(made.secret)[4].user) == wallets(made.secret)[4]


@given(st.lists(st.text(min_size=1), min_size=2, max_size=2, unique=True))
def test_names_of_people_never_meet_in_a_file_name(names: list[str]) -> None:
    one, two = (wallet_name(name) for name in names)
    assert one != two
    assert "/" not in one
    assert not one.startswith(".")  # hidden files are left behind when wallets are handed out
    assert len(one.encode()) < 255


def test_long_names_differ_too() -> None:
    assert wallet_name("é" * 400 + "a") != wallet_name("é" * 400 + "b")


def test_many_wallets_are_spread_over_folders(tmp_path: Path) -> None:
    people = random_ratings(n_users=FEW + 1, n_items=4, density=0.1)
    secret = method("pseudonymize").apply(people).secret
    assert write_wallets(secret, tmp_path) == FEW + 1
    assert len(list(tmp_path.iterdir())) == 256
    name = wallet_name(str(people.user_labels[7]), many=True)
    assert Wallet.read(tmp_path / name).user == str(people.user_labels[7])


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"format": "other"}', '{"format": "recloak wallet 1"}', "\x00"],
)
def test_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "w").write_text(text)
    with pytest.raises(InputError):
        Wallet.read(tmp_path / "w")
    with pytest.raises(InputError):
        Wallet.read(tmp_path / "none")


@pytest.mark.parametrize(
    "damage",
    [
        {"release_id": 5},
        {"user": {"a": 1}},
        {"pseudonyms": []},
        {"pseudonyms": "abc"},
        {"pseudonyms": [[1], [2, 3]]},
        {"pseudonyms": [None, True, 1.5]},
        {"pseudonyms": [7, 7]},
    ],
)
def test_a_damaged_wallet_is_refused(tmp_path: Path, made: Any, damage: dict[str, Any]) -> None:
    whole = json.loads(wallets(made.secret)[0].to_json())
    (tmp_path / "w").write_text(json.dumps(whole | damage))
    with pytest.raises(InputError, match="is damaged"):
        Wallet.read(tmp_path / "w", release_id=made.secret.release_id)


def test_a_wallet_of_another_release_is_refused(small: Ratings, made: Any) -> None:
    other = method("fragmentation", fragments=3).apply(small, Randomness.from_seed(2))
    with pytest.raises(SecretError, match="belongs to release"):
        recombine(other.release, wallets(made.secret)[0])


def test_the_mean_of_the_rows_predictions_is_shown(small: Ratings, made: Any) -> None:
    wallet = wallets(made.secret)[2]
    found = recombine(made.release, wallet, recommender="neighbours")
    rows = made.release.as_ratings()
    trained = RECOMMENDERS.get("neighbours")().fit(rows)
    codes = np.searchsorted(rows.user_labels, np.array(sorted(wallet.pseudonyms)))
    item = int(np.flatnonzero(rows.item_labels == found.items[0])[0])
    wanted = trained.predict(codes, np.full(len(codes), item)).mean()
    assert found.combined[0] == pytest.approx(wanted)
    assert set(found.items.tolist()).isdisjoint(small.item_labels[small.row(2)[0]].tolist())
    best = found.top(3)
    assert best.combined.tolist() == sorted(found.combined, reverse=True)[:3]


def test_an_unknown_item_is_refused(made: Any) -> None:
    with pytest.raises(InputError, match="no item 'nonsense'"):
        recombine(made.release, wallets(made.secret)[0], ["nonsense"])


def test_published_with_the_release_or_not_at_all(tmp_path: Path, small: Ratings) -> None:
    done = publish(
        small,
        "fragmentation",
        out=tmp_path / "release",
        split_secret=tmp_path / "wallets",
        audited=False,
    )
    assert done.wallets == tmp_path / "wallets"
    assert stat.S_IMODE(done.wallets.stat().st_mode) == 0o700
    assert len(list(done.wallets.iterdir())) == small.n_users
    assert open_release(done.folder).manifest.config["secret"] == "split"
    with pytest.raises(ParameterError, match="exists already"):
        publish(small, "fragmentation", out=tmp_path / "again", split_secret=tmp_path / "wallets")
    assert not (tmp_path / "again").exists()
    with pytest.raises(ParameterError, match="inside the release"):
        publish(small, "fragmentation", out=tmp_path / "r", split_secret=tmp_path / "r" / "w")
    with pytest.raises(ParameterError, match="names no folder"):  # an unset variable of a shell
        publish(small, "fragmentation", out=tmp_path / "r", split_secret="", audited=False)
    assert not (tmp_path / "r").exists()


def test_wallets_of_a_publication_that_fails_are_not_left(
    tmp_path: Path, small: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise RecloakError("no")

    monkeypatch.setattr("recloak.publishing._appearing.move_into_place", failing)
    with pytest.raises(RecloakError):
        publish(
            small,
            "fragmentation",
            out=tmp_path / "release",
            split_secret=tmp_path / "wallets",
            audited=False,
        )
    assert list(tmp_path.iterdir()) == []


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(random_ratings(n_users=30), tmp_path / "r.csv")
    (tmp_path / "key").write_bytes(bytes(range(32)))
    words = ["publish", str(tmp_path / "r.csv"), "--method", "fragmentation", "--fragments", "2"]
    words += ["--out", str(tmp_path / "release"), "--split-secret", str(tmp_path / "wallets")]
    words += ["--keep-secret", str(tmp_path / "secret"), "--key-file", str(tmp_path / "key")]
    assert main([*words, "--no-audit"]) == 0
    assert "wallets" in capsys.readouterr().out
    release, wallet = str(tmp_path / "release"), str(tmp_path / "wallets" / "105.json")
    assert main(["recombine", release, "--wallet", wallet, "--json"]) == 0
    by_wallet = json.loads(capsys.readouterr().out)
    secret = ["--secret", str(tmp_path / "secret"), "--key-file", str(tmp_path / "key")]
    assert main(["recombine", release, *secret, "--user", "105", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == by_wallet
    assert len(by_wallet["predictions"]) == 10
    assert main(["recombine", release, "--wallet", wallet, "--item", "3"]) == 0
    assert "combined" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "either --wallet"),
        (["--wallet", "w", "--secret", "s"], "either --wallet"),
        (["--secret", "s"], "Give --user"),
        (["--wallet", "w", "--top", "0"], "at least 1"),
    ],
)
def test_bad_usage_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    publish(from_rows({"a": {"x": 1}}), "fragmentation", out=tmp_path / "r", audited=False)
    assert main(["recombine", str(tmp_path / "r"), *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("one", "two"), [("A", "a"), ("Ann", "ANN"), ("é", "É"), ("con", "CON")])
def test_names_differ_where_capitals_do_not_count(one: str, two: str) -> None:
    names = {wallet_name(one).lower(), wallet_name(two).lower()}
    assert len(names) == 2
    assert "con.json" not in names
