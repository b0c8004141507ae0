"""The benchmarks: each returns rows for the table, ratios and growth rather than bare seconds."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measuring import Cost, command, cost, processor, versus

Row = tuple[str, str, str, str, str]
SYNTH = "from recloak.simulation import synthesize\n"
MADE = SYNTH + "ratings = synthesize('ml-10m', ratings={n}, users={users}, seed=1)\n"


def made(n: int) -> str:
    return MADE.format(n=n, users=max(200, n // 143))


def row(what: str, size: str, ours: Cost, theirs: tuple[str, Cost] | None = None) -> Row:
    if theirs is None:
        return what, size, str(ours), "", ""
    name, other = theirs
    return what, size, str(ours), f"{name}: {other}", f"{ours.seconds / other.seconds:.2f}"


def start_up(place: Path, n: int) -> Iterator[Row]:
    """Help, and a publication so small that it is all start-up, against an idle interpreter."""
    idle, file = [sys.executable, "-c", "pass"], str(place / "few.csv")
    ours = [sys.executable, "-m", "recloak"]
    command(*ours, *["synth", "--like", "ml-100k", "--users", "50", "--seed", "1", "--out", file])
    words = ["publish", file, "--method", "pseudonymize", "--no-audit", "--out"]
    for shown, given in (
        ("`recloak --help`", ["--help"]),
        ("`recloak publish --help`", ["publish", "--help"]),
        ("a publication of 50 people without audit", words),
    ):
        pairs = []
        for turn in range(5):
            out = [str(place / f"release-{turn}")] if given is words else []
            pairs.append((processor(*ours, *given, *out), processor(*idle)))
        least = [min(side, key=lambda one: one.seconds) for side in zip(*pairs, strict=True)]
        yield row(f"start-up: {shown}", "", least[0], ("python -c pass", least[1]))


def reading(place: Path, n: int) -> Iterator[Row]:
    """A CSV file into Ratings against bare Polars into a frame."""
    for size in (n // 4, n // 2, n):
        path = place / f"{size}.csv"
        cost(f"write(ratings, {str(path)!r})", made(size) + "from recloak.io import write\n", 1)
        ours, theirs = versus(
            f"read({str(path)!r})",
            f"polars.read_csv({str(path)!r})",
            "import polars\nfrom recloak.io import read\n",
        )
        yield row("CSV → Ratings", f"{size:,}", ours, ("polars.read_csv", theirs))
        path.unlink()
    yield from _text_ids(place, n)


NAMED = """
import numpy as np, polars as pl
rng = np.random.default_rng(0)
def named(count, prefix, codes):
    names = pl.Series([f"{prefix}-{number:08x}" for number in rng.permutation(7 * count)[:count]])
    return names.gather(pl.Series(codes))
frame = pl.DataFrame({
    "user": named(ratings.n_users, "user", ratings.user_codes()),
    "item": named(ratings.n_items, "item", ratings.items),
    "rating": ratings.values, "time": ratings.times,
})
"""


def _text_ids(place: Path, n: int) -> Iterator[Row]:
    """The same with ids that are texts, in the order of users and shuffled; seconds of CPU."""
    for order, more in (("ordered", ""), ("shuffled", ".sample(fraction=1, shuffle=True, seed=1)")):
        for size in (n // 5, n):
            path = str(place / f"{order}.csv")
            cost(f"frame{more}.write_csv({path!r})", made(size) + NAMED, 1)
            setup = "import polars\nfrom recloak.io import read\n"
            ours, theirs = versus(f"read({path!r})", f"polars.read_csv({path!r})", setup, cpu=True)
            yield row(f"text ids, {order}", f"{size:,}", ours, ("polars.read_csv", theirs))
            Path(path).unlink()


def writing(place: Path, n: int) -> Iterator[Row]:
    """Ratings to a file against Polars writing the same frame."""
    for suffix, method in ((".csv", "write_csv"), (".parquet", "write_parquet")):
        path = str(place / f"out{suffix}")
        setup = made(n) + "from recloak.io import write\nframe = ratings.to_polars()\n"
        ours, theirs = versus(
            f"write(ratings, {path!r}, overwrite=True)", f"frame.{method}({path!r})", setup, 2
        )
        yield row(f"Ratings → {suffix[1:]}", f"{n:,}", ours, (f"polars {method}", theirs))


def factorization(place: Path, n: int) -> Iterator[Row]:
    """Growth of the factorisation, and Surprise beside it where it is installed."""
    fit = "Factorization(factors=32, epochs=20).fit(ratings)"
    setup = (
        "from recloak.recommenders.factorization import Factorization\n"
        "Factorization(epochs=1).fit(synthesize('ml-100k', users=50, items=50, ratings=900))\n"
    )
    for size in (n // 4, n // 2, n):
        yield row("factorisation, 32 × 20", f"{size:,}", cost(fit, made(size) + setup, 2))
    if importlib.util.find_spec("surprise") is None:
        return
    size = min(n // 4, 1_000_000)
    peer = (
        "from surprise import SVD, Dataset, Reader\n"
        "frame = ratings.to_pandas()[['user', 'item', 'rating']]\n"
        "data = Dataset.load_from_df(frame, Reader(rating_scale=(0.5, 5))).build_full_trainset()\n"
    )
    ours, theirs = versus(
        fit, "SVD(n_factors=32, n_epochs=20).fit(data)", made(size) + setup + peer, 2
    )
    yield row("factorisation, 32 × 20", f"{size:,}", ours, ("Surprise SVD", theirs))


def publishing(place: Path, n: int) -> Iterator[Row]:
    """Growth of a whole publication, with and without its audit."""
    setup = "from recloak.publishing.run import publish\nimport tempfile, os\n"
    run = (
        "folder = tempfile.mkdtemp(dir={place!r})\n"
        "publish(ratings, 'gaussian-noise', out=os.path.join(folder, 'r'){more})"
    )
    for what, more in (("publish without audit", ", audited=False"), ("publish with audit", "")):
        for size in (n // 16, n // 8, n // 4):
            timed = run.format(place=str(place), more=more)
            yield row(what, f"{size:,}", cost(timed, made(size) + setup, 1))


def linking(place: Path, n: int) -> Iterator[Row]:
    """A thousand attacks that each know eight ratings."""
    setup = (
        "from recloak.methods import method\n"
        "from recloak.evaluation.context import AuditContext, match_items\n"
        "from recloak.attacks import attack\n"
        "applied = method('pseudonymize').apply(ratings)\nrows = applied.release.as_ratings()\n"
        "linkage = applied.secret.linkage(ratings, rows)\n"
        "context = AuditContext(ratings, rows, linkage, match_items(ratings, rows))\n"
        "attack('record-linkage:known=8,targets=2').run(context)\n"
    )
    for size in (n // 16, n // 8, n // 4):
        timed = "attack('record-linkage:known=8,targets=1000,repeats=1').run(context)"
        yield row("1,000 record-linkage attacks", f"{size:,}", cost(timed, made(size) + setup, 1))


def fragmentation(place: Path, n: int) -> Iterator[Row]:
    """Record fragmentation without learning features: against a loop over people, and growth."""
    setup = (
        "import numpy as np\nfrom benchmarks.plain import plain_fragmentation\n"
        "from recloak.methods.fragmentation import Fragmentation\n"
        "from recloak.core.randomness import Randomness\n"
        "features = np.random.default_rng(0).random((ratings.n_items, 25), dtype=np.float32)\n"
        "recipe = Fragmentation(preset='{preset}').using(features)\n"
        "strength = recipe.strength(recipe.candidates(ratings))\n"
        "few = synthesize('ml-100k', seed=1)\n"
        "Fragmentation(p1=1).using(np.ones((few.n_items, 25), np.float32)).apply(few)\n"
    )
    ours = "recipe.apply(ratings, Randomness.from_seed(1))"
    plain = "plain_fragmentation(ratings, features, strength)"
    small = n // 20
    pair = versus(ours, plain, made(small) + setup.format(preset="paper-3"), 2)
    yield row("fragmentation, paper-3", f"{small:,}", pair[0], ("NumPy, person by person", pair[1]))
    for size in (n // 4, n // 2, n):
        timed = cost(ours, made(size) + setup.format(preset="paper-3"), 1)
        yield row("fragmentation, paper-3", f"{size:,}", timed)
    for preset in ("paper-1", "paper-6"):
        timed = cost(ours, made(n) + setup.format(preset=preset), 1)
        yield row(f"fragmentation, {preset}", f"{n:,}", timed)


CONTEXT = (
    "from recloak.methods import method\n"
    "from recloak.evaluation.context import AuditContext, match_items\n"
    "from recloak.attacks import attack\nfrom benchmarks.plain import plain_scoreboard\n"
    "def context_of(ratings):\n"
    "    applied = method('{method}'{more}).apply(ratings)\n"
    "    rows = applied.release.as_ratings()\n"
    "    linkage = applied.secret.linkage(ratings, rows)\n"
    "    return AuditContext(ratings, rows, linkage, match_items(ratings, rows))\n"
    "few = context_of(synthesize('ml-100k', seed=1))\n"
    "attack('scoreboard-rh:known=20,matching=values').run(few)\n"
    "context = context_of(ratings)\n"
)


def scoreboard(place: Path, n: int) -> Iterator[Row]:
    """Scoreboard-RH with 20 known ratings: index included, against a scan of all rows."""
    whole = CONTEXT.format(method="pseudonymize", more="")
    torn = CONTEXT.format(method="fragmentation", more=", fragments=10")
    once = "attack('scoreboard-rh:known=20,matching=values').run(context)"
    many = "attack('scoreboard-rh:known=20,matching=values,at_least=20000').run(context)"
    plain = "plain_scoreboard(context.rows, context.original, {attacks}, 20)"
    small = n // 20
    pair = versus(many, plain.format(attacks=20), made(small) + whole, 2)
    each = Cost(pair[1].seconds * 1000, pair[1].gigabytes)
    yield row("20,000 attacks", f"{small:,}", pair[0], ("scan of all rows, × 1,000", each))
    for what, setup in (("one audit point", whole), ("one audit point, 10 fragments", torn)):
        for size in (n // 4, n // 2, n):
            yield row(what, f"{size:,}", cost(once, made(size) + setup, 1))


def disassociation(place: Path, n: int) -> Iterator[Row]:
    """Disassociation for k = m = 2 and its verification: growth."""
    setup = (
        "from recloak.methods import method\n"
        "from recloak.auditing.verification import check_claims\n"
        "recipe = method('disassociation', k=2, m=2, max_cluster=100, rare='listed')\n"
        "first = recipe.apply(synthesize('ml-100k', users=300, seed=1)).release\n"
        "check_claims(first, first.manifest.claimed)\n"
        "from benchmarks.plain import plain_disassociation\n"
    )
    pair = versus("recipe.apply(ratings)", "plain_disassociation(ratings)", made(20_000) + setup, 2)
    yield row("disassociation, k = m = 2", "20,000", pair[0], ("sets, word for word", pair[1]))
    for size in (n // 8, n // 4, n // 2):
        timed = cost("recipe.apply(ratings)", made(size) + setup, 1)
        yield row("disassociation, k = m = 2", f"{size:,}", timed)
    made_first = made(n // 8) + setup + "release = recipe.apply(ratings).release\n"
    timed = cost("check_claims(release, release.manifest.claimed)", made_first, 1)
    yield row("verification of its claim", f"{n // 8:,}", timed)


def microaggregation(place: Path, n: int) -> Iterator[Row]:
    """Groups of five on a table as large as MovieLens 100k, Jester and MovieLens 1M; growth."""
    setup = SYNTH + (
        "from recloak.clustering import CLUSTERINGS, Points\n"
        "from benchmarks.plain import plain_mdav\n"
        "import numpy as np\n"
        "few = Points.of(synthesize('ml-100k', users=100, items=90, ratings=3000, seed=1))\n"
        "CLUSTERINGS.get('{name}')().partition(few, 3)\n"
        "thick = Points.of(synthesize('jester', users=100, seed=1))\n"
        "CLUSTERINGS.get('{name}')().partition(thick, 3)\n"
        "points = Points.of(synthesize('{like}', users={users}, seed=1))\n"
    )
    run = "CLUSTERINGS.get('{name}')().partition(points, {k})"
    small = setup.format(name="mdav", like="ml-100k", users=943)
    dense = "dense = np.zeros((points.n_records, points.n_items))\n" + (
        "rows = np.repeat(np.arange(points.n_records), np.diff(points.offsets))\n"
        "dense[rows, points.items] = points.values\n"
    )
    pair = versus(run.format(name="mdav", k=5), "plain_mdav(dense, 5)", small + dense, 2)
    yield row("mdav, k = 5, 943 × 1,682", "100,000", pair[0], ("NumPy, word for word", pair[1]))
    for what, like, sizes in (
        ("jester", "jester", (6_000, 12_000, 24_983)),
        ("ml-1m", "ml-1m", (1_500, 3_000, 6_040)),
    ):
        for users in sizes:
            for name in ("mdav", "refined"):
                given = setup.format(name=name, like=like, users=users)
                timed = cost(run.format(name=name, k=3), given, 1)
                yield row(f"{name}, k = 3, like {what}", f"{users:,} people", timed)
    whole = setup.format(name="mdav", like="jester", users=73_421)
    timed = cost(run.format(name="mdav", k=3), whole, 1)
    yield row("mdav, k = 3, like jester", "73,421 people", timed)
    for k in (3, 12, 48):
        given = setup.format(name="mdav", like="jester", users=12_000)
        yield row(f"mdav, k = {k}", "12,000 × 100", cost(run.format(name="mdav", k=k), given, 1))
    for items in (900, 1_800, 3_600):
        given = setup.format(name="mdav", like="ml-1m", users=f"3_000, items={items}")
        timed = cost(run.format(name="mdav", k=5), given, 1)
        yield row("mdav, k = 5", f"3,000 × {items:,}", timed)
    yield from _disclosure()


def _disclosure() -> Iterator[Row]:
    """Everyone's nearest released row, by the oracle who knows all of a person."""
    setup = (
        SYNTH + "from recloak.attacks import attack\nfrom recloak.methods import method\n"
        "from recloak.evaluation.context import AuditContext, match_items\n"
        "ratings = synthesize('jester', users={users}, seed=1)\n"
        "applied = method('microaggregation', k=3, clustering='mdav').apply(ratings)\n"
        "rows = applied.release.as_ratings()\n"
        "linkage = applied.secret.linkage(ratings, rows)\n"
        "items = match_items(ratings, rows)\n"
        "context = AuditContext(ratings, rows, linkage, items, None, applied.release)\n"
    )
    timed = "attack('record-linkage:oracle=to-release,targets=1000000').run(context)"
    for users in (18_000, 36_000, 73_421):
        measured = cost(timed, setup.format(users=users), 1)
        yield row("disclosure risk, everyone", f"{users:,} × 100", measured)


SUITES: dict[str, Callable[[Path, int], Iterator[Row]]] = {
    "start-up": start_up,
    "reading": reading,
    "writing": writing,
    "factorization": factorization,
    "publishing": publishing,
    "linking": linking,
    "fragmentation": fragmentation,
    "scoreboard": scoreboard,
    "disassociation": disassociation,
    "microaggregation": microaggregation,
}
