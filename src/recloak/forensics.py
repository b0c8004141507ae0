"""Forensics: does anything in a release's bytes link rows to people or to each other?

A release is written in one canonical way that follows from its content alone, so that there is
nowhere to hide a hint. Each check looks for one way in which a hint could be there all the same.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from recloak.findings import Status, Verdict
from recloak.manifest import MANIFEST_NAME, Manifest
from recloak.randomness import PSEUDONYM_HIGH, PSEUDONYM_LOW
from recloak.ratings import Ratings
from recloak.release import README_NAME, Release, open_release, recipient_page, save_release

SURE = 1e-9  # how improbable chance must be before it is called a trace
ENOUGH_ROWS = 20
HUNDREDTHS = 100.0
_UNITS = {"year": "1y", "quarter": "1q", "month": "1mo"}


@dataclass(frozen=True)
class Evidence:
    """A release folder as read, and its table in the order of the file, not yet loaded."""

    folder: Path
    manifest: Manifest
    release: Release
    rows: Ratings
    table: pl.LazyFrame
    table_path: Path


def look_for_traces(folder: str | Path, *, canonical: bool = True) -> tuple[Verdict, ...]:
    """A verdict from each check on a release folder; files that were changed are refused.

    ``canonical`` also writes the release once more and compares the bytes.
    """
    evidence = _evidence(Path(folder))
    verdicts = []
    for name, check in (CHECKS | ({"bytes": _bytes} if canonical else {})).items():
        started = time.perf_counter()
        trace = check(evidence)
        took = time.perf_counter() - started
        how = f"{trace[0].upper()}{trace[1:]}." if trace else "Nothing was found."
        status: Status = "broken" if trace else "holds"
        verdicts.append(Verdict(f"no trace in the {name}", status, how, seconds=took))
    return tuple(verdicts)


def _evidence(folder: Path) -> Evidence:
    release = open_release(folder)
    path = next(file for file in sorted(folder.iterdir()) if file.stem == "ratings")
    rows = release.as_ratings()
    if path.suffix == ".parquet":
        table = pl.scan_parquet(path)
    else:
        kinds = {"user": rows.user_labels.dtype, "item": rows.item_labels.dtype}
        whole = [name for name, kind in kinds.items() if kind == np.int64]
        table = pl.scan_csv(path, infer_schema=False).with_columns(pl.col(whole).cast(pl.Int64))
    return Evidence(folder, release.manifest, release, rows, table, path)


def _columns(evidence: Evidence) -> str | None:
    allowed = {"user", "item", "rating", "time"}
    extra = [name for name in evidence.table.collect_schema() if name not in allowed]
    return f"the table has further columns: {', '.join(extra)}" if extra else None


def _row_order(evidence: Evidence) -> str | None:
    user, item = pl.col("user"), pl.col("item")
    later = (user > user.shift()) | ((user == user.shift()) & (item > item.shift()))
    if evidence.table.select(later.slice(1).all()).collect().item():
        return None
    return "the rows are not in the order of their ids and items, and any other order can tell"


def _row_ids(evidence: Evidence) -> str | None:
    """Ids must look like draws from the whole range, near no other and unlike their rows."""
    if evidence.manifest.row_ids == "original":
        return "the rows bear the original user ids"
    ids = evidence.rows.user_labels
    if len(ids) == 0:
        return None
    if ids.dtype != np.int64 or ids.min() < PSEUDONYM_LOW or ids.max() >= PSEUDONYM_HIGH:
        return "the row ids are not the random numbers of fifteen digits that recloak draws"
    if len(ids) < ENOUGH_ROWS:
        return None
    places = (ids - PSEUDONYM_LOW) / (PSEUDONYM_HIGH - PSEUDONYM_LOW)
    if stats.kstest(places, "uniform").pvalue < SURE:
        return "the row ids are not spread over their whole range"
    gaps = np.diff(places) * len(places)
    if stats.kstest(gaps, "expon").pvalue < SURE:
        return "the row ids stand nearer to each other, or more evenly, than random ones would"
    return _ids_follow_rows(evidence.rows)


def _ids_follow_rows(rows: Ratings) -> str | None:
    counts = rows.user_counts
    sums = np.add.reduceat(np.append(rows.values, 0.0), rows.offsets[:-1])
    features = {"number of ratings": counts, "mean rating": sums / np.maximum(counts, 1)}
    for name, feature in features.items():
        if len(np.unique(feature)) > 1 and _rises_with_row(feature.astype(np.float64)):
            return f"the order of the row ids follows the {name} of the rows"
    return None


def _rises_with_row(feature: NDArray[np.float64]) -> bool:
    """Does a rank correlation with the order of rows go beyond chance?"""
    ranks = stats.rankdata(feature)
    return bool(stats.pearsonr(np.arange(len(ranks), dtype=np.float64), ranks).pvalue < SURE)


def _times(evidence: Evidence) -> str | None:
    times, said = evidence.rows.times, evidence.manifest.times
    if times is None:
        return None
    unit = said.removeprefix("coarsened to the ")
    if unit not in _UNITS:
        return f"there are times although the manifest says they are {said}"
    moments = pl.from_epoch(pl.Series(times), time_unit="s")
    if not moments.equals(moments.dt.truncate(_UNITS[unit])):
        return f"some times are finer than the {unit}"
    return None


def _digits(evidence: Evidence) -> str | None:
    """Only where the method says that it rounds: else the digits are those of the original."""
    values = evidence.rows.values.astype(np.float64)
    if evidence.rows.scale.step is not None or "rounding" not in evidence.manifest.parameters:
        return None  # reading has made sure that every value is on its step
    places = values * HUNDREDTHS
    if np.abs(places - np.rint(places)).max(initial=0.0) > 1e-3:
        return "values have more than two decimals"
    last = np.mod(np.rint(places), 10)
    scale = evidence.rows.scale
    inside = (values > scale.low) & (values < scale.high)  # clipped values end in zeros
    if _differs_by_row(last[inside], evidence.rows.user_codes()[inside]):
        return "the last digit of the values differs from row to row more than chance allows"
    return None


def _differs_by_row(values: NDArray[np.float64], rows: NDArray[np.int32]) -> bool:
    """One-way analysis of variance, from sums."""
    counts = np.bincount(rows)
    present = counts > 1
    groups, total = int(present.sum()), int(counts[present].sum())
    if groups < 2 or total <= groups:
        return False
    kept = present[rows]
    values, rows = values[kept], rows[kept]
    sums = np.bincount(rows, values, len(counts))[present]
    means = sums / counts[present]
    between = float((counts[present] * np.square(means - values.mean())).sum()) / (groups - 1)
    overall = float(np.square(values - values.mean()).sum())
    within = (overall - between * (groups - 1)) / (total - groups)
    if within <= 0:
        return between > 0
    return bool(stats.f.sf(between / within, groups - 1, total - groups) < SURE)


def _metadata(evidence: Evidence) -> str | None:
    if evidence.table_path.suffix != ".parquet":
        return None
    extra = sorted(set(pl.read_parquet_metadata(evidence.table_path)) - {"ARROW:schema"})
    return f"the Parquet file holds further metadata: {', '.join(extra)}" if extra else None


def _texts(evidence: Evidence) -> str | None:
    """Manifest and page must be what their content makes them, to the letter."""
    written = (evidence.folder / MANIFEST_NAME).read_text(encoding="utf-8")
    if written != evidence.manifest.to_json():
        return f"{MANIFEST_NAME} is not written in the canonical way"
    page = (evidence.folder / README_NAME).read_text(encoding="utf-8")
    if page != recipient_page(evidence.manifest):
        return f"{README_NAME} says more than the manifest"
    return None


def _group_sizes(evidence: Evidence) -> str | None:
    counts, owners = np.unique(evidence.rows.user_counts, return_counts=True)
    claims = [claim for claim in evidence.manifest.claimed if claim.guarantee == "k-anonymity"]
    alone = int((owners == 1).sum())
    if claims and alone:
        return f"{alone} rows are alone in their number of ratings, first {counts[owners == 1][0]}"
    return None


def _bytes(evidence: Evidence) -> str | None:
    """Writing what was read must give the same bytes: then there is nothing else in them."""
    with tempfile.TemporaryDirectory(prefix="recloak-") as place:
        again = Path(place)
        save_release(evidence.release, again, evidence.table_path.suffix[1:])
        written = (again / evidence.table_path.name).read_bytes()
    if written == evidence.table_path.read_bytes():
        return None
    return (
        f"{evidence.table_path.name} holds the same ratings in other bytes than this recloak "
        "writes: it comes from another version of its libraries, or something is hidden in it"
    )


CHECKS: dict[str, Callable[[Evidence], str | None]] = {
    "columns": _columns,
    "row order": _row_order,
    "row ids": _row_ids,
    "times": _times,
    "digits": _digits,
    "metadata": _metadata,
    "texts": _texts,
    "group sizes": _group_sizes,
}
