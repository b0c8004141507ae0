from __future__ import annotations

from dataclasses import replace

import pytest

from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.measures import measure
from recloak.releases.ratings import RatingsRelease
from recloak.testing import MeasureContract, context_of, from_rows, random_ratings
from tests.support.split_by_item import SplitByItem


class TestItemsets(MeasureContract):
    name = "itemsets"
    needs_rehearsal = False
    exact = ("topk_deviation", "topk_deviation_rows", "pair_error", "pair_error_rows")


def values_of(context: AuditContext, spec: str = "itemsets") -> dict[str, float]:
    return {figure.name: figure.value for figure in measure(spec).run(context).figures}


def with_rows(original: Ratings, rows: Ratings) -> AuditContext:
    context = context_of(original)
    return replace(context, rows=rows, item_in_release=match_items(original, rows), release=None)


def test_new_names_lose_nothing() -> None:
    assert set(values_of(context_of(random_ratings())).values()) == {0.0}


def test_torn_rows_lose_what_stood_across() -> None:
    original = random_ratings(300, 12, 0.6)
    rows = SplitByItem(2).apply(original).release.as_ratings()
    found = values_of(with_rows(original, rows), "itemsets:top=50,common=12")
    assert found["topk_deviation"] == found["topk_deviation_rows"] > 0.2
    deviation = measure("itemsets").run(with_rows(original, rows)).figure("topk_deviation")
    assert deviation is not None
    assert deviation.meaning.endswith(
        "lost in the release as it stands"
    )  # nothing was put together
    across = 36 / 66  # pairs of an even and an odd item, each off by 2; the others are kept
    assert found["pair_error"] == pytest.approx(2 * across)


def test_by_hand() -> None:
    original = from_rows({"a": {"x": 1, "y": 1}, "b": {"x": 1, "y": 1}, "c": {"x": 1, "z": 1}})
    rows = from_rows({"p": {"x": 1, "y": 1}, "q": {"x": 1}, "r": {"y": 1}, "s": {"w": 1, "z": 1}})
    found = values_of(with_rows(original, rows), "itemsets:top=3")
    # Before: x 3, y 2, xy 2. After: x 2, y 2, and of the sets that occur once w, by size; not xy.
    assert found["topk_deviation"] == pytest.approx(1 / 3)
    # xy from 2 to 1, xz from 1 to 0; yz is in neither.
    assert found["pair_error"] == pytest.approx((1 / 1.5 + 2) / 2)


def test_a_reconstruction_is_what_a_recipient_would_mine() -> None:
    """A release in pieces that can be put together again loses nothing, its rows do."""
    original = random_ratings(100, 12, 0.6)
    torn = SplitByItem(2).apply(original, Randomness.from_seed(1)).release

    class Puzzle(RatingsRelease):
        def sample(self, randomness: Randomness) -> Ratings:
            return original

    rows = torn.as_ratings()
    context = replace(with_rows(original, rows), release=Puzzle(torn.manifest, rows))
    found = values_of(context, "itemsets:top=50")
    deviation = measure("itemsets").run(context).figure("topk_deviation")
    assert deviation is not None
    assert deviation.meaning.endswith("an original that the release may have come from")
    assert found["topk_deviation"] == found["pair_error"] == 0
    assert found["topk_deviation_rows"] > 0.2
    assert found["pair_error_rows"] > 0.5
