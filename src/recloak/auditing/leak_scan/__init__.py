"""Leak scan: does anything in a release's bytes link rows to people or to each other?

A release is written in one canonical way that follows from its content alone, so that there is
nowhere to hide a hint. Each check looks for one way in which a hint could be there all the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from recloak.auditing.leak_scan._manifest_check import KnownMethods, odd_statement
from recloak.auditing.leak_scan._parts_check import RowFacts, odd_parts
from recloak.auditing.leak_scan._randomness_tests import ENOUGH_ROWS, drawn_badly, rises_with_row
from recloak.core.files import digest_of, temporary_folder
from recloak.evaluation.findings import Status, Verdict
from recloak.releases.base import Release, open_release, save_release
from recloak.releases.card import CARD_NAME, CROISSANT_NAME, card_of, croissant_of
from recloak.releases.manifest import MANIFEST_NAME, Manifest
from recloak.releases.parts import files_of, table_names
from recloak.releases.tables import read_table


@dataclass(frozen=True)
class ScannedRelease:
    """A release folder as read, and its ratings in the order of the file, not yet loaded.

    ``paths`` are the files of all its tables, by name, the one with the ratings first.
    """

    folder: Path
    manifest: Manifest
    release: Release
    table: pl.LazyFrame
    paths: dict[str, Path]
    methods: KnownMethods

    @cached_property
    def rows(self) -> RowFacts:
        """What the rows tell; read once, when it is first asked for."""
        return RowFacts.of(self.release)


def scan_for_leaks(
    folder: str | Path,
    methods: KnownMethods,
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


def _evidence(folder: Path, release: Release, methods: KnownMethods) -> ScannedRelease:
    found = sorted(folder.iterdir())
    paths = {path.stem: path for path in found if path.stem in release.tables}
    path = paths[next(iter(release.tables))]
    first, *_ = release.columns_of(path.stem)
    text = path.suffix != ".parquet"
    table = pl.scan_csv(path, infer_schema=False) if text else pl.scan_parquet(path)
    if release.wide:
        table = table.select(pl.col(first).cast(pl.Int64).alias("user"))
    else:
        whole = []
        if text:
            rows = release.listed
            kinds = {"user": rows.user_labels.dtype, "item": rows.item_labels.dtype}
            whole = [name for name, kind in kinds.items() if kind == np.int64]
        table = table.rename({first: "user"}).with_columns(pl.col(whole).cast(pl.Int64))
    return ScannedRelease(folder, release.manifest, release, table, paths, methods)


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
    trace = drawn_badly(scanned.rows.row_labels, scanned.release.row_word)
    trace = trace or scanned.rows.traces["order of ids"]
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


def _metadata(scanned: ScannedRelease) -> str | None:
    for name, path in files_of(scanned.folder):
        if path.suffix == ".parquet":
            extra = sorted(set(pl.read_parquet_metadata(path)) - {"ARROW:schema"})
            if extra:
                return f"{name} holds further metadata: {', '.join(extra)}"
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
    odd = [name for name, path in files_of(scanned.folder) if path.is_symlink()]
    if odd:
        return f"{odd[0]} is a link to something else"
    inside = [name for name, _ in files_of(scanned.folder) if "/" in name]
    return odd_parts(scanned.folder, scanned.manifest.ratings, inside) if inside else None


def _statements(scanned: ScannedRelease) -> str | None:
    """Everything in the manifest must be of a known type, length and vocabulary."""
    table_format = next(iter(scanned.paths.values())).suffix[1:]
    items = set(scanned.rows.items)
    return odd_statement(scanned.manifest, scanned.methods, table_format, items)


def _texts(scanned: ScannedRelease) -> str | None:
    """Manifest and cards must be what their content makes them, to the letter."""
    written = (scanned.folder / MANIFEST_NAME).read_text(encoding="utf-8")
    if written != scanned.manifest.to_json():
        return f"{MANIFEST_NAME} is not written in the canonical way"
    page = (scanned.folder / CARD_NAME).read_text(encoding="utf-8")
    beside = (MANIFEST_NAME, CARD_NAME, CROISSANT_NAME)
    tables = [name for name in table_names(scanned.folder) if name not in beside]
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
        tables = {path.name for path in scanned.paths.values()}
        for name, path in files_of(scanned.folder):
            if name.split("/")[0] not in tables:
                continue
            if digest_of(again / name) != digest_of(path):
                return (
                    f"{name} holds the same in other bytes than this recloak writes: it comes "
                    "from another version of its libraries, or something is hidden in it"
                )
    return None


CHECKS: dict[str, Callable[[ScannedRelease], str | None]] = {
    "files": _files,
    "columns": _columns,
    "row order": _row_order,
    "row ids": _row_ids,
    "times": lambda scanned: scanned.rows.traces["times"],
    "digits": lambda scanned: scanned.rows.traces["digits"],
    "metadata": _metadata,
    "statements": _statements,
    "texts": _texts,
    "group sizes": _group_sizes,
}
