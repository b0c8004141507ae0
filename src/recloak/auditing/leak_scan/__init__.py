"""Leak scan: does anything in a release's bytes link rows to people or to each other?

A release is written in one canonical way that follows from its content alone, so that there is
nowhere to hide a hint. Each check looks for one way in which a hint could be there all the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from recloak.auditing.leak_scan._manifest_check import Vocabulary, odd_statement, odd_times
from recloak.auditing.leak_scan._randomness_tests import (
    ENOUGH_ROWS,
    differs_by_row,
    drawn_badly,
    ids_follow_rows,
    rises_with_row,
)
from recloak.clustering import item_variances
from recloak.core.arrays import Mask
from recloak.core.files import temporary_folder
from recloak.core.kernels.record_groups import item_moments
from recloak.core.ratings import Ratings
from recloak.evaluation.findings import Status, Verdict
from recloak.releases.base import Release, open_release, save_release
from recloak.releases.card import CARD_NAME, CROISSANT_NAME, card_of, croissant_of
from recloak.releases.manifest import MANIFEST_NAME, Manifest
from recloak.releases.tables import read_table

HUNDREDTHS = 100.0


@dataclass(frozen=True)
class ScannedRelease:
    """A release folder as read, and its ratings in the order of the file, not yet loaded.

    ``paths`` are the files of all its tables, by name, the one with the ratings first. Of grouped
    people ``rows`` are the profiles.
    """

    folder: Path
    manifest: Manifest
    release: Release
    rows: Ratings
    table: pl.LazyFrame
    paths: dict[str, Path]
    methods: Vocabulary


def scan_for_leaks(
    folder: str | Path,
    methods: Vocabulary,
    *,
    opened: Release | None = None,
    canonical: bool = True,
) -> tuple[Verdict, ...]:
    """A verdict from each check on a release folder; files that were changed are refused.

    ``methods`` are those whose words a manifest may use: the scan itself knows none of them.
    ``opened`` is the release in the folder, if it was read and its digests were compared already.
    ``canonical`` also writes the release once more and compares the bytes.
    """
    scanned = _evidence(Path(folder), opened or open_release(folder), methods)
    verdicts = []
    for name, check in (CHECKS | ({"bytes": _bytes} if canonical else {})).items():
        started = time.perf_counter()
        trace = check(scanned)
        took = time.perf_counter() - started
        how = f"{trace[0].upper()}{trace[1:]}." if trace else "Nothing was found."
        status: Status = "broken" if trace else "holds"
        verdicts.append(Verdict(f"no trace in the {name}", status, how, seconds=took))
    return tuple(verdicts)


def _evidence(folder: Path, release: Release, methods: Vocabulary) -> ScannedRelease:
    found = sorted(folder.iterdir())
    paths = {path.stem: path for path in found if path.stem in release.tables}
    rows = release.listed
    path = paths[next(iter(release.tables))]
    first, *_ = release.columns_of(path.stem)
    text = path.suffix != ".parquet"
    table = pl.scan_csv(path, infer_schema=False) if text else pl.scan_parquet(path)
    if release.wide:
        table = table.select(pl.col(first).cast(pl.Int64).alias("user"))
    else:
        kinds = {"user": rows.user_labels.dtype, "item": rows.item_labels.dtype}
        whole = [name for name, kind in kinds.items() if text and kind == np.int64]
        table = table.rename({first: "user"}).with_columns(pl.col(whole).cast(pl.Int64))
    return ScannedRelease(folder, release.manifest, release, rows, table, paths, methods)


def _columns(scanned: ScannedRelease) -> str | None:
    if scanned.release.wide:
        return None  # issues are columns: opening it has compared their number with the manifest
    for table, path in scanned.paths.items():
        allowed = scanned.release.tables[table]
        columns = pl.scan_parquet(path) if path.suffix == ".parquet" else pl.scan_csv(path)
        extra = [name for name in columns.collect_schema() if name not in allowed]
        if extra:
            return f"{path.name} has further columns: {', '.join(extra)}"
    return None


def _row_order(scanned: ScannedRelease) -> str | None:
    user, item = pl.col("user"), pl.col("item")
    later = user > user.shift()
    if not scanned.release.wide:
        later |= (user == user.shift()) & (item > item.shift())
    if not scanned.table.select(later.slice(1).all()).collect().item():
        return "the rows are not in the order of their ids and items, and any other order can tell"
    for name in [*scanned.release.tables][1:]:
        if name in scanned.paths and not _ascends(read_table(scanned.folder, name).to_series(0)):
            return f"the rows of {name} are not in the order of their ids"
    return None


def _ascends(ids: pl.Series) -> bool:
    """Is each id above the one before?"""
    return bool((ids.slice(1) > ids.head(max(len(ids) - 1, 0))).all())


def _row_ids(scanned: ScannedRelease) -> str | None:
    """Ids must look like draws from the whole range, near no other and unlike their rows."""
    if scanned.manifest.row_ids == "original":
        return "the rows bear the original user ids"
    rows = scanned.rows
    trace = drawn_badly(rows.user_labels, scanned.release.row_word)
    if trace is None and len(rows.user_labels) >= ENOUGH_ROWS:
        trace = ids_follow_rows(rows)
    return trace or _group_ids(scanned.release)


def _group_ids(release: Release) -> str | None:
    """The ids of clusters, joints and groups must be draws too, unlike what they stand for."""
    for name, (ids, people) in release.further_ids().items():
        trace = drawn_badly(ids, name)
        if trace:
            return trace
        varied = len(ids) >= ENOUGH_ROWS and len(np.unique(people)) > 1
        if varied and rises_with_row(people.astype(np.float64)):
            return f"the order of the {name} ids follows what they stand for"
    return None


def _digits(scanned: ScannedRelease) -> str | None:
    """Values must be written in their one way, to the last bit."""
    values, scale = scanned.rows.values, scanned.rows.scale
    if not np.array_equal(values.view(np.uint32), scale.canonical(values).view(np.uint32)):
        return "some values differ in their last bits from how they should be written"
    if scale.step is not None or scanned.manifest.parameters.get("rounding") != "hundredth":
        return None  # else the digits are those of the original
    hundredths = np.rint(values.astype(np.float64) * HUNDREDTHS)
    ends = np.array([scale.low, scale.high], dtype=np.float32)
    if not ((values == (hundredths / HUNDREDTHS).astype(np.float32)) | np.isin(values, ends)).all():
        return "values have more than two decimals"
    inside = (values > ends[0]) & (values < ends[1])  # clipped values end in zeros
    inside &= _last_digits_are_random(scanned)[scanned.rows.items]
    told_apart = np.spacing(np.abs(ends).max()) < 1 / HUNDREDTHS / 4
    last = np.mod(hundredths, 10)[inside]
    if told_apart and differs_by_row(last, scanned.rows.user_codes()[inside]):
        return "the last digit of the values differs from row to row more than chance allows"
    return None


def _last_digits_are_random(scanned: ScannedRelease) -> Mask:
    """The items whose noise is wide beside a last digit.

    In a full table the noise of an item follows its deviation. Where that is small, what was rated
    and what was filled in end in different digits, which is the method's doing and no mark; and
    values that the paper's way clips are all the same.
    """
    rows, given = scanned.rows, scanned.manifest.parameters
    if given.get("cells") != "all" or len(rows) == 0:
        return np.ones(rows.n_items, dtype=np.bool_)
    if given.get("clipping") == "paper":
        return np.zeros(rows.n_items, dtype=np.bool_)
    base = np.full(rows.n_items, rows.scale.middle)
    moments = item_moments(0, rows.n_users, rows.offsets, rows.items, rows.values, base)
    deviations = np.sqrt(item_variances(moments, rows.n_users))
    sigma = float(given["sigma"])
    return np.asarray(deviations * sigma / np.sqrt(1 + sigma**2) >= 10 / HUNDREDTHS)


def _metadata(scanned: ScannedRelease) -> str | None:
    for path in scanned.paths.values():
        if path.suffix == ".parquet":
            extra = sorted(set(pl.read_parquet_metadata(path)) - {"ARROW:schema"})
            if extra:
                return f"{path.name} holds further metadata: {', '.join(extra)}"
    return None


def _files(scanned: ScannedRelease) -> str | None:
    """Nothing but plain files, and only those that every release has."""
    names = {path.name for path in scanned.folder.iterdir()}
    wanted = {
        MANIFEST_NAME,
        CARD_NAME,
        *({CROISSANT_NAME} & set(scanned.manifest.files)),
        *(path.name for path in scanned.paths.values()),
    }
    if names != wanted:
        return f"there are further files: {', '.join(sorted(names - wanted))}"
    odd = [path.name for path in scanned.folder.iterdir() if path.is_symlink()]
    return f"{odd[0]} is a link to something else" if odd else None


def _statements(scanned: ScannedRelease) -> str | None:
    """Everything in the manifest must be of a known type, length and vocabulary."""
    table_format = next(iter(scanned.paths.values())).suffix[1:]
    items = {str(label) for label in scanned.rows.item_labels}
    return odd_statement(scanned.manifest, scanned.methods, table_format, items)


def _texts(scanned: ScannedRelease) -> str | None:
    """Manifest and cards must be what their content makes them, to the letter."""
    written = (scanned.folder / MANIFEST_NAME).read_text(encoding="utf-8")
    if written != scanned.manifest.to_json():
        return f"{MANIFEST_NAME} is not written in the canonical way"
    page = (scanned.folder / CARD_NAME).read_text(encoding="utf-8")
    tables = [path.name for path in scanned.paths.values()]
    if page != card_of(scanned.manifest, tables):
        return f"{CARD_NAME} says more than the manifest"
    if CROISSANT_NAME not in scanned.manifest.files:
        return None  # it was published before there was one
    described = (scanned.folder / CROISSANT_NAME).read_text(encoding="utf-8")
    if described != croissant_of(scanned.manifest, scanned.folder, scanned.manifest.files):
        return f"{CROISSANT_NAME} says more than the manifest and the tables"
    return None


def _group_sizes(scanned: ScannedRelease) -> str | None:
    sizes = scanned.release.group_sizes
    if sizes is not None:
        alone = int((sizes < 2).sum())
        return f"{alone} groups have a single member" if alone else None
    counts, owners = np.unique(scanned.rows.user_counts, return_counts=True)
    claims = [claim for claim in scanned.manifest.claimed if claim.guarantee == "k-anonymity"]
    alone = int((owners == 1).sum())
    if claims and alone:
        return f"{alone} rows are alone in their number of ratings, first {counts[owners == 1][0]}"
    return None


def _bytes(scanned: ScannedRelease) -> str | None:
    """Writing what was read must give the same bytes: then there is nothing else in them."""
    with temporary_folder() as again:
        save_release(scanned.release, again, next(iter(scanned.paths.values())).suffix[1:])
        for path in scanned.paths.values():
            if (again / path.name).read_bytes() != path.read_bytes():
                return (
                    f"{path.name} holds the same in other bytes than this recloak writes: it comes "
                    "from another version of its libraries, or something is hidden in it"
                )
    return None


CHECKS: dict[str, Callable[[ScannedRelease], str | None]] = {
    "files": _files,
    "columns": _columns,
    "row order": _row_order,
    "row ids": _row_ids,
    "times": lambda scanned: odd_times(scanned.rows.times, scanned.manifest.times),
    "digits": _digits,
    "metadata": _metadata,
    "statements": _statements,
    "texts": _texts,
    "group sizes": _group_sizes,
}
