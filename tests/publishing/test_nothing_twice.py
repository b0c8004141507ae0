"""Nothing twice: how often a publication opens each file and checks each claim."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recloak
from recloak.cli import main
from recloak.core.errors import ParameterError
from recloak.guarantees.k_anonymity import KAnonymity
from recloak.publishing.options import PublishOptions

_watched: list[Counter[str]] = []


def _count(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _watched and isinstance(arguments[0], str):
        reads = not arguments[2] & (os.O_WRONLY | os.O_RDWR)
        path = Path(arguments[0])
        if reads and path.parent.name in ("release", "given"):
            _watched[-1][path.name] += 1


sys.addaudithook(_count)  # a hook cannot be removed, so it counts only while it is asked to


@contextmanager
def opened_for_reading() -> Iterator[Counter[str]]:
    _watched.append(Counter())
    try:
        yield _watched[-1]
    finally:
        _watched.pop()


@pytest.fixture(scope="module")
def ratings() -> recloak.Ratings:
    return recloak.synthesize("ml-100k", users=60, ratings=2_000, seed=1)


def test_each_file_is_digested_once_before_and_once_after_the_manifest(
    ratings: recloak.Ratings, tmp_path: Path
) -> None:
    with opened_for_reading() as opened:
        recloak.publish(ratings, "microaggregation", k=3, out=tmp_path / "r")
    tables = {name: count for name, count in opened.items() if name.endswith(".parquet")}
    assert set(tables) == {"groups.parquet", "items.parquet", "profiles.parquet"}
    assert set(tables.values()) == {3}  # for the manifest, to read it back, to put it on the disk
    assert opened["manifest.json"] == 3  # to read it back, to look for leaks, to put it on the disk


def test_each_claim_is_checked_once(
    ratings: recloak.Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = Counter[str]()
    check = KAnonymity.check_beside

    def counted(self: KAnonymity, *given: Any) -> Any:
        checked[self.spec] += 1
        return check(self, *given)

    monkeypatch.setattr(KAnonymity, "check_beside", counted)
    done = recloak.publish(ratings, "microaggregation", k=3, out=tmp_path / "r")
    assert done.audit is not None
    claims = [verdict.claim for verdict in done.audit.verdicts]
    assert set(checked) <= set(claims)
    assert set(checked.values()) == {1}


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """A survey, what is declared of it, and a policy that everything passes."""
    folder = tmp_path / "given"
    folder.mkdir()
    answers = np.random.default_rng(1).integers(1, 6, (40, 4))
    lines = [f"r{number},{','.join(map(str, row))}" for number, row in enumerate(answers)]
    (folder / "survey.csv").write_text("\n".join(["id,income,one,two,three", *lines]))
    (folder / "schema.toml").write_text('sensitive = ["income"]\nid_column = "id"\n')
    line = '[[require]]\nmeasure = "survey-distortion"\nfigure = "changed"\nat_most = 1.0\n'
    (folder / "policy.toml").write_text(f'title = "Any"\n{line}')
    return folder


def test_data_schema_and_policy_are_read_once(given: Path, tmp_path: Path) -> None:
    words = ["--schema", str(given / "schema.toml"), "--policy", str(given / "policy.toml")]
    words += ["--method", "proximity", "--k", "3", "--out", str(tmp_path / "r"), "--quiet"]
    with opened_for_reading() as opened:
        assert main(["publish", str(given / "survey.csv"), *words]) == 0
    assert opened.pop("survey.csv") == 2  # the head, to recognise it, and then all of it
    of_release = {path.name for path in (tmp_path / "r").iterdir()}
    assert {name: n for name, n in opened.items() if name not in of_release} == {
        "schema.toml": 1, "policy.toml": 1
    }  # fmt: skip


@pytest.mark.parametrize("more", [[], ["--dry-run"], ["--engine", "disk"]])
def test_what_cannot_be_followed_is_refused_before_data_are_read(
    given: Path, more: list[str]
) -> None:
    for words in (["--out", str(given)], ["--out", str(given / "r"), "--seed", "ab12"]):
        with opened_for_reading() as opened:
            asked = ["--method", "pseudonymize", *words, *more]
            assert main(["publish", str(given / "survey.csv"), *asked]) == 2
        assert "survey.csv" not in opened


def test_options_may_be_one_object(ratings: recloak.Ratings, tmp_path: Path) -> None:
    options = PublishOptions(out=tmp_path / "r", audited=False, table_format="csv")
    done = recloak.publish(ratings, "pseudonymize", options=options)
    assert done.release.manifest.config["table_format"] == "csv"
    again = recloak.publish(ratings, "pseudonymize", options=options, out=tmp_path / "s")
    assert again.folder == tmp_path / "s"  # a keyword says more than the object
    assert again.audit is None


def test_a_wrong_option_is_named_as_its_flag(ratings: recloak.Ratings, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="'xls' is not parquet or csv") as caught:
        recloak.publish(ratings, "pseudonymize", out=tmp_path / "r", table_format="xls")
    assert caught.value.where == "--table-format"
    with pytest.raises(ParameterError, match="is required") as caught:
        recloak.publish(ratings, "pseudonymize")
    assert caught.value.where == "--out"
