"""Audit contexts for tests: an original, what a method made of it, whose row is whose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from recloak.auditing.control_rehearsal import control_group
from recloak.auditing.rehearsal import factors_of, rehearsed, rehearser
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.evaluation.context import AuditContext, match_items
from recloak.methods import method


def context_of(original: Ratings, name: str = "pseudonymize", **parameters: Any) -> AuditContext:
    """What an audit sees of ``original`` and its release by the method ``name``."""
    applied = method(name, **parameters).apply(original, Randomness.from_seed(1))
    rows = applied.release.as_ratings()
    return AuditContext(
        original,
        rows,
        applied.secret.linkage(original, rows),
        match_items(original, rows),
        release=applied.release,
    )


def with_rehearsal(
    context: AuditContext, name: str = "pseudonymize", **parameters: Any
) -> AuditContext:
    """The same, with a rehearsal of the method ``name``, and one without some people."""
    made = method(name, **parameters)
    return replace(
        context,
        rehearsal=rehearsed(context.original, made),
        control=control_group(context.original, made),
    )


def controlled(
    original: Ratings, name: str = "pseudonymize", seed: int = 0, **parameters: Any
) -> AuditContext:
    """A context whose attacks can be tried on people who are not in the release."""
    made = method(name, **parameters)
    return replace(
        context_of(original, name, **parameters), control=control_group(original, made, seed)
    )


def rehearsable(original: Ratings, name: str = "fragmentation", **parameters: Any) -> AuditContext:
    """A context whose adversary knows how the release was made."""
    made = method(name, **parameters)
    return replace(
        context_of(original, name, **parameters),
        rehearse=rehearser(original, made),
        factors=factors_of(made, original, Randomness.from_seed(1), original),
    )
