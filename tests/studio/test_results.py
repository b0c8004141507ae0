"""What commands found, on their pages: audits, refusals, lists, and releases of others."""

from __future__ import annotations

import json
from fractions import Fraction
from html import unescape
from pathlib import Path

import httpx
import numpy as np

from recloak.cli import main
from recloak.core.ratings import Ratings
from recloak.io import write
from recloak.releases.lists.folder import save_history
from recloak.releases.lists.history import DatedLists, History
from recloak.releases.lists.related import Lists
from recloak.simulation import synthesize
from recloak.studio.pages._list_entries import list_of_item
from recloak.studio.pages._zip import zipped
from recloak.studio.workspace import DataFile
from tests.studio.conftest import Served


def made_up(served: Served, name: str = "made") -> DataFile:
    """Ratings with times, made up here."""
    path = served.workspace.folder / "files" / f"{name}.csv"
    if not path.exists():
        ratings: Ratings = synthesize("ml-100k", users=60, ratings=1_500, seed=1)
        write(ratings, path)
        served.workspace.save_file(DataFile(name, (f"files/{name}.csv",)))
    return served.workspace.file(name)


def test_a_release_of_another_tool_is_verified_and_refuted(
    served: Served, client: httpx.Client
) -> None:
    made_up(served)
    path = served.workspace.folder / "files" / "made.csv"
    form = {"release": str(path), "claim": "k-anonymity:k=3"}
    job = served.ended(served.started_by(client.post("/check", data=form)).number)
    assert (job.kind, job.state) == ("verify", "refused")
    page = client.get(job.link).text
    assert "Broken" in page
    assert "k-anonymity:" in page


def test_a_refused_publication_shows_why(served: Served, client: httpx.Client) -> None:
    made_up(served)
    policy = 'title = "strict"\n[[require]]\nclaim = "k-anonymity:k=3"\n'
    (served.workspace.folder / "policies" / "strict.toml").write_text(policy)
    form = {"name": "refused", "method": "pseudonymize", "option.policy": "policies/strict.toml"}
    answer = client.post("/files/made/publish", data=form)
    job = served.ended(served.started_by(answer).number)
    assert job.state == "refused"
    page = client.get(job.link).text
    assert "Nothing was published" in page
    report = client.get(f"{job.link}/report")
    assert "Refused" in report.text
    assert "sandbox" in report.headers["content-security-policy"]
    assert not (served.workspace.folder / "releases" / "refused").exists()
    assert "/releases/refused" not in client.get("/releases").text


def test_a_secret_is_kept_under_a_passphrase_that_is_not_recorded(
    served: Served, client: httpx.Client
) -> None:
    made_up(served)
    form = {
        "name": "kept",
        "method": "pseudonymize",
        "option.audited": "yes",
        "option.keep_secret": "yes",
        "option.split_secret": "yes",
        "option.exclude_users": "1\n2",
        "passphrase": "a long word nobody guesses",
    }
    job = served.ended(served.started_by(client.post("/files/made/publish", data=form)).number)
    assert job.state == "done", job.output
    assert (served.workspace.folder / "secrets" / "kept.secret").is_file()
    assert (served.workspace.folder / "wallets" / "kept").is_dir()
    assert job.output["manifest"]["rows"] == 58
    for path in served.workspace.folder.rglob("*"):
        assert not path.is_file() or b"nobody guesses" not in path.read_bytes(), path
    assert client.get("/releases/kept").status_code == 200
    assert "data card" in client.get("/releases/kept/card").text.lower()


def test_a_secret_is_locked_with_a_key_file(
    served: Served, client: httpx.Client, tmp_path: Path
) -> None:
    made_up(served)
    (tmp_path / "key").write_bytes(bytes(range(32)))
    form = {
        "name": "keyed",
        "method": "pseudonymize",
        "option.audited": "yes",
        "option.keep_secret": "yes",
        "lock.key-file": str(tmp_path / "key"),
    }
    job = served.ended(served.started_by(client.post("/files/made/publish", data=form)).number)
    assert job.state == "done", job.output
    sealed = str(served.workspace.folder / "secrets" / "keyed.secret")
    words = ["unseal", sealed, "--key-file", str(tmp_path / "key"), "--quiet"]
    assert main([*words, "--out", str(tmp_path / "opened")]) == 0


def test_time_and_memory_are_estimated_and_nothing_is_written(
    served: Served, client: httpx.Client
) -> None:
    made_up(served)
    form = {"name": "dry", "method": "pseudonymize", "option.audited": "yes", "action": "estimate"}
    job = served.ended(served.started_by(client.post("/files/made/publish", data=form)).number)
    assert (job.kind, job.state) == ("estimate", "done"), job.output
    assert "It will take about" in client.get(job.link).text
    assert not (served.workspace.folder / "releases" / "dry").exists()


def test_lists_of_opened_data_are_replayed_shown_verified_and_attacked(
    served: Served, client: httpx.Client, tmp_path: Path
) -> None:
    path = tmp_path / "shop.csv"
    rated = synthesize("ml-100k", users=60, ratings=1_500, seed=1).to_polars()
    names = {"user": "who", "item": "film", "rating": "stars", "time": "seen on"}
    rated.rename(names).write_csv(path)
    client.post("/files/open", data={"path": str(path)})
    said = {f"role.{role}": column for role, column in names.items()}
    assert client.post("/files/shop", data=said).status_code == 303
    form = {"name": "nights", "history.start": "0.8", "history.gap": "0.1", "parameter.top": "3"}
    answer = client.post("/files/shop/lists", data={**form, "action": "replay"})
    job = served.ended(served.started_by(answer).number)
    assert job.state == "done", job.output
    page = client.get(job.link).text
    assert all(word in page for word in ("Release by release", "delta-bound", "/lists/nights"))
    page = client.get("/lists/nights").text
    assert all(word in page for word in ("Slot 3", "public before", "protected", "new</span>"))
    assert client.get("/lists/nights", params={"item": "none such"}).status_code == 422
    job = served.ended(served.started_by(client.post("/lists/nights/verify")).number)
    assert job.state == "done", job.output
    assert "Holds" in client.get(job.link).text
    published = {**form, "action": "attack", "attack.lists": "nights"}
    job = served.ended(served.started_by(client.post("/files/shop/lists", data=published)).number)
    assert "--lists lists/nights" in job.command
    assert job.state == "done", job.output
    page = unescape(client.get(job.link).text)
    assert all(word in page for word in ("unprotected", "noise, variance 1", "protected by"))


def test_what_is_new_climbed_or_empty_is_marked(tmp_path: Path) -> None:
    labels = np.array(["a", "b", "c", "d"])
    shown = [[[1, 2], [0, 2], [0, 1], [0, 1]], [[2, -1], [0, 2], [0, 1], [0, 1]]]
    releases = tuple(
        DatedLists(str(place), 10 + place, Lists(np.array(slots, np.int32), labels), place > 0)
        for place, slots in enumerate(shown)
    )
    folder = tmp_path / "lists"
    folder.mkdir()
    save_history(History(releases, 2, Fraction(1, 10)), folder)
    view = list_of_item(folder, "")
    assert view["item"] == "a"  # whose list changed most
    before, after = view["rows"]
    assert (before["state"], before["cells"]) == ("public before", [("b", ""), ("c", "")])
    assert (after["state"], after["cells"]) == ("protected", [("c", "climbed"), ("", "empty")])
    assert list_of_item(folder, "b")["rows"][1]["cells"] == [("a", ""), ("c", "")]
    assert list_of_item(folder, "x")["problem"] is not None


def test_own_lists_and_a_policy_go_along(served: Served, client: httpx.Client) -> None:
    made_up(served)
    form = {"name": "l", "replay.lists": "/shop/scores.csv", "replay.policy": "ours"}
    command = client.post("/files/made/lists/command", data=form).text
    assert "--lists /shop/scores.csv --policy policies/ours.toml" in command
    outside = {**form, "replay.lists": "../scores.csv"}
    assert "leads out" in client.post("/files/made/lists/command", data=outside).text


def test_a_release_that_somebody_else_made_is_verified_and_audited(
    served: Served, client: httpx.Client, tmp_path: Path
) -> None:
    """A folder on this machine, which was never in the workspace, with and without the original."""
    made_up(served)
    original = str(served.workspace.folder / "files" / "made.csv")
    theirs = str(tmp_path / "theirs")
    words = ["publish", original, "--method", "microaggregation", "--k", "3", "--no-audit"]
    assert main([*words, "--out", theirs, "--quiet"]) == 0
    job = served.ended(served.started_by(client.post("/check", data={"release": theirs})).number)
    assert (job.kind, job.state) == ("verify", "done"), job.output
    page = client.get(job.link).text
    assert "Holds" in page
    assert "k-anonymity:" in page
    archive = tmp_path / "sent.zip"
    archive.write_bytes(b"".join(zipped(Path(theirs))))
    form = {"release": str(archive), "original": "made"}
    shown = client.post("/check/command", data=form).text
    job = served.ended(served.started_by(client.post("/check", data=form)).number)
    assert job.command.split(" --report")[0] in unescape(shown)
    assert (job.kind, job.state) == ("audit", "done"), job.output
    assert "The policy, line by line" in client.get(job.link).text
    assert "Audit of" in client.get(f"{job.link}/report").text
    assert client.post("/check", data={"release": str(tmp_path / "none")}).status_code == 303
    archive.write_bytes(b"PK")
    answer = client.post("/check", data=form)
    assert (answer.status_code, "the zip cannot be read" in answer.text) == (422, True)


def test_a_signature_is_of_what_was_signed(served: Served, client: httpx.Client) -> None:
    assert client.post("/policies", data={"name": "ours"}).status_code == 303
    form = {"signer": "Ada", "comment": "until May"}
    assert client.post("/policies/ours/sign", data=form).status_code == 303
    page = client.get("/policies/ours").text
    assert '<span class="state pass">signed</span> <bdi>Ada</bdi>' in page
    assert "signed by Ada: until May" in client.get("/history").text
    path = served.workspace.folder / "policies" / "ours.toml"
    path.write_text(path.read_text().replace("at_most = 0.65", "at_most = 0.99"))
    assert "changed since" in client.get("/policies/ours").text
    record = json.loads((path.parent / "ours.signatures.json").read_text())
    assert record["signatures"][0]["name"] == "Ada"
    assert client.post("/policies/ours/sign", data={"signer": ""}).status_code == 422


def test_other_limits_are_another_policy(served: Served, client: httpx.Client) -> None:
    client.post("/policies", data={"name": "base"})
    form = {
        "use.0": "yes",
        "limit.0": "0.05",
        "because.0": "we can",
        "title": "Tighter",
        "name": "tight",
    }
    assert client.post("/policies/base/change", data=form).headers["location"] == "/policies/tight"
    path = served.workspace.folder / "policies" / "tight.toml"
    assert "at_most = 0.05" in path.read_text()
    assert main(["policy", "check", str(path)]) == 0
    assert client.post("/policies/base/change", data={}).status_code == 422
    wrong = {"use.0": "yes", "limit.0": "much"}
    assert client.post("/policies/base/change", data=wrong).status_code == 422


def test_an_empty_or_wrong_grid_is_refused(served: Served, client: httpx.Client) -> None:
    made_up(served)
    assert client.post("/files/made/compare", data={"name": "c"}).status_code == 422
    wrong = {"name": "c", "method": "1", "values.1.sigma": "much"}
    answer = client.post("/files/made/compare", data=wrong)
    assert answer.status_code == 422
    assert "sigma" in answer.text
    assert served.workspace.names("comparisons") == []
