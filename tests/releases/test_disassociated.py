from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from recloak.core.errors import InputError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods import method
from recloak.releases.base import open_release, save_release
from recloak.releases.disassociated import SHARED, DisassociatedRelease
from recloak.testing import random_ratings
from tests.auditing.test_leak_scan import resigned
from tests.support.plain_reconstruction import joint_of


def torn(ratings: Ratings, **parameters: object) -> DisassociatedRelease:
    applied = method("disassociation", **parameters).apply(ratings, Randomness.from_seed(3))
    assert isinstance(applied.release, DisassociatedRelease)
    return applied.release


@pytest.mark.parametrize("rare", ["suppressed", "listed"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_a_sample_fits_the_release(seed: int, k: int, rare: str) -> None:
    """Cut along the chunks, its records give the release again."""
    release = torn(random_ratings(60, 12, 0.4, seed), k=k, max_cluster=12, rare=rare)
    sample = release.sample(Randomness.from_seed(seed))
    records = [
        frozenset(zip(*(part.tolist() for part in sample.row(at)), strict=True))
        for at in range(sample.n_users)
    ]
    assert all(records) or rare == "suppressed"
    assert all(len({item for item, _ in record}) == len(record) for record in records)
    start = 0
    for joint in range(len(release.clusters.joint_ids)):
        wanted = joint_of(release, joint)
        here = records[start : start + wanted.n_records]
        start += wanted.n_records
        for piece in wanted.pieces:
            cut = Counter(here[place] & piece.domain for place in piece.places)
            del cut[frozenset()]
            if piece.is_term:
                assert cut.total() >= 1
            else:
                assert cut == Counter(piece.subrecords)
    assert start == len(records)


def test_samples_differ_and_repeat() -> None:
    release = torn(random_ratings())
    one, again, other = (release.sample(Randomness.from_seed(seed)) for seed in (1, 1, 2))
    assert one.equals(again)
    assert not one.equals(other)


def edited(folder: Path, table: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Path:
    path = folder / f"{table}.parquet"
    change(pl.read_parquet(path)).write_parquet(path)
    return resigned(folder)


@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        ("subrecords", lambda t: pl.concat([t.head(1), t]), "rows of the two tables differ"),
        ("subrecords", lambda t: t.with_columns(kind=pl.lit("odd")), "do not fit together"),
        ("subrecords", lambda t: t.with_columns(group=pl.lit(7)), "not listed"),
        ("subrecords", lambda t: t.with_columns(chunk=pl.lit(-1, pl.Int32)), "no number"),
        ("subrecords", lambda t: t.with_columns(chunk=pl.lit(0, pl.Int32)), "more sub-records"),
        ("subrecords", lambda t: t.with_columns(kind=pl.lit("term")), "more than itself"),
        ("subrecords", lambda t: t.drop("chunk"), "do not fit together"),
        ("clusters", lambda t: t.with_columns(records=pl.lit(0)), "stands for nobody"),
        ("clusters", lambda t: t.with_columns(records=pl.lit(2)), "more"),
        ("clusters", lambda t: t.reverse(), "order of their ids"),
        ("clusters", lambda t: pl.concat([t.head(1), t]), "each once"),
    ],
)
def test_an_edited_release_is_refused(
    tmp_path: Path, table: str, change: Callable[[pl.DataFrame], pl.DataFrame], message: str
) -> None:
    save_release(torn(random_ratings(60, 12, 0.4), max_cluster=12, refine=False), tmp_path)
    assert len(open_release(tmp_path).clusters) > 1  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=message):
        open_release(edited(tmp_path, table, change))


def test_a_term_in_two_chunks_is_refused(tmp_path: Path) -> None:
    release = torn(random_ratings(60, 12, 0.4), max_cluster=12, refine=False)
    clusters, rows = release.clusters, release.ratings
    moved = clusters.chunk.copy()
    own = np.flatnonzero((clusters.kind != SHARED) & (rows.user_counts > 0))
    first = next(row for row in own if clusters.kind[row] == 0 and clusters.chunk[row] == 0)
    moved[first] = 99
    place = tmp_path / "release"
    place.mkdir()
    save_release(release, place)
    with pytest.raises(InputError, match="two chunks"):
        open_release(edited(place, "subrecords", lambda t: t.with_columns(chunk=pl.Series(moved))))
