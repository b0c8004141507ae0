from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recloak
from recloak.core.errors import (
    Cancelled,
    ClaimError,
    InputError,
    MachineError,
    ParameterError,
    PolicyError,
)
from recloak.core.files import digest_of
from recloak.core.ratings import Ratings
from recloak.publishing import _appearing as appearing
from recloak.publishing.run import publish
from recloak.releases.base import open_release
from recloak.releases.manifest import Manifest
from recloak.releases.ratings import RatingsRelease
from recloak.releases.secret import Lock, open_secret
from recloak.testing import Stopper, random_ratings
from tests.support.plugins import Boastful, Numbered

PHRASE = Lock.passphrase("a long enough phrase")


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_leaves_a_release_and_a_report_beside_it(tmp_path: Path, small: Ratings) -> None:
    published = publish(small, "gaussian-noise", out=tmp_path / "release", sigma=0.5)
    assert left(tmp_path) == ["release", "release-report.html", "release-report.json"]
    assert open_release(tmp_path / "release").as_ratings().equals(published.release.as_ratings())
    report = json.loads((tmp_path / "release-report.json").read_text())
    assert report["release"]["parameters"]["sigma"] == 0.5
    assert "secret: destroyed" in repr(published)
    assert stat.S_IMODE((tmp_path / "release").stat().st_mode) == 0o755


def test_the_folder_holds_no_name_seed_or_path(tmp_path: Path) -> None:
    names = [f"person-{at:04d}" for at in range(40)]
    people = Ratings.from_columns(
        [n for n in names for _ in range(3)], list(range(3)) * 40, [3] * 120
    )
    publish(people, "pseudonymize", out=tmp_path / "r", seed=987654321, audited=False)
    for file in (tmp_path / "r").iterdir():
        content = file.read_bytes()
        for secret in (b"person-", b"987654321", str(tmp_path).encode()):
            assert secret not in content


def test_the_same_seed_gives_the_same_bytes_and_none_does_not(
    tmp_path: Path, small: Ratings
) -> None:
    for name, seed in (("a", 7), ("b", 7), ("c", None), ("d", None)):
        publish(small, "uniform-noise", out=tmp_path / name, seed=seed, audited=False)
    digests = {name: digest_of(tmp_path / name / "ratings.parquet") for name in "abcd"}
    assert digests["a"] == digests["b"]
    assert len({digests["a"], digests["c"], digests["d"]}) == 3
    assert (tmp_path / "a" / "manifest.json").read_bytes() == (
        tmp_path / "b" / "manifest.json"
    ).read_bytes()
    assert open_release(tmp_path / "a").manifest.reproducible
    assert not open_release(tmp_path / "c").manifest.reproducible


def test_a_broken_claim_publishes_nothing(tmp_path: Path, small: Ratings) -> None:
    with pytest.raises(ClaimError, match="k-anonymity:k=5") as caught:
        publish(small, Boastful(), out=tmp_path / "r")
    assert caught.value.exit_code == 3
    assert "Witness: row" in str(caught.value)
    assert left(tmp_path) == []


def test_a_method_that_leaves_a_trace_publishes_nothing(tmp_path: Path, small: Ratings) -> None:
    with pytest.raises(ClaimError, match="no trace in the row ids"):
        publish(small, Numbered(), out=tmp_path / "r", audited=False)
    assert left(tmp_path) == []


def test_claims_are_checked_on_what_is_on_the_disk(
    tmp_path: Path, small: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that spoils a value is found out although the release in memory is right."""

    def lossy(release: RatingsRelease, folder: Path, table_format: str) -> Manifest:
        spoilt = release.ratings.with_values(6 - release.ratings.values)
        return save(RatingsRelease(release.manifest, spoilt), folder, table_format)

    save = appearing.save_release
    monkeypatch.setattr(appearing, "save_release", lossy)
    with pytest.raises(MachineError, match="differs from what was written"):
        publish(small, "pseudonymize", out=tmp_path / "r")
    assert left(tmp_path) == []


def test_a_failing_policy_publishes_nothing_and_names_the_line(
    tmp_path: Path, small: Ratings
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[require]]\nattack = "record-linkage"\nfigure = "success"\nat_most = 0.1\n')
    with pytest.raises(PolicyError, match="knows all ratings: success at most 10%") as caught:
        publish(small, "pseudonymize", out=tmp_path / "r", policy=policy)
    assert caught.value.exit_code == 3
    assert left(tmp_path) == ["policy.toml"]


def test_a_refusal_leaves_the_report_that_was_asked_for(tmp_path: Path, small: Ratings) -> None:
    policy, why = tmp_path / "policy.toml", tmp_path / "why.html"
    policy.write_text('[[require]]\nattack = "record-linkage"\nfigure = "success"\nat_most = 0.1\n')
    with pytest.raises(PolicyError, match=r"The report .*why\.html shows why"):
        publish(small, "pseudonymize", out=tmp_path / "r", policy=policy, report=why)
    assert left(tmp_path) == ["policy.toml", "why.html", "why.json"]
    page, numbers = why.read_text(), json.loads((tmp_path / "why.json").read_text())
    assert "Refused" in page
    assert "this release was never published" in page
    assert numbers["refused"]
    assert numbers["status"] == "fail"


def test_a_refusal_for_want_of_a_measurement_says_so_too(tmp_path: Path, small: Ratings) -> None:
    policy, why = tmp_path / "policy.toml", tmp_path / "why.html"
    policy.write_text('[[require]]\nattack = "survey-linking"\nfigure = "success"\nat_most = 1\n')
    with pytest.raises(PolicyError):
        publish(small, "pseudonymize", out=tmp_path / "r", policy=policy, report=why)
    assert "this release was never published" in why.read_text()


def test_names_like_formulas_are_written_as_they_are_and_said(tmp_path: Path) -> None:
    items = ["=cmd|' /C calc'!A0", "-2+3", "plain", "@x"]
    ratings = Ratings.from_columns([1, 1, 2, 2], items, [1, 2, 3, 4])
    made = publish(ratings, "pseudonymize", out=tmp_path / "r", table_format="csv", audited=False)
    assert any("3 names begin like formulas" in note for note in made.notes)
    assert "import the tables there as text" in (tmp_path / "r" / "README.md").read_text()
    assert set(open_release(tmp_path / "r").as_ratings().item_labels) == set(items)


def test_a_policy_that_passes_publishes(tmp_path: Path, small: Ratings) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[require]]\nattack = "record-linkage"\nfigure = "success"\nat_most = 1\n')
    published = publish(small, "pseudonymize", out=tmp_path / "r", policy=policy)
    assert published.audit is not None
    assert published.audit.enforced
    assert published.audit.status == "pass"


def test_the_secret_is_kept_only_if_asked_for(tmp_path: Path, small: Ratings) -> None:
    published = publish(
        small,
        "pseudonymize",
        out=tmp_path / "r",
        keep_secret=tmp_path / "s",
        lock=PHRASE,
        audited=False,
    )
    secret = open_secret(tmp_path / "s", PHRASE, release_id=published.release.manifest.release_id)
    linkage = secret.linkage(small, published.release.as_ratings())
    assert len(linkage.linked) == small.n_users
    assert left(tmp_path) == ["r", "s"]


def test_a_secret_without_its_release_is_not_left(
    tmp_path: Path, small: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(staged: Path, final: Path, *, synced: bool) -> None:
        raise MachineError("the disk is full")

    monkeypatch.setattr(appearing, "move_into_place", fail)
    with pytest.raises(MachineError):
        publish(small, "pseudonymize", out=tmp_path / "r", keep_secret=tmp_path / "s", lock=PHRASE)
    assert left(tmp_path) == []


def test_who_opted_out_is_left_out(tmp_path: Path, small: Ratings) -> None:
    gone = small.user_labels[:7].tolist()
    published = publish(
        small, "pseudonymize", out=tmp_path / "r", exclude_users=gone, audited=False
    )
    assert published.release.manifest.rows == small.n_users - 7
    with pytest.raises(InputError, match="not in the data"):
        publish(small, "pseudonymize", out=tmp_path / "q", exclude_users=["nobody"])


@pytest.mark.parametrize("existing", ["r", "r-report.html", "r-report.json", "s"])
def test_nothing_existing_is_touched(tmp_path: Path, small: Ratings, existing: str) -> None:
    (tmp_path / existing).write_text("precious")
    with pytest.raises(ParameterError, match="never overwritten"):
        publish(small, "pseudonymize", out=tmp_path / "r", keep_secret=tmp_path / "s", lock=PHRASE)
    assert left(tmp_path) == [existing]
    assert (tmp_path / existing).read_text() == "precious"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"table_format": "xlsx"}, "parquet or csv"),
        ({"keep_secret": "s"}, "passphrase"),
        ({"policy": recloak.Policy.default(), "audited": False}, "without an audit"),
        ({"sgima": 1}, "Did you mean 'sigma'"),
        ({"sigma": -1}, "greater than 0"),
    ],
)
def test_bad_wishes_are_refused_before_anything(
    tmp_path: Path, small: Ratings, wrong: dict, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        publish(small, "gaussian-noise", out=tmp_path / "r", **wrong)
    assert left(tmp_path) == []


def test_neither_secret_nor_report_can_stand_inside_the_release(
    tmp_path: Path, small: Ratings
) -> None:
    out = tmp_path / "r"
    with pytest.raises(ParameterError, match="inside the release"):
        publish(small, "pseudonymize", out=out, keep_secret=out / "s", lock=PHRASE)
    with pytest.raises(ParameterError, match="inside the release"):
        publish(small, "pseudonymize", out=out, report=out / "report.html")


def test_stopping_leaves_nothing(tmp_path: Path, small: Ratings) -> None:
    with pytest.raises(Cancelled):
        publish(small, "gaussian-noise", out=tmp_path / "r", progress=Stopper())
    assert left(tmp_path) == []


@given(
    seed=st.integers(0, 10**6),
    users=st.integers(2, 20),
    table_format=st.sampled_from(["parquet", "csv"]),
)
@settings(max_examples=15)
def test_whatever_goes_in_comes_back_from_disk(
    tmp_path_factory: pytest.TempPathFactory, seed: int, users: int, table_format: str
) -> None:
    folder = tmp_path_factory.mktemp("p")
    ratings = random_ratings(users, 9, seed=seed)
    published = publish(
        ratings, "pseudonymize", out=folder / "r", audited=False, table_format=table_format
    )
    rows = open_release(folder / "r").as_ratings()
    assert rows.equals(published.release.as_ratings())
    assert rows.item_support.tolist() == ratings.item_support.tolist()
    assert sorted(rows.user_counts.tolist()) == sorted(ratings.user_counts.tolist())


def test_a_folder_may_be_named_by_anything_that_stands_for_a_path(
    tmp_path: Path, small: Ratings
) -> None:
    class Place:
        def __fspath__(self) -> str:
            return str(tmp_path / "release")

    place: Any = Place()
    publish(small, "pseudonymize", out=place, seed=7, audited=False)
    assert left(tmp_path) == ["release"]
