"""Method `predictive`: groups of k to 2k − 1, one profile each, nobody printed verbatim."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.auditing.verification import check_claims
from recloak.cli import main
from recloak.clustering import Groups
from recloak.core.arrays import offsets_from
from recloak.core.errors import InputError, ParameterError
from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import SILENT
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.io import read, write
from recloak.methods import METHODS, method
from recloak.methods.predictive._cells import GroupCells
from recloak.methods.predictive._diversity import diversified
from recloak.methods.predictive.padding import pad
from recloak.publishing.run import publish
from recloak.releases.base import open_release
from recloak.releases.grouped import GroupedRelease
from recloak.testing import MethodContract, Recorder, from_rows, random_ratings
from tests.methods.predictive.test_padding_kernels import whole
from tests.methods.test_microaggregation import members_of


class TestPure(MethodContract):
    name = "predictive"
    parameters = {"k": 4}


class TestPaddedWithMembers(MethodContract):
    name = "predictive"
    parameters = {"k": 3, "mode": "padded", "publish": "members"}


class TestDiverse(MethodContract):
    name = "predictive"
    parameters = {"k": 3, "l": 4, "b": 2}


def released(ratings: Ratings, **parameters: Any) -> tuple[GroupedRelease, Any]:
    applied = method("predictive", **parameters).apply(ratings, Randomness.from_seed(1))
    assert isinstance(applied.release, GroupedRelease)
    return applied.release, applied.secret


def padded_table(ratings: Ratings) -> np.ndarray:
    """Every cell as the method of `released` pads it."""
    seed = int(Randomness.from_seed(1).generator("padding").integers(2**31))
    return whole(ratings, pad(ratings, seed).table)


@settings(max_examples=15)
@given(seed=st.integers(0, 500), k=st.integers(2, 7), centres=st.sampled_from(["virtual", "real"]))
def test_everyone_is_in_one_group_of_k_to_twice_k(seed: int, k: int, centres: str) -> None:
    ratings = random_ratings(n_users=30, n_items=12, density=0.4, seed=seed)
    release, secret = released(ratings, k=k, centres=centres)
    members = members_of(ratings, release, secret)
    assert sorted(user for group in members for user in group) == list(range(30))
    assert [len(group) for group in members] == release.sizes.tolist()
    assert release.sizes.min() >= k
    assert release.sizes.max() <= 2 * k - 1


def test_padded_profiles_are_means_of_the_padded_table() -> None:
    ratings = random_ratings(n_users=40)
    release, secret = released(ratings, k=4, mode="padded", grid=0)
    full = padded_table(ratings)
    for group, members in enumerate(members_of(ratings, release, secret)):
        items, values = release.profiles.row(group)
        assert items.tolist() == list(range(ratings.n_items))
        assert values == pytest.approx(full[members].mean(axis=0), abs=1e-5)


def test_pure_profiles_are_means_of_raters_or_below_the_floor_of_everyone() -> None:
    ratings = random_ratings(n_users=60, n_items=30, density=0.3)
    release, secret = released(ratings, k=5, floor=3, grid=0)
    full = padded_table(ratings)
    rated = np.full((60, 30), np.nan)
    rated[ratings.user_codes(), ratings.items] = ratings.values
    few = 0
    for group, members in enumerate(members_of(ratings, release, secret)):
        items, values = release.profiles.row(group)
        raters = (~np.isnan(rated[members])).sum(axis=0)
        assert items.tolist() == np.flatnonzero(raters).tolist()
        for item, value in zip(items, values, strict=True):
            enough = raters[item] >= 3
            of = rated[members, item] if enough else full[members, item]
            assert value == pytest.approx(np.nanmean(of), abs=1e-5)
            few += not enough
    assert few > 50


def test_without_floor_and_grid_single_ratings_are_printed() -> None:
    """What the paper does, and why there is a floor."""
    ratings = random_ratings(n_users=60, n_items=30, density=0.2)

    def verbatim(**parameters: Any) -> float:
        release, secret = released(ratings, k=5, grid=0, **parameters)
        alone = printed = 0
        for group, members in enumerate(members_of(ratings, release, secret)):
            label = dict(zip(*release.profiles.row(group), strict=True))
            cells = [cell for user in members for cell in zip(*ratings.row(user), strict=True)]
            for item, value in cells:
                if sum(other == item for other, _ in cells) == 1:
                    alone += 1
                    printed += label[item] == value
        return printed / alone

    assert verbatim(floor=0) == 1.0
    assert verbatim() < 0.05


def test_values_are_on_half_steps_unless_asked_otherwise() -> None:
    ratings = random_ratings(n_users=40)
    assert str(released(ratings, k=4)[0].profiles.scale) == "1..5 step 0.5"
    assert str(released(ratings, k=4, grid=0)[0].profiles.scale) == "1..5 continuous"
    release, _ = released(ratings, k=4, mode="padded", grid=0.25)
    assert (release.profiles.values * 4 % 1 == 0).all()


@pytest.mark.parametrize(("scale", "grid"), [("1..5", 1e-4), ("1000..1001.5 continuous", None)])
def test_steps_too_fine_for_single_precision_are_none(
    tmp_path: Path, scale: str, grid: float | None
) -> None:
    ratings = random_ratings(n_users=40)
    low = Scale.parse(scale).low
    values = ratings.values if low == 1 else low + ratings.values / 5
    shifted = replace(ratings, values=values.astype(np.float32), scale=Scale.parse(scale))
    out = tmp_path / "release"
    published = publish(shifted, "predictive", out=out, audited=False, k=4, grid=grid)
    assert published.release.manifest.scale.endswith("continuous")
    assert open_release(out).as_ratings().n_users == 40


@pytest.mark.parametrize(
    ("asked", "floor"),
    [({}, 3), ({"k": 2}, 2), ({"k": "2"}, 2), ({"k": "2.0"}, 2), ({"k": 9, "floor": 5}, 5)],
)
def test_the_floor_that_is_used_is_stated(asked: dict[str, Any], floor: int) -> None:
    assert method("predictive", **asked).parameters.public()["floor"] == floor


def test_every_row_is_that_of_k_people() -> None:
    release, _ = released(random_ratings(n_users=50), k=5)
    rows = check_claims(release.as_ratings(), ["k-anonymity:k=5"])
    assert rows[0].holds
    assert [str(claim) for claim in release.manifest.claimed] == ["k-anonymity:k=5"]


@pytest.mark.parametrize("b", [1, 2, 4])
def test_diversity_is_kept_at_the_price_that_was_told(b: int) -> None:
    ratings = random_ratings(n_users=80, n_items=60, density=0.05)
    plain, _ = released(ratings, k=4)
    recorder = Recorder()
    recipe = method("predictive", k=4, l=6, b=b)
    release, _, notes, *_ = recipe.apply(ratings, Randomness.from_seed(1), recorder)
    claim = f"diversity:b={b},l=6"
    assert claim in release.manifest.claims
    assert check_claims(release, [claim])[0].holds
    assert check_claims(release, [claim], original=ratings)[0].holds
    assert check_claims(plain, [claim], original=ratings)[0].status == "broken"
    more = release.counts.ratings - plain.counts.ratings
    assert more > 0
    assert any(f"{more:,} more links" in label for label in recorder.labels)
    assert f"the price of diversity: {more:,} more links" in " ".join(notes)


@pytest.mark.parametrize("mode", ["pure", "padded"])
def test_more_groups_than_were_made_are_refused(mode: str) -> None:
    """44 people could be 22 pairs, but here there are groups of three."""
    ratings = random_ratings(n_users=44, n_items=10, density=0.4, seed=44)
    made = len(released(ratings, k=2)[0].sizes)
    assert made < 22
    with pytest.raises(InputError, match=f"there are {made} groups, fewer than l = 22"):
        released(ratings, k=2, l=22, mode=mode)


def test_who_is_given_an_item_does_not_hang_on_other_items() -> None:
    """Groups are drawn for an item by their first members and by its name alone."""
    chosen = []
    for further in ([], ["also rare"]):
        labels = np.array([*further, "common", "rare"], dtype=object)
        rows = [[*range(len(labels))], *([[len(further)]] * 19)]  # the first group has all items
        items = np.concatenate([np.array(row, np.int32) for row in rows])
        cells = GroupCells(
            offsets_from(np.array([len(row) for row in rows])),
            items,
            np.ones(len(items), np.float32),
            np.ones(len(items), np.bool_),
        )
        people = PeopleDraws.of(Randomness.from_seed(1), np.arange(20))
        groups, nowhere = Groups.of(np.arange(20)), np.zeros((20, 1), np.float32)
        wider = diversified(cells, groups, nowhere, 1, 4, labels, people, SILENT)
        chosen.append([at for at in range(20) if len(labels) - 1 in wider.row(at)])
    assert chosen[0] == chosen[1]
    assert len(chosen[0]) == 4


def test_diversity_that_fills_too_much_is_refused() -> None:
    ratings = random_ratings(n_users=80, n_items=60, density=0.05)
    with pytest.raises(InputError, match=r"would cost [\d,]+ more links"):
        method("predictive", k=4, l=6, b=2, most_density=0.2).apply(ratings)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 61}, "60 people cannot make a group"),
        ({"k": 3, "floor": 4}, "floor of 4"),
        ({"k": 10, "l": 7}, "there are 6 groups, fewer than l = 7"),
        ({"l": 2, "b": 41}, "nobody rated b = 41 items"),
        ({"b": 2}, "b = 2 has no effect without l"),
        ({"grid": 5}, "leaves a single value"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_numbers(
    small: Ratings, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        method("predictive", **parameters).apply(small)


@pytest.mark.parametrize(
    "bad",
    [
        {"k": 1},
        {"l": 0},
        {"b": 0},
        {"mode": "x"},
        {"floor": -1},
        {"k": "x"},
        {"k": "-inf"},
        {"grid": -1},
    ],
)
def test_bad_parameters_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        METHODS.get("predictive")(**bad)


def test_data_that_hold_one_value_are_refused() -> None:
    with pytest.raises(InputError, match="no values to average"):
        method("predictive").apply(Ratings.from_columns(range(9), [1] * 9))
    same = from_rows({f"p{at}": {"x": 4, "y": 4} for at in range(7)}, scale="4..4")
    with pytest.raises(InputError, match="every rating is 4"):
        method("predictive").apply(same)


def test_people_without_ratings_are_in_a_group_too() -> None:
    ratings = random_ratings(n_users=20)
    fewer = ratings.keep(ratings.user_codes() > 8)
    release, secret = released(fewer, k=3)
    assert release.sizes.sum() == 20
    assert len(secret.linkage(fewer, release.as_ratings()).linked) == 20


def test_from_the_command_line_and_back(tmp_path: Path, capsys: Any) -> None:
    ratings = random_ratings(n_users=60, n_items=30, density=0.2)
    file, out = tmp_path / "ratings.csv", tmp_path / "release"
    write(ratings, file)
    flags = ["--method", "predictive", "--k", "4", "--l", "3", "--no-audit", "--out", str(out)]
    assert main(["publish", str(file), *flags]) == 0
    assert "more links, density" in capsys.readouterr().err
    release = open_release(out)
    assert release.manifest.claims == ["k-anonymity:k=4", "diversity:b=1,l=3"]
    assert release.as_ratings().n_users == 60
    assert main(["verify", str(out)]) == 0
    pairs = ["verify", str(out), "--claim", "diversity:b=2,l=3"]
    assert main(pairs) == 3
    assert "undecided" in capsys.readouterr().out
    assert main([*pairs, "--original", str(file)]) == 3
    assert "broken" in capsys.readouterr().out


@pytest.mark.real
def test_what_is_left_of_movielens_100k(real_data: Path) -> None:
    """Like groups keep a profile sparser than chance would, and sizes near k."""
    ratings = read(real_data / "ml-100k")
    release, _ = released(ratings, k=5)
    rows, items, cells = release.counts
    assert 0.19 < cells / (rows * items) < 0.24
    assert release.sizes.mean() < 5.5
