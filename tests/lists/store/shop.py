"""A made-up shop: ratings that grow, change and are erased, night after night."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from recloak.core.ratings import Ratings
from recloak.lists.protection import ALGORITHMS, Algorithm
from recloak.lists.store import releasing
from recloak.lists.store.safeguards import Safeguards

SETTINGS = {"delta": "0.3", "window": 3, "top": 3, "depth": 8}


def protector(**changed: object) -> Algorithm:
    return ALGORITHMS.get("constructive")(**{**SETTINGS, **changed})


def release_next(*given: Any, **options: Any) -> releasing.Released:
    """As the nightly step, in a shop so small that one person's ratings are many."""
    return releasing.release_next(
        *given, **{"safeguards": Safeguards(most_lost=Fraction(1)), **options}
    )


@dataclass
class Shop:
    """Who rated what by now; each night something happens."""

    seed: int = 0
    n_users: int = 40
    n_items: int = 14
    rated: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.new(200)

    def new(self, count: int) -> None:
        """People rate, popular items more often."""
        for _ in range(count):
            item = min(int(self.rng.exponential(self.n_items / 3)), self.n_items - 1)
            self.rated[int(self.rng.integers(self.n_users)), item] = int(self.rng.integers(1, 6))

    def night(self) -> Ratings:
        """Some rate, some change their mind, and now and then a person or an item is erased."""
        self.new(12)
        if self.rng.random() < 0.3:
            self.erase_user(int(self.rng.integers(self.n_users)))
        if self.rng.random() < 0.15:
            self.erase_item(int(self.rng.integers(self.n_items)))
        if self.rng.random() < 0.3:
            self.n_items += 1
        return self.ratings()

    def erase_user(self, user: int) -> None:
        self.rated = {pair: value for pair, value in self.rated.items() if pair[0] != user}

    def erase_item(self, item: int) -> None:
        self.rated = {pair: value for pair, value in self.rated.items() if pair[1] != item}

    def ratings(self) -> Ratings:
        pairs = sorted(self.rated)
        users, items = (np.array(column) for column in zip(*pairs, strict=True))
        values = np.array([self.rated[pair] for pair in pairs])
        return Ratings.from_columns(users + 1, items + 1, values, scale="1..5")
