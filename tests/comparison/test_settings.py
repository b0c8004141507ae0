"""Settings: the default grid fits the scale, grid files are crossed and refused with a place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recloak.comparison.settings import Setting, chosen, default_settings, read_grid
from recloak.core.errors import InputError, ParameterError
from recloak.core.ratings import Ratings
from recloak.testing import random_ratings


def test_six_methods_at_four_settings_made_up_people_and_a_baseline() -> None:
    everything = default_settings(random_ratings())
    settings = [setting for setting in everything if setting.name != "synthetic"]
    pairs = [(setting.name, setting.given.get("cut")) for setting in settings]
    assert len(settings) == 29
    assert len(everything) == 33
    assert pairs.count(("pseudonymize", None)) == 1
    assert len({name for name, _ in pairs}) == 7
    assert {pairs.count(pair) for pair in set(pairs) - {("pseudonymize", None)}} == {4}
    assert all(setting.method.name == setting.name for setting in settings)


def test_made_up_people_have_a_floor_and_of_many_people_a_budget() -> None:
    few, many = random_ratings(1_999), random_ratings(2_000)
    of_few, of_many = (
        [one for one in default_settings(data) if one.name == "synthetic"] for data in (few, many)
    )
    assert [one.given for one in of_few] == [
        {"floor": 10},
        {"floor": 30},
        {"floor": 100},
        {"calm": 1.0},
    ]
    budgets = [one.given["epsilon"] for one in of_many if "epsilon" in one.given]
    assert budgets == [8.0, 2.0, 1.0]
    assert of_many[0].method.spec == Setting("synthetic", {}).method.spec
    assert all(one.method.name == "synthetic" for one in of_many)


def test_noise_is_a_share_of_the_scale() -> None:
    small = [
        one.given["sigma"] for one in default_settings(random_ratings()) if "sigma" in one.given
    ]
    wide = Ratings.from_columns([1, 1, 2], [1, 2, 1], [-10, 0, 10], scale="-10..10 continuous")
    large = [one.given["sigma"] for one in default_settings(wide) if "sigma" in one.given]
    assert small[:4] == [0.25, 0.5, 1.0, 2.0]
    assert large[:4] == [1.25, 2.5, 5.0, 10.0]


def test_lists_of_a_grid_are_crossed(tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text('[[method]]\nname = "predictive"\nk = [3, 5]\nmode = ["pure", "padded"]\n')
    labels = [setting.label for setting in read_grid(grid)]
    assert labels == [
        "predictive:k=3,mode=pure",
        "predictive:k=3,mode=padded",
        "predictive:k=5,mode=pure",
        "predictive:k=5,mode=padded",
    ]


def test_the_same_setting_written_twice_is_one(tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    entry = '[[method]]\nname = "gaussian-noise"\nsigma = [1, 1.0]\n'
    grid.write_text(entry + entry)
    assert [setting.label for setting in read_grid(grid)] == ["gaussian-noise:sigma=1"]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("[[method]", "grid.toml", "TOML"),
        ("", "grid.toml", "no [[method]]"),
        ("[methods]\n", "grid.toml", "'methods'"),
        ('[[method]]\nname = "identity"\n[[method]]\nk = 3\n', "number 2", "no name"),
        ('[[method]]\nname = "predictiv"\n', "number 1", "predictiv"),
        ('[[method]]\nname = "predictive"\nk = [3, 1]\n', "number 1", "parameter 'k'"),
        ('[[method]]\nname = "predictive"\nkk = 3\n', "number 1", "no such parameter"),
        ('[[method]]\nname = "predictive"\nk = []\n', "number 1", "no values"),
        ('[[method]]\nname = "predictive"\nk = [' + "3," * 2000 + "]\n", "number 1", "2,000"),
    ],
)
def test_a_bad_grid_is_refused_with_its_place(
    text: str, place: str, message: str, tmp_path: Path
) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(text)
    with pytest.raises(InputError) as refused:
        read_grid(grid)
    assert place in (refused.value.where or "")
    assert message in refused.value.what


def test_a_grid_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_grid(tmp_path / "none.toml")


def test_methods_are_chosen_in_the_order_asked_for() -> None:
    settings = default_settings(random_ratings())
    picked = chosen(settings, ["predictive", "identity"])
    assert [one.name for one in picked] == ["predictive"] * 4 + ["identity"]
    with pytest.raises(ParameterError) as refused:
        chosen(settings, ["microagregation"])
    assert "Did you mean 'microaggregation'" in (refused.value.hint or "")


def test_words_are_those_of_publish() -> None:
    setting = Setting("disassociation", {"max_cluster": 50, "values": False})
    assert setting.words == "--method disassociation --max-cluster 50 --values false"


@pytest.mark.parametrize(
    ("given", "family", "within"),
    [
        ({"cut": "shared", "fragments": 4}, "fragmentation:cut=shared", "fragments=4"),
        ({"fragments": "4"}, "fragmentation", "fragments=4"),
        ({"cut": "shared"}, "fragmentation:cut=shared", "fragmentation:cut=shared"),
    ],
)
def test_a_family_is_the_method_with_all_that_is_no_number(
    given: dict[str, Any], family: str, within: str
) -> None:
    setting = Setting("fragmentation", given)
    assert setting.family == family
    assert setting.within_family == within


def test_the_default_grid_has_two_families_of_fragments() -> None:
    settings = default_settings(random_ratings(20, 10, 0.5))
    families = {one.family for one in settings}
    assert len(families) == 9
    assert "fragmentation:cut=centroids" in families
    assert "fragmentation:cut=shared" in families
    assert "synthetic" in families
