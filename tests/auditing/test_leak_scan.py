"""Each leak put in on purpose is found, and clean releases are clean."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from recloak.auditing.leak_scan import CHECKS, scan_for_leaks
from recloak.core.errors import InputError
from recloak.core.files import digest_of
from recloak.core.randomness import PSEUDONYM_LOW, Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.io.options import ReadOptions
from recloak.methods import METHODS, method
from recloak.releases.base import open_release, save_release
from recloak.releases.card import CROISSANT_NAME, croissant_of
from recloak.releases.disassociated import SHARED, DisassociatedRelease
from recloak.releases.grouped import GroupedRelease
from recloak.releases.manifest import MANIFEST_NAME, FileEntry, Manifest
from recloak.releases.ratings import RatingsRelease
from recloak.testing import random_ratings


def written(tmp_path: Path, name: str = "gaussian-noise", table_format: str = "parquet") -> Path:
    folder = tmp_path / "release"
    folder.mkdir()
    ratings = random_ratings(300, 40, 0.4, times=True)
    applied = method(name).apply(ratings, Randomness.from_seed(5))
    save_release(applied.release, folder, table_format)
    return folder


def rewritten(folder: Path, change: Callable[[RatingsRelease], RatingsRelease]) -> Path:
    """The same release with something else in it, its digests right."""
    release = open_release(folder)
    assert isinstance(release, RatingsRelease)
    changed = change(release)
    for file in folder.iterdir():
        file.unlink()
    save_release(changed, folder)
    return folder


def entry_of(path: Path) -> FileEntry:
    return FileEntry(bytes=path.stat().st_size, sha256=digest_of(path))


def resigned(folder: Path) -> Path:
    """After an edit of the bytes: all digests in its texts made right, as a leaker would."""
    manifest = Manifest.read(folder)
    files = {name: entry_of(folder / name) for name in manifest.files}
    if CROISSANT_NAME in files:
        (folder / CROISSANT_NAME).write_text(croissant_of(manifest, folder, files))
        files[CROISSANT_NAME] = entry_of(folder / CROISSANT_NAME)
    text = manifest.model_copy(update={"files": files}).to_json()
    (folder / MANIFEST_NAME).write_text(text)
    return folder


def found(folder: Path) -> set[str]:
    verdicts = scan_for_leaks(folder, METHODS)
    return {seen.claim.removeprefix("no trace in the ") for seen in verdicts if not seen.holds}


@pytest.mark.parametrize("table_format", ["parquet", "csv"])
@pytest.mark.parametrize(
    "name", ["pseudonymize", "gaussian-noise", "uniform-noise", "disassociation"]
)
def test_clean_releases_are_clean(tmp_path: Path, name: str, table_format: str) -> None:
    assert found(written(tmp_path, name, table_format)) == set()


def test_chance_alone_raises_no_alarm(tmp_path: Path) -> None:
    for seed in range(20):
        folder = tmp_path / str(seed)
        folder.mkdir()
        ratings = random_ratings(60, 30, 0.5, seed)
        save_release(
            method("gaussian-noise").apply(ratings, Randomness.from_seed(seed)).release, folder
        )
        assert found(folder) == set()


def test_original_row_order_is_found(tmp_path: Path) -> None:
    folder = written(tmp_path)
    table = pl.read_parquet(folder / "ratings.parquet")
    table.sample(fraction=1, shuffle=True, seed=1).write_parquet(folder / "ratings.parquet")
    assert "row order" in found(resigned(folder))


def with_ids(ids: Callable[[Ratings], np.ndarray]) -> Callable[[RatingsRelease], RatingsRelease]:
    def change(release: RatingsRelease) -> RatingsRelease:
        return RatingsRelease(release.manifest, release.ratings.relabel_users(ids(release.ratings)))

    return change


@pytest.mark.parametrize(
    "ids",
    [
        lambda rows: np.arange(rows.n_users) + 1,
        lambda rows: PSEUDONYM_LOW + np.arange(rows.n_users),
        lambda rows: PSEUDONYM_LOW + np.arange(rows.n_users) * 3_000_000_000_000,
        lambda rows: np.array([f"person{at}" for at in range(rows.n_users)], dtype=object),
        # the fragments of a person numbered one after the other
        lambda rows: (
            rows.user_labels[np.arange(rows.n_users) // 2 * 2] + np.arange(rows.n_users) % 2
        ),
        lambda rows: rows.user_labels // 10**6 * 10**6,
        lambda rows: rows.user_labels // 10**6 * 10**6 + np.arange(rows.n_users),
        lambda rows: rows.user_labels // 2 * 2,
        # in the order of how much people rate
        lambda rows: np.sort(rows.user_labels)[np.argsort(np.argsort(rows.user_counts))],
    ],
    ids=[
        "small",
        "consecutive",
        "evenly spaced",
        "text",
        "pairs",
        "multiples",
        "numbered at the end",
        "even",
        "by activity",
    ],
)
def test_ids_with_a_structure_are_found(tmp_path: Path, ids: Callable) -> None:
    assert "row ids" in found(rewritten(written(tmp_path), with_ids(ids)))


def test_original_ids_are_found(tmp_path: Path) -> None:
    assert "row ids" in found(written(tmp_path, "identity"))


def test_times_that_should_not_be_there_are_found(tmp_path: Path) -> None:
    moments = np.random.default_rng(0).integers(9e8, 1e9, len(random_ratings(300, 40, 0.4)))

    def timed(release: RatingsRelease) -> RatingsRelease:
        return RatingsRelease(release.manifest, replace(release.ratings, times=moments))

    assert "times" in found(rewritten(written(tmp_path), timed))

    def said_coarse(release: RatingsRelease) -> RatingsRelease:
        manifest = release.manifest.model_copy(update={"times": "coarsened to the month"})
        return RatingsRelease(manifest, release.ratings)

    assert "times" in found(rewritten(tmp_path / "release", said_coarse))


@pytest.mark.parametrize("leak", ["many decimals", "a digit that is the row's own"])
def test_float_digits_are_found(tmp_path: Path, leak: str) -> None:
    def marked(release: RatingsRelease) -> RatingsRelease:
        rows = release.ratings
        values = rows.values.astype(np.float64)
        if leak == "many decimals":
            values = np.clip(values + 0.00123, 1, 5)
        else:
            values = np.clip(np.floor(values * 10) / 10 + rows.user_codes() % 10 / 100, 1, 5)
        return RatingsRelease(release.manifest, rows.with_values(values))

    assert "digits" in found(rewritten(written(tmp_path), marked))


@pytest.mark.parametrize("name", ["pseudonymize", "gaussian-noise"])
@pytest.mark.parametrize("mark", ["last bit", "negative zero"])
def test_marks_in_the_bits_of_values_are_found(tmp_path: Path, name: str, mark: str) -> None:
    folder = written(tmp_path, name)
    table = pl.read_parquet(folder / "ratings.parquet")
    values = table["rating"].to_numpy().copy()
    if mark == "last bit":
        values.view(np.uint32)[::2] ^= 1
    else:
        values[::2] = -0.0
        manifest = folder / MANIFEST_NAME
        manifest.write_text(manifest.read_text().replace('"1..5', '"0..5'))
    table = table.with_columns(rating=pl.Series(values))
    table.write_parquet(folder / "ratings.parquet", compression="zstd", statistics=False)
    assert "digits" in found(resigned(folder))


def test_wide_scales_raise_no_alarm(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    cells = random_ratings(100, 30, 0.4)
    for at, high in enumerate((1.0, 300.0, 2_000_000.0)):
        folder = tmp_path / str(at)
        folder.mkdir()
        values = rng.uniform(0, high, len(cells)).astype(np.float32)
        wide = cells.with_values(values, Scale.infer(values))
        applied = method("gaussian-noise", sigma=high / 300).apply(wide, Randomness.from_seed(1))
        save_release(applied.release, folder)
        assert found(folder) == set()


def test_further_files_and_links_are_found(tmp_path: Path) -> None:
    folder = written(tmp_path)
    (folder / "who.csv").write_text("alice,123\n")
    manifest = Manifest.read(folder)
    entry = FileEntry(bytes=10, sha256=digest_of(folder / "who.csv"))
    text = manifest.model_copy(update={"files": manifest.files | {"who.csv": entry}}).to_json()
    (folder / MANIFEST_NAME).write_text(text)
    assert "files" in found(folder)
    linked = tmp_path / "other"
    folder.rename(linked)
    (linked / "who.csv").unlink()
    (linked / MANIFEST_NAME).write_text(manifest.to_json())
    (linked / "ratings.parquet").rename(tmp_path / "elsewhere.parquet")
    (linked / "ratings.parquet").symlink_to(tmp_path / "elsewhere.parquet")
    assert found(linked) == {"files"}


@pytest.mark.parametrize(
    "change",
    [
        {"config": {"reading": {"mapping": {"123": "alice"}}}},
        {"config": {"who": "alice"}},
        {"config": {"reading": {"columns": {"user": "123=alice,124=bob"}}}},
        {"config": {"reading": {"columns": ["user", "123=alice"]}}},
        {"config": {"reading": {"declared": ["123=alice", "124=bob"]}}},
        {"config": {"reading": {"issues": ["123=alice"]}}},
        {"config": {"reading": {"issues": 10**30}}},
        {"config": {"reading": {"id_column": "123=alice"}}},
        {"config": {"reading": {"format": "123=alice"}}},
        {"config": {"reading": {"scale": "1..5 step 1.0"}}},
        {"config": {"reading": {"separator": "123=alice"}}},
        {"config": {"reading": {"encoding": "123=alice"}}},
        {"config": {"reading": {"duplicates": "123=alice"}}},
        {"config": {"reading": {"most_rated": 123_000_000_000_456}}},
        {"config": {"method": "123-alice"}},
        {"config": {"parameters": {"who": "123=alice"}}},
        {"config": {"table_format": "csv"}},
        {"config": {"users_excluded": 123}},
        {"config": {"audited": "123=alice"}},
        {"config": {"policy_enforced": ["123=alice"]}},
        {"config": {"secret": "123=alice"}},
        {"config": {"audit_seed": 2**300}},
        {"claims": ["proximity:k=2,sensitive=123-alice"]},
        {"method": "123-alice"},
        {"recloak": "0alice123bob124"},
        {"parameters": {"who": "123=alice"}},
        {"not_for_publication": ["123=alice"]},
        {"times": "alice is 123"},
        {"scale": "1.000..5 continuous"},
    ],
)
def test_words_of_their_own_in_the_manifest_are_found(tmp_path: Path, change: dict) -> None:
    def saying(release: RatingsRelease) -> RatingsRelease:
        return RatingsRelease(release.manifest.model_copy(update=change), release.ratings)

    assert "statements" in found(rewritten(written(tmp_path), saying))


@pytest.mark.parametrize(
    ("key", "stated"), [("release_id", "alice"), ("method", "alice is 1"), ("recloak", "by alice")]
)
def test_a_manifest_with_odd_names_is_refused(tmp_path: Path, key: str, stated: str) -> None:
    folder = written(tmp_path)
    path = folder / MANIFEST_NAME
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: stated}))
    with pytest.raises(InputError, match=key):
        scan_for_leaks(folder, METHODS)


def test_further_columns_are_found(tmp_path: Path) -> None:
    folder = written(tmp_path)
    table = pl.read_parquet(folder / "ratings.parquet")
    table.with_columns(person=pl.col("user") % 7).write_parquet(folder / "ratings.parquet")
    assert "columns" in found(resigned(folder))


def test_parquet_metadata_is_found(tmp_path: Path) -> None:
    folder = written(tmp_path)
    table = pl.read_parquet(folder / "ratings.parquet")
    table.write_parquet(folder / "ratings.parquet", metadata={"first user": "ann"})
    assert "metadata" in found(resigned(folder))


def test_rows_grouped_in_the_file_are_found(tmp_path: Path) -> None:
    """Parquet row groups that end where a person's rows end say which rows belong together."""
    folder = written(tmp_path)
    table = pl.read_parquet(folder / "ratings.parquet")
    table.write_parquet(folder / "ratings.parquet", row_group_size=77, statistics=False)
    assert found(resigned(folder)) == {"bytes"}


def test_words_in_the_page_or_the_manifest_are_found(tmp_path: Path) -> None:
    folder = written(tmp_path)
    page = folder / "README.md"
    page.write_text(page.read_text() + "\nRow 1 is Ann.\n")
    assert "texts" in found(resigned(folder))
    manifest = tmp_path / "release" / MANIFEST_NAME
    manifest.write_text(manifest.read_text().replace("  ", "   ", 1))
    assert "texts" in found(folder)


def test_a_size_that_is_only_one_rows_is_found_where_k_was_claimed(tmp_path: Path) -> None:
    def claiming(release: RatingsRelease) -> RatingsRelease:
        manifest = release.manifest.model_copy(update={"claims": ["k-anonymity:k=2"]})
        return RatingsRelease(manifest, release.ratings)

    assert "group sizes" in found(rewritten(written(tmp_path), claiming))


def in_many_clusters(tmp_path: Path) -> Path:
    ratings = random_ratings(300, 20, 0.3)
    made = method("disassociation", max_cluster=8, refine=False)
    save_release(made.apply(ratings, Randomness.from_seed(5)).release, tmp_path)
    return tmp_path


def test_cluster_and_joint_ids_with_a_structure_are_found(tmp_path: Path) -> None:
    for name in ("cluster", "joint"):
        folder = tmp_path / name
        folder.mkdir()
        release = open_release(in_many_clusters(folder))
        assert isinstance(release, DisassociatedRelease)
        ids = PSEUDONYM_LOW + np.arange(len(release.clusters))
        clusters = replace(release.clusters, **{f"{name}_ids": ids})
        for file in folder.iterdir():
            file.unlink()
        save_release(replace(release, clusters=clusters), folder)
        assert found(folder) == {"row ids"}


def test_cluster_ids_in_the_order_of_their_sizes_are_found(tmp_path: Path) -> None:
    release = open_release(in_many_clusters(tmp_path))
    assert isinstance(release, DisassociatedRelease)
    clusters = release.clusters
    rank = np.argsort(np.argsort(clusters.records, kind="stable"))
    at, shared = np.argsort(rank), clusters.kind == SHARED
    sorted_told = replace(
        clusters,
        records=clusters.records[at],
        joint=clusters.joint[at],
        group=np.where(shared, clusters.group, rank[clusters.group]),
    )
    for file in tmp_path.iterdir():
        file.unlink()
    save_release(replace(release, clusters=sorted_told), tmp_path)
    assert found(tmp_path) == {"row ids"}


@pytest.mark.parametrize("table", ["subrecords", "clusters"])
def test_leaks_in_further_tables_are_found(tmp_path: Path, table: str) -> None:
    folder = in_many_clusters(tmp_path)
    path = folder / f"{table}.parquet"
    written_table, original = pl.read_parquet(path), path.read_bytes()
    written_table.with_columns(person=pl.lit(1)).write_parquet(path)
    assert "columns" in found(resigned(folder))
    written_table.write_parquet(path, metadata={"first user": "ann"})
    assert "metadata" in found(resigned(folder))
    written_table.write_parquet(path, row_group_size=17, compression="zstd", statistics=False)
    assert found(resigned(folder)) == {"bytes"}
    path.write_bytes(original)
    assert found(resigned(folder)) == set()


def test_every_check_is_tried_here() -> None:
    assert set(CHECKS) == {
        "files", "columns", "row order", "row ids", "times", "digits", "metadata", "statements",
        "texts", "group sizes",
    }  # fmt: skip


@pytest.mark.parametrize("publish", ["sizes", "members"])
@pytest.mark.parametrize("table_format", ["parquet", "csv"])
def test_groups_leave_no_trace(tmp_path: Path, publish: str, table_format: str) -> None:
    ratings = random_ratings(n_users=300, n_items=40)
    release = method("microaggregation", k=4, publish=publish).apply(ratings).release
    save_release(release, tmp_path, table_format)
    assert [one.claim for one in scan_for_leaks(tmp_path, METHODS) if not one.holds] == []


def test_groups_in_the_order_of_what_they_say_are_a_trace(tmp_path: Path) -> None:
    ratings = random_ratings(n_users=400, n_items=30)
    release = method("microaggregation", k=4).apply(ratings).release
    assert isinstance(release, GroupedRelease)
    order = np.argsort(release.profiles.user_counts, kind="stable")
    profiles = release.profiles.take_users(order)
    ordered = replace(
        release,
        profiles=replace(profiles, user_labels=release.profiles.user_labels),
        sizes=release.sizes[order],
    )
    save_release(ordered, tmp_path)
    broken = [one.claim for one in scan_for_leaks(tmp_path, METHODS) if not one.holds]
    assert "no trace in the row ids" in broken


@pytest.mark.parametrize(
    "stated",
    [
        {"columns": {"user": "Kundin Ann", "item": "2"}, "separator": "tab"},
        {"id_column": "Kundin Ann", "issues": ["Ann", "Bob"]},
        {"scale": "1..5 step 1.0", "encoding": "LATIN-1", "format": "csv"},
        {"duplicates": "last", "most_rated": 20},
    ],
)
def test_what_was_said_about_reading_is_told_without_words_of_the_users(
    tmp_path: Path, stated: dict
) -> None:
    recorded = ReadOptions(**stated).for_manifest()
    assert "Ann" not in str(recorded)
    assert set(recorded) == set(stated)

    def saying(release: RatingsRelease) -> RatingsRelease:
        config = {"reading": recorded}
        return RatingsRelease(
            release.manifest.model_copy(update={"config": config}), release.ratings
        )

    assert "statements" not in found(rewritten(written(tmp_path), saying))
