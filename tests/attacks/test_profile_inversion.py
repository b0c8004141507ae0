"""Profile inversion: what the profiles of groups tell of single ratings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.attacks import attack
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.evaluation.context import AuditContext, match_items
from recloak.evaluation.findings import Finding
from recloak.io import read
from recloak.releases.grouped import GroupedRelease
from recloak.releases.linkage import Linkage
from recloak.releases.manifest import Manifest
from recloak.testing import AttackContract, context_of, from_rows, random_ratings
from tests.attacks.record_linkage.test_record_linkage import value

SPEC = "profile-inversion"
K = 3


class TestProfileInversion(AttackContract):
    name = SPEC

    def context(self, ratings: Ratings) -> AuditContext:
        if ratings.n_users < K:
            return context_of(ratings)
        return context_of(ratings, "microaggregation", k=K)

    def test_finds_people_where_only_names_changed(self) -> None:
        """It finds ratings of groups, and has nothing to read from where there are none."""
        finding = self.make().run(context_of(random_ratings()))
        assert finding.figures == ()
        assert "no profiles of groups" in finding.notes[0]

    def test_one_person(self) -> None:
        one = from_rows({"u": {"a": 5, "b": 2}})
        finding = self.make().run(by_hand(one, {"u": "g"}, {"g": {"a": 5, "b": 2}}, {"g": 1}, 3))
        assert value(finding, "read_back") == 1
        assert value(finding, "right") == 1


def by_hand(
    original: Ratings,
    group_of: dict[str, str],
    profiles: dict[str, dict[str, float]],
    sizes: dict[str, int],
    implied: float | None = 3.0,
    **public: Any,
) -> AuditContext:
    """A release of groups written out; people are its rows in the order of their names."""
    table = from_rows(profiles, "1..5 continuous")
    names = list(profiles)
    table = replace(table, user_labels=np.arange(len(names)))
    people = sorted(group_of)
    manifest = Manifest.model_construct(method="none", parameters=public)
    release = GroupedRelease(
        manifest,
        table,
        np.array([sizes[name] for name in names]),
        None if implied is None else np.full(table.n_items, implied),
        np.arange(len(people)) + 100,
        np.array([names.index(group_of[person]) for person in people]),
    )
    rows = release.as_ratings()
    users = original.codes_of_users(people)
    linkage = Linkage.from_pairs(
        users, np.arange(len(people)), original.n_users, "mapping", "by hand"
    )
    return AuditContext(original, rows, linkage, match_items(original, rows), release=release)


def people_and_profile(rows: list[dict[str, float]], base: float = 3.0) -> AuditContext:
    """One group of these people, published as the paper does."""
    original = from_rows({f"u{at}": row for at, row in enumerate(rows)})
    items = sorted({item for row in rows for item in row})
    means = {item: float(np.mean([row.get(item, base) for row in rows])) for item in items}
    shown = {item: mean for item, mean in means.items() if mean != base}
    return by_hand(
        original, dict.fromkeys(original.user_labels, "g"), {"g": shown}, {"g": len(rows)}, base
    )


def test_a_rating_that_one_member_gave_is_read_back() -> None:
    finding = attack(SPEC).run(people_and_profile([{"a": 5}, {"b": 2}, {"c": 4}]))
    assert value(finding, "read_back") == 1
    assert value(finding, "right") == 1
    assert value(finding, "alone") == 1
    assert value(finding, "rated_given_visible") == pytest.approx(1 / 3)
    assert finding.sample == 3
    assert "33.3%" in finding.notes[-1]


def test_two_raters_can_look_like_one() -> None:
    """4 and 4 among three people are 5 by one of them: stated, and wrong."""
    finding = attack(SPEC).run(people_and_profile([{"a": 4}, {"a": 4}, {"b": 1}]))
    assert value(finding, "read_back") == pytest.approx(1 / 3)
    assert value(finding, "right") == pytest.approx(1 / 2)
    assert value(finding, "alone") == pytest.approx(1 / 3)


def test_what_one_rating_cannot_explain_takes_more_raters() -> None:
    finding = attack(SPEC).run(people_and_profile([{"a": 5}, {"a": 5}, {"b": 3, "c": 1}]))
    assert value(finding, "read_back") == pytest.approx(3 / 4)  # a 3 is what is implied
    assert value(finding, "right") == 1
    assert value(finding, "rated_given_visible") == pytest.approx(3 / 6)
    mixed = attack(SPEC).run(people_and_profile([{"a": 5}, {"a": 4}, {"b": 1}]))
    assert value(mixed, "read_back") == pytest.approx(1 / 3)  # no common rating explains 5 and 4
    assert value(mixed, "right") == 1


def test_a_mean_over_raters_prints_what_one_of_them_gave() -> None:
    original = from_rows({"u": {"a": 5, "b": 4}, "v": {"b": 1}, "w": {"c": 2}})
    profile = {"g": {"a": 5, "b": 2.5, "c": 2}}
    group_of = dict.fromkeys("uvw", "g")
    finding = attack(SPEC).run(by_hand(original, group_of, profile, {"g": 3}, None))
    assert value(finding, "read_back") == pytest.approx(2 / 4)
    assert value(finding, "right") == 1
    assert value(finding, "alone") == pytest.approx(2 / 4)
    assert value(finding, "verbatim") == pytest.approx(2 / 4)


def test_a_prediction_in_place_of_a_single_rating_is_not_verbatim() -> None:
    original = from_rows({"u": {"a": 5, "b": 4}, "v": {"b": 4}, "w": {"c": 2}})
    profile = {"g": {"a": 3.5, "b": 4, "c": 2}}
    context = by_hand(original, dict.fromkeys("uvw", "g"), profile, {"g": 3}, None, floor=2)
    finding = attack(SPEC).run(context)
    assert value(finding, "alone") == pytest.approx(2 / 4)
    assert value(finding, "verbatim") == pytest.approx(1 / 4)
    assert "by chance" in finding.notes[-1]


def test_a_stated_grid_leaves_room_and_a_stated_floor_takes_more_raters() -> None:
    original = from_rows({"u": {"a": 4}, "v": {"b": 5}, "w": {"b": 5}})
    shown = {"g": {"a": 3.5, "b": 4.5}}  # 3 1/3 and 4 1/3, rounded
    group_of = dict.fromkeys("uvw", "g")
    exact = attack(SPEC).run(by_hand(original, group_of, shown, {"g": 3}))
    assert value(exact, "read_back") == 0
    grid = attack(SPEC).run(by_hand(original, group_of, shown, {"g": 3}, grid=0.5))
    assert value(grid, "read_back") == 1
    assert value(grid, "right") == 1
    floor = attack(SPEC).run(by_hand(original, group_of, shown, {"g": 3}, grid=0.5, floor=2))
    assert value(floor, "read_back") == 1
    assert value(floor, "right") == pytest.approx(3 / 4)  # of two claimed 4s there is one


def test_a_fake_cell_is_a_false_statement() -> None:
    original = from_rows({"u": {"a": 5}, "v": {"a": 3}})
    context = by_hand(original, {"u": "g", "v": "g"}, {"g": {"a": 4, "zz": 4}}, {"g": 2})
    finding = attack(SPEC).run(context)
    assert value(finding, "read_back") == 1 / 2
    assert value(finding, "right") == 1 / 2
    assert value(finding, "rated_given_visible") == 2 / 4


def plain(context: AuditContext) -> dict[str, float]:
    """The same one rating after the other, in dictionaries."""
    release, original = context.release, context.original
    assert isinstance(release, GroupedRelease)
    assert release.implied is not None
    group_of_row = dict(zip(release.row_labels.tolist(), release.groups.tolist(), strict=True))
    scale, grid = original.scale, release.profiles.scale.step or 0.0
    floor = max(1, int(context.public["floor"]))
    counts = dict.fromkeys(
        ("ratings", "alone", "truly", "claims", "rated", "places", "verbatim"), 0.0
    )
    for group, size in enumerate(release.sizes.tolist()):
        rows: list[dict[int, float]] = []
        for user in range(original.n_users):
            (row,) = context.linkage.rows_of(user)
            if group_of_row[int(context.rows.user_labels[row])] == group:
                rows.append(dict(zip(*(part.tolist() for part in original.row(user)), strict=True)))
        given = [cell for row in rows for cell in row.items()]
        items = [item for item, _ in given]
        counts["ratings"] += len(given)
        counts["alone"] += sum(items.count(item) == 1 for item in items)
        for item, shown in zip(*release.profiles.row(group), strict=True):
            counts["places"] += size
            counts["rated"] += items.count(item)
            rating, raters = explanation(
                float(shown), float(release.implied[item]), size, scale, grid / 2, floor
            )
            counts["claims"] += raters
            counts["truly"] += min(raters, given.count((int(item), rating)))
            stands_alone = raters and items.count(item) == 1
            counts["verbatim"] += bool(stands_alone) and given.count((int(item), rating))
    return {
        "read_back": counts["truly"] / counts["ratings"],
        "right": counts["truly"] / counts["claims"] if counts["claims"] else -1.0,
        "alone": counts["alone"] / counts["ratings"],
        "verbatim": counts["verbatim"] / counts["ratings"],
        "rated_given_visible": counts["rated"] / counts["places"] if counts["places"] else -1.0,
    }


def explanation(
    shown: float, base: float, size: int, scale: Scale, rounded: float, floor: int
) -> tuple[float, int]:
    levels = scale.levels()
    assert levels is not None
    for raters in range(floor, size + 1):
        wanted, room = base + size / raters * (shown - base), size / raters * rounded + 1e-5
        if scale.low - room <= wanted <= scale.high + room:
            inside = min(max(wanted, scale.low), scale.high)
            nearest = min(
                levels, key=lambda level: (round(abs(level - inside), 5), abs(level - base))
            )
            fits = abs(nearest - wanted) <= room and abs(nearest - base) > 1e-6
            return (float(nearest), raters) if fits else (np.nan, 0)
    return np.nan, 0


@settings(max_examples=40)
@given(
    seed=st.integers(0, 500),
    k=st.integers(2, 6),
    floor=st.integers(0, 2),
    grid=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    publish=st.sampled_from(["sizes", "members"]),
)
def test_reads_what_a_plain_reader_reads(
    seed: int, k: int, floor: int, grid: float, publish: str
) -> None:
    original = random_ratings(20, 10, 0.4, seed=seed)
    context = context_of(original, "microaggregation", k=k, floor=floor, grid=grid, publish=publish)
    finding, expected = attack(SPEC).run(context), plain(context)
    for name, wanted in expected.items():
        figure = finding.figure(name)
        assert (figure.value if figure else -1.0) == pytest.approx(wanted), name


def test_continuous_ratings_are_read_back_within_a_hundredth_of_the_span() -> None:
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((60, 40)) < 0.1)
    values = rng.uniform(-9.5, 9.5, len(users))
    original = Ratings.from_columns(users, items, values, scale="-10..10 continuous")
    finding = attack(SPEC).run(context_of(original, "microaggregation", k=3))
    assert value(finding, "read_back") > value(finding, "alone") - 0.05
    assert value(finding, "right") > 0.7  # the mean of two is on a scale without steps as well


def test_the_worst_tenth_is_that_of_people() -> None:
    rows = [{"a": 5, "b": 1}, *({"c": 5, "d": 1} for _ in range(9))]
    context = people_and_profile(rows)
    finding = attack(SPEC).run(context)
    assert value(finding, "worst_tenth") == 1
    assert "about whom they read most" in str(finding.figure("worst_tenth"))


def test_a_floor_and_a_grid_leave_less_to_read() -> None:
    original = random_ratings(200, 60, 0.15)

    def found(**more: Any) -> Finding:
        return attack(SPEC).run(context_of(original, "microaggregation", k=5, **more))

    bare, floor, both = found(), found(floor=3), found(floor=3, grid=0.5)
    assert value(bare, "read_back") > 2 * value(floor, "read_back")
    assert value(bare, "read_back") > 2 * value(both, "read_back")
    assert value(bare, "right") > value(both, "right")


def test_where_own_means_are_implied_what_most_cells_have_tells_who_rated() -> None:
    original = random_ratings(200, 60, 0.05, seed=3)
    finding = attack(SPEC).run(
        context_of(original, "microaggregation", k=3, imputation="user-mean")
    )
    assert value(finding, "read_back") > 0.5 * value(finding, "alone")
    assert value(finding, "right") > 0.5  # by chance it would be a fifth
    assert "own mean" in " ".join(finding.notes)


def test_where_own_means_are_alike_a_rating_is_read_back_exactly() -> None:
    middle = {"x": 3, "y": 3, "z": 3}
    rows = [{"a": 5, "b": 1}, {"d": 2, "e": 4}, {"f": 1, "g": 5}]
    rows = [row | middle for row in rows]
    original = from_rows({f"u{at}": row for at, row in enumerate(rows)})
    finding = attack(SPEC).run(
        context_of(original, "microaggregation", k=3, imputation="user-mean")
    )
    assert value(finding, "read_back") == 6 / 15  # x, y and z are at everyone's mean
    assert value(finding, "right") == 1


# By the specification: ratings in cells that one member rated, and P(rated | visible).
MOVIELENS = {3: (0.65, 0.43), 5: (0.47, 0.31), 10: (0.26, 0.22)}


@pytest.mark.real
@pytest.mark.parametrize("k", MOVIELENS)
def test_movielens_profiles_give_ratings_away(real_data: Path, k: int) -> None:
    ratings = read(real_data / "ml-100k")
    context = context_of(ratings, "microaggregation", k=k, clustering="mdav")
    finding = attack(SPEC).run(context)
    alone, visible = MOVIELENS[k]
    assert value(finding, "alone") == pytest.approx(alone, abs=0.006)
    assert value(finding, "rated_given_visible") == pytest.approx(visible, abs=0.006)
    hidden = context_of(ratings, "microaggregation", k=k, clustering="mdav", floor=3, grid=0.5)
    assert value(attack(SPEC).run(hidden), "read_back") < value(finding, "read_back") / 2
