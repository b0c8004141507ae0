"""JSON lines: what all formats do, Amazon's reviews, and lines that are wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from recloak.auditing.verification import verify
from recloak.core.errors import InputError
from recloak.evaluation.findings import Verdict
from recloak.io import Loaded, load
from recloak.testing.formats import Packed, Scaled, SelfNaming, example_rows

Put = Callable[..., Loaded]


class TestJsonLines(SelfNaming, Packed, Scaled):
    name = "jsonl"

    def make(self, folder: Path) -> Path:
        file = folder / "votes.jsonl"
        names = ("user", "item", "rating", "time")
        rows = (dict(zip(names, row, strict=True)) for row in example_rows())
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return file


AMAZON = (
    '{"reviewerID": "A1", "asin": "0005", "reviewerName": "Ann", "helpful": [0, 0], "overall": 5.0,'
    ' "unixReviewTime": 1252800000, "reviewTime": "09 13, 2009"}\n\n'
)


def test_amazon(put: Put) -> None:
    loaded = put(AMAZON)
    assert loaded.ratings.to_polars().rows() == [("A1", "0005", 5.0, 1252800000)]
    assert loaded.personal == ("reviewerName",)


def test_words(put: Put) -> None:
    loaded = put('{"user": 1, "item": 2, "rating": "good"}\n', order="bad,good")
    assert loaded.ratings.values.tolist() == [2.0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "not a JSON object"),
        ("{", "not a JSON object"),
        ('{"reviewerID": "A1", "asin": "7", "unixReviewTime": 1}', "the rating is missing"),
        ('{"reviewerID": ["A1"], "asin": "7", "overall": 1, "unixReviewTime": 1}', "neither"),
        ('{"reviewerID": "A1", "asin": "7", "overall": "x", "unixReviewTime": 1}', "not a number"),
        ('{"reviewerID": "A1", "asin": "7", "overall": NaN, "unixReviewTime": 1}', "not a number"),
    ],
)
def test_wrong_lines_are_named(put: Put, line: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        put(AMAZON + line + "\n")
    assert "line 3" in (caught.value.where or "")


def test_a_rating_is_not_lost(put: Put) -> None:
    with pytest.raises(InputError, match="points holds numbers"):
        put('{"user": 1, "item": 2, "points": 3}\n')


def verdict_on(file: Path) -> Verdict:
    (verdict,) = verify(file, ["k-anonymity:k=2"])
    return verdict


def written(folder: Path, text: str) -> Path:
    (folder / "a.jsonl").write_text(text)
    return folder / "a.jsonl"


def lines_of(*ratings: str, more: str = "") -> str:
    rows = [f'{{"user": "u{at}", "item": "a", "rating": {one}' for at, one in enumerate(ratings)]
    return "".join(f"{row}}}\n" for row in rows[:-1]) + f"{rows[-1]}{more}}}\n"


def test_claims_on_json_lines_are_decided(tmp_path: Path) -> None:
    assert verdict_on(written(tmp_path, lines_of("5", "5", "3", "3"))).status == "holds"
    assert verdict_on(written(tmp_path, lines_of("5", "5", "3"))).status == "broken"


@pytest.mark.parametrize("ratings", [("5", "5.0"), ("5", '"5"'), ("3.00000001", "3.00000006")])
def test_what_is_written_otherwise_is_not_the_same(
    tmp_path: Path, ratings: tuple[str, str]
) -> None:
    verdict = verdict_on(written(tmp_path, lines_of(*ratings)))
    assert verdict.status == "undecided"
    assert "The file writes 2 different ratings" in verdict.reservations[0]


def test_a_key_of_a_later_line_is_not_overlooked(tmp_path: Path) -> None:
    file = written(tmp_path, lines_of(*["5"] * 200, more=', "name": "Ann"'))
    verdict = verdict_on(file)
    assert verdict.status == "undecided"
    assert "name" in verdict.reservations[0]
    assert load(file).personal == ("name",)


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="each key appears once"):
        load(written(tmp_path, lines_of("5", "5", more=', "rating": 4')))
