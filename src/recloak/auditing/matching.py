"""Matching: who is who, from a secret, a mapping file, or rows; also in an earlier release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from recloak.core.arrays import Indices, match_labels
from recloak.core.errors import InputError
from recloak.core.frames import as_polars
from recloak.core.kernels.nearest_rows import RowIndex, best_owner
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import (
    AuditContext,
    EarlierRelease,
    keeps_ids,
    match_items,
)
from recloak.releases.base import Release
from recloak.releases.grouped import GroupedRelease
from recloak.releases.linkage import Linkage, row_codes
from recloak.releases.secret import Secret

ROWS_PER_BLOCK = 64
HELD_AT_LEAST = 0.8  # the share of a row's items that a person must have rated to be its owner
_UNKNOWN = (
    "No secret and no mapping was given, and a release of groups does not tell whose group is "
    "whose: attacks that need this are not measured. To measure them, give --secret or --mapping, "
    "or --rehearse, which runs the method {method} of the manifest once more on the original and "
    "scores the attacks on that."
)
WORK_LIMIT = 2e10  # steps through postings before a sample of rows must do


def linkage_from_mapping(source: Any, original: Ratings, rows: Ratings) -> Linkage:
    """From a CSV file or a frame with the columns user and pseudonym (or the first two columns)."""
    where = f"--mapping {source}" if isinstance(source, str | Path) else "mapping"
    table = _read_mapping(source, where)
    if not _is_pair(table.row(0), original, rows):
        table = table[1:]  # names of columns
    if table.height == 0:
        raise InputError("holds no pair of a user and a pseudonym", where=where)
    try:
        users = original.codes_of_users(table[:, 0].to_list())
        named = row_codes(rows.user_labels, np.array(table[:, 1].to_list(), dtype=object))
    except InputError as problem:
        raise InputError(problem.what, where=where, hint=problem.hint) from None
    note = "Rows were linked to people with the mapping that was given."
    return Linkage.from_pairs(users, named, original.n_users, "mapping", note)


def matched(
    original: Ratings,
    release: Release | Ratings,
    rows: Ratings,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Linkage:
    """Who is who in a release of which neither a secret nor a mapping is at hand.

    Nobody's ratings hold the profile of a group. Who took people to be where they are nearest would
    look as the adversary looks, and score their mistakes as well: such a release links nobody.
    """
    if isinstance(release, Release) and release.made_up:
        return Linkage.of_nobody(original.n_users)
    if isinstance(release, GroupedRelease) and len(release.sizes):
        none = np.empty(0, np.int64)
        note = _UNKNOWN.format(method=release.manifest.method)
        return Linkage.from_pairs(none, none, original.n_users, "unknown", note)
    return linkage_by_containment(original, rows, seed, progress)


def linkage_by_containment(
    original: Ratings, rows: Ratings, seed: int = 0, progress: Progress = SILENT
) -> Linkage:
    """Match each row to the person whose ratings hold it best, if they hold most of its items.

    Beyond a limit of work only a sample of rows is matched, and only their people are attacked.
    """
    items = _original_items(original, rows)
    support = np.append(original.item_support, 0)
    work = float(support[items].sum()) + float(rows.n_users) * original.n_users
    chosen = _affordable(rows.n_users, work, seed)
    span = max(original.scale.span, rows.scale.span, 1.0)
    taken = np.zeros(original.n_users, dtype=np.bool_)
    index = RowIndex(*original.by_item)
    owners, whole = [], []
    with progress.task("Matching rows to people", len(chosen)) as task:
        for start in range(0, len(chosen), ROWS_PER_BLOCK):
            block = chosen[start : start + ROWS_PER_BLOCK]
            owner, complete = best_owner(
                rows.offsets,
                items,
                rows.values,
                block,
                index,
                original.user_counts,
                4 * span**2,
                HELD_AT_LEAST,
                taken,
            )
            owners.append(owner)
            whole.append(complete)
            task.advance(len(block))
    found = np.concatenate([*owners, np.empty(0, np.int64)])
    matched = found >= 0
    contained = int(np.concatenate([*whole, np.empty(0, np.bool_)]).sum())
    people = len(np.unique(found[matched]))
    note = (
        "No secret and no mapping was given: each row was matched to the person whose ratings "
        f"hold it best ({len(chosen):,} of {rows.n_users:,} rows tried, {int(matched.sum()):,} "
        f"matched, {contained:,} of them held entirely). Attacks were run only on the {people:,} "
        f"of {original.n_users:,} people who were matched. Matching looks for the nearest person "
        "as the attack looks for the nearest row, so wrong matches can make the release look "
        "better or worse than it is; with a secret or a mapping there are none."
    )
    return Linkage.from_pairs(
        found[matched], chosen[matched], original.n_users, "containment", note
    )


def _original_items(original: Ratings, rows: Ratings) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """The items of the release in codes of the original, -1 for those it does not have."""
    return match_items(rows, original)[rows.items].astype(np.int32)


def _affordable(count: int, work: float, seed: int) -> Indices:
    """Those that are matched: all, or a random sample where all would be too much work."""
    if work <= WORK_LIMIT:
        return np.arange(count, dtype=np.int64)
    size = max(1, int(count * WORK_LIMIT / work))
    rng = Randomness.from_seed(seed).generator("rows to match")
    return np.sort(rng.choice(count, size, replace=False))


def _read_mapping(source: Any, where: str) -> pl.DataFrame:
    """The pairs, user first, as text; the first row may hold the names of the columns."""
    try:
        if isinstance(source, str | Path):
            table = pl.read_csv(source, infer_schema=False, has_header=False)
        else:
            given = as_polars(source)
            names = pl.DataFrame([given.columns], schema=given.columns, orient="row")
            table = pl.concat([names, given.select(pl.all().cast(pl.String))])
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise InputError(f"cannot be read as CSV: {problem}", where=where) from None
    head = list(table.row(0))
    if {"user", "pseudonym"} <= set(head):
        table = table[:, [head.index("user"), head.index("pseudonym")]]
    if table.width < 2 or table[:, :2].null_count().sum_horizontal().item():
        raise InputError(
            "must have the columns user and pseudonym, without gaps",
            where=where,
            hint="'recloak unseal SECRET --out FILE' writes such a file.",
        )
    return table[:, :2]


def _is_pair(pair: tuple[str, ...], original: Ratings, rows: Ratings) -> bool:
    """Is this a user and a row that exist, rather than two names of columns?"""
    users = {str(label) for label in original.user_labels}
    return pair[0] in users or pair[1] in {str(label) for label in rows.user_labels}


_SAME_IDS = "Rows of the same id were taken to be the same rows as in the later one."


def earlier_release_of(
    context: AuditContext,
    earlier: Release | Ratings,
    secret: Secret | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> EarlierRelease:
    """An earlier release for an audit; rows are linked to people by its own secret, by ids that the
    two releases share, or else by matching.
    """
    rows = earlier.as_ratings() if isinstance(earlier, Release) else earlier
    if secret is not None:
        linkage = _still_there(secret, context.original).linkage(context.original, rows)
    elif keeps_ids(rows, context.rows):
        linkage = _by_ids(context, rows)
    else:
        linkage = matched(context.original, earlier, rows, seed, progress)
    release = earlier if isinstance(earlier, Release) else None
    return EarlierRelease(rows, linkage, match_items(context.original, rows), release)


def _by_ids(context: AuditContext, rows: Ratings) -> Linkage:
    place = match_labels(context.rows.user_labels, rows.user_labels)
    linkage = context.linkage
    users = np.repeat(np.arange(context.original.n_users), np.diff(linkage.offsets))
    there = place[linkage.rows] >= 0
    pairs = users[there], place[linkage.rows][there]
    return Linkage.from_pairs(*pairs, context.original.n_users, linkage.source, _SAME_IDS)


def _still_there(secret: Secret, original: Ratings) -> Secret:
    """The secret without those who are no longer in the original."""
    known = match_labels(secret.user_labels, original.user_labels) >= 0
    place = np.cumsum(known) - 1
    kept = known[secret.owners]
    return replace(
        secret,
        user_labels=secret.user_labels[known],
        owners=place[secret.owners[kept]],
        pseudonyms=secret.pseudonyms[kept],
        founders=None,
    )
