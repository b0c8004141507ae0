"""Benchmark of the adversary who takes many rows: attacks a second, and how rows are cut."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import cost
from benchmarks.suites import Row, made, row

ATTACKS = 20_000
LINKED = 200
CONTEXT = """
from recloak.attacks import attack
from recloak.methods import method
from recloak.core.randomness import Randomness
from recloak.evaluation.context import AuditContext, match_items
from recloak.auditing.rehearsal import rehearser
def context_of(ratings):
    recipe = method('fragmentation', fragments=10, {more})
    applied = recipe.apply(ratings, Randomness.from_seed(1))
    rows = applied.release.as_ratings()
    linkage = applied.secret.linkage(ratings, rows)
    rehearse = rehearser(ratings, recipe)
    return AuditContext(ratings, rows, linkage, match_items(ratings, rows), rehearse=rehearse)
context = context_of(ratings)
"""
WARM = """
attack('scoreboard-multi:known=20,at_least=50,width=0.5').run(context)
"""
CUT = (
    "from recloak.methods import method\nfrom recloak.core.randomness import Randomness\n"
    "recipe = method('fragmentation', preset='{preset}')\n"
    "recipe = recipe.using(recipe.features(ratings, Randomness.from_seed(1)))\n"
    "recipe.apply(ratings)\n"
)


def many_rows(place: Path, n: int) -> Iterator[Row]:
    """20,000 attacks with 20 known ratings, rows linked, what is learnt included, and the cuts."""
    timed = f"attack('scoreboard-multi:known=20,at_least={ATTACKS},width=0.5').run(context)"
    for name, more in (("centroids", ""), ("shared", "cut='shared'")):
        for size in (n // 40, n // 20):
            ours = cost(timed, made(size) + CONTEXT.format(more=more) + WARM, 1)
            rate = f"{ATTACKS / ours.seconds:,.0f} attacks a second"
            yield f"{ATTACKS:,} attacks on many rows, cut {name}", f"{size:,}", str(ours), rate, ""
    linked = f"attack('fragment-linking:rows={LINKED}').run(context)"
    for size in (n // 40, n // 20):
        ours = cost(linked, made(size) + CONTEXT.format(more=""), 1)
        yield row(f"partners of {LINKED} rows sought, rehearsal included", f"{size:,}", ours)
    for preset in ("paper-3", "shared-3"):
        for size in (n // 40, n // 20, n // 10):
            ours = cost("recipe.apply(ratings)", made(size) + CUT.format(preset=preset), 1)
            yield row(f"fragmentation, {preset}", f"{size:,}", ours)
