"""Guarantee `floor`: how many people are behind what a release shows."""

from __future__ import annotations

import numpy as np

from recloak.core.ratings import Ratings
from recloak.guarantees import guarantee


def ratings(sizes: dict[int, int]) -> Ratings:
    """People 0, 1, … of whom ``sizes[item]`` rated the item; everyone rated item 0."""
    most = max(sizes.values())
    cells = [(user, item) for item, people in sizes.items() for user in range(people)]
    users, items = zip(*[*cells, *((user, 0) for user in range(most))], strict=True)
    return Ratings.from_columns(users, items, np.full(len(users), 3), scale="1..5")


def test_an_item_of_too_few_people_is_named() -> None:
    original = ratings({1: 9, 2: 4})
    verdict = guarantee("floor:k=4").check_beside(original, ratings({1: 9, 2: 4}))
    assert verdict.holds
    assert "This is not differential privacy." in verdict.how
    verdict = guarantee("floor:k=5").check_beside(original, ratings({1: 9, 2: 4}))
    assert verdict.status == "broken"
    assert verdict.witness == {"item": "2", "people": 4}


def test_an_item_that_nobody_rated_is_found() -> None:
    verdict = guarantee("floor:k=2").check_beside(ratings({1: 9}), ratings({1: 9, 7: 3}))
    assert verdict.status == "broken"
    assert verdict.witness == {"item": "7", "people": 0}


def test_a_row_of_a_size_that_nobody_has_is_found() -> None:
    original = ratings({1: 9, 2: 9, 3: 9})
    verdict = guarantee("floor:k=3").check_beside(original, original.keep(original.items != 3))
    assert verdict.status == "broken"
    assert verdict.witness == {"ratings in a row": 3, "people in its range": 0}


def test_without_the_original_nothing_is_decided() -> None:
    verdict = guarantee("floor:k=3").check(ratings({1: 9}))
    assert verdict.status == "undecided"
    assert "--original" in verdict.how
