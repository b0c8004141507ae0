"""Method `microaggregation`: groups of at least k, one profile each, and what it publishes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.auditing.leak_scan import scan_for_leaks
from recloak.auditing.verification import check_claims
from recloak.core.errors import InputError, ParameterError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods import METHODS, method
from recloak.releases.base import open_release, save_release
from recloak.releases.grouped import GroupedRelease
from recloak.testing import MethodContract, from_rows, random_ratings


class TestMicroaggregation(MethodContract):
    name = "microaggregation"
    parameters = {"k": 4}


class TestWithMembers(MethodContract):
    name = "microaggregation"
    parameters = {"k": 3, "publish": "members", "clustering": "mdav"}


def released(ratings: Ratings, **parameters: Any) -> tuple[GroupedRelease, Any]:
    applied = method("microaggregation", **parameters).apply(ratings, Randomness.from_seed(1))
    assert isinstance(applied.release, GroupedRelease)
    return applied.release, applied.secret


def members_of(ratings: Ratings, release: GroupedRelease, secret: Any) -> list[list[int]]:
    """The people of each group, from the secret."""
    rows = release.as_ratings()
    linkage = secret.linkage(ratings, rows)
    group_of_row = dict(zip(release.row_labels.tolist(), release.groups.tolist(), strict=True))
    groups: list[list[int]] = [[] for _ in release.sizes]
    for user in range(ratings.n_users):
        (row,) = linkage.rows_of(user)
        groups[group_of_row[int(rows.user_labels[row])]].append(user)
    return groups


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 500),
    k=st.integers(2, 7),
    clustering=st.sampled_from(["refined", "mdav", "variable"]),
    publish=st.sampled_from(["sizes", "members"]),
)
def test_a_profile_is_the_mean_of_its_members(
    seed: int, k: int, clustering: str, publish: str
) -> None:
    ratings = random_ratings(n_users=24, n_items=12, density=0.5, seed=seed)
    release, secret = released(ratings, k=k, clustering=clustering, publish=publish)
    full = np.full((ratings.n_users, ratings.n_items), 3.0)
    full[ratings.user_codes(), ratings.items] = ratings.values
    for group, members in enumerate(members_of(ratings, release, secret)):
        assert len(members) == release.sizes[group] >= k
        profile = np.full(ratings.n_items, 3.0)
        items, values = release.profiles.row(group)
        profile[items] = values
        assert profile == pytest.approx(full[members].mean(axis=0), abs=1e-5)


def test_rows_are_the_profile_of_their_group() -> None:
    ratings = random_ratings(n_users=40)
    release, secret = released(ratings, k=5)
    rows = release.as_ratings()
    assert rows.n_users == ratings.n_users
    linkage = secret.linkage(ratings, rows)
    for group, members in enumerate(members_of(ratings, release, secret)):
        for user in members:
            (row,) = linkage.rows_of(user)
            assert rows.row(row)[1].tolist() == release.profiles.row(group)[1].tolist()


def test_blocks_are_the_same_rows() -> None:
    release, _ = released(random_ratings(n_users=50), k=3)
    whole = release.as_ratings()
    seen = list(release.blocks(groups=4))
    assert sum(block.n_users for block in seen) == whole.n_users
    for block in seen:
        codes = np.searchsorted(whole.user_labels, block.user_labels)
        assert whole.take_users(codes).values.tolist() == block.values.tolist()


@pytest.mark.parametrize("table_format", ["parquet", "csv"])
@pytest.mark.parametrize("publish", ["sizes", "members"])
def test_survives_the_disk_whole(tmp_path: Path, table_format: str, publish: str) -> None:
    release, _ = released(random_ratings(), k=3, publish=publish)
    save_release(release, tmp_path, table_format)
    again = open_release(tmp_path)
    assert again.same_tables(release)
    assert (tmp_path / f"members.{table_format}").exists() == (publish == "members")


def test_a_floor_and_a_grid_hide_single_raters() -> None:
    ratings = random_ratings(n_users=60, n_items=30, density=0.3)
    release, secret = released(ratings, k=5, floor=2, grid=0.5)
    assert set(np.unique(release.profiles.values * 2 % 1)) == {0.0}
    for group, members in enumerate(members_of(ratings, release, secret)):
        raters = np.zeros(ratings.n_items, int)
        for user in members:
            raters[ratings.row(user)[0]] += 1
        assert (raters[release.profiles.row(group)[0]] >= 2).all()


def test_means_can_be_rounded_to_the_steps_of_the_scale() -> None:
    release, _ = released(random_ratings(), k=3, rounding="step")
    assert set(release.profiles.values.tolist()) <= {1.0, 2.0, 4.0, 5.0}  # 3 is implied
    assert str(release.profiles.scale) == "1..5"


@pytest.mark.parametrize("imputation", ["item-mean", "item-median", "global-mean", "user-mean"])
def test_other_imputations_keep_the_claim(imputation: str) -> None:
    release, _ = released(random_ratings(), k=4, imputation=imputation)
    assert all(verdict.holds for verdict in check_claims(release, release.manifest.claimed))


def test_the_claim_is_checked_on_the_groups() -> None:
    release, _ = released(random_ratings(n_users=30), k=5)
    (verdict,) = check_claims(release, ["k-anonymity:k=16"])
    assert verdict.status == "broken"
    assert verdict.witness is not None
    (rows,) = check_claims(release.as_ratings(), ["k-anonymity:k=16"])
    assert rows.status == verdict.status


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"k": 61}, "60 people cannot make a group of k = 61"), ({"k": 3, "floor": 4}, "floor of 4")],
)
def test_what_cannot_be_done_is_refused_with_the_numbers(
    small: Ratings, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        method("microaggregation", **parameters).apply(small)


@pytest.mark.parametrize(
    "bad", [{"k": 1}, {"gamma": -1}, {"floor": -1}, {"clustering": "magic"}, {"grid": -0.5}]
)
def test_bad_parameters_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        METHODS.get("microaggregation")(**bad)


def test_data_without_values_are_refused() -> None:
    with pytest.raises(InputError, match="no values to average"):
        method("microaggregation").apply(Ratings.from_columns([1, 2, 3], [1, 1, 1]))


def test_everyone_alike_and_constant_items() -> None:
    ratings = from_rows({f"p{at}": {"x": 5, "y": 3} for at in range(7)})
    release, _ = released(ratings, k=3)
    assert release.sizes.sum() == 7
    assert set(release.profiles.values.tolist()) == {5.0}


def test_people_without_ratings_are_in_a_group_too() -> None:
    ratings = random_ratings(n_users=12)
    fewer = ratings.keep(ratings.user_codes() > 2)
    release, _ = released(fewer, k=3)
    assert release.sizes.sum() == 12


def test_an_edited_release_is_refused(tmp_path: Path) -> None:
    release, _ = released(random_ratings(), k=3, publish="members")
    save_release(release, tmp_path, "csv")
    text = (tmp_path / "groups.csv").read_text().splitlines()
    (tmp_path / "groups.csv").write_text("\n".join(text[:-1]) + "\n")
    with pytest.raises(InputError):
        open_release(tmp_path)
    with pytest.raises(InputError, match="do not fit together"):
        GroupedRelease.read_tables(tmp_path, release.manifest)


@pytest.mark.parametrize("size", [None, 3.5])
def test_sizes_that_are_no_whole_numbers_are_refused(tmp_path: Path, size: float | None) -> None:
    release, _ = released(random_ratings(), k=3)
    save_release(release, tmp_path, "parquet")
    groups = pl.read_parquet(tmp_path / "groups.parquet")
    groups.with_columns(size=pl.lit(size, pl.Float64)).write_parquet(tmp_path / "groups.parquet")
    with pytest.raises(InputError, match="must be a whole number"):
        GroupedRelease.read_tables(tmp_path, release.manifest)


@pytest.mark.parametrize(
    "names",
    [
        ["7", "12", "100", "3"],
        ["007", "7", "12", "3"],
        ["1.50", "2.5", "1.5", "3.0"],
        ["true", "false", "null", "nan"],
        [f"{number:010}" for number in range(150)] + ["B000A"],
        ["7", 'a "quoted", one', "é", "7\n8"],
    ],
)
@pytest.mark.parametrize("table_format", ["csv", "parquet"])
def test_items_keep_their_names(tmp_path: Path, names: list[str], table_format: str) -> None:
    users = np.repeat(np.arange(6), len(names))
    values = np.random.default_rng(0).integers(1, 6, len(users))
    ratings = Ratings.from_columns(users, names * 6, values, scale="1..5")
    release, _ = released(ratings, k=2, publish="members")
    save_release(release, tmp_path, table_format)
    again = open_release(tmp_path)
    assert release.same_tables(again)
    assert again.as_ratings().item_labels.tolist() == sorted(names)
    verdicts = {verdict.claim: verdict for verdict in scan_for_leaks(tmp_path, METHODS)}
    assert verdicts["no trace in the bytes"].status == "holds"


@pytest.mark.parametrize("edit", ["stranger", "order", "twice"])
def test_members_that_do_not_fit_are_refused(tmp_path: Path, edit: str) -> None:
    release, _ = released(random_ratings(), k=3, publish="members")
    save_release(release, tmp_path, "csv")
    head, *lines = (tmp_path / "members.csv").read_text().splitlines()
    if edit == "stranger":
        name, group = lines[0].split(",")
        lines[0] = f"{name},{int(group) - 1}"
    elif edit == "order":
        lines = lines[::-1]
    else:
        other = next(line for line in lines if line.split(",")[1] == lines[0].split(",")[1])
        lines = [other if line == lines[1] else line for line in lines]
    (tmp_path / "members.csv").write_text("\n".join([head, *lines]) + "\n")
    with pytest.raises(InputError, match="do not fit together"):
        GroupedRelease.read_tables(tmp_path, release.manifest)


def test_groups_too_large_for_sizes_are_refused_before_they_are_made() -> None:
    people = np.arange(9000)
    ratings = Ratings.from_columns(people, people % 2, 1 + people % 5, scale="1..5")
    chosen = method("microaggregation", k=8500)
    with (
        pytest.MonkeyPatch.context() as patch,
        pytest.raises(InputError, match="8,500 members, more than 8,192"),
    ):
        patch.setattr(type(chosen), "clustering", None)
        chosen.apply(ratings)


@pytest.mark.parametrize("imputation", ["item-mean", "item-median"])
def test_what_is_implied_tells_nothing_of_a_single_rater(imputation: str) -> None:
    rows: dict[str, dict[str, float]] = {f"p{at}": {"x": 2, "y": 4} for at in range(12)}
    rows["p3"]["only"] = 5
    release, _ = released(from_rows(rows), k=3, imputation=imputation, floor=3)
    assert release.implied is not None
    only = release.profiles.item_labels.tolist().index("only")
    assert release.implied[only] == pytest.approx(np.mean([2, 4] * 12 + [5]))
    assert only not in release.profiles.items


def test_a_grid_wider_than_the_scale_is_refused(small: Ratings) -> None:
    with pytest.raises(InputError, match="a grid of 100 leaves a single value"):
        method("microaggregation", k=3, grid=100).apply(small)
