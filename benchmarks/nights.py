"""Nights: a nightly release of a shop that remembers, against one that ranks everything anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import versus
from benchmarks.suites import SYNTH, Row, row

SHOP = SYNTH + (
    "import numpy as np, tempfile\n"
    "from recloak.lists.protection import ALGORITHMS\n"
    "from recloak.lists.store.store import Store\n"
    "from recloak.lists.store.releasing import release_next\n"
    "maker, place = ALGORITHMS.get('constructive')(), tempfile.TemporaryDirectory()\n"
    "few = synthesize('ml-100k', users=60, items=60, ratings=1200, seed=1)\n"
    "for share in (49, 50):\n"
    "    some = few.keep(np.arange(few.n_ratings) % 50 < share)\n"
    "    release_next(Store.at(place.name + '/few.db', make=True), some, maker)\n"
    "ratings = synthesize('{like}', {size}seed=1)\n"
    "late = np.random.default_rng(1).choice(ratings.n_ratings, {late}, replace=False)\n"
    "kept = np.ones(ratings.n_ratings, bool)\n"
    "kept[late] = False\n"
    "stores = [Store.at(place.name + name, make=True) for name in ('/one.db', '/two.db')]\n"
    "for remember, store in enumerate(stores):\n"
    "    release_next(store, ratings.keep(kept), maker, use_cache=bool(remember))\n"
)
SIZES = (
    ("flixster", "users=100_000, items=5_000, ratings=840_000, ", 840_000),
    ("ml-1m", "", 1_000_209),
    ("flixster", "users=1_000_000, items=49_000, ratings=8_400_000, ", 8_400_000),
)


def nights(place: Path, n: int) -> Iterator[Row]:
    """The second night, with few and many new ratings; ``n`` is ignored: the shops decide."""
    for like, size, n_ratings in SIZES:
        for late in (100, n_ratings // 100):
            made = SHOP.format(like=like, size=size, late=late)
            pair = versus(
                "release_next(stores[1], ratings, maker)",
                "release_next(stores[0], ratings, maker, use_cache=False)",
                made,
                1,
            )
            what = f"a night with {late:,} new ratings, like {like}"
            yield row(what, f"{n_ratings:,}", pair[0], ("all ranked anew", pair[1]))
