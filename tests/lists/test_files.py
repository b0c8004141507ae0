"""Lists on disk: they come back as they were, and a folder appears whole, verified, or not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from recloak.core.arrays import Labels
from recloak.core.errors import ClaimError, InputError, ParameterError
from recloak.core.timeline import Timeline
from recloak.lists.external import external_ranking, with_items
from recloak.lists.protection import ALGORITHMS
from recloak.lists.publish import publish_history, verify_history
from recloak.lists.replay import new_history, protect_next, replay
from recloak.releases.lists.files import (
    describe,
    export_history,
    from_json,
    from_table,
    to_json,
    to_table,
)
from recloak.releases.lists.folder import claim_of, open_history, same_lists
from recloak.releases.lists.history import History
from recloak.releases.lists.related import EMPTY, Lists
from recloak.releases.lists.unprotected import dated_raw, raw_history
from tests.lists.samples import timed_ratings

SET_UP = {"start": "0.5", "gap": "0.25", "window": 3, "top": 3, "delta": "0.5"}


def empty_lists(item_labels: Labels, top: int) -> Lists:
    return Lists(np.full((len(item_labels), top), EMPTY, np.int32), item_labels)


@pytest.fixture(scope="module")
def history() -> History:
    return replay(timed_ratings(1), "constructive", **SET_UP)


def test_a_table_holds_every_slot_and_comes_back(history: History) -> None:
    table = to_table(history)
    assert len(table) == len(history) * 9 * 3
    assert table["related"].null_count() == sum(
        9 * 3 - one.lists.n_filled for one in history.releases
    )
    releases = from_table(
        table.sample(fraction=1, shuffle=True, seed=1), describe(history)["releases"]
    )
    assert same_lists(history, replace(history, releases=releases))


def test_json_comes_back_with_text_and_numbers_as_names(history: History) -> None:
    assert same_lists(history, from_json(to_json(history)))
    names = np.array([f"film {n}" for n in range(9)], dtype=object)
    named = tuple(
        replace(one, lists=Lists(one.lists.slots.copy(), names)) for one in history.releases
    )
    assert same_lists(
        replace(history, releases=named), from_json(to_json(replace(history, releases=named)))
    )


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"items": [1], "releases": [{}]}'])
def test_what_is_no_history_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        from_json(text)


def test_export_by_name(history: History, tmp_path: Path) -> None:
    export_history(history, tmp_path / "lists.json")
    assert json.loads((tmp_path / "lists.json").read_text())["window"] == 3
    export_history(history, tmp_path / "lists.parquet")
    assert pl.read_parquet(tmp_path / "lists.parquet").equals(to_table(history))
    with pytest.raises(ParameterError, match="exists already"):
        export_history(history, tmp_path / "lists.json")


def test_a_folder_is_verified_and_reads_back(history: History, tmp_path: Path) -> None:
    ratings = timed_ratings(1)
    verdict = publish_history(history, ratings, tmp_path / "out")
    assert verdict is not None
    assert verdict.holds
    again = open_history(tmp_path / "out")
    assert same_lists(history, again)
    assert all(release.raw is None for release in again.releases)
    assert str(claim_of(again)) == "delta-bound:delta=0.5,window=3"
    assert verify_history(again, ratings) == verdict
    publish_history(again, ratings, tmp_path / "twice")
    for file in (tmp_path / "out").iterdir():
        assert file.read_bytes() == (tmp_path / "twice" / file.name).read_bytes()


def test_a_promise_that_is_broken_publishes_nothing(tmp_path: Path) -> None:
    ratings = timed_ratings(1)
    raw = raw_history(ratings, start="0.5", gap="0.25", window=3, top=3)
    claimed = tuple(replace(one, protected=place > 0) for place, one in enumerate(raw.releases))
    boast = replace(raw, releases=claimed, delta=replay(ratings, **SET_UP).delta)
    with pytest.raises(ClaimError, match="broken"):
        publish_history(boast, ratings, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_edited_is_refused(history: History, tmp_path: Path) -> None:
    publish_history(history, timed_ratings(1), tmp_path / "out")
    table = pl.read_parquet(tmp_path / "out" / "lists.parquet")
    table.reverse().write_parquet(tmp_path / "out" / "lists.parquet")
    with pytest.raises(InputError, match="digest"):
        open_history(tmp_path / "out")
    with pytest.raises(InputError, match="no such folder"):
        open_history(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("key", "value"),
    [("delta", "1"), ("delta", None), ("window", 2), ("new_raters_only", True), ("last", None)],
)
def test_a_promise_that_was_edited_is_refused(
    history: History, tmp_path: Path, key: str, value: object
) -> None:
    """A verifier must not look at a weaker promise than the one that is told, or at less."""
    publish_history(history, timed_ratings(1), tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    if key == "last":
        manifest["config"]["releases"].pop()
    else:
        manifest["config"][key] = value
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="contradicts|not in the manifest"):
        open_history(tmp_path / "out")


def test_a_release_cannot_be_called_unprotected_afterwards(
    history: History, tmp_path: Path
) -> None:
    publish_history(history, timed_ratings(1), tmp_path / "out")
    path = tmp_path / "out" / "manifest.json"
    path.write_text(path.read_text().replace('"protected": true', '"protected": false'))
    with pytest.raises(InputError, match="unprotected_releases"):
        open_history(tmp_path / "out")


def test_a_table_with_too_few_or_far_slots_is_refused(history: History) -> None:
    facts = describe(history)["releases"]
    far = pl.when(pl.col("slot") == 3).then(10**9).otherwise(pl.col("slot"))
    for table in (to_table(history)[1:], to_table(history).with_columns(slot=far)):
        with pytest.raises(InputError, match="lacks slots"):
            from_table(table, facts)


def test_what_is_published_does_not_tell_the_second_of_a_rating(tmp_path: Path) -> None:
    ratings = replace(timed_ratings(1), times=timed_ratings(1).times * 3_001 + 1_000_000_007)
    made = replay(ratings, "constructive", **SET_UP)
    publish_history(made, ratings, tmp_path / "out")
    files = "".join(
        path.read_text() for path in (tmp_path / "out").iterdir() if path.suffix != ".parquet"
    )
    for text in (files, to_json(made)):
        assert not [second for second in ratings.times.tolist() if str(second) in text]
    assert made.releases[-1].time == int(ratings.times.max()) // 86_400 * 86_400


def test_lists_are_not_verified_with_other_ratings(history: History) -> None:
    """Nobody has any background among people who rated other items: all would seem to hold."""
    one = timed_ratings(1)
    other = replace(one, item_labels=one.item_labels + 100, times=one.times + 10 * 86_400)
    with pytest.raises(InputError, match="another day"):
        verify_history(history, other)


def test_items_in_any_order_are_published(tmp_path: Path) -> None:
    ratings = with_items(timed_ratings(1), [0])
    made = replay(ratings, "constructive", **SET_UP)
    publish_history(made, ratings, tmp_path / "out")
    again = open_history(tmp_path / "out")
    assert again.item_labels.tolist() == list(range(10))
    assert [again.releases[1].lists.of(item) for item in range(10)] == [
        made.releases[1].lists.of(item) for item in range(10)
    ]


def test_a_next_release_of_other_items_is_refused(history: History) -> None:
    more = with_items(timed_ratings(1), [77])
    maker = ALGORITHMS.get("constructive")(top=3)
    with pytest.raises(InputError, match="same items"):
        protect_next(history, Timeline(more), more.n_ratings, maker)


def test_raw_lists_promise_nothing_and_say_so(tmp_path: Path) -> None:
    ratings = timed_ratings(1)
    assert publish_history(raw_history(ratings, top=2), ratings, tmp_path / "out") is None
    assert "Not for publication" in (tmp_path / "out" / "README.md").read_text()


def scores(*rows: tuple[int, int, float]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["item", "related", "score"], orient="row")


def test_a_shops_own_lists_are_protected_with_its_own_ratings() -> None:
    ratings = with_items(timed_ratings(1), [77])
    timeline, maker = (
        Timeline(ratings),
        ALGORITHMS.get("constructive")(top=2, window=2, delta="0.5"),
    )
    pairs = [(a, b, 1 / (1 + abs(a - b))) for a in range(1, 10) for b in range(1, 10) if a != b]
    own = external_ranking(scores(*pairs, (77, 1, 0.9), (1, 77, 0.1)), ratings, top=2)
    assert [own.top[4].tolist(), own.top[9].tolist()] == [[3, 5], [0, -1]]
    first = dated_raw(timeline, 30, empty_lists(ratings.item_labels, 2))
    history = protect_next(new_history(maker, first), timeline, 60, maker, ranked=own, label="June")
    assert history.releases[-1].label == "June"
    assert history.releases[-1].lists.n_filled > 0
    verdict = verify_history(history, ratings)
    assert verdict is not None
    assert verdict.holds


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(1, 1, 0.5)], "to itself"),
        ([(1, 2, 0.5), (1, 2, 0.4)], "more than once"),
        ([(1, 99, 0.5)], "is not an item"),
        ([(1, 2, float("nan"))], "not a number"),
    ],
)
def test_odd_scores_are_refused(rows: list[tuple[int, int, float]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        external_ranking(scores(*rows), timed_ratings(1), top=2)
    with pytest.raises(InputError, match="no column"):
        external_ranking(scores((1, 2, 0.5)).drop("score"), timed_ratings(1), top=2)


@pytest.mark.parametrize("slots", [[[1, 1], [0, -1]], [[0, -1], [0, -1]], [[2, -1], [0, -1]]])
def test_impossible_lists_are_refused(slots: list[list[int]]) -> None:
    with pytest.raises(InputError):
        Lists(np.array(slots, np.int32), np.arange(2))


def test_releases_out_of_order_or_of_other_items_are_refused(history: History) -> None:
    with pytest.raises(InputError, match="order of time"):
        replace(history, releases=history.releases[::-1])
    with pytest.raises(InputError, match="same label"):
        replace(history, releases=(history.releases[0],) * 2)
    other = replace(history.releases[1], lists=empty_lists(np.arange(9), 3))
    with pytest.raises(InputError, match="other items"):
        replace(history, releases=(history.releases[0], other))
    with pytest.raises(ParameterError):
        replace(history, window=1)
