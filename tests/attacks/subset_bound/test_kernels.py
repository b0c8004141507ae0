"""What singles out a row, beside all subsets one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recloak.attacks._postings import postings_of, rows_of
from recloak.attacks.subset_bound._kernels import singled_out
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.testing import random_ratings
from tests.support.split_by_item import SplitByItem

Row = frozenset[tuple[int, float]]


def torn(seed: int) -> tuple[Ratings, np.ndarray, np.ndarray]:
    original = random_ratings(9, 9, 0.7, seed)
    applied = SplitByItem(2).apply(original, Randomness.from_seed(seed))
    rows = applied.release.as_ratings()
    linkage = applied.secret.linkage(original, rows)
    return rows, linkage.offsets, linkage.rows


def plain(rows: list[Row], mine: list[int], known: int) -> tuple[float, float, float, float]:
    """Choose every subset of the person's ratings and look through all rows."""
    ratings = [rating for row in mine for rating in rows[row]]
    choices = one = several = singled = further = 0
    for chosen in combinations(sorted(ratings), known):
        count = 0
        for row in mine:
            part = set(chosen) & rows[row]
            if not any(part <= rows[other] for other in range(len(rows)) if other != row):
                count += 1
                further += len(rows[row] - part)
        choices += 1
        one, several, singled = one + (count > 0), several + (count > 1), singled + count
    return one / choices, several / choices, singled / choices, further / choices


def both(seed: int, known: int, exact: int) -> list[tuple[np.ndarray, tuple[float, ...]]]:
    table, offsets, owned = torn(seed)
    rows = [
        frozenset(zip(*(part.tolist() for part in table.row(at)), strict=True))
        for at in range(table.n_users)
    ]
    sizes = [sum(len(rows[row]) for row in owned[start:end]) for start, end in spans(offsets)]
    users = np.array([at for at, size in enumerate(sizes) if size >= known], dtype=np.int64)
    found = np.zeros((len(users), 4))
    given_ = (postings_of(table), rows_of(table), offsets, owned, users)
    singled_out(*given_, known, exact, 0, len(users), found)
    mine = [owned[offsets[user] : offsets[user + 1]].tolist() for user in users]
    return [(one, plain(rows, rows_, known)) for one, rows_ in zip(found, mine, strict=True)]


def spans(offsets: np.ndarray) -> list[tuple[int, int]]:
    return list(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True))


@settings(max_examples=12)
@given(seed=st.integers(0, 10**6), known=st.integers(1, 5))
def test_short_rows_are_counted_exactly(seed: int, known: int) -> None:
    for counted, wanted in both(seed, known, exact=12):
        assert counted == pytest.approx(wanted, abs=1e-9)


@settings(max_examples=12)
@given(seed=st.integers(0, 10**6), known=st.integers(1, 5))
def test_long_rows_are_never_said_to_be_safer_than_they_are(seed: int, known: int) -> None:
    for counted, wanted in both(seed, known, exact=0):
        assert (counted >= np.array(wanted) - 1e-9).all()
        if known <= 2:
            assert counted == pytest.approx(wanted, abs=1e-9)
