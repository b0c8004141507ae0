"""recloak extend and audit --previous, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from recloak.cli.main import main
from recloak.io import write
from recloak.releases.base import open_release
from recloak.releases.secret import Lock, open_secret
from recloak.testing import random_ratings

KEPT = ("--keep-secret", "s1", "--key-file", "key")
NEXT = ("--secret", "s1", "--key-file", "key", "--out", "r2", "--no-audit", "--at-least", "1")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    whole = random_ratings(60, 40, 0.4, seed=4)
    late = np.random.default_rng(8).random(len(whole)) < 0.1
    write(whole.keep(~late).compact(), tmp_path / "old.csv")
    write(whole.keep(late).compact(), tmp_path / "new.csv")
    write(whole, tmp_path / "all.csv")
    (tmp_path / "key").write_bytes(bytes(range(32)))
    return tmp_path


def publish(*more: str) -> int:
    words = ["publish", "old.csv", "--method", "fragmentation", "--fragments", "3"]
    return main([*words, "--target-support", "12", "--out", "r1", "--no-audit", *more])


def test_a_release_grows_and_its_ratings_wait(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert publish(*KEPT) == 0
    capsys.readouterr()
    assert main(["extend", "r1", "new.csv", *NEXT, "--keep-secret", "s2", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["manifest"]["config"]["extends"]["rows_per_person"] == 1
    assert result["secret"] == "s2"
    waiting = open_secret("s2", Lock.key_file("key")).waiting
    assert waiting is not None
    grown = open_release("r2").manifest.ratings - open_release("r1").manifest.ratings
    assert grown + waiting.height == len((here / "new.csv").read_text().splitlines()) - 1
    assert main(["verify", "r2"]) == 0


def test_wallets_and_a_config_file(here: Path) -> None:
    assert publish("--split-secret", "wallets") == 0
    (here / "job.toml").write_text(
        '[extend]\nrelease = "r1"\nfile = "new.csv"\nout = "r2"\nwallets = "wallets"\n'
        'rows-per-person = 0\nno-audit = true\nsplit-secret = "w2"\n'
    )
    assert main(["extend", "--config", "job.toml"]) == 0
    assert (here / "w2").is_dir()


BAD = {
    "empty": ("", "empty"),
    "off the scale": ("user,item,rating\n100,1,9\n", "not on the scale 1..5"),
    "unknown columns": ("alpha,beta,gamma\nx,y,z\n", "column"),
    "no ratings": ("user,item\n100,40\n", "has no column of ratings"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_new_ratings_that_do_not_fit_are_refused(
    here: Path, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    assert publish(*KEPT) == 0
    (here / "bad.csv").write_text(content)
    there = sorted(path.name for path in here.iterdir())
    assert main(["extend", "r1", "bad.csv", *NEXT, "--keep-secret", "s2"]) == 2
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in here.iterdir()) == there


def test_secrets_that_do_not_fit_are_refused(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert publish() == 0
    assert main(["extend", "r1", "new.csv", *NEXT[4:]]) == 2
    assert "its secret was destroyed" in capsys.readouterr().err
    words = ["publish", "old.csv", "--method", "pseudonymize", "--no-audit", *KEPT]
    assert main([*words, "--out", "other"]) == 0
    assert main(["extend", "r1", "new.csv", *NEXT]) == 2
    assert "belongs to release" in capsys.readouterr().err
    assert main(["extend", "other", "new.csv", *NEXT]) == 2
    assert "only releases made by fragmentation" in capsys.readouterr().err
    assert main(["extend", "r1", "new.csv", *NEXT, "--wallets", "w"]) == 2
    assert "either --secret or --wallets" in capsys.readouterr().err


def test_a_kept_secret_must_be_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert publish(*KEPT) == 0
    assert main(["extend", "r1", "new.csv", *NEXT[4:]]) == 2
    assert "Give --secret FILE" in capsys.readouterr().err


def test_two_releases_are_audited_together(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["publish", "all.csv", "--method", "gaussian-noise", "--no-audit", "--key-file", "key"]
    for name in ("a", "b"):
        assert main([*words, "--out", name, "--keep-secret", f"{name}.secret"]) == 0
    (here / "line.toml").write_text(
        '[[require]]\nattack = "release-difference"\nfigure = "linked"\nat_most = 0.2\n'
    )
    known = ["--secret", "b.secret", "--key-file", "key"]
    before = ["--previous", "a", "--previous-secret", "a.secret", "--report", "both.html"]
    judged = ["--policy", "line.toml", "--verbose"]
    assert main(["audit", "all.csv", "b", *known, *before, *judged]) == 3
    shown = capsys.readouterr().out
    assert "release-difference" in shown
    assert "linked 100.0%" in shown
    assert "recognises the rows of" in (here / "both.html").read_text()
    assert main(["audit", "all.csv", "b", *known, "--previous-secret", "a.secret"]) == 2
    assert "Give --previous too" in capsys.readouterr().err
