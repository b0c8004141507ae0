"""Basket lists: any number of items on a line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recloak.core.errors import InputError
from recloak.core.ratings import Ratings
from recloak.io import load, read
from recloak.io.baskets import FINE, split_baskets
from recloak.testing.formats import Packed, SelfNaming
from tests.io.test_csv import Put, cells

TEXT = "10,20,30\n40\n10,50\n\n20,30,40,50\n60\n"


class TestBaskets(SelfNaming, Packed):
    name = "baskets"
    example = Ratings.from_columns(
        [1, 1, 1, 2, 3, 3, 5, 5, 5, 5, 6], [10, 20, 30, 40, 10, 50, 20, 30, 40, 50, 60]
    )

    def make(self, folder: Path) -> Path:
        file = folder / "baskets.txt"
        file.write_text(TEXT)
        return file

    @pytest.mark.parametrize("separator", [" ", "\t", "  ", ";", " , "])
    def test_separators(self, source: Path, separator: str) -> None:
        source.write_text(TEXT.replace(",", separator).replace("\n", " \r\n"))
        assert self.read(source).equals(self.example)


def test_names_of_items(put: Put) -> None:
    loaded = put("whole milk,yogurt\nyogurt\nbeer, whole milk\n", format="baskets")
    assert loaded.ratings.item_labels.tolist() == ["beer", "whole milk", "yogurt"]
    assert loaded.ratings.scale.implicit


def test_an_item_counts_once(put: Put) -> None:
    loaded = put("1 2 1\n2 2 2\n", format="baskets")
    assert cells(loaded.ratings) == [(1, 1), (1, 2), (2, 2)]
    assert loaded.notes == ("3 items were repeated in their basket and count once.",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n\n1,,2\n", "item is missing"),
        ("1,2\n\n1,2,\n", "item is missing"),
        ("1,2\n\n,\n", "item is missing"),
        ("1,2\n\n1,NA\n", "stands for a missing"),
        ('1,2\n\n1,"2"\n', "cannot be used"),
        ("1,2\n\n1,\x01\n", "cannot be used"),
        ("1,2\n\n1\r2\n", "cannot be used"),
    ],
)
def test_malformed(put: Put, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        put(text, format="baskets")
    assert caught.value.where.endswith("data, line 3")


@pytest.mark.parametrize(
    "text",
    [
        "1,2,3\n1,3\n1,4,5\n2,3,4\n",  # one line of a table is cut
        "1,2,3\n2,3,4\n3,4,5\n3,4,5\n",
        "a,b\nc\nd,e,f\ng,h,i,j\n",
        "5,5,5\n7,7\n8,8,8,8\n1,1,1,1,1\n",
    ],
)
def test_not_sniffed_unless_sure(tmp_path: Path, text: str) -> None:
    file = tmp_path / "data"
    file.write_text(text)
    try:
        assert load(file, duplicates="last").format == "csv"
    except InputError as problem:
        assert "basket" not in str(problem)  # noqa: PT017 - a table may be refused as a table


def test_files_are_other_baskets(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text("1 2\n3\n")
    ratings = read([tmp_path / "a", tmp_path / "b"], format="baskets")
    assert ratings.user_labels.tolist() == [1, 2, 3, 4]


@given(st.lists(st.lists(st.integers(0, 99), max_size=4), max_size=6), st.sampled_from(", "))
def test_kernel_against_split(baskets: list[list[int]], separator: str) -> None:
    text = "".join(separator.join(map(str, basket)) + "\n" for basket in baskets)
    data = np.frombuffer(text.encode() or b"\n", np.uint8)
    starts, ends, lines = np.empty((3, len(data)), np.int32)
    count, problem, _ = split_baskets(data, ord(separator), starts, ends, lines)
    assert problem == FINE
    found = [(int(lines[at]), int(data[starts[at] : ends[at]].tobytes())) for at in range(count)]
    assert found == [(line, item) for line, basket in enumerate(baskets) for item in basket]
