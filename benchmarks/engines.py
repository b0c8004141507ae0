"""Draws of people against one stream for all; publications on disk against those in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import versus
from benchmarks.suites import Row, row

PEOPLE = (
    "import numpy as np\nfrom recloak.core.people_draws import PeopleDraws\n"
    "from recloak.core.randomness import Randomness\n"
    "drawn = Randomness.from_seed(1)\nlabels = np.arange({people})\n"
    "counts = np.full({people}, {each})\n"
    "for few in (labels[:9],):\n"
    "    PeopleDraws.of(drawn, few).pseudonyms(counts[:9], 'x')\n"
    "    PeopleDraws.of(drawn, few).stream('x').normal(counts[:9])\n"
    "    drawn.stream('x').normal(9), drawn.stream('x').pseudonyms(9)\n"
)


def drawing(place: Path, n: int) -> Iterator[Row]:
    """What a draw costs that follows from a person's name, and one by its place in a stream."""
    noise = PEOPLE.format(people=n // 143, each=143)
    pair = versus(
        "PeopleDraws.of(drawn, labels).stream('noise').normal(counts)",
        "drawn.stream('noise').normal(int(counts.sum()))",
        noise,
    )
    yield row("noise, 143 draws a person", f"{n:,}", pair[0], ("one stream for all", pair[1]))
    names = PEOPLE.format(people=n // 10, each=1)
    pair = versus(
        "PeopleDraws.of(drawn, labels).pseudonyms(counts, 'pseudonyms')",
        "drawn.stream('pseudonyms').pseudonyms(len(labels))",
        names,
    )
    yield row("pseudonyms, one a person", f"{n // 10:,}", pair[0], ("one stream", pair[1]))
