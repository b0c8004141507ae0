"""Frames are taken wherever ratings are, and mean the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import recloak
from recloak.comparison.protocol import Protocol
from recloak.core.errors import ParameterError
from recloak.lists.replay import replay
from recloak.releases.lists.folder import same_lists
from recloak.testing import random_ratings

RATINGS = random_ratings(n_users=40, n_items=30, density=0.3)
FRAME = RATINGS.to_polars().rename({"user": "who"})
MAP = "user=who"
FEW = Protocol(("record-linkage:known=4",), ())


def frames() -> dict[str, Any]:
    return {
        "polars": FRAME,
        "lazy": FRAME.lazy(),
        "pandas": FRAME.to_pandas(),
        "arrow": FRAME.to_arrow(),
        "several": [FRAME.head(100), FRAME.tail(FRAME.height - 100)],
    }


@pytest.mark.parametrize("kind", frames())
def test_a_frame_of_any_library_is_read(kind: str) -> None:
    assert recloak.read(frames()[kind], columns=MAP, scale=RATINGS.scale).equals(RATINGS)


def test_inspecting() -> None:
    assert recloak.inspect(FRAME, columns=MAP, scale=RATINGS.scale) == recloak.inspect(RATINGS)


def test_auditing_frames_beside_frames(tmp_path: Path) -> None:
    applied = recloak.method("pseudonymize").apply(RATINGS, recloak.Randomness.from_seed(1))
    rows = applied.release.as_ratings()
    made = rows.to_polars().rename({"user": "row"})
    linked = applied.secret.linkage(RATINGS, rows)
    own = linked.first_row(np.arange(RATINGS.n_users))
    mapping = pl.DataFrame({"user": RATINGS.user_labels, "pseudonym": rows.user_labels[own]})
    only = {
        "attacks": ["record-linkage:known=4"],
        "measures": [],
        "policy": recloak.Policy.nothing(),
    }
    by_frames = recloak.audit(
        FRAME,
        made,
        mapping=mapping,
        columns=MAP,
        release_columns="user=row",
        scale=RATINGS.scale,
        report=tmp_path / "report.html",
        **only,
    )
    by_ratings = recloak.audit(RATINGS, rows, secret=applied.secret, **only)
    assert by_frames.attacks[0].figures == by_ratings.attacks[0].figures
    assert (tmp_path / "report.html").is_file()
    assert (tmp_path / "report.json").is_file()


def test_verifying_with_a_frame_as_the_original() -> None:
    made = recloak.method("predictive", k=4).apply(RATINGS, recloak.Randomness.from_seed(1))
    by_frame, by_ratings = (
        recloak.verify(made.release, ["diversity:b=2,l=2"], original=original)
        for original in (RATINGS.to_pandas(), RATINGS)
    )
    assert [one.status for one in by_frame] == [one.status for one in by_ratings]


def test_comparing_and_advising_by_the_names_of_the_flags(tmp_path: Path) -> None:
    how: dict[str, Any] = {"protocol": FEW, "policy": recloak.Policy.nothing()}
    grid = tmp_path / "grid.toml"
    grid.write_text('[[method]]\nname = "gaussian-noise"\nsigma = [0.5, 1.0]\n')
    found = recloak.compare(FRAME.to_pandas(), grid=grid, columns=MAP, scale=RATINGS.scale, **how)
    again = recloak.compare(RATINGS, grid=grid, out=tmp_path / "kept", **how)
    assert found.to_frame().equals(again.to_frame())
    assert {one.setting.label for one in found.trials} == {
        "gaussian-noise:sigma=0.5",
        "gaussian-noise:sigma=1.0",
    }
    advice = recloak.advise(
        FRAME,
        grid=grid,
        methods="gaussian-noise",
        require="success<=1",
        minimise="success",
        columns=MAP,
        scale=RATINGS.scale,
        out=tmp_path / "kept",
        **how,
    )
    assert advice.pick is not None
    assert advice.comparison.computed == 0  # the same data, so nothing is tried again


def test_lists_of_a_shop() -> None:
    dated = random_ratings(n_users=30, n_items=12, density=0.4, times=True)
    how: dict[str, Any] = {"delta": 0.5, "window": 2, "top": 3, "releases": 3, "start": "1/2"}
    by_frame, by_ratings = (replay(one, **how) for one in (dated.to_pandas(), dated))
    assert same_lists(by_frame, by_ratings)


def test_options_of_reading_are_refused_where_nothing_is_read() -> None:
    for call in (recloak.inspect, recloak.compare):
        with pytest.raises(ParameterError, match="read already"):
            call(RATINGS, columns=MAP)
    with pytest.raises(ParameterError, match="read already"):
        recloak.audit(RATINGS, RATINGS, columns=MAP)
