"""Extending a fragmented release: rows only grow, nothing is lost, and who may not is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from recloak.auditing.leak_scan import scan_for_leaks
from recloak.auditing.leak_scan._manifest_check import odd_statement
from recloak.auditing.run import audit
from recloak.core.errors import InputError, ParameterError, PolicyError, RecloakError, SecretError
from recloak.core.files import digest_of
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods import METHODS, Method, method
from recloak.methods.fragmentation import Fragmentation
from recloak.publishing.extend import extend
from recloak.publishing.published import Published
from recloak.publishing.run import publish
from recloak.releases.base import open_release
from recloak.releases.secret import open_secret
from recloak.releases.wallets import secret_from_wallets
from recloak.testing import from_rows, random_ratings
from tests.publishing.extend.samples import (
    KEY,
    MANY,
    by_person,
    by_row,
    extended,
    later_ones,
    secret_of,
)


def test_rows_keep_their_ids_and_only_grow_and_nothing_is_lost(
    folder: Path, whole: Ratings, fresh: Ratings
) -> None:
    made = extended(folder, fresh)
    before, after = (
        by_row(open_release(folder / "r").as_ratings()),
        by_row(made.release.as_ratings()),
    )
    assert before.keys() < after.keys()
    assert all(row.items() <= after[name].items() for name, row in before.items())
    assert any(len(after[name]) > len(row) for name, row in before.items())
    assert by_person(made.release.as_ratings(), secret_of(folder, "n")).equals(
        whole.to_polars().sort("user", "item")
    )
    assert not [verdict for verdict in scan_for_leaks(folder / "n", METHODS) if not verdict.holds]


def test_new_ratings_stand_with_the_nearest_founder(
    folder: Path, whole: Ratings, fresh: Ratings
) -> None:
    """Written out: the founders of a person are those of the old rows and the items that found one
    by the method's rule on all ratings; each new rating is with the nearest.
    """
    secret = secret_of(folder)
    made = extended(folder, fresh)
    rule = Fragmentation(**MANY)
    features = rule.features(whole, Randomness.from_seed(2))
    candidates = rule.candidates(whole)
    counts = candidates.counts(rule.strength(candidates), _silent())
    assert secret.founders is not None
    item_of = {label: code for code, label in enumerate(whole.item_labels)}
    old = secret.table().with_columns(pl.Series("founder", secret.founders))
    before, after = (
        by_row(open_release(folder / "r").as_ratings()),
        by_row(made.release.as_ratings()),
    )
    row_of = {
        (person, item): name
        for person, name in secret_of(folder, "n").table().iter_rows()
        for item in after[name]
    }
    published = {(person, item) for person, name, _ in old.iter_rows() for item in before[name]}
    checked = 0
    for code, person in enumerate(whole.user_labels.tolist()):
        start = candidates.offsets[code]
        founding = candidates.item_of_rank[candidates.ranks[start : start + counts[code]]]
        home = dict(old.filter(pl.col("user") == person).select("founder", "pseudonym").iter_rows())
        for item in whole.item_labels[founding]:
            if (person, item) not in published:
                home[item] = row_of[person, item]
        for item in whole.item_labels[whole.row(code)[0]]:
            if (person, item) in published or item in home or not home:
                continue
            gaps = {
                name: float(np.square(features[item_of[one]] - features[item_of[item]]).sum())
                for one, name in home.items()
            }
            assert gaps[row_of[person, item]] == pytest.approx(min(gaps.values()), rel=1e-4)
            checked += 1
    assert checked > 50


def _silent() -> Any:
    from recloak.core.progress import SILENT

    return SILENT


def changed_rows_by_person(folder: Path, made: Published, name: str = "n") -> list[int]:
    before, after = (
        by_row(open_release(folder / "r").as_ratings()),
        by_row(made.release.as_ratings()),
    )
    changed = [row for row in after if after[row] != before.get(row)]
    table = secret_of(folder, name).table().filter(pl.col("pseudonym").is_in(changed))
    return table.group_by("user").len()["len"].to_list()


def test_held_back_ratings_wait_in_the_secret_until_all_are_out(
    folder: Path, whole: Ratings, fresh: Ratings
) -> None:
    made = extended(folder, fresh, rows_per_person=1)
    assert set(changed_rows_by_person(folder, made)) == {1}
    waiting = secret_of(folder, "n").waiting
    assert waiting is not None
    there = by_person(made.release.as_ratings(), secret_of(folder, "n"))
    both = pl.concat([there, waiting.select(there.columns)]).sort("user", "item")
    assert both.equals(whole.to_polars().sort("user", "item"))
    assert f"{waiting.height:,} ratings wait" in " ".join(made.notes)
    nothing = fresh.keep(np.zeros(len(fresh), bool))
    place, left = folder / "n", waiting.height
    for turn in range(9):
        name = f"turn-{turn}"
        given: dict[str, Any] = {
            "secret": open_secret(folder / f"{place.name}.secret", KEY),
            "lock": KEY,
        }
        made = extend(
            place,
            nothing,
            out=folder / name,
            keep_secret=folder / f"{name}.secret",
            audited=False,
            at_least=1,
            **given,
        )
        place, again = folder / name, secret_of(folder, name).waiting
        assert again is None or again.height < left
        if again is None:
            break
        left = again.height
    assert by_person(made.release.as_ratings(), secret_of(folder, place.name)).equals(
        whole.to_polars().sort("user", "item")
    )


def test_siblings_leave_published_rows_as_they_are(folder: Path, fresh: Ratings) -> None:
    made = extended(folder, fresh, grow="siblings")
    before, after = (
        by_row(open_release(folder / "r").as_ratings()),
        by_row(made.release.as_ratings()),
    )
    assert all(after[name] == row for name, row in before.items())
    assert made.release.manifest.ratings == sum(map(len, before.values())) + len(fresh)


def test_the_manifest_says_what_it_extends_and_the_same_seed_gives_the_same_bytes(
    folder: Path, fresh: Ratings
) -> None:
    extended(folder, fresh)
    extended(folder, fresh, out=folder / "m", keep_secret=folder / "m.secret")
    for name in ("ratings.parquet", "manifest.json"):
        assert (folder / "n" / name).read_bytes() == (folder / "m" / name).read_bytes()
    manifest = open_release(folder / "n").manifest
    extends = manifest.config["extends"]
    assert extends["release_id"] == open_release(folder / "r").manifest.release_id
    assert extends["manifest_sha256"] == digest_of(folder / "r" / "manifest.json")
    assert "It extends release" in (folder / "n" / "README.md").read_text()
    assert odd_statement(manifest, METHODS, "parquet", set()) is None
    forged = {**manifest.config, "extends": {**extends, "grow": "rows of person 17"}}
    other = manifest.model_copy(update={"config": forged})
    assert "extends" in str(odd_statement(other, METHODS, "parquet", set()))


def test_a_release_stays_unfit_if_the_one_before_was(folder: Path, fresh: Ratings) -> None:
    made = extended(folder, fresh, seed=None)
    assert made.release.manifest.reproducible
    assert made.release.manifest.not_for_publication


def test_wallets_do_instead_of_the_secret(folder: Path, fresh: Ratings) -> None:
    found = secret_from_wallets(folder / "wallets", open_release(folder / "r").manifest.release_id)
    first = extended(folder, fresh)
    options: dict[str, Any] = {"out": folder / "w", "keep_secret": None, "lock": None}
    again = extended(folder, fresh, secret=found, split_secret=folder / "w2", **options)
    assert first.release.as_ratings().equals(again.release.as_ratings())
    assert again.release.manifest.config["secret"] == "split"
    next((folder / "wallets").rglob("*.json")).unlink()
    fewer = secret_from_wallets(folder / "wallets", found.release_id)
    with pytest.raises(SecretError, match="of the .* rows of the release"):
        extended(folder, fresh, secret=fewer, out=folder / "x", keep_secret=folder / "x.secret")
    with pytest.raises(InputError, match="holds no wallets"):
        secret_from_wallets(folder / "nothing", found.release_id)


def one_of(folder: Path) -> pl.DataFrame:
    return by_person(open_release(folder / "r").as_ratings(), secret_of(folder)).head(1)


def test_what_was_published_is_never_changed(folder: Path, fresh: Ratings) -> None:
    same = one_of(folder)
    other = same.with_columns(rating=pl.lit(6.0, pl.Float32) - pl.col("rating"))
    if other["rating"].item() == same["rating"].item():
        other = same.with_columns(rating=pl.lit(1.0, pl.Float32))
    table = fresh.to_polars()
    with pytest.raises(InputError, match="1 ratings were published before with another value"):
        extended(folder, Ratings.from_frame(pl.concat([table, other]), scale="1..5"))
    kept = extended(
        folder, Ratings.from_frame(pl.concat([table, other]), scale="1..5"), changed="keep"
    )
    assert "another value, which was kept" in " ".join(kept.notes)
    assert one_of(folder).equals(
        by_person(kept.release.as_ratings(), secret_of(folder, "n")).head(1)
    )
    again = Ratings.from_frame(pl.concat([table, same]), scale="1..5")
    made = extended(folder, again, out=folder / "m", keep_secret=folder / "m.secret")
    assert made.release.as_ratings().equals(kept.release.as_ratings())
    assert "1 ratings were published already" in " ".join(made.notes)


def refused(folder: Path, fresh: Ratings, **options: Any) -> RecloakError:
    there = sorted(path.name for path in folder.iterdir())
    with pytest.raises(RecloakError) as caught:
        extended(folder, fresh, **options)
    assert sorted(path.name for path in folder.iterdir()) == there
    return caught.value


def test_what_cannot_be_added_is_refused_and_leaves_nothing(folder: Path, fresh: Ratings) -> None:
    old = by_person(open_release(folder / "r").as_ratings(), secret_of(folder))
    cases: list[tuple[str, Ratings, dict[str, Any]]] = [
        ("published already", Ratings.from_frame(old, scale="1..5"), {}),
        ("no new rating", fresh.keep(np.zeros(len(fresh), bool)).compact(), {}),
        ("on the scale", replace(fresh, scale=from_rows({"a": {"b": 1}}, "1..7").scale), {}),
        ("exists already", fresh, {"out": folder / "r"}),
        ("people would change, 1,000 are needed", fresh, {"at_least": 1000}),
        ("would be lost", fresh, {"rows_per_person": 1, "keep_secret": None, "lock": None}),
        ("not refuse or keep", fresh, {"changed": "overwrite"}),
        ("rows-per-person", fresh, {"rows_per_person": -1}),
        ("not in the data", fresh, {"exclude_users": ["nobody"]}),
    ]
    for message, given, options in cases:
        assert message in str(refused(folder, given, **options)), message


def test_people_can_be_left_out(folder: Path, fresh: Ratings) -> None:
    gone = fresh.user_labels[0]
    made = extended(folder, fresh, exclude_users=[gone])
    assert made.release.manifest.config["users_excluded"] is True
    assert made.release.manifest.ratings == (
        open_release(folder / "r").manifest.ratings + len(fresh) - fresh.user_counts[0]
    )


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (method("pseudonymize"), "made by pseudonymize; only releases made by fragment"),
        (method("fragmentation", cut="shared", fragments=3), "made with --cut shared"),
    ],
)
def test_only_rows_around_items_of_their_own_are_extended(
    tmp_path: Path, whole: Ratings, recipe: Method, message: str
) -> None:
    publish(
        whole,
        recipe,
        out=tmp_path / "r",
        keep_secret=tmp_path / "s",
        lock=KEY,
        audited=False,
    )
    with pytest.raises(InputError, match=message):
        extend(tmp_path / "r", whole, secret=open_secret(tmp_path / "s", KEY), out=tmp_path / "n")


def test_a_secret_of_another_release_is_refused(
    folder: Path, whole: Ratings, fresh: Ratings
) -> None:
    other = method("fragmentation", **MANY).apply(whole, Randomness.from_seed(9)).secret
    assert "not in the release" in str(refused(folder, fresh, secret=other))


def test_times_are_coarsened_as_before_and_must_be_there(tmp_path: Path) -> None:
    timed = random_ratings(30, 20, 0.5, times=True)
    late = later_ones(timed)
    options: dict[str, Any] = {"keep_secret": tmp_path / "r.secret", "lock": KEY, "audited": False}
    recipe = method("fragmentation", fragments=2, target_support=9, times="year")
    publish(timed.keep(~late).compact(), recipe, out=tmp_path / "r", **options)
    fresh = timed.keep(late).compact()
    made = extended(tmp_path, fresh)
    times = made.release.as_ratings().times
    assert times is not None
    assert made.release.manifest.times == "coarsened to the year"
    assert not [verdict for verdict in scan_for_leaks(tmp_path / "n", METHODS) if not verdict.holds]
    problem = refused(
        tmp_path, fresh.without_times(), out=tmp_path / "x", keep_secret=None, lock=None
    )
    assert "the new ratings have none" in str(problem)


def test_names_that_were_numbers_may_be_joined_by_text_and_values_may_be_absent(
    tmp_path: Path,
) -> None:
    baskets = Ratings.from_columns([1, 1, 1, 2, 2, 3, 3], [1, 2, 3, 1, 2, 2, 3])
    options: dict[str, Any] = {"keep_secret": tmp_path / "r.secret", "lock": KEY, "audited": False}
    publish(baskets, "fragmentation", fragments=1, out=tmp_path / "r", **options)
    fresh = Ratings.from_columns(["1", "ann", "ann"], ["4", "2", "new"])
    made = extended(tmp_path, fresh)
    rows = made.release.as_ratings()
    assert rows.scale.implicit
    assert sorted(rows.item_labels) == ["1", "2", "3", "4", "new"]
    assert rows.n_ratings == len(baskets) + 3
    owners = secret_of(tmp_path, "n").table()
    assert set(owners["user"].to_list()) == {"1", "2", "3", "ann"}


def test_an_older_secret_without_founders_does_as_well(folder: Path, fresh: Ratings) -> None:
    """A row's founder is its rarest item: centroids are the rarest items of a person."""
    first = extended(folder, fresh)
    bare = replace(secret_of(folder), founders=None)
    again = extended(folder, fresh, secret=bare, out=folder / "m", keep_secret=folder / "m.secret")
    assert first.release.as_ratings().equals(again.release.as_ratings())


def test_its_own_difference_is_audited_and_judged(
    folder: Path, fresh: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = partial(audit, attacks=("release-difference:known=8,recent=1",), measures=())
    monkeypatch.setattr("recloak.publishing._publication.audit", quick)
    line = '[[require]]\nattack = "release-difference:known=8,recent=1"\nfigure = "linked"\n'
    (folder / "strict.toml").write_text(f"{line}at_most = 0\n")
    with pytest.raises(PolicyError, match="release-difference, holds an earlier release too"):
        extended(folder, fresh, audited=True, policy=folder / "strict.toml")
    assert not (folder / "n").exists()
    (folder / "lax.toml").write_text(f"{line}at_most = 1\n")
    made = extended(folder, fresh, audited=True, policy=folder / "lax.toml")
    assert made.audit is not None
    assert made.audit.status == "pass"
    assert "Of the earlier release: Rows were linked" in " ".join(made.audit.notes)


def test_parameters_are_those_of_the_release(folder: Path, fresh: Ratings) -> None:
    with pytest.raises(ParameterError):
        extended(folder, fresh, fragments=9)
    assert extended(folder, fresh).release.manifest.parameters["fragments"] == 3
