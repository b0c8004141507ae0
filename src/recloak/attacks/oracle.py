"""The oracle: an adversary who holds the whole original and links it with the release."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recloak.attacks.nearest_records import Candidates, Codes, Space
from recloak.attacks.worst_tenth import worst_tenth
from recloak.findings import Figure
from recloak.identical import identical_groups
from recloak.progress import Progress
from recloak.ratings import Ratings
from recloak.scene import Scene
from recloak.statistics import share_figure

Direction = Literal["to-release", "to-original"]
NOBODY = np.iinfo(np.int64).max

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
    candidates = Candidates(
        _rows_of(space, owners), space.base, np.bincount(owners.look).astype(np.int64), ranks
    )
    offsets, pairs = _pairs_of(targets, owners.users)
    own = owners.look[owners.rows[pairs]]
    found = candidates.nearest(space.original, targets, offsets, own, progress)
    hits = np.add.reduceat(found.own_tied, offsets[:-1], dtype=np.int64) if len(targets) else 0
    return _outcome(np.asarray(hits), found.ties, found.first == targets)


def _to_original(
    scene: Scene, owners: Owners, wanted: int, rng: np.random.Generator, progress: Progress
) -> Disclosure:
    """Each row's nearest record; identical rows are asked for once."""
    targets = _drawn(np.unique(owners.rows), wanted, rng)
    chosen = np.flatnonzero(np.isin(owners.rows, targets))
    looks, query = np.unique(owners.look[owners.rows[chosen]], return_inverse=True)
    order = np.argsort(query, kind="stable")
    pairs, query = chosen[order], query[order]
    offsets = np.searchsorted(query, np.arange(len(looks) + 1))
    space = Space.of(scene)
    people = np.arange(space.original.n_users)
    candidates = Candidates(space.original, space.base, np.ones(len(people), np.int64), people)
    found = candidates.nearest(
        _rows_of(space, owners), looks, offsets, owners.users[pairs], progress
    )
    place = np.searchsorted(targets, owners.rows[pairs])
    hits = np.bincount(place, found.own_tied, len(targets)).astype(np.int64)
    first = np.bincount(place, owners.users[pairs] == found.first[query], len(targets)) > 0
    ties = np.ones(len(targets), np.int64)
    ties[place] = found.ties[query]
    return _outcome(hits, ties, first)


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


def _outcome(hits: Codes, ties: Codes, first: NDArray[np.bool_]) -> Disclosure:
    """``hits`` of the ``ties`` that were named are right."""
    success = hits / np.maximum(ties, 1)
    return Disclosure(
        success,
        first.astype(np.float64),
        np.where(hits > 0, 1 - success, 0.0),
        (hits == 0).astype(np.float64),
    )
