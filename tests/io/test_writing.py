"""Writing: whole or not at all, never over something, the same bytes, read back exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recloak.core.errors import InputError, ParameterError, RecloakError
from recloak.core.ratings import Ratings
from recloak.io import FORMATS, read, write
from recloak.testing.formats import EXAMPLE

SCALES = {
    "1..5": st.integers(1, 5),
    "0.5..5 step 0.5": st.integers(1, 10).map(lambda half: half / 2),
    "-10..10 continuous": st.floats(-10, 10, width=32),
    "implicit": None,
}
text_labels = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\r\t"), max_size=6
) | st.sampled_from(["7", "007", "NA", "", " a", 'say "hi"', "a,b", "x\ty", "-1", "user", "\ufeff"])
number_labels = st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(0, 20)
times = st.integers(-(10**9), 10**11)


@st.composite
def any_ratings(draw: st.DrawFn) -> Ratings:
    users, items = (draw(st.sampled_from([text_labels, number_labels])) for _ in range(2))
    pairs = draw(st.lists(st.tuples(users, items), min_size=1, max_size=12, unique=True))
    scale = draw(st.sampled_from(list(SCALES)))
    value = SCALES[scale]
    return Ratings.from_columns(
        [user for user, _ in pairs],
        [item for _, item in pairs],
        None if value is None else [draw(value) for _ in pairs],
        draw(st.none() | st.lists(times, min_size=len(pairs), max_size=len(pairs))),
        scale=scale,
    )


@pytest.mark.parametrize(
    "suffix", [".csv", ".tsv", ".csv.gz", ".tsv.zst", ".parquet", ".arrow", ".arrows"]
)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(ratings=any_ratings())
def test_round_trip(tmp_path: Path, suffix: str, ratings: Ratings) -> None:
    file = tmp_path / f"ratings{suffix}"
    write(ratings, file, overwrite=True)
    back = read(file, scale=ratings.scale)
    assert back.equals(ratings)
    assert np.array_equal(np.signbit(back.values), np.signbit(ratings.values))
    assert back.user_labels.dtype == ratings.user_labels.dtype
    content = file.read_bytes()
    write(back, file, overwrite=True)
    assert file.read_bytes() == content


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=200)
    | st.text(st.sampled_from('01a,;\t|: "\n\r.-é\0'), max_size=80).map(str.encode),
    st.sampled_from([None, *FORMATS]),
)
def test_any_bytes_are_read_or_refused(tmp_path: Path, content: bytes, name: str | None) -> None:
    file = tmp_path / "anything"
    file.write_bytes(content)
    try:
        ratings = read(file, format=name, duplicates="last")
    except RecloakError as problem:
        str(problem).encode()
    else:
        assert ratings.n_ratings > 0


def test_large_and_small_values(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2**32, 100_000, dtype=np.uint32).view(np.float32)
    values = values[np.isfinite(values)]
    ratings = Ratings.from_columns(np.arange(len(values)), np.zeros(len(values), int), values)
    write(ratings, tmp_path / "values.csv")
    assert np.array_equal(read(tmp_path / "values.csv").values, values)


def test_whole_ratings_have_no_point(tmp_path: Path) -> None:
    write(EXAMPLE, tmp_path / "whole.csv")
    assert (tmp_path / "whole.csv").read_text().splitlines()[:2] == [
        "user,item,rating,time",
        "10,7,5,978300760",
    ]


def test_longer_than_a_block(tmp_path: Path) -> None:
    count = 1_300_000
    users = np.repeat(np.arange(count // 100), 100)
    ratings = Ratings.from_columns(users, np.tile(np.arange(100), count // 100), users % 5)
    write(ratings, tmp_path / "long.csv")
    assert read(tmp_path / "long.csv").equals(ratings)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_nothing_is_overwritten_unasked(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"precious{suffix}"
    file.write_text("precious")
    with pytest.raises(RecloakError, match="exists") as caught:
        write(EXAMPLE, file)
    assert caught.value.exit_code == 2
    assert file.read_text() == "precious"


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    ratings = Ratings.from_columns(["a\x01"], ["b"], [3], scale="1..5")
    with pytest.raises(InputError, match="control character"):
        write(ratings, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []
    write(ratings, tmp_path / "out.parquet")
    assert read(tmp_path / "out.parquet", scale="1..5").equals(ratings)


@pytest.mark.parametrize("name", ["ratings", "ratings.xlsx", "ratings.dat"])
def test_unknown_ending(tmp_path: Path, name: str) -> None:
    with pytest.raises(ParameterError, match="no format is written to files") as caught:
        write(EXAMPLE, tmp_path / name)
    assert ".parquet" in caught.value.hint
    write(EXAMPLE, tmp_path / name, "parquet")
    assert read(tmp_path / name, format="parquet", scale="1..5").equals(EXAMPLE)


def test_read_only_format(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="read, not written"):
        write(EXAMPLE, tmp_path / "u.data", "movielens-100k")
