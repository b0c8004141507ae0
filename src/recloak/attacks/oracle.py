"""The oracle: an adversary who holds the whole original and links it with the release."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.attacks.space import Space
from recloak.attacks.worst_tenth import worst_tenth
from recloak.findings import Figure
from recloak.identical import identical_groups
from recloak.nearest_records import NOBODY, Candidates
from recloak.progress import Progress
from recloak.ratings import Ratings
from recloak.scene import Codes, Scene
from recloak.statistics import share_figure

Direction = Literal["to-release", "to-original"]
CLOSE = 1e-6  # of a squared distance: what publishing in single precision can move it by

LABELS: dict[Direction, str] = {
    "to-release": "holds the original, seeks each person's row",
    "to-original": "holds the original, seeks each row's person",
}
SUMMARIES: dict[Direction, str] = {
    "to-release": "The adversary holds all original records; for each he takes the nearest row.",
    "to-original": "The adversary holds all original records; for each row he takes the nearest.",
}
NOTE = (
    "Distances are over all cells; one that is not listed counts as what the release implies "
    "for it, else as the middle of the scale."
)


class Disclosure(NamedTuple):
    """One number for each target, a person or a row."""

    success: NDArray[np.float64]
    success_first: NDArray[np.float64]
    inconclusive: NDArray[np.float64]
    wrong: NDArray[np.float64]

    def figures(self, direction: Direction) -> tuple[Figure, ...]:
        """Their means, with intervals."""
        found = {
            "to-release": "people whose row was found",
            "to-original": "rows whose person was found",
        }[direction]
        first = f"{found}, where he takes the first of those equally near in the original's order"
        missed = "tries where the right one was among several, and the guess fell on another"
        return (
            share_figure("success", self.success, found),
            share_figure("success_first", self.success_first, first),
            share_figure("inconclusive", self.inconclusive, missed),
            share_figure("wrong", self.wrong, "tries that led to someone else"),
            worst_tenth(self.success[None, :]),
        )


def disclosure(
    scene: Scene, direction: Direction, wanted: int, rng: np.random.Generator, progress: Progress
) -> Disclosure:
    """Link up to ``wanted`` people or rows (0: all) that have an answer; candidates are all."""
    owners = Owners.of(scene)
    seek = _to_release if direction == "to-release" else _to_original
    return seek(scene, owners, wanted, rng, progress)


class Owners(NamedTuple):
    """Who owns what: pairs of a person and a row; and the looks of each row.

    ``look`` numbers the distinct rows; ``example`` is one row of each look.
    """

    users: Codes
    rows: Codes
    look: Codes
    example: Codes

    @classmethod
    def of(cls, scene: Scene) -> Owners:
        counts = np.diff(scene.linkage.offsets)
        users = np.repeat(np.arange(len(counts)), counts)
        rows = scene.linkage.rows[: len(users)]
        look, _ = identical_groups(scene.rows, values=True)
        _, example = np.unique(look, return_index=True)
        return cls(users, rows, look, example)


def _to_release(
    scene: Scene, owners: Owners, wanted: int, rng: np.random.Generator, progress: Progress
) -> Disclosure:
    """Each person's nearest row; identical rows are one candidate that stands for all of them."""
    targets = _drawn(np.unique(owners.users), wanted, rng)
    ranks = np.full(len(owners.example), NOBODY)
    np.minimum.at(ranks, owners.look[owners.rows], owners.users)
    space = Space.of(scene)
    alike = np.bincount(owners.look).astype(np.int64)
    candidates = Candidates(_rows_of(space, owners), space.base, alike, ranks, CLOSE)
    offsets, pairs = _pairs_of(targets, owners.users)
    own = owners.look[owners.rows[pairs]]
    found = candidates.nearest_of_own(space.original, targets, offsets, own, progress)
    hits = np.add.reduceat(found.own_tied, offsets[:-1], dtype=np.int64) if len(targets) else 0
    return _outcome(np.asarray(hits), found.ties, found.first == targets)


def _to_original(
    scene: Scene, owners: Owners, wanted: int, rng: np.random.Generator, progress: Progress
) -> Disclosure:
    """Each row's nearest record; identical rows are asked for once, and share what is found.

    Whose of them it is he cannot tell, so each has the same chance that it is the person's.
    """
    targets = _drawn(np.unique(owners.rows), wanted, rng)
    looks, of_target = np.unique(owners.look[targets], return_inverse=True)
    chosen = np.flatnonzero(np.isin(owners.look[owners.rows], looks))
    query = np.searchsorted(looks, owners.look[owners.rows[chosen]])
    order = np.argsort(query, kind="stable")
    pairs, query = chosen[order], query[order]
    offsets = np.searchsorted(query, np.arange(len(looks) + 1))
    space = Space.of(scene)
    candidates = Candidates.in_order(space.original, space.base, CLOSE)
    found = candidates.nearest_of_own(
        _rows_of(space, owners), looks, offsets, owners.users[pairs], progress
    )
    linked = np.unique(owners.rows[pairs])
    alike = np.bincount(np.searchsorted(looks, owners.look[linked]), minlength=len(looks))
    hits = np.bincount(query, found.own_tied, len(looks)) / alike
    first = np.bincount(query, owners.users[pairs] == found.first[query], len(looks)) / alike
    return _outcome(hits[of_target], found.ties[of_target], first[of_target])


def _drawn(able: Codes, wanted: int, rng: np.random.Generator) -> Codes:
    if 0 < wanted < len(able):
        return np.sort(rng.choice(able, wanted, replace=False))
    return able


def _rows_of(space: Space, owners: Owners) -> Ratings:
    """The distinct rows, in the order of their looks."""
    if len(owners.example) == space.rows.n_users:
        return space.rows
    return space.rows.take_users(owners.example)


def _pairs_of(targets: Codes, users: Codes) -> tuple[Codes, Codes]:
    """Offsets and places of the pairs of each target; ``users`` ascend."""
    starts, ends = np.searchsorted(users, targets), np.searchsorted(users, targets, side="right")
    counts = ends - starts
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return offsets, np.repeat(starts - offsets[:-1], counts) + np.arange(offsets[-1])


def _outcome(hits: NDArray[Any], ties: Codes, first: NDArray[Any]) -> Disclosure:
    """``hits`` of the ``ties`` that were named are right, on average."""
    success = hits / np.maximum(ties, 1)
    return Disclosure(
        success,
        first.astype(np.float64),
        np.where(hits > 0, 1 - success, 0.0),
        (hits == 0).astype(np.float64),
    )
