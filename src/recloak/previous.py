"""Previous: an earlier release beside the one under audit, and who is who in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recloak.linkage import Linkage
from recloak.matching import matched
from recloak.progress import SILENT, Progress
from recloak.ratings import Ratings
from recloak.release import Release
from recloak.scene import Previous, Scene, keeps_ids, match_items, match_labels
from recloak.secret import Secret

_SAME_IDS = "Rows of the same id were taken to be the same rows as in the later one."


def previous_of(
    scene: Scene,
    earlier: Release | Ratings,
    secret: Secret | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Previous:
    """An earlier release for a scene; rows are linked to people by its own secret, by ids that the
    two releases share, or else by matching.
    """
    rows = earlier.as_ratings() if isinstance(earlier, Release) else earlier
    if secret is not None:
        linkage = _still_there(secret, scene.original).linkage(scene.original, rows)
    elif keeps_ids(rows, scene.rows):
        linkage = _by_ids(scene, rows)
    else:
        linkage = matched(scene.original, earlier, rows, seed, progress)
    release = earlier if isinstance(earlier, Release) else None
    return Previous(rows, linkage, match_items(scene.original, rows), release)


def _by_ids(scene: Scene, rows: Ratings) -> Linkage:
    place = match_labels(scene.rows.user_labels, rows.user_labels)
    linkage = scene.linkage
    users = np.repeat(np.arange(scene.original.n_users), np.diff(linkage.offsets))
    there = place[linkage.rows] >= 0
    pairs = users[there], place[linkage.rows][there]
    return Linkage.from_pairs(*pairs, scene.original.n_users, linkage.source, _SAME_IDS)


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
