"""Related-item lists: ranking, protecting and verifying one release, against plain ways."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import cost, versus
from benchmarks.suites import SYNTH, Row, row

LAID_OUT = SYNTH + (
    "import numpy as np\nfrom fractions import Fraction\n"
    "from recloak.guarantees.delta_bound import DeltaBound\n"
    "from recloak.lists.protection import ALGORITHMS, Published\n"
    "from recloak.lists.replay import new_history, protect_next, replay\n"
    "from recloak.releases.lists.related import Lists\n"
    "from recloak.recommenders.similarity import Cosine, rank\n"
    "from recloak.core.timeline import Timeline\n"
    "from recloak.releases.lists.unprotected import dated_raw\n"
    "from recloak.core.progress import Silent\n"
    "few = synthesize('ml-100k', seed=1)\n"
    "ratings = synthesize('{like}', {size}seed=1)\n"
    "def laid_out(ratings, name):\n"
    "    maker, timeline = ALGORITHMS.get(name)(), Timeline(ratings)\n"
    "    first, cut = ratings.n_ratings * 9 // 10, ratings.n_ratings\n"
    "    top = rank(timeline.at(first), Cosine(), 5).top\n"
    "    raw = dated_raw(timeline, first, Lists(top, ratings.item_labels))\n"
    "    snapshot = timeline.at(cut)\n"
    "    snapshot.postings\n"
    "    ranked = rank(snapshot, Cosine(), 5, depth=50, delta=maker.delta, before=top)\n"
    "    desk = maker.desk(snapshot, ranked, (Published(top, first),))\n"
    "    return maker, timeline, raw, ranked, desk\n"
    "def arrange(maker, timeline, raw, ranked, desk):\n"
    "    with Silent().task('') as task:\n"
    "        return maker.arrange(desk, task)\n"
    "def plain_ranking(ratings):\n"
    "    table = ratings.to_csr()\n"
    "    products = (table.T @ table).tocsr()\n"
    "    lengths = np.sqrt(products.diagonal())\n"
    "    for item in range(ratings.n_items):\n"
    "        row = slice(products.indptr[item], products.indptr[item + 1])\n"
    "        near = products.data[row] / lengths[products.indices[row]]\n"
    "        products.indices[row][np.argsort(-near, kind='stable')[:6]]\n"
    "def plain_suppression(raw, ranked, desk):\n"
    "    from tests.lists.plain import Plain, raters_of\n"
    "    past = [raw.lists.slots.tolist()]\n"
    "    Plain(raters_of(desk.snapshot), past, ranked, Fraction(1, 10)).run(False)\n"
    "arrange(*laid_out(few, '{name}'))\n"
    "replay(few, '{name}', releases=1)\n"
)
PROTECTED = (
    "maker, timeline, raw, ranked, desk = laid_out(ratings, '{name}')\n"
    "cut, started = ratings.n_ratings, new_history(maker, raw)\n"
    "history = protect_next(started, timeline, cut, maker, ranked=ranked)\n"
)


def lists(place: Path, n: int) -> Iterator[Row]:
    """One release at growing sizes up to that of Flixster; ``n`` is ignored: the data decide."""
    small = LAID_OUT.format(
        like="ml-100k", size="users=300, items=400, ratings=9000, ", name="suppression"
    )
    given = "given = laid_out(ratings, 'suppression')\n"
    pair = versus("arrange(*given)", "plain_suppression(*given[2:])", small + given, 1)
    yield row("suppression after ranking", "9,000", pair[0], ("Python sets", pair[1]))
    whole = LAID_OUT.format(like="ml-1m", size="", name="constructive")
    timed = "rank(Timeline(ratings).at(ratings.n_ratings), Cosine(), 5, depth=50)"
    pair = versus(timed, "plain_ranking(ratings)", whole, 1)
    yield row("ranking", "1,000,209", pair[0], ("SciPy product of all pairs", pair[1]))
    for name in ("suppression", "permutation", "constructive"):
        yield from _growth(name)
    yield from _flixster()


def _growth(name: str) -> Iterator[Row]:
    for users, ratings in ((1_500, 250_000), (3_000, 500_000), (6_040, 1_000_209)):
        made = LAID_OUT.format(like="ml-1m", size=f"users={users}, ratings={ratings}, ", name=name)
        given = f"given = laid_out(ratings, '{name}')\n"
        timed = cost("arrange(*given)", made + given, 1)
        yield row(f"{name} after ranking", f"{ratings:,}", timed)
        timed = cost(
            "DeltaBound().check_history(history, ratings)", made + PROTECTED.format(name=name), 1
        )
        yield row(f"verification of {name}", f"{ratings:,}", timed)


def _flixster() -> Iterator[Row]:
    for name in ("permutation", "constructive"):
        made = LAID_OUT.format(like="flixster", size="", name=name)
        start = (
            f"maker, timeline = ALGORITHMS.get('{name}')(), Timeline(ratings)\n"
            "first = ratings.n_ratings * 9 // 10\n"
            "top = rank(timeline.at(first), Cosine(), 5).top\n"
            "raw = dated_raw(timeline, first, Lists(top, ratings.item_labels))\n"
        )
        timed = "protect_next(new_history(maker, raw), timeline, ratings.n_ratings, maker)"
        yield row(
            f"a release by {name}, ranked and verified", "8,400,000", cost(timed, made + start, 1)
        )
