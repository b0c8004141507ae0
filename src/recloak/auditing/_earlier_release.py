"""Previous: an earlier release beside the one under audit, and who is who in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recloak.auditing.matching import matched
from recloak.core.arrays import match_labels
from recloak.core.progress import SILENT, Progress
from recloak.core.ratings import Ratings
from recloak.evaluation.context import (
    AuditContext,
    EarlierRelease,
    keeps_ids,
    match_items,
)
from recloak.releases.base import Release
from recloak.releases.linkage import Linkage
from recloak.releases.secret import Secret

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
