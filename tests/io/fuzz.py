"""Damaged files of every format: read or refused, never a traceback.

Run thousands of cases with ``python -m tests.io.fuzz 5000``; the suite runs a few hundred.
"""

from __future__ import annotations

import gzip
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from recloak.core.errors import MachineError, RecloakError
from recloak.io import load, write
from recloak.testing import random_ratings

DAY = 86400
Make = Callable[[Path], Path]
JUNK = (
    b"\x00",
    b"\xff\xfe",
    b'"',
    b",,,,",
    b"\r",
    b"NaN",
    b"1e999",
    b"-",
    b"99999999999999999999999",
    b"\xc3\x28",
    b"::",
    b"\n\n\n",
    b"\x1f",
    "ü".encode(),
    b"12:",
    b"2005-02-31",
    b"\xef\xbb\xbf",
)


def _text(name: str, form: str) -> Make:
    def make(folder: Path) -> Path:
        ratings = random_ratings(12, 8, 0.4, times=True).to_polars()
        file = folder / name
        file.write_text("".join(form.format(*row) + "\n" for row in ratings.rows()))
        return file

    return make


def _headed(name: str, header: str, form: str) -> Make:
    def make(folder: Path) -> Path:
        file = _text(name, form)(folder)
        file.write_text(header + "\n" + file.read_text())
        return file

    return make


def _written(name: str, format_name: str | None = None) -> Make:
    def make(folder: Path) -> Path:
        ratings = random_ratings(12, 8, 0.4, times=format_name != "survey")
        if ratings.times is not None:
            ratings = replace(ratings, times=ratings.times // DAY * DAY)
        write(ratings, folder / name, format_name)
        return folder / name

    return make


def _jester(folder: Path) -> Path:
    choose = random.Random(0)
    rows = [[choose.choice(["99", "1.5", "-9.2"]) for _ in range(12)] for _ in range(8)]
    lines = [",".join([str(12 - row.count("99")), *row]) for row in rows]
    (folder / "jester.csv").write_text("\n".join(lines) + "\n")
    return folder / "jester.csv"


def _baskets(folder: Path) -> Path:
    lines = [" ".join(str(item) for item in range(size % 5 + 1)) for size in range(12)]
    (folder / "baskets.txt").write_text("\n".join(lines) + "\n")
    return folder / "baskets.txt"


def _packed(make: Make) -> Make:
    def packed(folder: Path) -> Path:
        file = make(folder)
        file.write_bytes(gzip.compress(file.read_bytes(), mtime=0))
        return file

    return packed


MAKERS: dict[str, tuple[Make, str | None]] = {
    "csv": (_written("a.csv"), None),
    "csv by name": (_written("a.csv"), "csv"),
    "text ids": (_text("a.txt", "u{0};'i{1}';{2};{3}"), None),
    "dates": (_headed("a.csv", "user,item,rating,date", "{0},{1},{2},2005-11-03"), None),
    "csv.gz": (_written("a.csv.gz"), None),
    "csv.zst": (_written("a.csv.zst"), None),
    "parquet": (_written("a.parquet"), "parquet"),
    "arrow file": (_written("a.arrow"), "arrow"),
    "arrow stream": (_written("a.arrows"), "arrow"),
    "movielens-100k": (_text("u.data", "{0}\t{1}\t{2:.0f}\t{3}"), None),
    "movielens-1m": (_text("ratings.dat", "{0}::{1}::{2:.0f}::{3}"), None),
    "movielens-10m": (_text("ratings.dat", "{0}::{1}::3.5::{3}"), "movielens-10m"),
    "movielens-20m": (
        _headed("ratings.csv", "userId,movieId,rating,timestamp", "{0},{1},{2},{3}"),
        "movielens-20m",
    ),
    "ciaodvd": (_text("movie-ratings.txt", "{0},{1},1,1,{2:.0f},2005-11-03"), "ciaodvd"),
    "netflix": (_written("a.txt", "netflix"), "netflix"),
    "netflix.gz": (_packed(_written("a.txt", "netflix")), "netflix"),
    "netflix folder": (_written("films", "netflix"), None),
    "jester": (_jester, "jester"),
    "jester found": (_jester, None),
    "baskets": (_baskets, "baskets"),
    "survey": (_written("a.csv", "survey"), "survey"),
    "survey table": (_written("a.parquet", "survey"), "survey"),
}


def damaged(content: bytes, choose: random.Random) -> bytes:
    """The content with a few things wrong."""
    for _ in range(choose.choice((1, 1, 2, 5))):
        content = choose.choice((_cut, _flip, _drop_line, _double_line, _insert))(content, choose)
    return content


def _cut(content: bytes, choose: random.Random) -> bytes:
    return content[: choose.randrange(len(content) + 1)]


def _flip(content: bytes, choose: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(min(len(changed), choose.choice((1, 4, 30)))):
        changed[choose.randrange(len(changed))] ^= 1 << choose.randrange(8)
    return bytes(changed)


def _drop_line(content: bytes, choose: random.Random) -> bytes:
    lines = content.split(b"\n")
    del lines[choose.randrange(len(lines))]
    return b"\n".join(lines)


def _double_line(content: bytes, choose: random.Random) -> bytes:
    lines = content.split(b"\n")
    lines.insert(choose.randrange(len(lines)), choose.choice(lines))
    return b"\n".join(lines)


def _insert(content: bytes, choose: random.Random) -> bytes:
    at = choose.randrange(len(content) + 1)
    return content[:at] + choose.choice(JUNK) + content[at:]


def try_one(kind: str, seed: int, folder: Path) -> str:
    """``read`` or ``refused``; anything else that happens is raised."""
    make, name = MAKERS[kind]
    choose = random.Random(f"{kind} {seed}")
    source = make(folder)
    file = source if source.is_file() else choose.choice(sorted(source.iterdir()))
    file.write_bytes(damaged(file.read_bytes(), choose))
    try:
        loaded = load(source, format=name, duplicates=choose.choice((None, "last")))
    except MachineError:
        raise
    except RecloakError as problem:
        str(problem).encode()
        return "refused" if problem.where else "refused without saying where"
    assert loaded.ratings.n_ratings > 0
    return "read"


def main(count: int) -> int:
    """Try ``count`` cases over all formats; prints what came out, and every failure."""
    outcomes: dict[str, Counter[str]] = {kind: Counter() for kind in MAKERS}
    for case in range(count):
        kind = list(MAKERS)[case % len(MAKERS)]
        with tempfile.TemporaryDirectory() as folder:
            try:
                outcomes[kind][try_one(kind, case, Path(folder))] += 1
            except Exception:
                outcomes[kind]["FAILED"] += 1
                print(f"{kind}, seed {case}:")
                traceback.print_exc(limit=-4)
    for kind, counted in outcomes.items():
        print(f"{kind:16}", ", ".join(f"{number} {outcome}" for outcome, number in counted.items()))
    failures = sum(counted["FAILED"] for counted in outcomes.values())
    print(f"{count} cases, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000))
