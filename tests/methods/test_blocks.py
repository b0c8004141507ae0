"""Methods by blocks: parts of people, made apart, are what is made of all at once."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.core.people_draws import PeopleDraws
from recloak.core.progress import SILENT
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.methods import BlockMethod, method
from recloak.methods._blocks import Statistics, sample_of
from recloak.methods.fragmentation import Fragmentation
from recloak.testing import random_ratings

RECIPES: list[tuple[str, dict[str, Any]]] = [
    ("pseudonymize", {}),
    ("gaussian-noise", {"sigma": 0.5}),
    ("uniform-noise", {"rounding": "step"}),
    ("fragmentation", {"factors": 4}),
    ("fragmentation", {"factors": 4, "fragments": 3, "safe_support": 1000, "max_share": 1.5}),
    ("fragmentation", {"factors": 4, "cut": "shared", "fragments": 2.5}),
]


def recipe(name: str, parameters: dict[str, Any]) -> BlockMethod:
    made = method(name, **parameters)
    assert isinstance(made, BlockMethod)
    return made


def rows_of(made: BlockMethod, ratings: Ratings, shared: Any, drawn: Randomness) -> set[Any]:
    """Each row as its owner, its name and its cells."""
    people = PeopleDraws.of(drawn, ratings.user_labels)
    owned = made.part(ratings, shared, people, SILENT)
    names = made.names(ratings, owned.owners, drawn)
    cells = (owned.rows.row(row) for row in range(owned.rows.n_users))
    return {
        (ratings.user_labels[owner], name, *map(tuple, cell))
        for owner, name, cell in zip(owned.owners, names.tolist(), cells, strict=True)
    }


@pytest.mark.parametrize(("name", "parameters"), RECIPES)
@settings(max_examples=8)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 2), min_size=40, max_size=40))
def test_parts_are_what_is_made_of_all(
    name: str, parameters: dict[str, Any], seed: int, part_of: list[int]
) -> None:
    ratings, drawn = random_ratings(40, 30, seed=seed), Randomness.from_seed(seed)
    made = recipe(name, parameters)
    shared = made.learn(Statistics.of(ratings), ratings, drawn, SILENT)
    parts = [np.flatnonzero(np.array(part_of) == part) for part in range(3)]
    found = [rows_of(made, ratings.take_users(part), shared, drawn) for part in parts]
    assert set().union(*found) == rows_of(made, ratings, shared, drawn)


def test_a_sample_holds_no_more_than_asked_for_and_hangs_on_nobodys_place() -> None:
    ratings, drawn = random_ratings(200, 30), Randomness.from_seed(3)
    people = PeopleDraws.of(drawn, ratings.user_labels)
    assert sample_of(ratings, people, ratings.n_ratings) is ratings
    some = sample_of(ratings, people, 500)
    longest = int(ratings.user_counts.max())
    assert 500 - longest < some.n_ratings <= 500
    order = np.random.default_rng(0).permutation(200)
    again = sample_of(
        ratings.take_users(order), PeopleDraws.of(drawn, ratings.user_labels[order]), 500
    )
    assert sorted(again.user_labels) == some.user_labels.tolist()
    assert len(people.sample(ratings.user_counts, 0)) == 1


def test_every_cell_needs_everyone() -> None:
    assert recipe("gaussian-noise", {"cells": "all"}).why_not_by_blocks()
    assert recipe("gaussian-noise", {}).why_not_by_blocks() is None


def test_draws_of_some_are_their_draws_among_all() -> None:
    everyone = PeopleDraws.of(Randomness.from_seed(3), np.arange(9))
    assert isinstance(everyone[2:5], PeopleDraws)
    counts = np.full(3, 2)
    picked = everyone[np.array([4, 2, 3])].stream("x").words(counts)
    assert picked[2:].tolist() == everyone[2:4].stream("x").words(counts[:2]).tolist()


def test_rare_items_are_looked_for_once_and_do_not_travel(monkeypatch: pytest.MonkeyPatch) -> None:
    made, ratings = Fragmentation(factors=4, fragments=3, safe_support=1000), random_ratings(40, 30)
    drawn, looks, look = Randomness.from_seed(1), [], made.candidates

    def counted(*given: Any) -> Any:
        looks.append(given)
        return look(*given)

    monkeypatch.setattr(made, "candidates", counted)
    made.apply(ratings, drawn)
    assert len(looks) == 1
    shared = made.learn(Statistics.of(ratings), ratings, drawn, SILENT)
    sent = pickle.loads(pickle.dumps(shared))
    assert (shared.found, sent.found) == (shared.found_in(ratings), None)
    assert shared.found_in(ratings.take_users(np.arange(40))) is None
    assert rows_of(made, ratings, sent, drawn) == rows_of(made, ratings, shared, drawn)
