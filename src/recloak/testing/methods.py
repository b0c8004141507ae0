"""What every method must do; its test inherits this and sets `component`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from recloak.auditing.verification import check_claims
from recloak.core.errors import Cancelled, InputError
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods import METHODS
from recloak.methods.base import Method
from recloak.releases.base import open_release, save_release
from recloak.testing._component import ComponentContract
from recloak.testing.data import empty_ratings, random_ratings
from recloak.testing.progress import Recorder, Stopper


class MethodContract(ComponentContract[Method]):
    """Tests of a method."""

    registry = METHODS
    keeps_names: ClassVar[bool] = False
    """Are people called in the release what they were called before?"""

    made_up: ClassVar[bool] = False
    """Are the rows made-up people, none of whom is anybody?"""

    def test_declares_itself(self) -> None:
        super().test_declares_itself()
        assert self.member().promise

    def test_the_same_seed_gives_the_same_bytes(self, tmp_path: Path, small: Ratings) -> None:
        for place in ("one", "two"):
            (tmp_path / place).mkdir()
            applied = self.make().apply(small, Randomness.from_seed(7))
            save_release(applied.release, tmp_path / place)
        for file in (tmp_path / "one").iterdir():
            assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()

    def test_without_a_seed_no_two_are_alike(self, small: Ratings) -> None:
        one, two = (self.make().apply(small).release for _ in range(2))
        assert one.manifest.release_id != two.manifest.release_id
        assert not one.manifest.reproducible

    def test_a_short_seed_is_marked_and_never_told(self, small: Ratings) -> None:
        manifest = self.make().apply(small, Randomness.from_seed(918273)).release.manifest
        assert manifest.reproducible
        assert any("128 bits" in reason for reason in manifest.not_for_publication)
        assert "918273" not in manifest.to_json()

    def test_survives_the_disk(self, tmp_path: Path, small: Ratings) -> None:
        for table_format in ("parquet", "csv"):
            folder = tmp_path / table_format
            folder.mkdir()
            applied = self.make().apply(small, Randomness.from_seed(1))
            save_release(applied.release, folder, table_format)
            again = open_release(folder)
            assert again.as_ratings().equals(applied.release.as_ratings())
            assert again.manifest.method == self.member().name

    def test_does_not_change_its_input(self, small: Ratings) -> None:
        before = random_ratings()
        self.make().apply(small)
        assert small.equals(before)

    def test_claims_hold(self, small: Ratings) -> None:
        applied = self.make().apply(small)
        verdicts = check_claims(applied.release, applied.release.manifest.claimed, original=small)
        assert all(verdict.holds for verdict in verdicts)

    def test_names_tell_nothing(self, small: Ratings) -> None:
        applied = self.make().apply(small)
        names = {str(name) for name in applied.release.as_ratings().user_labels}
        originals = {str(name) for name in small.user_labels}
        assert names.isdisjoint(originals) != self.keeps_names

    def test_rows_are_in_the_order_of_their_names(self, small: Ratings) -> None:
        rows = self.make().apply(small).release.as_ratings()
        assert (np.diff(rows.user_labels) > 0).all()

    def test_times_are_dropped(self) -> None:
        timed = random_ratings(times=True)
        release = self.make().apply(timed).release
        assert release.as_ratings().times is None
        assert release.manifest.times == "dropped"

    def test_the_secret_links_everyone_to_a_row(self, small: Ratings) -> None:
        applied = self.make().apply(small)
        linkage = applied.secret.linkage(small, applied.release.as_ratings())
        assert len(linkage.linked) == (0 if self.made_up else small.n_users)

    def test_empty_data(self) -> None:
        assert len(self.rows_or_refusal(empty_ratings())) == 0

    def test_one_person_with_one_rating(self) -> None:
        one = Ratings.from_columns([1], [1], [3], scale="1..5")
        assert self.rows_or_refusal(one).n_users <= 1 or self.made_up

    def rows_or_refusal(self, ratings: Ratings) -> Ratings:
        """What is published of too little data: rows, or nothing and a reason."""
        try:
            return self.make().apply(ratings).release.as_ratings()
        except InputError:
            return empty_ratings()

    def test_says_how_far_it_is_and_stops_when_asked(self, small: Ratings) -> None:
        recorder = Recorder()
        self.make().apply(small, progress=recorder)
        assert recorder.steps > 0
        with pytest.raises(Cancelled):
            self.make().apply(small, progress=Stopper())


def cells(ratings: Ratings) -> Counter[tuple[Any, float]]:
    """How often each (item, value) occurs."""
    names = ratings.item_labels[ratings.items].tolist()
    return Counter(zip(names, ratings.values.tolist(), strict=True))
