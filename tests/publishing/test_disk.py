"""The disk engine publishes the same bytes as memory does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recloak.clustering.binned import Binned
from recloak.core import people_draws, staged_ratings
from recloak.core.errors import InputError, RecloakError
from recloak.core.ratings import Ratings
from recloak.methods.synthetic import _drawing, _exact_fit
from recloak.publishing.run import publish
from recloak.releases.base import open_release
from recloak.releases.parts import TableParts
from recloak.releases.secret import Lock, open_secret
from tests.publishing.on_disk import both, timed_ratings, written
from tests.support.block_recipes import GROUPED, MADE_UP, RECIPES, SEED, digests
from tests.support.few_names import few_names


@pytest.fixture(scope="module")
def made() -> Ratings:
    return timed_ratings()


@pytest.fixture
def file(made: Ratings, tmp_path: Path) -> Path:
    return written(made, tmp_path, text=False)


@pytest.mark.parametrize("parts", [1, 5])
@pytest.mark.parametrize("recipe", RECIPES)
def test_bytes_are_the_same(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str, parts: int
) -> None:
    monkeypatch.setattr(TableParts, "ratings_per_part", -(-made.n_ratings // parts))
    name, parameters = RECIPES[recipe]
    source = written(made, tmp_path, text=parts > 1)
    in_memory, on_disk = both(source, name, tmp_path, **parameters)
    assert digests(on_disk.folder) == digests(in_memory.folder)
    assert len(digests(on_disk.folder)) == parts + 3
    assert on_disk.release.counts == in_memory.release.counts
    assert on_disk.release.as_ratings().equals(in_memory.release.as_ratings())


@pytest.mark.parametrize("recipe", MADE_UP)
def test_made_up_people_are_the_same(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    """They are learnt from sums over blocks, and drawn a few at a time."""
    monkeypatch.setattr(TableParts, "ratings_per_part", 1500)
    monkeypatch.setattr(_drawing, "RATINGS_AT_A_TIME", 400)
    monkeypatch.setattr(staged_ratings, "ADDED_AT_ONCE", 700)
    monkeypatch.setattr(_exact_fit, "_POWER_STEPS", 2)  # each reads all blocks
    monkeypatch.setattr(_exact_fit, "_EM_STEPS", 2)
    name, parameters = MADE_UP[recipe]
    source = written(made, tmp_path, text=True)
    in_memory, on_disk = both(source, name, tmp_path, **parameters)
    assert digests(on_disk.folder) == digests(in_memory.folder)
    assert len(digests(on_disk.folder)) > 3 + 1
    assert on_disk.notes == in_memory.notes
    assert on_disk.release.counts == in_memory.release.counts
    assert on_disk.release.made_up


@pytest.mark.parametrize("homes", ["several", "one"])
@pytest.mark.parametrize("recipe", GROUPED)
def test_groups_are_the_same(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str, homes: str
) -> None:
    """Bins and factors are learnt from a sample; a home is grouped alone, on whichever engine."""
    if homes == "several":
        monkeypatch.setattr(Binned, "size_for", lambda self, k: 25)
        monkeypatch.setattr("recloak.methods._blocks.SAMPLE_RATINGS", 3000)
    name, parameters = GROUPED[recipe]
    source = written(made, tmp_path, text=homes == "several")
    in_memory, on_disk = both(source, name, tmp_path, **parameters)
    assert digests(on_disk.folder) == digests(in_memory.folder)
    assert on_disk.release.counts == in_memory.release.counts


def test_ratings_and_frames_in_memory_are_taken_as_well(made: Ratings, tmp_path: Path) -> None:
    for at, source in enumerate((made, made.to_polars(), made.without_times())):
        (tmp_path / str(at)).mkdir()
        in_memory, on_disk = both(source, "gaussian-noise", tmp_path / str(at))
        assert digests(on_disk.folder) == digests(in_memory.folder)


def test_data_without_values(tmp_path: Path) -> None:
    seen = Ratings.from_columns([1, 1, 2, 3, 3], [7, 8, 8, 7, 9])
    in_memory, on_disk = both(seen, "pseudonymize", tmp_path)
    assert digests(on_disk.folder) == digests(in_memory.folder)
    with pytest.raises(InputError, match="no values to add noise to"):
        publish(seen, "gaussian-noise", out=tmp_path / "r", engine="disk")


def test_who_opted_out_is_gone(made: Ratings, file: Path, tmp_path: Path) -> None:
    gone = [int(label) for label in made.user_labels[:3]]
    in_memory, on_disk = both(file, "fragmentation", tmp_path, exclude_users=gone, factors=4)
    assert digests(on_disk.folder) == digests(in_memory.folder)
    with pytest.raises(InputError, match="1 of 1 users are not in the data"):
        publish(file, "pseudonymize", out=tmp_path / "r", engine="disk", exclude_users=["nobody"])
    few = Ratings.from_columns([1], [2], [3], scale="1..5")
    with pytest.raises(InputError, match="nobody is left"):
        publish(few, "pseudonymize", out=tmp_path / "r", engine="disk", exclude_users=[1])


def test_names_that_are_drawn_twice(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With few names to draw from many are equal at first, and rows move to other parts."""
    monkeypatch.setattr(people_draws, "as_pseudonyms", few_names)
    monkeypatch.setattr(TableParts, "ratings_per_part", 900)
    monkeypatch.setattr("recloak.publishing._publication.scan_for_leaks", lambda *_, **__: ())
    lock = Lock("key file", bytes(32))
    given = {"fragments": 3, "factors": 4, "lock": lock}
    kept = [
        publish(
            made, "fragmentation", out=tmp_path / engine, engine=engine, seed=SEED, audited=False,
            keep_secret=tmp_path / f"{engine}.secret", **given,
        )
        for engine in ("memory", "disk")
    ]  # fmt: skip
    assert digests(kept[0].folder) == digests(kept[1].folder)
    tables = [open_secret(one.secret, lock).table() for one in kept if one.secret]
    assert tables[0].equals(tables[1])
    assert tables[0]["pseudonym"].n_unique() == len(tables[0])


@pytest.mark.parametrize("recipe", ["pseudonymize", "made up with noise", "bins with members"])
def test_a_name_that_is_drawn_twice_is_drawn_again_alike(
    made: Ratings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    """Of people, of made-up people, and of groups and their members."""
    monkeypatch.setattr(people_draws, "as_pseudonyms", few_names)
    monkeypatch.setattr(TableParts, "ratings_per_part", 900)
    monkeypatch.setattr("recloak.publishing._publication.scan_for_leaks", lambda *_, **__: ())
    name, parameters = (RECIPES | MADE_UP | GROUPED)[recipe]
    in_memory, on_disk = both(made, name, tmp_path, **parameters)
    assert digests(on_disk.folder) == digests(in_memory.folder)
    names = on_disk.release.row_labels
    assert len(np.unique(names)) == len(names) >= 100


def test_a_release_made_on_disk_is_opened_as_any_other(made: Ratings, tmp_path: Path) -> None:
    done = publish(made, "pseudonymize", out=tmp_path / "r", engine="disk", audited=False)
    assert open_release(tmp_path / "r").as_ratings().n_ratings == made.n_ratings
    assert done.release.row_labels.tolist() == sorted(done.release.row_labels.tolist())
    assert isinstance(done.release.manifest.rows, int)
    with pytest.raises(RecloakError):
        publish(made, "pseudonymize", out=tmp_path / "r", engine="disk")
