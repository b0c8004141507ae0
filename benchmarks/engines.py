"""Draws of people against one stream for all; publications on disk against those in memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import command, processor, versus
from benchmarks.suites import Row, row
from recloak.core.files import digest_of
from recloak.releases.parts import files_of

RECIPES = {
    "gaussian-noise": ["--method", "gaussian-noise"],
    "fragmentation, paper-1, features learnt": ["--method", "fragmentation", "--preset", "paper-1"],
}
OURS = [sys.executable, "-m", "recloak"]
SEED = "0x" + "5a" * 16

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


def engines(place: Path, n: int) -> Iterator[Row]:
    """Whole commands without audit on disk and in memory, in seconds of the processor."""
    file = _made_up(place, n)
    for name, recipe in RECIPES.items():
        cost = {
            engine: processor(*_publishing(file, place / f"{name}-{engine}", recipe, engine))
            for engine in ("disk", "memory")
        }
        if _contents(place / f"{name}-disk") != _contents(place / f"{name}-memory"):
            raise RuntimeError(f"{name}: other bytes than those of the memory engine")
        yield row(f"{name}, CPU", f"{n:,}", cost["disk"], ("memory", cost["memory"]))


def billion(place: Path, n: int) -> Iterator[Row]:
    """Make up and publish more than any memory holds; 60 GB of disk for a billion."""
    file = _made_up(place, n)
    words = _publishing(file, place / "release", RECIPES["gaussian-noise"], "disk")
    yield row("gaussian-noise, disk, 4 GB allowed", f"{n:,}", command(*words, "--memory", "4GB"))


def _made_up(place: Path, n: int) -> Path:
    file = place / "ratings.parquet"
    sized = ["--like", "netflix", "--ratings", str(n), "--seed", "1", "--quiet"]
    command(*OURS, "simulate", *sized, "--out", str(file))
    return file


def _publishing(file: Path, out: Path, recipe: list[str], engine: str) -> list[str]:
    given = ["--engine", engine, "--no-audit", "--seed", SEED, "--quiet", "--out", str(out)]
    return [*OURS, "publish", str(file), *recipe, *given]


def _contents(folder: Path) -> dict[str, str]:
    return {name: digest_of(path) for name, path in files_of(folder)}
