"""What may be handed over: ratings, frames and files; what is neither is refused in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import recloak
from recloak.cli.main import main
from recloak.core.errors import InputError, ParameterError
from recloak.testing.data import random_ratings

FRAME = pl.DataFrame(
    {"user": [1, 1, 2], "item": [5, 6, 5], "rating": [3.0, 4.0, 5.0], "age": [30, 30, 50]}
)


@pytest.mark.parametrize("kind", ["polars", "pandas", "arrow", "file", "path"])
def test_frames_and_files_are_published(tmp_path: Path, kind: str) -> None:
    FRAME.write_csv(tmp_path / "votes.csv")
    sources: dict[str, Any] = {
        "polars": FRAME,
        "pandas": FRAME.to_pandas() if kind == "pandas" else None,
        "arrow": FRAME.to_arrow(),
        "file": str(tmp_path / "votes.csv"),
        "path": tmp_path / "votes.csv",
    }
    published = recloak.publish(sources[kind], "pseudonymize", out=tmp_path / "release", seed=1)
    assert published.release.as_ratings().n_ratings == 3
    report = json.loads((tmp_path / "release-report.json").read_text())
    assert report["release"]["columns_left_out"] == ["age"]


def test_the_manifest_says_how_the_data_were_read(tmp_path: Path) -> None:
    FRAME.drop("age").write_csv(tmp_path / "votes.csv", separator=";")
    read = {"separator": ";", "columns": {"user": "user", "item": "item", "rating": "rating"}}
    published = recloak.publish(
        tmp_path / "votes.csv", "pseudonymize", out=tmp_path / "release", audited=False, **read
    )
    assert published.release.manifest.config["reading"] == {
        "separator": ";",
        "columns": ["item", "rating", "user"],
    }


@pytest.mark.parametrize("source", [[1, 2], {"user": [1]}, 3, None])
def test_what_holds_no_ratings_is_refused(tmp_path: Path, source: Any) -> None:
    with pytest.raises(ParameterError, match="holds no ratings") as caught:
        recloak.publish(source, "pseudonymize", out=tmp_path / "release")
    assert "recloak.read" in (caught.value.hint or "")
    assert not (tmp_path / "release").exists()


def test_verifying_what_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path / "nosuch")]) == 2
    assert "there is no such release or file" in capsys.readouterr().err
    with pytest.raises(InputError, match="no such release"):
        recloak.verify(tmp_path / "nosuch", ["k-anonymity:k=2"])


def test_verifying_what_cannot_be() -> None:
    with pytest.raises(ParameterError, match="cannot be verified"):
        recloak.verify(3, ["k-anonymity:k=2"])


def test_a_frame_is_verified_as_the_file_of_it_is(tmp_path: Path) -> None:
    """All that stands in it counts, also what is not read as ratings."""
    alike = pl.DataFrame({"user": [1, 2], "item": [5, 5], "rating": [3.0, 3.0]})
    telling = alike.with_columns(age=pl.Series([30, 50]))
    for frame, status in ((alike, "holds"), (telling, "undecided")):
        frame.write_parquet(tmp_path / "frame.parquet")
        for target in (frame, frame.to_pandas(), tmp_path / "frame.parquet"):
            (verdict,) = recloak.verify(target, ["k-anonymity:k=2"])
            assert verdict.status == status


def test_items_that_nobody_rated_are_no_damage(tmp_path: Path) -> None:
    """A part of a table still knows the items of the whole."""
    part = random_ratings(60, 40, 0.2).take_users(np.arange(6))
    assert (part.item_support == 0).any()
    published = recloak.publish(part, "fragmentation", out=tmp_path / "release", audited=False)
    rated = {str(label) for label in part.compact().item_labels}
    assert {str(label) for label in published.release.as_ratings().item_labels} == rated
