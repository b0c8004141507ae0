"""The context of an audit: who is who, what is rehearsed, and an earlier release."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from recloak.auditing.control_rehearsal import control_group
from recloak.auditing.matching import earlier_release_of, matched
from recloak.auditing.options import AuditOptions
from recloak.auditing.rehearsal import (
    factors_of,
    held_out,
    rehearsed,
    rehearser,
    release_rehearsal,
)
from recloak.core.errors import InputError, ParameterError
from recloak.core.progress import Progress, Staged
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, Rehearsal, match_items
from recloak.methods.base import Method
from recloak.releases.base import Release
from recloak.releases.linkage import Linkage
from recloak.releases.secret import Secret


def context_of(
    original: Ratings,
    release: Release | Ratings,
    method: Method | None,
    asked: AuditOptions,
    progress: Progress,
) -> AuditContext:
    """All that evaluations may look at; ``method`` made the release, if anybody knows which."""
    seed, scored = asked.seed, _scored(original, release, method, asked, progress)
    whole = scored.release if isinstance(scored.release, Release) else None
    rows = scored.release.as_ratings() if isinstance(scored.release, Release) else scored.release
    linkage = scored.linkage or _who_is_who(original, scored, rows, seed, progress)
    rehearsal = _rehearsal(original, rows, linkage, method, seed, progress)
    context = AuditContext(
        original,
        rows,
        linkage,
        match_items(original, rows),
        rehearsal=rehearsal,
        release=whole,
        everyone=asked.everyone,
    )
    if asked.previous is not None:
        earlier = earlier_release_of(context, asked.previous, asked.previous_secret, seed, progress)
        context = replace(context, previous=earlier)
    if method:
        rehearse, control = rehearser(original, method), control_group(original, method, seed)
        context = replace(context, rehearse=rehearse, control=control)
    if method and scored.secret:
        factors = factors_of(method, original, Randomness(scored.secret.root), rows)
        context = replace(context, factors=factors)
    return context


class _Scored(NamedTuple):
    """What attacks are scored on: the release, or a rehearsal of it."""

    release: Release | Ratings
    secret: Secret | None
    linkage: Linkage | None


def _scored(
    original: Ratings,
    release: Release | Ratings,
    method: Method | None,
    asked: AuditOptions,
    progress: Progress,
) -> _Scored:
    if not asked.rehearse:
        return _Scored(release, asked.secret, asked.linkage)
    if any(one is not None for one in (asked.secret, asked.linkage, asked.previous)):
        raise ParameterError(
            "a rehearsal takes no secret, no mapping and no earlier release",
            where="--rehearse",
        )
    return _Scored(*release_rehearsal(original, method, asked.seed, progress))


def _who_is_who(
    original: Ratings, scored: _Scored, rows: Ratings, seed: int, progress: Progress
) -> Linkage:
    if scored.secret is not None:
        return scored.secret.linkage(original, rows)
    return matched(original, scored.release, rows, seed, progress)


def _rehearsal(
    original: Ratings,
    rows: Ratings,
    linkage: Linkage,
    method: Method | None,
    seed: int,
    progress: Progress,
) -> Rehearsal:
    """A rehearsal, unless nobody knows the method or it cannot work on what is left of the data."""
    if method is None:
        return held_out(original, rows, linkage, seed)
    try:
        whole = method.rehearses_whole_rows
        return rehearsed(original, method, seed, Staged(progress, "Rehearsal"), whole_row=whole)
    except InputError:
        return held_out(original, rows, linkage, seed)
