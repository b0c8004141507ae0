"""Lists from elsewhere: those that were public before protection, and a shop's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from recloak.core.errors import InputError
from recloak.lists.external import ExternalLists
from recloak.lists.store.checking import check_chain, verify_store
from recloak.lists.store.importing import import_public
from recloak.lists.store.store import Store
from tests.lists.store.shop import Shop, protector, release_next
from tests.lists.store.test_releasing import lists_of, statuses

SHOWN = {
    "release": ["May", "May", "May", "June", "June"],
    "item": ["1", "1", "2", "1", "gone"],
    "related": ["2", "3", "1", "3", "1"],
    "slot": [1, 3, 1, 2, 1],
}


def test_public_lists_are_the_first_releases(url: str) -> None:
    store, ratings = Store.at(url, make=True), Shop(1).ratings()
    import_public(store, pl.DataFrame(SHOWN))
    assert lists_of(store) == [
        {"1": ["2", None, "3"], "2": ["1", None, None]},
        {"1": [None, "3"], "gone": ["1", None]},
    ]
    release_next(store, ratings, protector())
    records = check_chain(store)
    assert [record.protected for record in records] == [False, False, True]
    verdicts = verify_store(store, [ratings])
    assert [verdict.status for verdict in verdicts] == ["holds"] * 3
    assert verdicts[0].how == "Nothing was promised."
    with pytest.raises(InputError, match="protected releases already"):
        import_public(store, pl.DataFrame(SHOWN))


def test_the_window_counts_what_was_public(tmp_path: object) -> None:
    """Beside the same night without it: what nobody saw before may now be told of no one."""
    ratings = Shop(2).ratings()
    stores = [Store.at(f"{tmp_path}/{name}.db", make=True) for name in ("fresh", "shown")]
    empty = pl.DataFrame({"item": ["1"], "related": [None], "slot": [3]}).with_columns(
        pl.col("related").cast(pl.String)
    )
    import_public(stores[1], empty)
    filled = [release_next(store, ratings, protector(delta="0.05")).filled for store in stores]
    assert filled[0] > filled[1]
    assert release_next(stores[1], ratings, protector(delta="0.05")).verdict.holds


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"slot": [1, 1, 1, 2, 1]}, "slot twice"),
        ({"slot": [0, 3, 1, 2, 1]}, "between 1 and"),
        ({"related": ["1", "3", "1", "3", "1"]}, "names the item itself"),
        ({"related": ["3", "3", "1", "3", "1"]}, "names an item twice"),
        ({"item": [None, "1", "2", "1", "gone"]}, "lacks its item"),
    ],
)
def test_lists_that_nobody_can_have_seen(
    changed: dict[str, list[object]], message: str, tmp_path: object
) -> None:
    store = Store.at(f"{tmp_path}/lists.db", make=True)
    release = {"release": ["May", "May", "June", "June", "June"]}
    with pytest.raises(InputError, match=message):
        import_public(store, pl.DataFrame({**SHOWN, **release, **changed}))
    assert not list(Path(str(tmp_path)).iterdir()), "no store is made for what is refused"


def test_public_lists_by_score(tmp_path: object) -> None:
    store = Store.at(f"{tmp_path}/lists.db", make=True)
    rows = {"item": ["1", "1", "1"], "related": ["2", "3", "4"], "score": [0.1, 0.9, 0.1]}
    import_public(store, pl.DataFrame(rows))
    assert lists_of(store) == [{"1": ["3", "2", "4"]}]
    with pytest.raises(InputError, match="slot or score"):
        import_public(store, pl.DataFrame(rows).drop("score"))


def test_a_shops_own_lists_are_released(url: str) -> None:
    """With an item that nobody rated yet, whose list gives nobody away."""
    store, shop = Store.at(url, make=True), Shop(3)
    rng, given = np.random.default_rng(1), []
    for _ in range(3):
        given.append(shop.night())
        names = [*map(str, given[-1].item_labels), "new"]
        pairs = [(one, two) for one in names for two in names if one != two]
        scores = pl.DataFrame(
            {
                "item": [one for one, _ in pairs],
                "related": [two for _, two in pairs],
                "score": rng.random(len(pairs)),
            }
        )
        done = release_next(store, given[-1], protector(), external=ExternalLists((scores,)))
        assert done.verdict.holds
        assert done.record.similarity == "own"
        shown = lists_of(store)[-1]
        if done.record.number == 0:  # nothing was shown before it
            best = scores.filter(pl.col("item") == "new").sort("score", descending=True)
            assert shown["new"] == best["related"][:3].to_list()
        assert set(shown) == set(names)
        assert all(len(row) == 3 for row in shown.values())
    assert statuses(store, *given) == ["holds"] * 3
