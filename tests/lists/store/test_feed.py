"""Purchases from a table of the store's own database: merged by a rule, and only new rows read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from recloak.core.errors import InputError, MachineError, ParameterError
from recloak.core.ratings import Ratings
from recloak.lists.store.checking import verify_store
from recloak.lists.store.database import writing
from recloak.lists.store.feed import Feed, FeedRead, keep_feed, read_feed
from recloak.lists.store.store import Store
from tests.lists.store.shop import Shop, protector, release_next

SALES = "SELECT who, what, stars, id FROM sales"


@pytest.fixture
def shop_of(url: str) -> Callable[[list[tuple[Any, ...]]], Store]:
    """A store in whose database sales are written down, in the order in which they happen."""
    store = Store.at(url, make=True)
    made: list[int] = []

    def sell(rows: list[tuple[Any, ...]]) -> Store:
        if store.engine.dialect.name == "sqlite":
            with store.writing():
                pass
        with writing(store.engine) as connection:
            if not made:
                connection.exec_driver_sql(
                    "CREATE TABLE sales (id INTEGER, who TEXT, what TEXT, stars REAL, day DATE)"
                )
            for who, what, stars in rows:
                made.append(1)
                given = (
                    f"{len(made)}, '{who}', '{what}', {stars}, '2026-01-{len(made) % 28 + 1:02d}'"
                )
                connection.exec_driver_sql(f"INSERT INTO sales VALUES ({given})")
        return store

    return sell


def ratings_of(shop: Shop) -> list[tuple[Any, ...]]:
    return [(user + 1, item + 1, value) for (user, item), value in shop.rated.items()]


@pytest.mark.parametrize(
    ("rule", "value"), [("last", 2.0), ("max", 5.0), ("count", 3.0), ("any", 1.0)]
)
def test_several_purchases_are_merged_by_the_rule(
    rule: str, value: float, shop_of: Callable[..., Store]
) -> None:
    store = shop_of([("a", "x", 1), ("a", "x", 5), ("b", "x", 3), ("a", "x", 2)])
    read = read_feed(store, Feed.of(f"sql:{SALES} ORDER BY id", rule, None))
    given = read.ratings
    of_a = int(list(given.user_labels).index("a"))
    assert given.n_ratings == 2
    assert given.values[given.offsets[of_a]] == value


def test_only_new_rows_are_read_and_give_the_same_lists(shop_of: Callable[..., Store]) -> None:
    shop, feed = Shop(3), Feed.of(f"sql:{SALES}", "last", "id")
    store = shop_of(ratings_of(shop))
    given: list[Ratings] = []
    for night in range(3):
        read = read_feed(store, feed)
        whole = read_feed(store, feed, anew=True)
        assert whole.ratings.equals(read.ratings)
        assert read.n_rows == (whole.n_rows if night == 0 else 9 + 1), "the last one again"
        done = release_next(store, read.ratings, protector())
        keep_feed(store, read, done.record)
        given.append(read.ratings)
        shop_of([(100 + night, 1 + item, 4) for item in range(9)])
    assert [one.status for one in verify_store(store, given)] == ["holds"] * 3


def test_what_is_kept_tells_nothing_without_the_key(shop_of: Callable[..., Store]) -> None:
    shop, feed = Shop(3), Feed.of("table:sales", "any", "id")
    store = shop_of([("somebody-special", "x", 4), *ratings_of(shop)])
    read = read_feed(store, Feed.of(f"sql:{SALES}", "any", "id"))
    done = release_next(store, read.ratings, protector())
    keep_feed(store, read, done.record)
    assert read.kept is not None
    with store.reading() as transaction:
        sealed = transaction.memory("feed")
    assert sealed is not None
    assert read.kept not in sealed
    assert b"SELECT" not in sealed
    assert read_feed(store, feed).n_rows > 100, "another query begins anew"


def test_a_time_that_grows_serves_as_well(shop_of: Callable[..., Store]) -> None:
    shop, feed = Shop(3), Feed.of("sql:SELECT who, what, stars, day FROM sales", "any", "day")
    store = shop_of([(user, item, value) for user, item, value in ratings_of(shop)[:20]])
    read = read_feed(store, feed)
    done = release_next(store, read.ratings, protector())
    keep_feed(store, read, done.record)
    last = sum(1 for at in range(20) if at % 28 + 1 == 20)
    assert read_feed(store, feed).n_rows == last
    shop_of([(7, 7, 1)])
    assert read_feed(store, feed).n_rows == last + 1


@pytest.mark.parametrize("rule", ["last", "max", "count", "any"])
def test_rows_that_come_later_with_the_last_value_are_not_lost(
    rule: str, shop_of: Callable[..., Store]
) -> None:
    """A day is not over when its first rows are read, and several rows may share a moment."""
    query = "SELECT who, what, stars, month FROM (SELECT *, id / 50 AS month FROM sales) AS dated"
    feed, shop = Feed.of(f"sql:{query}", rule, "month"), Shop(3)
    store = shop_of(ratings_of(shop))
    for night in range(4):
        read, whole = read_feed(store, feed), read_feed(store, feed, anew=True)
        assert in_order(read.ratings) == in_order(whole.ratings)
        assert night == 0 or read.n_rows < whole.n_rows
        done = release_next(store, read.ratings, protector())
        keep_feed(store, read, done.record)
        shop_of([(1 + item, 1 + item, 1 + night) for item in range(9)])


def test_which_row_is_the_last_of_a_day_is_not_left_to_the_database(
    shop_of: Callable[..., Store],
) -> None:
    """PostgreSQL gives rows in the order of their places, and moves what is updated."""
    store = shop_of([("a", "x", 5), ("a", "x", 2), ("b", "x", 1)])
    dated = "SELECT who, what, stars, month FROM (SELECT *, id / 50 AS month FROM sales) AS dated"
    feed = Feed.of(f"sql:{dated}", "last", "month")
    first = in_order(read_feed(store, feed).ratings)
    assert first == [("a", "x", 5.0), ("b", "x", 1.0)]
    with writing(store.engine) as connection:
        connection.exec_driver_sql("UPDATE sales SET day = '2026-02-01' WHERE id = 1")
    assert in_order(read_feed(store, feed).ratings) == first


def test_a_column_of_few_digits_is_compared_with_its_own_value(
    shop_of: Callable[..., Store],
) -> None:
    """PostgreSQL's REAL calls a value .7 that is a little less; nothing may fall in between."""
    feed = Feed.of("sql:SELECT who, what, 1, stars FROM sales", "any", "stars")
    store = shop_of([(user, item, 0.7) for user, item, _ in ratings_of(Shop(3))])
    read = read_feed(store, feed)
    done = release_next(store, read.ratings, protector())
    keep_feed(store, read, done.record)
    assert read_feed(store, feed).n_rows == read.n_rows


def in_order(ratings: Ratings) -> list[tuple[str, str, float]]:
    users = np.repeat(np.arange(ratings.n_users), np.diff(ratings.offsets))
    names = ratings.user_labels[users], ratings.item_labels[ratings.items]
    return sorted(zip(*(map(str, one) for one in names), ratings.values.tolist(), strict=True))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("table:salez", "cannot be answered: .*salez"),
        ("sql:SELECT who, what, starz FROM sales", "cannot be answered: .*starz"),
        ("sql:SELECT who what FROM", "cannot be answered"),
        ("sql:SELECT NULL, what, stars FROM sales", "1 rows have no person"),
        ("sql:SELECT who, what, NULL FROM sales", "1 rows have no rating"),
        ("sql:SELECT who, what, 'much' FROM sales", "is not a number"),
    ],
)
def test_what_is_wrong_with_a_query_is_said_of_the_query(
    query: str, message: str, shop_of: Callable[..., Store]
) -> None:
    store = shop_of([("a", "x", 1)])
    with pytest.raises(InputError, match=message) as problem:
        read_feed(store, Feed.of(query, "last", None))
    assert "--from" in str(problem.value)
    assert "edited" not in str(problem.value)


@pytest.mark.parametrize(
    "query",
    [
        f"sql:{SALES} WHERE what LIKE '%x%'",
        f"sql:{SALES} WHERE id % 7 >= 0",
        f"sql:{SALES} -- all of them",
        'sql:SELECT who, what, stars, id AS "Place" FROM sales',
    ],
)
def test_what_sql_may_say(query: str, shop_of: Callable[..., Store]) -> None:
    store = shop_of([("a", "x", 1), ("b", "x", 2)])
    since = "PLACE" if "Place" in query else "ID"  # databases take names in either case
    assert read_feed(store, Feed.of(query, "last", since)).n_rows == 2


def test_a_query_that_changes_something_is_refused_and_changes_nothing(
    shop_of: Callable[..., Store],
) -> None:
    store = shop_of([("a", "x", 1)])
    changing = "sql:WITH gone AS (DELETE FROM sales RETURNING *) SELECT who, what, stars FROM gone"
    with pytest.raises(InputError, match="cannot be answered"):
        read_feed(store, Feed.of(changing, "last", None))
    assert read_feed(store, Feed.of(f"sql:{SALES}", "last", None)).n_rows == 1


def test_a_growing_column_that_is_not_given(shop_of: Callable[..., Store]) -> None:
    store = shop_of([("a", "x", 1)])
    with pytest.raises(InputError, match="not a column") as problem:
        read_feed(store, Feed.of(f"sql:{SALES}", "last", "sales.id"))
    assert "who, what, stars, id" in str(problem.value.hint)


def test_what_is_kept_waits_as_long_as_the_release(url: str) -> None:
    store = Store.at(url, make=True)
    record = release_next(store, Shop(1).ratings(), protector()).record
    read = FeedRead(Shop(1).ratings(), 0, b"")
    with store.writing(), pytest.raises(MachineError, match="another run"):
        keep_feed(store, read, record, wait=0.1)


def test_rows_without_a_place_in_the_order_are_refused(shop_of: Callable[..., Store]) -> None:
    store = shop_of([("a", "x", 1), ("b", "x", 2)])
    query = "sql:SELECT who, what, stars, CASE WHEN id > 1 THEN id END AS place FROM sales"
    with pytest.raises(InputError, match="1 rows have no value"):
        read_feed(store, Feed.of(query, "last", "place"))


@pytest.mark.parametrize(
    ("source", "rule", "since"),
    [
        ("sales", "last", None),
        ("sql:DELETE FROM sales", "last", None),
        ("table:sales; DROP TABLE sales", "last", None),
        ("table:sales", "mean", None),
        ("table:sales", "last", "id; DROP"),
    ],
)
def test_feeds_that_make_no_sense(source: str, rule: str, since: str | None) -> None:
    with pytest.raises(ParameterError):
        Feed.of(source, rule, since)


def test_a_query_that_gives_too_little(shop_of: Callable[..., Store]) -> None:
    store = shop_of([("a", "x", 1)])
    with pytest.raises(InputError, match="2 columns, and 3 are needed"):
        read_feed(store, Feed.of("sql:SELECT who, what FROM sales", "last", None))
    with pytest.raises(InputError, match="no rows"):
        read_feed(store, Feed.of("sql:SELECT who, what FROM sales WHERE id > 9", "any", None))
