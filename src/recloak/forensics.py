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

from recloak.disassociated import DisassociatedRelease
from recloak.errors import ParameterError
from recloak.findings import Status, Verdict
from recloak.manifest import MANIFEST_NAME, Manifest
from recloak.methods import METHODS
from recloak.randomness import PSEUDONYM_HIGH, PSEUDONYM_LOW
from recloak.ratings import Labels, Ratings
from recloak.release import (
    README_NAME,
    Release,
    open_release,
    read_table,
    recipient_page,
    save_release,
)
from recloak.scale import Scale

SURE = 1e-9  # how improbable chance must be before it is called a trace
ENOUGH_ROWS = 20
HUNDREDTHS = 100.0
KNOWN_CONFIG = {
    "method",
    "parameters",
    "table_format",
    "users_excluded",
    "secret",
    "policy_enforced",
    "audited",
    "audit_seed",
    "reading",
}
KNOWN_READING = {
    "format",
    "columns",
    "scale",
    "separator",
    "encoding",
    "duplicates",
    "id_column",
    "issues",
}
_UNITS = {"year": "1y", "quarter": "1q", "month": "1mo"}


@dataclass(frozen=True)
class Evidence:
    """A release folder as read, and its ratings in the order of the file, not yet loaded.

    ``paths`` are the files of all its tables, by name.
    """

    folder: Path
    manifest: Manifest
    release: Release
    rows: Ratings
    table: pl.LazyFrame
    paths: dict[str, Path]


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
    found = sorted(folder.iterdir())
    paths = {name: next(at for at in found if at.stem == name) for name in release.tables}
    path, rows = paths["ratings"], release.as_ratings()
    if path.suffix == ".parquet":
        table = pl.scan_parquet(path)
    else:
        kinds = {"user": rows.user_labels.dtype, "item": rows.item_labels.dtype}
        whole = [name for name, kind in kinds.items() if kind == np.int64]
        table = pl.scan_csv(path, infer_schema=False).with_columns(pl.col(whole).cast(pl.Int64))
    return Evidence(folder, release.manifest, release, rows, table, paths)


def _columns(evidence: Evidence) -> str | None:
    for table, allowed in evidence.release.tables.items():
        path = evidence.paths[table]
        scanned = pl.scan_parquet(path) if path.suffix == ".parquet" else pl.scan_csv(path)
        extra = [name for name in scanned.collect_schema() if name not in allowed]
        if extra:
            return f"{path.name} has further columns: {', '.join(extra)}"
    return None


def _row_order(evidence: Evidence) -> str | None:
    user, item = pl.col("user"), pl.col("item")
    later = (user > user.shift()) | ((user == user.shift()) & (item > item.shift()))
    if not evidence.table.select(later.slice(1).all()).collect().item():
        return "the rows are not in the order of their ids and items, and any other order can tell"
    for name in evidence.release.tables:
        if name != "ratings" and not _ascends(read_table(evidence.folder, name).to_series(0)):
            return f"the rows of {name} are not in the order of their ids"
    return None


def _ascends(ids: pl.Series) -> bool:
    """Is each id above the one before?"""
    return bool((ids.slice(1) > ids.head(max(len(ids) - 1, 0))).all())


def _row_ids(evidence: Evidence) -> str | None:
    """Ids must look like draws from the whole range, near no other and unlike their rows."""
    if evidence.manifest.row_ids == "original":
        return "the rows bear the original user ids"
    rows = evidence.rows
    trace = _drawn_badly(rows.user_labels, "row")
    if trace is None and len(rows.user_labels) >= ENOUGH_ROWS:
        trace = _ids_follow_rows(rows)
    return trace or _group_ids(evidence.release)


def _group_ids(release: Release) -> str | None:
    """The ids of clusters and joints must be draws too, unlike what they stand for."""
    if not isinstance(release, DisassociatedRelease):
        return None
    told = release.clusters
    sizes = {
        "cluster": (told.cluster_ids, told.records),
        "joint": (told.joint_ids, np.bincount(told.joint, told.records)),
    }
    for name, (ids, people) in sizes.items():
        trace = _drawn_badly(ids, name)
        if trace:
            return trace
        varied = len(ids) >= ENOUGH_ROWS and len(np.unique(people)) > 1
        if varied and _rises_with_row(people.astype(np.float64)):
            return f"the order of the {name} ids follows how many people they stand for"
    return None


def _drawn_badly(ids: Labels, what: str) -> str | None:
    """Are these ids, ascending, unlike random numbers of fifteen digits?"""
    if len(ids) == 0:
        return None
    if ids.dtype != np.int64 or ids.min() < PSEUDONYM_LOW or ids.max() >= PSEUDONYM_HIGH:
        return f"the {what} ids are not the random numbers of fifteen digits that recloak draws"
    if len(ids) < ENOUGH_ROWS:
        return None
    places = (ids - PSEUDONYM_LOW) / (PSEUDONYM_HIGH - PSEUDONYM_LOW)
    if stats.kstest(places, "uniform").pvalue < SURE:
        return f"the {what} ids are not spread over their whole range"
    gaps = np.diff(places) * len(places)
    if stats.kstest(gaps, "expon").pvalue < SURE:
        return f"the {what} ids stand nearer to each other, or more evenly, than random ones would"
    return _digits_of_ids(ids, what)


def _digits_of_ids(ids: NDArray[np.int64], what: str) -> str | None:
    """Every digit and the lowest bit of random ids are spread evenly."""
    for power in range(14):
        seen = np.bincount(ids // 10**power % 10, minlength=10)
        if stats.chisquare(seen).pvalue < SURE:
            return f"digit {power + 1} of the {what} ids, counted from the right, is not random"
    if stats.binomtest(int((ids % 2).sum()), len(ids)).pvalue < SURE:
        return f"the {what} ids are even or odd more often than chance allows"
    return None


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
    """Values must be written in their one way, to the last bit."""
    values, scale = evidence.rows.values, evidence.rows.scale
    if not np.array_equal(values.view(np.uint32), scale.canonical(values).view(np.uint32)):
        return "some values differ in their last bits from how they should be written"
    if scale.step is not None or "rounding" not in evidence.manifest.parameters:
        return None  # else the digits are those of the original
    hundredths = np.rint(values.astype(np.float64) * HUNDREDTHS)
    ends = np.array([scale.low, scale.high], dtype=np.float32)
    if not ((values == (hundredths / HUNDREDTHS).astype(np.float32)) | np.isin(values, ends)).all():
        return "values have more than two decimals"
    inside = (values > ends[0]) & (values < ends[1])  # clipped values end in zeros
    told_apart = np.spacing(np.abs(ends).max()) < 1 / HUNDREDTHS / 4
    last = np.mod(hundredths, 10)[inside]
    if told_apart and _differs_by_row(last, evidence.rows.user_codes()[inside]):
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
    for path in evidence.paths.values():
        if path.suffix == ".parquet":
            extra = sorted(set(pl.read_parquet_metadata(path)) - {"ARROW:schema"})
            if extra:
                return f"{path.name} holds further metadata: {', '.join(extra)}"
    return None


def _files(evidence: Evidence) -> str | None:
    """Nothing but plain files, and only those that every release has."""
    names = {path.name for path in evidence.folder.iterdir()}
    wanted = {MANIFEST_NAME, README_NAME, *(path.name for path in evidence.paths.values())}
    if names != wanted:
        return f"there are further files: {', '.join(sorted(names - wanted))}"
    odd = [path.name for path in evidence.folder.iterdir() if path.is_symlink()]
    return f"{odd[0]} is a link to something else" if odd else None


def _statements(evidence: Evidence) -> str | None:
    """The manifest must say only what recloak would have said."""
    manifest = evidence.manifest
    if manifest.scale != str(Scale.parse(manifest.scale)):
        return "the scale in the manifest is not written in the canonical way"
    times = {"dropped", *(f"coarsened to the {unit}" for unit in _UNITS)}
    if manifest.times not in times:
        return "the manifest says something else about times than recloak does"
    unknown = sorted(set(manifest.config) - KNOWN_CONFIG)
    if unknown:
        return f"the manifest's config has further keys: {', '.join(unknown)}"
    reading = manifest.config.get("reading", {})
    if not isinstance(reading, dict) or set(reading) - KNOWN_READING:
        return "the manifest's config says more about reading than recloak does"
    return _method_statements(manifest)


def _method_statements(manifest: Manifest) -> str | None:
    if manifest.method not in METHODS.names():
        return None  # made by a method that is not installed here: its words cannot be judged
    try:
        method = METHODS.get(manifest.method)(**manifest.parameters)
    except ParameterError:
        return "the manifest's parameters are not those of its method"
    if method.parameters.public() != manifest.parameters:
        return "the manifest's parameters are not written in the canonical way"
    if manifest.not_for_publication != method.reasons_not_to_publish(manifest.reproducible):
        return "the manifest gives other reasons against publication than recloak would"
    return None


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
        save_release(evidence.release, again, evidence.paths["ratings"].suffix[1:])
        for path in evidence.paths.values():
            if (again / path.name).read_bytes() != path.read_bytes():
                return (
                    f"{path.name} holds the same in other bytes than this recloak writes: it comes "
                    "from another version of its libraries, or something is hidden in it"
                )
    return None


CHECKS: dict[str, Callable[[Evidence], str | None]] = {
    "files": _files,
    "columns": _columns,
    "row order": _row_order,
    "row ids": _row_ids,
    "times": _times,
    "digits": _digits,
    "metadata": _metadata,
    "statements": _statements,
    "texts": _texts,
    "group sizes": _group_sizes,
}
